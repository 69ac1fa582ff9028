#include "app/canvas/wire_drag.h"

#include <QLineF>

namespace hw::app {

void WireDrag::start(const End& at, bool is_output, bool all, QPointF tip) {
  const Scope& scope = graph_->document().shown().scope();
  const Graph& graph = *scope.graph;
  held_ = {at};
  taken_.clear();
  from_output_ = is_output;
  if (!is_output) {
    if (const std::vector<Link> links = graph.links_into(at.node, at.socket); !links.empty()) {
      taken_ = {links.front()};
      held_ = {{links.front().from, links.front().from_socket}};
      from_output_ = true;
    }
  } else if (all) {
    if (const std::vector<Link> links = graph.links_from(at.node, at.socket); !links.empty()) {
      taken_ = links;
      held_.clear();
      for (const Link& link : links) held_.push_back({link.to, link.to_socket});
      from_output_ = false;
    }
  }
  const Validator& validator = graph_->document().validator();
  std::optional<WireType> type;
  if (from_output_) {
    const Node* node = graph.find(held_.front().node);
    if (node) type = output_look(scope, validator, *node, held_.front().socket);
  } else if (!taken_.empty()) {
    type = validator.output_type(scope.prefix + at.node, at.socket);
  } else if (const Node* node = graph.find(at.node)) {
    const NodeType* node_type = Registry::instance().find(node->type);
    const Declaration declared = node_type ? node_type->declared(node->params) : Declaration();
    const SocketDecl* input = declared->find_input(at.socket);
    if (input) type = expected_type(scope, validator, *node, *input);
  }
  token_ = colour_token(type);
  refusals_.clear();
  target_.reset();
  reason_.clear();
  tip_ = tip;
  active_ = true;
  Q_EMIT activeChanged();
  Q_EMIT moved();
}

Link WireDrag::link_to(const End& held, const End& end) const {
  return from_output_ ? Link{held.node, held.socket, end.node, end.socket}
                      : Link{end.node, end.socket, held.node, held.socket};
}

QString WireDrag::refusal(const End& end) {
  const QString key = to_q(end.node) + QLatin1Char(':') + to_q(end.socket);
  const auto known = refusals_.constFind(key);
  if (known != refusals_.constEnd()) return *known;
  QString reason;
  for (const End& held : held_) {
    const Link link = link_to(held, end);
    // Back where it came from is always right.
    if (std::find(taken_.begin(), taken_.end(), link) != taken_.end()) continue;
    if (reason.isEmpty()) reason = graph_->whyNot(link);
  }
  refusals_.insert(key, reason);
  return reason;
}

QString WireDrag::whyNot(const QString& node, const QString& socket) {
  return active_ ? refusal({node.toStdString(), socket.toStdString()}) : QString();
}

void WireDrag::moveTo(QPointF tip, double reach) {
  if (!active_) return;
  tip_ = tip;
  target_.reset();
  reason_.clear();
  // The nearest socket that fits; only when none is in reach, the nearest that does not.
  double best = reach, best_wrong = reach;
  std::optional<End> wrong;
  for (const int row : grid_.rows(QRectF(tip.x() - reach, tip.y() - reach, 2 * reach, 2 * reach))) {
    const QRectF rect = graph_->rectAt(row);
    const Card& card = graph_->cardAt(row);
    const std::string node = graph_->idAt(row).toStdString();
    for (const CardSocket& socket : from_output_ ? card.inputs : card.outputs) {
      const double distance = QLineF(rect.topLeft() + card.anchor(socket.id, !from_output_), tip).length();
      const End end{node, socket.id};
      if (distance < best && refusal(end).isEmpty()) {
        best = distance;
        target_ = end;
      } else if (distance < best_wrong) {
        best_wrong = distance;
        wrong = end;
      }
    }
  }
  if (!target_ && wrong) {
    target_ = wrong;
    reason_ = refusal(*wrong);
  }
  if (target_) tip_ = graph_->anchor(target_->node, target_->socket, !from_output_);
  Q_EMIT moved();
}

bool WireDrag::drop() {
  if (!active_) return true;
  if (!target_ && taken_.empty()) return false;
  std::vector<Link> added;
  for (const End& held : held_) {
    if (target_) added.push_back(link_to(held, *target_));
  }
  const std::vector<Link> old = taken_;
  const bool known = old.empty() && added.size() == 1 && graph_->document().shown().graph().has_link(added.front());
  if (!known) graph_->edits()->rewire(old, added);
  finish();
  return true;
}

void WireDrag::finish() {
  if (!active_) return;
  active_ = false;
  taken_.clear();
  held_.clear();
  target_.reset();
  reason_.clear();
  Q_EMIT activeChanged();
  Q_EMIT moved();
}

QString WireDrag::target() const {
  if (!target_) return {};
  return to_q(target_->node) + (from_output_ ? QStringLiteral(":in:") : QStringLiteral(":out:")) +
         to_q(target_->socket);
}

std::vector<QPointF> WireDrag::anchors() const {
  std::vector<QPointF> points;
  for (const End& held : held_) points.push_back(graph_->anchor(held.node, held.socket, from_output_));
  return points;
}

}  // namespace hw::app
