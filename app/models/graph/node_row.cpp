#include "app/models/graph/node_row.h"

#include <utility>

#include "app/models/graph/verdicts.h"
#include "app/models/text/param_value.h"
#include "engine/graph/node_draws.h"
#include "engine/program/random_ops.h"

namespace hw::app {

NodeRow::NodeRow(const Document& document, const Node& node)
    : id_(to_q(node.id)),
      path_(document.pathOf(id_)),
      node_(given_node(document.shown().scope(), node)),
      card_(make_card(document.shown().scope(), node_)) {}

const QVariantList& NodeRow::states(const Document& document, bool outputs) const {
  std::optional<QVariantList>& states = outputs ? outputs_ : inputs_;
  if (!states) states = socket_states(document.shown().scope(), document.validator(), node_, card_, outputs);
  return *states;
}

QVariant NodeRow::data(const Document& document, int role) const {
  const NodeType* type = card_.type;
  switch (role) {
    case NodeIdRole:
      return id_;
    case TypeRole:
      return to_q(node_.type);
    case Qt::DisplayRole:
    case TitleRole:
      return to_q(display_name(document.graph(), node_));
    case CategoryRole:
      return type ? to_q(type->decl.category()) : QString();
    case SummaryRole:
      return type ? to_q(type->decl.summary()) : QString();
    case PosXRole:
      return node_.x;
    case PosYRole:
      return node_.y;
    case CardWidthRole:
      return card_.size.width();
    case CardHeightRole:
      return card_.size.height();
    case InputsRole:
      return describe_sockets(card_, false);
    case OutputsRole:
      return describe_sockets(card_, true);
    case InputStatesRole:
      return states(document, false);
    case OutputStatesRole:
      return states(document, true);
    case CardParamsRole:
      return describe_params(card_);
    case ParamValuesRole: {
      QVariantMap values;
      for (const ParamDecl* p : card_.params) values[to_q(p->id)] = to_qml(value_on(*card_.declaration, node_, p->id));
      return values;
    }
    case StatusRole:
      return status_;
    case StatusTextRole:
      return status_text_;
    case RandomRole:
      return node_draws(node_).draws;
    case RandomFixedRole:
      return node_draws(node_).fixed(path_.toStdString());
    case RandomTextRole: {
      const RandomParams r = node_draws(node_);
      return r.draws ? QObject::tr("Draws from %1").arg(to_q(draw_text(r.stream(), {}, {}))) : QString();
    }
    case BypassedRole:
      return node_.bypassed;
    case FrozenRole:
      return node_.frozen;
    case TieRole:
      return to_q(node_.tie);
    case DeviceRole:
      return to_q(node_.device);
    case CollapsedRole:
      return node_.collapsed;
    case PreviewTopRole:
      return card_.preview_top;
    case DotRole:
      return card_.dot;
    case IsGroupRole:
      return !type && card_.declaration.has_value();
    default:
      return {};
  }
}

QVector<int> NodeRow::follow(const Document& document, const Node& now) {
  const Scope& scope = document.shown().scope();
  const Node old = std::exchange(node_, given_node(scope, now));
  const bool is_group = group_of(node_).has_value();  // whose definition may be another
  const bool other_params = old.params != node_.params;
  const bool other_sockets = is_group || (other_params && card_.type && card_.type->sockets);
  QVector<int> roles;
  const auto mark = [&roles](bool changed, std::initializer_list<int> touched) {
    if (changed) roles += QVector<int>(touched);
  };
  mark(old.x != node_.x, {PosXRole});
  mark(old.y != node_.y, {PosYRole});
  mark(old.label != node_.label || is_group, {TitleRole});
  mark(other_params || is_group, {ParamValuesRole});
  mark(other_params && card_.type && card_.type->decl.is_random(), {RandomRole, RandomFixedRole, RandomTextRole});
  mark(old.bypassed != node_.bypassed, {BypassedRole});
  mark(old.frozen != node_.frozen, {FrozenRole});
  mark(old.tie != node_.tie, {TieRole});
  mark(old.device != node_.device, {DeviceRole});
  const bool same_preview = shows_preview(old) == shows_preview(node_);
  if (old.collapsed == node_.collapsed && same_preview && !other_sockets) return roles;
  card_ = make_card(scope, node_);
  mark(true, {CollapsedRole, CardHeightRole, PreviewTopRole, InputsRole, OutputsRole});
  mark(is_group, {CardParamsRole, IsGroupRole});
  return roles;
}

QVector<int> NodeRow::follow_wires(const Document& document) {
  Card card = make_card(document.shown().scope(), node_);  // a wire to a socket that is not there keeps its place
  if (card_.has_sockets_of(card)) return {};
  card_ = std::move(card);
  return {InputsRole, OutputsRole, CardHeightRole, PreviewTopRole};
}

QVector<int> NodeRow::refresh(const Document& document, const std::vector<Diagnostic>& findings) {
  QVector<int> changed;
  const auto set = [&changed](auto& field, auto value, int role) {
    if (field == value) return;
    field = std::move(value);
    changed.append(role);
  };
  const Scope& scope = document.shown().scope();
  const Validator& validator = document.validator();
  if (inputs_) set(*inputs_, socket_states(scope, validator, node_, card_, false), InputStatesRole);
  if (outputs_) set(*outputs_, socket_states(scope, validator, node_, card_, true), OutputStatesRole);
  const bool known = card_.declaration.has_value();
  const NodeVerdict verdict = node_verdict(document.flat(), validator, findings, to_std(path_), known);
  set(status_, verdict.status, StatusRole);
  set(status_text_, verdict.text, StatusTextRole);
  return changed;
}

}  // namespace hw::app
