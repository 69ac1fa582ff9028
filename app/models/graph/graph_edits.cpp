#include "app/models/graph/graph_edits.h"

#include "app/document/wire_checks.h"
#include "app/models/cards/card.h"
#include "app/models/cards/card_boxes.h"
#include "app/models/graph/insertion.h"
#include "app/models/graph/merge.h"
#include "app/models/graph/rename.h"
#include "app/models/graph/selection.h"
#include "app/models/text/param_value.h"
#include "engine/expression/typed_param.h"
#include "engine/graph/groups/replace.h"
#include "engine/graph/groups/reroute.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {
namespace {

Link make_link(const QString& from, const QString& from_socket, const QString& to, const QString& to_socket) {
  return {from.toStdString(), from_socket.toStdString(), to.toStdString(), to_socket.toStdString()};
}

/// The value as the parameter's kind wants it; text is what the user typed over the value as it is `now`.
Result<ParamValue> from_variant(const ParamDecl& decl, const QVariant& value, const ParamValue& now) {
  switch (value.typeId()) {
    case QMetaType::Bool:
      return check_param(decl, value.toBool());
    case QMetaType::Int:
    case QMetaType::LongLong:
      return check_param(decl, static_cast<int64_t>(value.toLongLong()));
    case QMetaType::Double:
      if (decl.type == ParamDecl::Type::integer) return check_param(decl, static_cast<int64_t>(value.toLongLong()));
      return check_param(decl, value.toDouble());
    default:
      return parse_typed(decl, value.toString().toStdString(), now);
  }
}

}  // namespace

void GraphEdits::moveNodes(const QHash<QString, QPointF>& positions, const QHash<QString, QPointF>& frames) {
  Edits edits;
  QString single;
  const Graph& graph = document_.shown().graph();
  for (auto it = frames.begin(); it != frames.end(); ++it) {
    const auto found = graph.frames().find(it.key().toStdString());
    if (found == graph.frames().end() || (found->second.x == it->x() && found->second.y == it->y())) continue;
    Frame frame = found->second;
    frame.x = it->x();
    frame.y = it->y();
    edits.push_back(SetFrame{std::move(frame)});
  }
  for (auto it = positions.begin(); it != positions.end(); ++it) {
    const Node* node = graph.find(it.key().toStdString());
    if (!node || (node->x == it->x() && node->y == it->y())) continue;
    edits.push_back(MoveNode{node->id, it->x(), it->y()});
    single = to_q(display_name(document_.graph(), *node));
  }
  const QString text = !frames.isEmpty()       ? tr("Move frame")
                       : positions.size() == 1 ? tr("Move %1").arg(single)
                                               : tr("Move %1 nodes").arg(positions.size());
  if (!edits.empty()) document_.push(text, edits, merge_move);
}

void GraphEdits::nudgeSelection(double dx, double dy) {
  document_.letGo();  // from the stored positions, not where nodes are being dragged
  const Scope& scope = document_.shown().scope();
  const Placed placed = with_content(*scope.graph, selection_of(document_), card_boxes(scope));
  const Edits edits = moved(*scope.graph, placed, dx, dy);
  if (!edits.empty()) document_.push(tr("Nudge"), edits, merge_nudge);
}

std::optional<Placeable> GraphEdits::find(const QString& type) const {
  return find_placeable(document_.graph(), library_ ? library_->blocks() : BlockLibrary(), to_std(type));
}

std::vector<Placeable> GraphEdits::placeables() const {
  return app::placeables(document_.graph(), library_ ? library_->blocks() : BlockLibrary());
}

QString GraphEdits::addNode(const QString& type, double x, double y) {
  const auto found = find(type);
  if (!found) return {};
  Adopted adopted = adopt(*found, document_.graph());
  Node node;
  node.type = adopted.type;
  node.id = document_.shown().graph().fresh_id(adopted.stem);
  node.x = x;
  node.y = y;
  const QString id = to_q(node.id);
  adopted.edits.push_back(AddNode{std::move(node)});
  if (!document_.push(tr("Add %1").arg(to_q(found->decl().title())), adopted.edits)) return {};
  document_.selectNode(id);
  return id;
}

