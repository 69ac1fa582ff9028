#include "app/models/inspector/edited_nodes.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/cards/card.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {
namespace {

/// Leaves in `shared` what fits in `other`, too. False: nothing does.
bool narrow(ParamDecl& shared, const ParamDecl* other) {
  if (!other || other->type != shared.type || other->is_multiline || other->vector_size != shared.vector_size)
    return false;
  const bool chosen = !shared.choices.empty();
  std::erase_if(shared.choices, [&](const std::string& c) { return !std::ranges::count(other->choices, c); });
  if (other->min && (!shared.min || *other->min > *shared.min)) {
    shared.min = other->min;
    shared.min_exclusive = other->min_exclusive;
  }
  if (other->max && (!shared.max || *other->max < *shared.max)) {
    shared.max = other->max;
    shared.max_exclusive = other->max_exclusive;
  }
  return chosen == !shared.choices.empty();
}

}  // namespace

std::vector<Node> EditedNodes::nodes() const {
  std::vector<Node> list;
  for (const std::string& id : ids_) {
    if (const Node* node = document_.shown().graph().find(id))
      list.push_back(given_node(document_.shown().scope(), *node));
  }
  return list;
}

void EditedNodes::follow() {
  ids_.clear();
  params_.clear();
  const std::string active = to_std(document_.activeNode());
  if (active.empty()) return;
  ids_.push_back(active);
  for (const QString& id : document_.selection().nodes()) {
    if (to_std(id) != active) ids_.push_back(to_std(id));
  }
  std::sort(ids_.begin() + 1, ids_.end());
  const std::vector<Node> all = nodes();
  const auto first = all.empty() ? std::nullopt : interface_in(document_.graph(), all.front());
  if (!first) return;
  params_ = (*first)->params();
  if (!several()) return;
  std::erase_if(params_, [](const ParamDecl& p) { return p.is_multiline; });
  for (size_t i = 1; i < all.size() && !params_.empty(); ++i) {
    if (all[i].type == all.front().type) continue;
    const auto other = interface_in(document_.graph(), all[i]);
    std::erase_if(params_, [&](ParamDecl& p) { return !other || !narrow(p, (*other)->find_param(p.id)); });
  }
}

bool EditedNodes::any_of(const QStringList& ids) const {
  return std::ranges::any_of(ids, [&](const QString& id) { return std::ranges::count(ids_, to_std(id)) > 0; });
}

const ParamDecl* EditedNodes::find(std::string_view param) const {
  const auto found = std::ranges::find(params_, param, &ParamDecl::id);
  return found == params_.end() ? nullptr : &*found;
}

bool EditedNodes::mixed(const ParamDecl& param) const {
  if (!several()) return false;
  std::optional<ParamValue> first;
  for (const Node& node : nodes()) {
    const auto own = interface_in(document_.graph(), node);
    if (!own) continue;
    const ParamValue value = value_on(*own, node, param.id);
    if (first && *first != value) return true;
    first = value;
  }
  return false;
}

bool EditedNodes::all(bool (*counts)(const Node&), bool (*is)(const Node&)) const {
  bool some = false;
  for (const std::string& id : ids_) {
    const Node* node = document_.shown().graph().find(id);
    if (!node || !counts(*node)) continue;
    if (!is(*node)) return false;
    some = true;
  }
  return some;
}

QString EditedNodes::typeTitle() const {
  const std::vector<Node> list = nodes();
  if (list.empty() || !std::ranges::all_of(list, [&](const Node& n) { return n.type == list.front().type; })) return {};
  Node plain = list.front();
  plain.label.clear();
  return to_q(display_name(document_.graph(), plain));
}

QString EditedNodes::change(const ParamDecl& param, const Change& change, int mergeId) {
  const std::vector<Node> list = nodes();
  Edits edits;
  for (const Node& node : list) {
    const auto own = interface_in(document_.graph(), node);
    const ParamDecl* p = own ? (*own)->find_param(param.id) : nullptr;
    if (!p) continue;
    const ParamValue now = value_on(*own, node, p->id);
    auto value = change(*p, now);
    if (!value) {
      const QString reason = sentence(value.error().reason);
      return several() ? to_q(display_name(document_.graph(), node)) + QStringLiteral(": ") + reason : reason;
    }
    if (*value ? **value == now : !node.params.contains(p->id)) continue;
    if (*value == p->value) value->reset();
    edits.push_back(SetParam{node.id, p->id, *value});
  }
  if (edits.empty()) return {};
  const QString label = to_q(param.label);
  const ParamDecl set_param = param;  // it may be of a declaration that the edit renews
  const bool done = document_.push(
      several() ? QObject::tr("Set %1 of %2 nodes").arg(label).arg(edits.size()) : QObject::tr("Set %1").arg(label),
      edits, mergeId);
  for (const Edit& edit : edits) {
    const auto& set = std::get<SetParam>(edit);
    const Node* node = document_.shown().graph().find(set.node);
    const NodeType* type = done && node ? Registry::instance().find(node->type) : nullptr;
    if (type && set.value) document_.allowChosen(*type, set_param, *set.value);
  }
  return {};
}

bool EditedNodes::edit(const QString& text, const std::function<std::optional<Edit>(const Node&)>& edit) {
  Edits edits;
  for (const Node& node : nodes()) {
    if (auto one = edit(node)) edits.push_back(std::move(*one));
  }
  return !edits.empty() && document_.push(text, edits);
}

}  // namespace hw::app
