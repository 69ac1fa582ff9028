#include "app/canvas/canvas_hit.h"

#include <algorithm>
#include <cmath>

namespace hw::app {
namespace {

constexpr double kSocketReach = 10;  // screen pixels around a socket that pick it up
constexpr double kWireReach = 6;

/// The socket of a card, or the card.
std::optional<CanvasHit> hit_of_card(const GraphModel& graph, const Camera& camera, int row, QPointF p) {
  const double reach = kSocketReach / camera.zoom();
  const QRectF rect = graph.rectAt(row);
  if (!rect.adjusted(-reach, 0, reach, 0).contains(p)) return std::nullopt;
  const Card& card = graph.cardAt(row);
  for (const bool output : {true, false}) {
    if (card.collapsed && !output && card.inputs.size() > 1) continue;
    for (const CardSocket& s : output ? card.outputs : card.inputs) {
      const QPointF off = rect.topLeft() + card.anchor(s.id, output) - p;
      if (std::hypot(off.x(), off.y()) > std::min(reach, card.dot ? CardMetrics::dot / 4 : CardMetrics::socket_row / 2))
        continue;
      return CanvasHit{CanvasHit::What::socket, graph.idAt(row), s.id, output, -1};
    }
  }
  if (!rect.contains(p)) return std::nullopt;
  CanvasHit found{CanvasHit::What::node, graph.idAt(row), {}, false, -1};
  const double fields = CardMetrics::pad + CardMetrics::param_row * static_cast<double>(card.params.size());
  found.field = !card.collapsed && !card.params.empty() && !camera.coarse() && p.y() > rect.bottom() - fields;
  return found;
}

}  // namespace

CanvasHit hit_at(const GraphModel& graph, const CanvasParts& parts, QPointF screen) {
  const Camera& camera = parts.camera;
  const QPointF p = camera.toCanvas(screen);
  const double reach = kSocketReach / camera.zoom();
  // Selected cards lie on top, later ones over earlier ones.
  const std::vector<int> rows = parts.nodes.rows(QRectF(p.x() - reach, p.y(), 2 * reach, 0));
  for (const bool selected : {true, false}) {
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (graph.isSelectedAt(*row) != selected) continue;
      if (auto found = hit_of_card(graph, camera, *row, p)) return *std::move(found);
    }
  }
  CanvasHit found;
  found.wire = parts.wires.at(p, kWireReach / camera.zoom());
  if (found.wire >= 0) {
    found.what = CanvasHit::What::wire;
  } else if (const auto frame = parts.frames.at(p)) {
    found.what = CanvasHit::What::frame;
    found.frame = *frame;
  }
  return found;
}

Qt::CursorShape shape_over(const CanvasHit& hit) {
  if (hit.what == CanvasHit::What::socket) return Qt::CrossCursor;
  if (hit.what != CanvasHit::What::frame) return Qt::ArrowCursor;
  const Sides& s = hit.frame.sides;
  if ((s.left && s.top) || (s.right && s.bottom)) return Qt::SizeFDiagCursor;
  if ((s.right && s.top) || (s.left && s.bottom)) return Qt::SizeBDiagCursor;
  if (s.left || s.right) return Qt::SizeHorCursor;
  return s.any() ? Qt::SizeVerCursor : Qt::ArrowCursor;
}

}  // namespace hw::app