QString GraphEdits::addNodeLinked(const QString& type, const QString& node, const QString& socket, bool isOutput,
                                  double x, double y) {
  const auto found = find(type);
  if (!found) return {};
  const Candidate candidate = found->candidate(document_.graph());
  const Graph& graph = document_.shown().graph();
  std::string near = node.toStdString(), near_socket = socket.toStdString();
  auto fit = fitting_socket(document_, near, near_socket, isOutput, candidate);
  const auto by_cast = fit ? std::nullopt : fitting_by_cast(document_, near, near_socket, isOutput, candidate);
  if (!fit && !by_cast) return addNode(type, x, y);

  Adopted adopted = adopt(*found, document_.graph());
  Edits& edits = adopted.edits;
  Scope scope = document_.shown().scope();
  if (found->is_group()) scope.document = &adopted.definitions;
  // A node whose `own` socket comes to lie at (x, y), wired to what is there.
  const auto add = [&](Node added, const std::string& own) {
    const QPointF offset = make_card(scope, added).anchor(own, !isOutput);
    added.x = x - offset.x();
    added.y = y - offset.y();
    const Link link = isOutput ? Link{near, near_socket, added.id, own} : Link{added.id, own, near, near_socket};
    edits.push_back(AddNode{added});
    edits.push_back(AddLink{link});
    near = added.id;
  };
  if (by_cast) {
    Node cast;
    cast.id = graph.fresh_id("cast");
    cast.type = "cast";
    cast.params["to"] = std::string(name(by_cast->to));
    add(cast, isOutput ? "x" : "y");
    near_socket = isOutput ? "y" : "x";
    x += (isOutput ? 1 : -1) * (CardMetrics::width + CardMetrics::gap);
    fit = by_cast->socket;
  }
  Node added;
  added.type = adopted.type;
  added.id = graph.fresh_id(adopted.stem);
  add(added, *fit);
  if (!document_.push(tr("Add %1").arg(to_q(found->decl().title())), edits)) return {};
  const QString id = to_q(near);
  document_.selectNode(id);
  return id;
}

bool GraphEdits::insertIntoLink(const QString& node, const Link& link) {
  const Node* inserted = document_.shown().graph().find(node.toStdString());
  const auto edits = inserted ? insertion(document_, *inserted, link) : std::nullopt;
  return edits &&
         document_.push(tr("Insert %1").arg(to_q(display_name(document_.graph(), *inserted))), *edits, merge_move);
}

QString GraphEdits::addNodeIntoLink(const QString& type, const Link& link, double x, double y) {
  const auto found = find(type);
  if (!found) return {};
  const Adopted adopted = adopt(*found, document_.graph());
  const auto node = node_on_wire(document_, adopted, link, x, y);
  const auto edits = node ? insertion(document_, *node, link, adopted) : std::nullopt;
  if (!edits || !document_.push(tr("Insert %1").arg(to_q(found->decl().title())), *edits)) return {};
  const QString id = to_q(node->id);
  document_.selectNode(id);
  return id;
}

void GraphEdits::replaceSelection(const QString& type) {
  const auto found = find(type);
  if (!found) return;
  Adopted adopted = adopt(*found, document_.graph());
  const Scope& scope = document_.shown().scope();
  const auto made = replace_nodes(scope, selection_of(document_).nodes, adopted.type, found->decl());
  if (!made) {
    const Error& e = made.error();
    Q_EMIT document_.refused(to_q(e.code), sentence(e.reason), to_q(e.remedy));
    return;
  }
  QStringList lost;
  for (const Link& link : made->lost)
    lost.append(to_q(link.from + "." + link.from_socket + " → " + link.to + "." + link.to_socket));
  adopted.edits.insert(adopted.edits.end(), made->edits.begin(), made->edits.end());
  const QString title = to_q(found->decl().title());
  if (!document_.push(tr("Replace by %1").arg(title), adopted.edits)) return;
  QSet<QString> ids;
  for (const std::string& id : made->nodes) ids.insert(to_q(id));
  document_.select(ids, to_q(made->nodes.front()));
  if (!lost.isEmpty()) Q_EMIT document_.explained(tr("%1 has no socket for these wires").arg(title), lost);
}

