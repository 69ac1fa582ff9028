// EditedNodes: the nodes that the inspector edits together, and the parameters that all of them have.
#pragma once

#include <functional>

#include "app/document/document.h"

namespace hw::app {

/// The selected nodes with the active one first. GUI thread; the Document must outlive it.
class EditedNodes {
 public:
  explicit EditedNodes(Document& document) : document_(document) {}

  /// Updates from the selection.
  void follow();
  bool several() const { return ids_.size() > 1; }
  /// Whether one of them is among `ids`.
  bool any_of(const QStringList& ids) const;
  /// All parameters of one node; those of several that have one id, one kind and, of choices, some in common: what is
  /// given to one of these fits in each. What has several lines is edited in one node alone.
  const std::vector<ParamDecl>& params() const { return params_; }
  const ParamDecl* find(std::string_view param) const;
  /// Whether their values differ.
  bool mixed(const ParamDecl& param) const;
  /// Whether all of them are so, of those that count.
  bool all(bool (*counts)(const Node&), bool (*is)(const Node&)) const;
  /// The title of their type; "" when they are of several.
  QString typeTitle() const;

  /// A node's new value from its own, by its own rules; nothing: the default.
  using Change = std::function<Result<std::optional<ParamValue>>(const ParamDecl& param, const ParamValue& now)>;
  /// All of them, as one undo step. Returns why it cannot be, or "": then nothing changes.
  QString change(const ParamDecl& param, const Change& change, int mergeId = -1);
  /// One undo step called `text` of an edit for each node; nothing: none for it.
  bool edit(const QString& text, const std::function<std::optional<Edit>(const Node&)>& edit);

 private:
  /// Those that are still there, with the values that instances around them give.
  std::vector<Node> nodes() const;

  Document& document_;
  std::vector<std::string> ids_;
  std::vector<ParamDecl> params_;
};

}  // namespace hw::app
