// EditCommand: one undo step. Keeps edits and their inverse: ids and values, never pointers.
#pragma once

#include <QUndoCommand>

#include "engine/graph/edit.h"
#include "engine/graph/groups/moved_nodes.h"

namespace hw::app {

class Document;

/// Made after the edits were applied: the first redo(), which QUndoStack::push calls, does nothing.
class EditCommand : public QUndoCommand {
 public:
  /// `path`: of the group that was shown; `moved`: by the edits. Steps with the same non-negative `mergeId` in the same
  /// `mergeRun` become one.
  EditCommand(Document& document, const QString& text, std::string path, Edits edits, Edits inverse, MovedNodes moved,
              int mergeId, int mergeRun);

  void redo() override;
  void undo() override;
  int id() const override { return mergeId_; }
  bool mergeWith(const QUndoCommand* other) override;

 private:
  Document& document_;
  const std::string path_;
  Edits edits_, inverse_;
  const MovedNodes moved_;
  int mergeId_, mergeRun_;
  bool applied_ = true;
};

/// Drops settings that a later one of the same thing overrides, when every edit is such a setting: a drag of a second
/// keeps one move a node, not sixty.
void keep_last_settings(Edits& edits);

}  // namespace hw::app