void GraphEdits::rewire(const std::vector<Link>& old, const std::vector<Link>& added) {
  if (old == added) return;
  Edits edits;
  for (const Link& link : old) edits.push_back(RemoveLink{link});
  for (const Link& link : added) edits.push_back(AddLink{link});
  const QString text = old.empty() ? tr("Connect") : added.empty() ? tr("Disconnect") : tr("Move wire");
  if (!edits.empty()) document_.push(text, edits);
}

void GraphEdits::reroute(const std::vector<CrossedLink>& crossed) {
  const NewReroutes made = add_reroutes(document_.shown().graph(), crossed);
  if (made.nodes.empty() ||
      !document_.push(made.nodes.size() == 1 ? tr("Add Reroute") : tr("Add %1 nodes").arg(made.nodes.size()),
                      made.edits))
    return;
  QSet<QString> ids;
  for (const std::string& id : made.nodes) ids.insert(to_q(id));
  document_.select(ids, to_q(made.nodes.front()));
}

void GraphEdits::removeLinks(const std::vector<Link>& links) {
  rewire(links, {});
}

struct GraphEdits::Param {
  Node node;  // with the values that instances around it give
  Declaration interface;
  const ParamDecl& decl;
  ParamValue now;
};

std::optional<GraphEdits::Param> GraphEdits::param_of(const Scope& scope, const Node* node,
                                                      const QString& param) const {
  auto interface = node ? interface_in(document_.graph(), *node) : std::nullopt;
  const ParamDecl* decl = interface ? (*interface)->find_param(param.toStdString()) : nullptr;
  if (!decl) return std::nullopt;
  Node given = given_node(scope, *node);
  ParamValue now = value_on(*interface, given, decl->id);
  return Param{std::move(given), std::move(*interface), *decl, std::move(now)};
}

std::optional<SetParam> GraphEdits::setting(const Param& param, const QVariant& value) {
  const ParamDecl& decl = param.decl;
  const Result<ParamValue> parsed = from_variant(decl, value, param.now);
  if (!parsed) {
    const Error& e = parsed.error();
    const QString place = to_q(display_name(document_.graph(), param.node)) + QStringLiteral(" › ") + to_q(decl.label);
    Q_EMIT document_.refused(to_q(e.code), place + QLatin1Char(' ') + to_q(e.reason), to_q(e.remedy));
    return std::nullopt;
  }
  std::optional<ParamValue> stored = *parsed;
  if (*parsed == decl.value) stored.reset();
  return SetParam{param.node.id, decl.id, std::move(stored)};
}

bool GraphEdits::setParam(const QString& node, const QString& id, const QVariant& value, bool merge) {
  const Scope& scope = document_.shown().scope();
  const auto param = param_of(scope, scope.graph->find(node.toStdString()), id);
  const auto set = param ? setting(*param, value) : std::nullopt;
  if (!set) return false;
  const bool differs = set->value.value_or(param->decl.value) != param->now;
  const QString text = tr("Set %1").arg(to_q(param->decl.label));
  if (differs && !document_.push(text, {*set}, merge ? merge_param : -1)) return false;
  allow_chosen(*param, *set);
  return true;
}

bool GraphEdits::setParamAt(const QString& path, const QString& id, const QVariant& value) {
  const Graph& flat = document_.flat();
  const auto param = param_of(document_scope(flat), flat.find(path.toStdString()), id);
  const auto set = param ? setting(*param, value) : std::nullopt;
  if (!set) return false;
  const bool differs = set->value.value_or(param->decl.value) != param->now;
  if (differs && !document_.pushFlat(tr("Set %1").arg(to_q(param->decl.label)), {*set})) return false;
  allow_chosen(*param, *set);
  return true;
}

