#include "app/canvas/wire_layer.h"

#include <algorithm>

#include "app/document/text.h"

namespace hw::app {
namespace {

constexpr double kFar = 0.25;   // below this zoom wires are but lines
constexpr double kSample = 24;  // canvas units along a wire, less than a card is high
constexpr double kEdge = 2;     // of a card, that covers nothing

/// Screen pixels: in step with the zoom, but neither hair nor rope.
double wire_width(double zoom) {
  return std::clamp(2.6 * zoom, 1.2, 8.0);
}

}  // namespace

int WireLayer::count() const {
  return static_cast<int>(view_->wires()->wires().size());
}

void WireLayer::watch() {
  connect(view_->wires(), &WireSet::wiresReset, this, &WireLayer::touch_all);
  connect(view_->wires(), &WireSet::wiresTouched, this, [this](const QVector<int>& wires) {
    for (const int wire : wires) touch(wire);
  });
  connect(view_, &CanvasView::geometryTicked, this, [this] {
    if (covered_only_) touch_all();
  });
  connect(view_, &CanvasView::hoverChanged, this, &WireLayer::touch_looks);
  connect(view_->wireDrag(), &WireDrag::activeChanged, this, &WireLayer::touch_looks);
}

void WireLayer::touch_looks() {
  const int lit = view_ ? view_->litWire() : -1;
  std::vector<Link> taken = view_ ? view_->wireDrag()->taken() : std::vector<Link>();
  if (lit == lit_ && taken == taken_) return;
  for (int wire : {lit, lit_}) {
    if (wire >= 0) touch(wire);
  }
  lit_ = lit;
  if (taken != taken_) touch_all();
  taken_ = std::move(taken);
}

bool WireLayer::covered(const Wire& wire) const {
  const QRectF bounds = wire.curve.bounds();
  std::vector<QRectF> cards;
  const GraphModel& graph = *view_->graph();
  const QString from = to_q(wire.link.from), to = to_q(wire.link.to);
  for (const int row : view_->nodeGrid().rows(bounds)) {
    const QString id = graph.idAt(row);
    if (id == from || id == to) continue;
    cards.push_back(graph.rectAt(row).adjusted(kEdge, kEdge, -kEdge, -kEdge));
  }
  if (cards.empty()) return false;
  const int samples = std::clamp(static_cast<int>((bounds.width() + bounds.height()) / kSample), 4, 400);
  return std::ranges::any_of(wire.curve.points(samples), [&](QPointF p) {
    return std::ranges::any_of(cards, [&](const QRectF& card) { return card.contains(p); });
  });
}

void WireLayer::fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const {
  if (covered_only_ && zoom < Camera::coarse_zoom) return;
  const std::vector<Wire>& wires = view_->wires()->wires();
  StripStyle base;
  base.pixel = 1 / zoom;
  base.width = wire_width(zoom);
  base.is_far = zoom < kFar;
  const QColor casing = view_->wires()->colour(QStringLiteral("canvas"));
  const QColor accent = view_->wires()->colour(QStringLiteral("accent"));
  const QColor error = view_->wires()->colour(QStringLiteral("error"));
  for (int i = first; i < end; ++i) {
    const Wire& wire = wires[static_cast<size_t>(i)];
    if (wire.gone || !wire.curve.bounds().adjusted(-8, -8, 8, 8).intersects(area)) continue;
    if (std::find(taken_.begin(), taken_.end(), wire.link) != taken_.end()) continue;
    if (covered_only_ && !covered(wire)) continue;
    StripStyle style = base;
    const bool lit = i == lit_;
    style.from = wire.from;
    style.to = wire.to;
    if (wire.field && zoom >= Camera::coarse_zoom) style.wave = QColor(wire.from).lighter(150).rgba();
    if (wire.faded) {
      style.from = qRgba(qRed(wire.from), qGreen(wire.from), qBlue(wire.from), 96);
      style.to = qRgba(qRed(wire.to), qGreen(wire.to), qBlue(wire.to), 96);
    }
    if (zoom >= kFar) {
      style.casing = casing.rgba();
      style.casing_width = 1.5;
    }
    if (lit) style.width += 1.5;
    if (wire.selected) {
      style.width += 1;
      style.casing = accent.rgba();
      style.casing_width = 2;
    }
    if (wire.wrong) {
      style.dash = 8;
      style.gap = 5;
      style.wave = 0;
    }
    add_strip(mesh, wire.curve, style);
    if (wire.bad && !covered_only_) {
      const double radius = std::clamp(7 * zoom, 3.5, 9.0) / zoom;
      add_bad_mark(mesh, wire.curve.at(0.5), radius, base.pixel, error.rgba(), casing.rgba());
    }
  }
}

}  // namespace hw::app
