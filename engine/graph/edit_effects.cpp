#include "engine/graph/edit_effects.h"

#include <algorithm>

namespace hw {
namespace {

/// A row a kind. A kind without one does not compile.
struct Rows {
  Effects operator()(const AddNode&) const { return {.nodes = true, .dtypes = true}; }
  Effects operator()(const RemoveNode&) const { return {.nodes = true, .wires = true, .dtypes = true}; }
  Effects operator()(const SetParam&) const { return {.values = true, .dtypes = true}; }
  Effects operator()(const SetLabel&) const { return {.looks = true}; }
  Effects operator()(const MoveNode&) const { return {.looks = true}; }
  Effects operator()(const SetFlags&) const { return {.values = true, .dtypes = true, .looks = true}; }
  Effects operator()(const SetPreview&) const { return {.looks = true}; }
  Effects operator()(const SetFrozen&) const { return {.values = true}; }
  Effects operator()(const SetTie&) const { return {.values = true, .dtypes = true}; }
  Effects operator()(const SetDevice&) const { return {.values = true}; }
  Effects operator()(const SetWeight&) const { return {.values = true, .dtypes = true}; }
  Effects operator()(const SetPolicy&) const { return {.dtypes = true, .policy = true}; }
  Effects operator()(const SetWeightNames&) const { return {.weights = true}; }
  Effects operator()(const AddLink&) const { return {.wires = true, .dtypes = true}; }
  Effects operator()(const RemoveLink&) const { return {.wires = true, .dtypes = true}; }  // its reader has others left
  Effects operator()(const SetFrame&) const { return {.frames = true}; }
  Effects operator()(const RemoveFrame&) const { return {.frames = true}; }
  Effects operator()(const SetGroup&) const { return {.dtypes = true, .groups = true}; }
  Effects operator()(const RemoveGroup&) const { return {.dtypes = true, .groups = true}; }  // of instances that stay
};

/// Takes from a row what an edit of the kind does not always change. Most edits come at the rate of a drag: this must
/// cost nothing.
struct Narrow {
  const Graph& graph;  // before the edit
  Effects& effects;

  void operator()(const AddNode& e) const { effects.dtypes = !e.node->weights.empty() || !e.node->tie.empty(); }
  void operator()(const SetParam& e) const { effects.dtypes = decides_dtype(e); }
  void operator()(const SetFlags& e) const {
    const Node* node = graph.find(e.node);
    effects.values = effects.dtypes = !node || node->bypassed != e.bypassed;
  }
  void operator()(const auto&) const {}

  bool decides_dtype(const SetParam& e) const {
    const Node* node = graph.find(e.node);
    const NodeType* type = node ? Registry::instance().find(node->type) : nullptr;
    if (!type) return !node || group_of(*node);  // one that these edits add; what a group promotes
    const ParamDecl* param = type->decl.find_param(e.param);
    if (param && param->type == ParamDecl::Type::dtype) return true;
    const auto& weights = type->decl.weights();
    return std::any_of(weights.begin(), weights.end(), [&](const WeightDecl& w) { return w.only_if == e.param; });
  }
};

}  // namespace

Effects may_change(const Edit& edit) {
  return std::visit(Rows{}, edit);
}

Effects effects_of(const Graph& before, const Edit& edit) {
  Effects effects = may_change(edit);
  std::visit(Narrow{before, effects}, edit);
  return effects;
}

bool change_dtypes(const Graph& before, const Edits& edits) {
  return std::ranges::any_of(edits, [&](const Edit& edit) { return effects_of(before, edit).dtypes; });
}

const std::string* node_set_by(const Edit& edit) {
  return std::visit(
      [](const auto& e) -> const std::string* {
        if constexpr (SetsNode<std::remove_cvref_t<decltype(e)>>) return &e.node;
        return nullptr;
      },
      edit);
}

}  // namespace hw
