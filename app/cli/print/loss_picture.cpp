#include "app/cli/print/loss_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb/stb_easy_font.h>
#pragma GCC diagnostic pop

namespace hw::cli {
namespace {

using Colour = std::array<uint8_t, 3>;
constexpr int kWidth = 960, kHeight = 600;
constexpr int kLeft = 88, kRight = 24, kTop = 24, kBottom = 56;
constexpr Colour kGrid{225, 228, 232}, kInk{60, 64, 70};
/// Okabe and Ito 2008: distinguishable with colour blindness, too.
constexpr std::array<Colour, 7> kColours{
    {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {0, 0, 0}}};

class Canvas {
 public:
  Canvas() {
    image_.width = kWidth;
    image_.height = kHeight;
    image_.rgba.assign(size_t{kWidth} * kHeight * 4, 255);
  }
  void pixel(int x, int y, Colour c) {
    if (x < 0 || y < 0 || x >= kWidth || y >= kHeight) return;
    std::copy(c.begin(), c.end(), image_.rgba.begin() + (std::ptrdiff_t{y} * kWidth + x) * 4);
  }
  void box(double x, double y, double w, double h, Colour c) {
    for (int j = static_cast<int>(y); j < static_cast<int>(y + h); ++j)
      for (int i = static_cast<int>(x); i < static_cast<int>(x + w); ++i) pixel(i, j, c);
  }
  void line(double x0, double y0, double x1, double y1, Colour c) {
    const int n = static_cast<int>(std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1.0})) * 2;
    for (int i = 0; i <= n; ++i) {
      const double t = static_cast<double>(i) / n;
      box(x0 + t * (x1 - x0) - 0.5, y0 + t * (y1 - y0) - 0.5, 2, 2, c);
    }
  }
  /// Twice stb's font size; `share` 0: x is where it begins, 1: where it ends.
  void text(double x, double y, std::string s, Colour c, double share = 0) {
    constexpr double kScale = 1.6;
    x -= share * stb_easy_font_width(s.data()) * kScale;
    struct Vertex {
      float x, y, z;
      uint8_t colour[4];
    };
    std::vector<Vertex> quads(s.size() * 270 / sizeof(Vertex) + 64);
    const int bytes = static_cast<int>(quads.size() * sizeof(Vertex));
    const int n = stb_easy_font_print(0, 0, s.data(), nullptr, quads.data(), bytes);
    for (int q = 0; q < n; ++q) {
      const Vertex &a = quads[static_cast<size_t>(q) * 4], &b = quads[static_cast<size_t>(q) * 4 + 2];
      const double left = x + a.x * kScale, top = y + a.y * kScale;
      box(left, top, std::max(1.0, std::round((b.x - a.x) * kScale)), std::max(1.0, std::round((b.y - a.y) * kScale)),
          c);
    }
  }
  Image take() { return std::move(image_); }

 private:
  Image image_;
};

/// Means over equal runs of steps: (step, log10 of the loss).
std::vector<std::pair<double, double>> smoothed(const std::vector<float>& losses) {
  const size_t window = std::max<size_t>(1, losses.size() / 100);
  std::vector<std::pair<double, double>> points;
  for (size_t i = 0; i < losses.size(); i += window) {
    double sum = 0;
    const size_t end = std::min(losses.size(), i + window);
    for (size_t k = i; k < end; ++k) sum += losses[k];
    const double mean = sum / static_cast<double>(end - i);
    if (std::isfinite(mean) && mean > 0) points.emplace_back(static_cast<double>(i + end + 1) / 2, std::log10(mean));
  }
  return points;
}

}  // namespace

Image plot_losses(const std::vector<LossCurve>& curves) {
  Canvas canvas;
  double low = 0, high = 0, steps = 1;
  bool any = false;
  std::vector<std::vector<std::pair<double, double>>> lines;
  for (const LossCurve& curve : curves) {
    lines.push_back(smoothed(curve.losses));
    steps = std::max(steps, static_cast<double>(curve.losses.size()));
    for (const auto& [step, loss] : lines.back()) {
      low = any ? std::min(low, loss) : loss;
      high = any ? std::max(high, loss) : loss;
      any = true;
    }
  }
  low = std::floor(low);
  high = std::max(std::ceil(high), low + 1);
  const auto x = [&](double step) { return kLeft + (kWidth - kLeft - kRight) * step / steps; };
  const auto y = [&](double loss) { return kTop + (kHeight - kTop - kBottom) * (high - loss) / (high - low); };
  for (double decade = low; decade <= high; ++decade) {
    canvas.box(kLeft, y(decade), kWidth - kLeft - kRight, 1, kGrid);
    canvas.text(kLeft - 8, y(decade) - 6, "1e" + std::to_string(static_cast<int>(decade)), kInk, 1);
  }
  for (int k = 0; k <= 4; ++k) {
    const double step = std::round(steps * k / 4);
    canvas.box(x(step), kTop, 1, kHeight - kTop - kBottom, kGrid);
    canvas.text(x(step), kHeight - kBottom + 8, std::to_string(static_cast<int64_t>(step)), kInk, k == 4 ? 1 : 0.5);
  }
  canvas.text(kWidth / 2.0, kHeight - 24, "step", kInk, 0.5);
  canvas.text(kLeft - 8, kTop + 14, "loss", kInk, 1);
  for (size_t c = 0; c < lines.size(); ++c) {
    const Colour colour = kColours[c % kColours.size()];
    for (size_t i = 1; i < lines[c].size(); ++i)
      canvas.line(x(lines[c][i - 1].first), y(lines[c][i - 1].second), x(lines[c][i].first), y(lines[c][i].second),
                  colour);
    const double row = kTop + 14 + 22 * static_cast<double>(c);
    canvas.box(kWidth - kRight - 16, row, 12, 12, colour);
    canvas.text(kWidth - kRight - 24, row, curves[c].name, kInk, 1);
  }
  return canvas.take();
}

}  // namespace hw::cli
