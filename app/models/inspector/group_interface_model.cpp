#include "app/models/inspector/group_interface_model.h"

#include <algorithm>
#include <utility>

#include "app/document/text.h"
#include "engine/expression/typed_param.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/interface_edits.h"

namespace hw::app {

GroupInterfaceModel::GroupInterfaceModel(Document& document, QObject* parent) : QObject(parent), document_(document) {
  for (const auto change : {&Document::selectionChanged, &Document::shownChanged, &Document::historyChanged})
    connect(&document, change, this, &GroupInterfaceModel::refresh);
  refresh();
}

void GroupInterfaceModel::refresh() {
  const auto& groups = document_.graph().groups();
  std::shared_ptr<const Group> now = document_.activeNode().isEmpty() ? document_.shown().definition() : nullptr;
  if (const Node* active = document_.shown().graph().find(to_std(document_.activeNode()))) {
    const auto id = group_of(*active);
    const auto found = id ? groups.find(*id) : groups.end();
    if (found != groups.end()) now = found->second;
  }
  const auto before = std::exchange(group_, now);
  if (before == now && !now) return;
  const auto lists = std::tuple(std::exchange(inputs_, {}), std::exchange(outputs_, {}), std::exchange(params_, {}));
  if (now) {
    const NodeDecl declared = interface_of(document_.graph(), *now);
    for (const SocketDecl& s : declared.inputs())
      inputs_.append(QVariantMap{{"id", to_q(s.id)}, {"label", to_q(s.label)}});
    for (const SocketDecl& s : declared.outputs())
      outputs_.append(QVariantMap{{"id", to_q(s.id)}, {"label", to_q(s.label)}});
    for (const ParamDecl& p : declared.params()) {
      const auto sets = std::ranges::count(now->params, p.id, &PromotedParam::id);
      params_.append(QVariantMap{{"id", to_q(p.id)},
                                 {"label", to_q(p.label)},
                                 {"value", to_q(to_string(p.value))},
                                 {"sets", static_cast<int>(sets)}});
    }
  }
  if (before != now || lists != std::tuple(inputs_, outputs_, params_)) Q_EMIT changed();
}

QString GroupInterfaceModel::title() const {
  return group_ ? to_q(title_of(*group_)) : QString();
}

void GroupInterfaceModel::push(const QString& text, Group group) {
  if (group_ && !(group == *group_)) document_.pushDocument(text, {SetGroup{std::move(group)}});
}

void GroupInterfaceModel::moveSocket(const QString& id, int place) {
  if (!group_) return;
  Group group = *group_;
  const auto edits = move_group_socket(group, to_std(id), static_cast<size_t>(std::max(0, place)));
  if (apply_edits(group.graph, edits)) push(tr("Move socket"), std::move(group));
}

void GroupInterfaceModel::renameSocket(const QString& id, const QString& label) {
  if (!group_ || !group_->graph.find(to_std(id))) return;
  Group group = *group_;
  group.graph.node(to_std(id)).label = to_std(label.trimmed());
  push(tr("Rename socket"), std::move(group));
}

void GroupInterfaceModel::moveParam(const QString& id, int place) {
  if (group_)
    push(tr("Move parameter"), with_param_moved(*group_, to_std(id), static_cast<size_t>(std::max(0, place))));
}

void GroupInterfaceModel::renameParam(const QString& id, const QString& label) {
  if (group_) push(tr("Rename parameter"), with_param_named(*group_, to_std(id), to_std(label.trimmed())));
}

QString GroupInterfaceModel::setDefault(const QString& id, const QString& text) {
  if (!group_) return {};
  const NodeDecl declared = interface_of(document_.graph(), *group_);
  const ParamDecl* param = declared.find_param(to_std(id));
  if (!param) return {};
  const auto value = parse_typed(*param, to_std(text), param->value);
  if (!value) return reason_text(value.error());
  auto group = with_param_default(*group_, param->id, *value);
  if (!group) return reason_text(group.error());
  push(tr("Set default"), *std::move(group));
  return {};
}

}  // namespace hw::app
