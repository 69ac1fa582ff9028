#include "app/canvas/frame_layer.h"

#include <algorithm>
#include <functional>

namespace hw::app {
namespace {

constexpr double kRadius = 8;                             // canvas units
constexpr double kBox = 0.1, kNote = 0.26, kLine = 0.55;  // alpha

QRgb with_alpha(QRgb colour, double alpha) {
  return qRgba(qRed(colour), qGreen(colour), qBlue(colour), qRound(255 * alpha));
}

}  // namespace

void FrameLayer::watch() {
  connect(view_->frames(), &CanvasFrames::looksChanged, this, &FrameLayer::look);
  connect(view_, &CanvasView::coloursChanged, this, &FrameLayer::look);
  look();
}

void FrameLayer::look() {
  const CanvasFrames& all = *view_->frames();
  std::vector<Look> now;
  now.reserve(all.frames().size());
  for (const auto& [id, frame] : all.frames()) {
    QString token = QStringLiteral("frame") + to_q(frame.colour);
    if (!frame.colour.empty()) token[5] = token[5].toUpper();
    if (!view_->colours().contains(token)) token = QStringLiteral("framePlain");
    now.push_back({QRectF(frame.x, frame.y, frame.width, frame.height), view_->wires()->colour(token).rgba(),
                   frame.text.has_value(), all.isSelected(id)});
  }
  const auto area = [](const Look& look) { return look.rect.width() * look.rect.height(); };
  std::ranges::stable_sort(now, std::greater(), area);
  std::swap(looks_, now);
  for (size_t i = 0; i < std::max(looks_.size(), now.size()); ++i)
    if (i >= looks_.size() || i >= now.size() || looks_[i] != now[i]) touch(static_cast<int>(i));
}

void FrameLayer::fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const {
  const QRgb chosen = view_->wires()->colour(QStringLiteral("accent")).rgba();
  for (int i = first; i < end; ++i) {
    const Look& look = looks_[static_cast<size_t>(i)];
    if (!look.rect.intersects(area)) continue;
    PanelStyle style;
    style.pixel = 1 / zoom;
    style.radius = kRadius;
    style.fill = with_alpha(look.tint, look.note ? kNote : kBox);
    style.line = look.selected ? chosen : with_alpha(look.tint, kLine);
    style.line_width = std::max(1.0, zoom) * (look.selected ? 2 : 1);
    add_panel(mesh, look.rect, style);
  }
}

}  // namespace hw::app
