// A curve of plot columns as quads: solid or dashed.
#pragma once

#include "app/canvas/quads.h"
#include "app/models/views/plot_columns.h"

namespace hw::app {

constexpr double kCurve = 1.5;  // px wide

/// Lengths along the curve, px. gap 0: solid.
struct Dash {
  double on = 1, gap = 0;
};

/// A thick line between two points, `walked` px along the dashes when it begins.
inline void add_dashes(Quads& quads, double x0, double y0, double x1, double y1, const Dash& dash, double width,
                       double& walked) {
  const double length = std::hypot(x1 - x0, y1 - y0), period = dash.on + dash.gap;
  for (double at = 0; at < length;) {
    const double phase = std::fmod(walked + at, period);
    const double to = std::min(length, at + (phase < dash.on ? dash.on : period) - phase + 1e-3);
    const auto x = [&](double s) { return x0 + (x1 - x0) * s / length; };
    const auto y = [&](double s) { return y0 + (y1 - y0) * s / length; };
    if (phase < dash.on) quads.line(x(at), y(at), x(to), y(to), width);
    at = to;
  }
  walked += length;
}

/// The width of a curve, and that of a column, px.
struct Stroke {
  double width = kCurve, pitch = 1;
};

/// A line from column to column; in each, over its extremes: noise shows as a band. Column i is centred at i + 0.5
/// columns; `y_of` maps values to px.
template <class F>
void add_curve(Quads& quads, const std::vector<PlotColumn>& columns, F&& y_of, const Dash& dash = {},
               const Stroke& stroke = {}) {
  double last_x = 0, last_y = NAN, walked = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const PlotColumn& c = columns[i];
    if (c.any) {
      const double x = (static_cast<double>(i) + 0.5) * stroke.pitch, y = y_of(c.last), half = stroke.width / 2;
      const bool solid = dash.gap <= 0, on = solid || std::fmod(walked, dash.on + dash.gap) < dash.on;
      if (on && c.high > c.low) quads.add(x - half, y_of(c.high), x + half, y_of(c.low));
      if (std::isnan(last_y)) {
        quads.add(x - half, y - half, x + half, y + half);
      } else if (solid) {
        quads.line(last_x, last_y, x, y, stroke.width);
      } else {
        add_dashes(quads, last_x, last_y, x, y, dash, stroke.width, walked);
      }
      last_x = x;
      last_y = y;
    }
    if (c.broken) last_y = NAN;
  }
}

}  // namespace hw::app
