#include "app/canvas/wire_set.h"

#include <algorithm>

#include "app/models/instruments/heat_map_model.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {

void WireSet::setGraph(GraphModel* graph) {
  if (graph_) graph_->disconnect(this);
  graph_ = graph;
  if (graph_) {
    connect(graph_, &GraphModel::wiresReset, this, &WireSet::reload);
    connect(graph_, &GraphModel::wiresChanged, this, &WireSet::rewire);
    connect(graph_, &GraphModel::geometryChanged, this, &WireSet::move);
    connect(graph_, &GraphModel::wireLooksChanged, this, &WireSet::refresh_looks);
    connect(graph_, &GraphModel::wireLooksTouched, this, &WireSet::refresh_looks_at);
  }
  reload();
}

void WireSet::setColours(const QVariantMap& colours) {
  colours_ = colours;
  refresh_looks();
}

QColor WireSet::colour(const QString& token) const {
  const QVariant found = colours_.value(token);
  return found.canConvert<QColor>() ? found.value<QColor>() : QColor(Qt::gray);
}

QColor WireSet::heatColour(double heat) const {
  const bool upper = heat > 0.5;
  const QColor a = colour(upper ? QStringLiteral("heatMid") : QStringLiteral("heatLow"));
  const QColor b = colour(upper ? QStringLiteral("heatHigh") : QStringLiteral("heatMid"));
  const auto t = static_cast<float>(std::clamp(upper ? 2 * heat - 1 : 2 * heat, 0.0, 1.0));
  const auto mix = [t](float x, float y) { return x + t * (y - x); };
  return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

void WireSet::reload() {
  wires_.clear();
  free_.clear();
  by_node_.clear();
  grid_.clear();
  if (graph_) {
    for (Link& link : graph_->document().shown().graph().links())
      look(wires_[static_cast<size_t>(add(std::move(link)))]);
  }
  Q_EMIT wiresReset();
}

int WireSet::add(Link link) {
  const int index = free_.isEmpty() ? static_cast<int>(wires_.size()) : free_.takeLast();
  if (static_cast<size_t>(index) == wires_.size()) wires_.emplace_back();
  Wire& wire = wires_[static_cast<size_t>(index)];
  wire = {};
  wire.link = std::move(link);
  by_node_[to_q(wire.link.from)].append(index);
  if (wire.link.to != wire.link.from) by_node_[to_q(wire.link.to)].append(index);
  place(index);
  return index;
}

bool WireSet::has(const Link& link) const {
  const QVector<int> there = by_node_.value(to_q(link.to));
  return std::any_of(there.begin(), there.end(), [&](int i) { return wires_[static_cast<size_t>(i)].link == link; });
}

void WireSet::remove(int index) {
  Wire& wire = wires_[static_cast<size_t>(index)];
  for (const std::string& node : {wire.link.from, wire.link.to}) {
    const auto list = by_node_.find(to_q(node));
    if (list == by_node_.end()) continue;
    list->removeOne(index);
    if (list->isEmpty()) by_node_.erase(list);
  }
  wire = {};
  wire.gone = true;
  grid_.remove(index);
  free_.append(index);
}

void WireSet::place(int index) {
  Wire& wire = wires_[static_cast<size_t>(index)];
  wire.curve = WireCurve(graph_->anchor(wire.link.from, wire.link.from_socket, true),
                         graph_->anchor(wire.link.to, wire.link.to_socket, false));
  grid_.set(index, wire.curve.bounds());
}

QVector<int> WireSet::at_nodes(const QStringList& nodes) const {
  QVector<int> found;
  for (const QString& id : nodes) found += by_node_.value(id);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void WireSet::rewire(const QStringList& nodes) {
  const Graph& graph = graph_->document().shown().graph();
  QVector<int> touched;
  for (const int i : at_nodes(nodes)) {
    if (graph.has_link(wires_[static_cast<size_t>(i)].link)) continue;
    remove(i);
    touched.append(i);
  }
  for (const QString& id : nodes) {
    const std::string node = id.toStdString();
    for (const std::vector<Link>* links : {&graph.links_into(node), &graph.links_from(node)})
      for (const Link& link : *links)
        if (!has(link)) touched.append(add(link));
  }
  if (!touched.isEmpty()) Q_EMIT wiresTouched(touched);
}

void WireSet::move(const QStringList& nodes) {
  const QVector<int> touched = at_nodes(nodes);
  for (const int i : touched) place(i);
  if (!touched.isEmpty()) Q_EMIT wiresTouched(touched);
}

/// Sets what is drawn from the validator's word; true when something changed.
bool WireSet::look(Wire& wire) const {
  const Wire before = wire;
  const Document& document = graph_->document();
  const Validator& validator = document.validator();
  const Scope& scope = document.shown().scope();
  const Node* target = scope.graph->find(wire.link.to);
  const Node* source = scope.graph->find(wire.link.from);
  const auto type = source ? output_look(scope, validator, *source, wire.link.from_socket) : std::nullopt;
  const Diagnostic* wrong = validator.of(flat_link(scope, wire.link));
  wire.wrong = wrong && wrong->severity == Severity::error;
  wire.field = type && type->field;
  wire.from = colour(colour_token(type)).rgba();
  wire.to = wire.from;
  const NodeType* target_type = target ? Registry::instance().find(target->type) : nullptr;
  if (target_type && !wire.wrong) {
    const Declaration declared = target_type->declared(target->params);
    if (const SocketDecl* input = declared->find_input(wire.link.to_socket)) {
      const auto wanted = expected_type(scope, validator, *target, *input);
      if (wanted) wire.to = colour(colour_token(wanted)).rgba();
    }
  }
  wire.bad = false;
  if (const HeatMapModel* map = graph_->heatMap()) {
    const auto heat = map->heatOf(flat_link(scope, wire.link));
    wire.field = false;  // its waves would be another colour
    wire.from = wire.to = heat ? heatColour(heat->amount).rgba() : colour(QStringLiteral("cardLine")).rgba();
    wire.bad = heat && heat->bad;
  }
  if (wire.wrong) wire.from = wire.to = colour(QStringLiteral("error")).rgba();
  const std::vector<Link>& chosen = document.selection().links();
  wire.selected = std::find(chosen.begin(), chosen.end(), wire.link) != chosen.end();
  wire.faded = (target && target->bypassed) || (source && source->bypassed);
  return wire.from != before.from || wire.to != before.to || wire.wrong != before.wrong ||
         wire.selected != before.selected || wire.field != before.field || wire.faded != before.faded ||
         wire.bad != before.bad;
}

void WireSet::refresh_looks() {
  if (!graph_) return;
  QVector<int> touched;
  for (size_t i = 0; i < wires_.size(); ++i) {
    if (!wires_[i].gone && look(wires_[i])) touched.append(static_cast<int>(i));
  }
  if (!touched.isEmpty()) Q_EMIT wiresTouched(touched);
}

void WireSet::refresh_looks_at(const QStringList& nodes) {
  QVector<int> touched;
  for (const int i : at_nodes(nodes))
    if (look(wires_[static_cast<size_t>(i)])) touched.append(i);
  if (!touched.isEmpty()) Q_EMIT wiresTouched(touched);
}

int WireSet::at(QPointF p, double reach) const {
  int nearest = -1;
  for (const int i : grid_.in(QRectF(p.x() - reach, p.y() - reach, 2 * reach, 2 * reach))) {
    const double distance = wires_[static_cast<size_t>(i)].curve.distance(p);
    if (distance > reach) continue;
    reach = distance;
    nearest = i;
  }
  return nearest;
}

std::vector<CrossedLink> WireSet::crossing(QPointF p, QPointF q) const {
  std::vector<CrossedLink> crossed;
  for (const int i : grid_.in(QRectF(p, q))) {
    const Wire& wire = wires_[static_cast<size_t>(i)];
    if (const auto at = wire.curve.crossing(p, q)) crossed.push_back({wire.link, at->x(), at->y()});
  }
  return crossed;
}

}  // namespace hw::app
