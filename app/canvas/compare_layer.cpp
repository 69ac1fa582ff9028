#include "app/canvas/compare_layer.h"

#include <algorithm>

namespace hw::app {
namespace {

using Kind = Difference::Kind;

// Screen pixels.
constexpr double kRing = 3, kGap = 3, kSign = 8, kLeastSign = 6, kDash = 7;

const QString& token_of(Kind kind) {
  static const QString tokens[] = {QStringLiteral("diffAdded"), QStringLiteral("diffRemoved"),
                                   QStringLiteral("diffChanged")};
  return tokens[static_cast<size_t>(kind)];
}

void add_ring(StripMesh& mesh, const QRectF& rect, const StripStyle& style) {
  const QPointF corners[] = {rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft()};
  for (int i = 0; i < 4; ++i) add_strip(mesh, straight_line(corners[i], corners[(i + 1) % 4]), style);
}

/// +, −, ≠ on a disc.
void add_sign(StripMesh& mesh, Kind kind, QPointF centre, double radius, double pixel, QRgb colour, QRgb ground) {
  add_disc(mesh, centre, radius + 1.5 * pixel, pixel, ground);
  add_disc(mesh, centre, radius, pixel, colour);
  StripStyle style;
  style.pixel = pixel;
  style.width = std::max(1.2, 0.24 * radius / pixel);
  style.from = style.to = ground;
  const auto stroke = [&](double x0, double y0, double x1, double y1) {
    add_strip(mesh, straight_line(centre + radius * QPointF(x0, y0), centre + radius * QPointF(x1, y1)), style);
  };
  if (kind == Kind::changed) {
    stroke(-0.5, -0.2, 0.5, -0.2);
    stroke(-0.5, 0.2, 0.5, 0.2);
    stroke(0.28, -0.58, -0.28, 0.58);
    return;
  }
  stroke(-0.55, 0, 0.55, 0);
  if (kind == Kind::added) stroke(0, -0.55, 0, 0.55);
}

}  // namespace

void CompareLayer::watch() {
  connect(view_, &CanvasView::graphChanged, this, &CompareLayer::follow_graph);
  connect(view_, &CanvasView::geometryTicked, this, &CompareLayer::gather);
  follow_graph();
}

void CompareLayer::follow_graph() {
  if (GraphModel* graph = view_->graph()) {
    graph->comparison()->disconnect(this);
    graph->document().disconnect(this);
    connect(graph->comparison(), &Comparison::marksChanged, this, &CompareLayer::gather);
    connect(&graph->document(), &Document::framesChanged, this, &CompareLayer::gather);
  }
  gather();
}

void CompareLayer::gather() {
  const bool was_empty = things_.empty();
  things_.clear();
  GraphModel* graph = view_ ? view_->graph() : nullptr;
  if (graph && graph->comparison()->on()) {
    const Comparison& comparison = *graph->comparison();
    const auto& ghosts = comparison.ghosts();
    for (auto ghost = ghosts.begin(); ghost != ghosts.end(); ++ghost)
      things_.push_back({Kind::removed, false, true, ghost->rect, {}});
    // A node that an edit has just taken away is none until the graphs are compared again.
    const auto is_there = [&](const std::string& node) {
      return ghosts.contains(to_q(node)) || graph->rowOf(to_q(node)) >= 0;
    };
    const auto anchor = [&](const std::string& node, const std::string& socket, bool output) {
      const auto ghost = ghosts.find(to_q(node));
      if (ghost == ghosts.end()) return graph->anchor(node, socket, output);
      return ghost->rect.topLeft() + ghost->card.anchor(socket, output);
    };
    for (const auto& [link, kind] : comparison.wires()) {
      if (!is_there(link.from) || !is_there(link.to)) continue;
      const WireCurve curve(anchor(link.from, link.from_socket, true), anchor(link.to, link.to_socket, false));
      things_.push_back({kind, true, kind == Kind::removed, {}, curve});
    }
    const auto& frames = graph->document().shown().graph().frames();
    for (auto frame = comparison.frames().begin(); frame != comparison.frames().end(); ++frame) {
      if (const auto f = frames.find(frame.key().toStdString()); f != frames.end())
        things_.push_back(
            {*frame, false, false, QRectF(f->second.x, f->second.y, f->second.width, f->second.height), {}});
    }
    for (auto node = comparison.nodes().begin(); node != comparison.nodes().end(); ++node)
      if (const QRectF rect = graph->nodeRect(node.key()); !rect.isNull())
        things_.push_back({*node, false, false, rect, {}});
  }
  if (!was_empty || !things_.empty()) touch_all();
}

void CompareLayer::fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const {
  const QRgb ground = view_->wires()->colour(QStringLiteral("canvas")).rgba();
  const double pixel = 1 / zoom, radius = std::clamp(kSign * zoom, kLeastSign, kSign) * pixel;
  for (int i = first; i < end; ++i) {
    const Thing& thing = things_[static_cast<size_t>(i)];
    const QRectF bounds = thing.is_wire ? thing.curve.bounds() : thing.rect;
    if (!bounds.adjusted(-32, -32, 32, 32).intersects(area)) continue;
    const QColor colour = view_->wires()->colour(token_of(thing.kind));
    StripStyle style;
    style.pixel = pixel;
    style.width = kRing;
    style.from = style.to = colour.rgba();
    if (thing.is_ghost) style.dash = style.gap = kDash;
    if (thing.is_wire) {
      style.width = std::clamp(2.6 * zoom, 1.2, 8.0) + (thing.is_ghost ? 0 : 1.5);
      add_strip(mesh, thing.curve, style);
      add_sign(mesh, thing.kind, thing.curve.at(0.5), 0.85 * radius, pixel, colour.rgba(), ground);
      continue;
    }
    const double out = thing.is_ghost ? 0 : kGap * pixel;
    const QRectF ring = thing.rect.adjusted(-out, -out, out, out);
    if (thing.is_ghost) {
      style.width = 1.5;
      add_rect(mesh, thing.rect, qRgba(colour.red(), colour.green(), colour.blue(), 28));
    }
    add_ring(mesh, ring, style);
    add_sign(mesh, thing.kind, ring.topLeft(), radius, pixel, colour.rgba(), ground);
  }
}

}  // namespace hw::app