void GraphEdits::allow_chosen(const Param& param, const SetParam& set) {
  const NodeType* type = Registry::instance().find(param.node.type);
  if (type && set.value) document_.allowChosen(*type, param.decl, *set.value);
}

void GraphEdits::scrubParam(const QString& node, const QString& id, double from, double steps, bool snaps) {
  const Scope& scope = document_.shown().scope();
  if (const auto param = param_of(scope, scope.graph->find(node.toStdString()), id))
    setParam(node, id, scrub(param->decl, from, steps, snaps), true);
}

void GraphEdits::nudgeParam(const QString& node, const QString& id, int direction) {
  document_.letGo();  // from the stored value, not the one being dragged
  const Scope& scope = document_.shown().scope();
  if (const auto param = param_of(scope, scope.graph->find(node.toStdString()), id))
    setParam(node, id, nudge(param->decl, to_qml(param->now).toDouble(), direction));
}

void GraphEdits::rename(const QString& node, const QString& label) {
  rename_node(document_, node, label);
}

void GraphEdits::toggleBypass() {
  Edits edits;
  bool on = false;
  for (const QString& id : document_.selection().nodes()) {
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (node && !node->bypassed) on = true;
  }
  for (const QString& id : document_.selection().nodes()) {
    if (const Node* node = document_.shown().graph().find(id.toStdString())) {
      edits.push_back(SetFlags{node->id, node->collapsed, on});
    }
  }
  if (!edits.empty()) document_.push(on ? tr("Bypass") : tr("Stop bypassing"), edits);
}

void GraphEdits::toggleCollapse() {
  Edits edits;
  bool on = false;
  for (const QString& id : document_.selection().nodes()) {
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (node && !node->collapsed) on = true;
  }
  for (const QString& id : document_.selection().nodes()) {
    if (const Node* node = document_.shown().graph().find(id.toStdString())) {
      edits.push_back(SetFlags{node->id, on, node->bypassed});
    }
  }
  if (!edits.empty()) document_.push(on ? tr("Collapse") : tr("Expand"), edits);
}

void GraphEdits::togglePreview() {
  std::vector<const Node*> nodes;
  for (const QString& id : document_.selection().nodes()) {
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (node && node->type != kRerouteType) nodes.push_back(node);
  }
  const bool on = !std::ranges::all_of(nodes, [](const Node* node) { return shows_preview(*node); });
  Edits edits;
  for (const Node* node : nodes) {
    Node plain = *node;
    plain.preview.reset();
    edits.push_back(SetPreview{node->id, shows_preview(plain) == on ? std::nullopt : std::optional(on)});
  }
  if (!edits.empty()) document_.push(on ? tr("Show preview") : tr("Hide preview"), edits);
}

void GraphEdits::applyRemedy(const QString& from, const QString& fromSocket, const QString& to, const QString& toSocket,
                             int remedy) {
  const Link link = flat_link(document_.shown().scope(), make_link(from, fromSocket, to, toSocket));
  const Diagnostic* d = document_.validator().of(link);
  if (!d || remedy < 0 || static_cast<size_t>(remedy) >= d->remedies.size()) return;
  const Remedy chosen = d->remedies[static_cast<size_t>(remedy)];  // the push rewrites the list it lies in
  document_.mend(chosen);
}

QString GraphEdits::viewOutput(const QString& node) {
  const Node* source = document_.shown().graph().find(node.toStdString());
  const Card card = source ? make_card(document_.shown().scope(), *source) : Card();
  if (card.outputs.empty()) return {};
  const std::string socket = card.outputs.front().id;
  const QPointF from = QPointF(source->x, source->y) + card.anchor(socket, true);
  for (const auto& [id, type] : Registry::instance().all()) {
    if (type.decl.role() != hw::Role::view && type.decl.role() != hw::Role::viewport) continue;
    if (!fitting_socket(document_, source->id, socket, true, type)) continue;
    return addNodeLinked(to_q(id), node, to_q(socket), true, from.x() + CardMetrics::width / 2, from.y());
  }
  return {};
}

}  // namespace hw::app
