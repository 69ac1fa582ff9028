// WeightsCommand: the part of an undo step that gives the document other weights.
#pragma once

#include <QUndoCommand>
#include <utility>

#include "app/document/document.h"

namespace hw::app {

/// Pushed, the document has other weights; undone, those from before, and redone, what it had learnt until then.
class WeightsCommand : public QUndoCommand {
 public:
  WeightsCommand(Document& document, std::shared_ptr<const std::map<std::string, Tensor>> weights)
      : document_(document), other_{std::move(weights), {}} {}

  void redo() override { exchange(); }
  void undo() override { exchange(); }

 private:
  void exchange() {
    const Document::Learnt now = document_.learnt();
    document_.replaceLearnt(std::exchange(other_, now));
  }
  Document& document_;
  Document::Learnt other_;  // that the document does not have now
};

}  // namespace hw::app
