// Antialiased strips for curves: plain coloured triangles, so that thousands of wires need no shader of their own.
#pragma once

#include <QRgb>
#include <QSGGeometry>
#include <vector>

#include "app/models/cards/wire_curve.h"

namespace hw::app {

/// Triangles of any number of strips; positions in canvas units.
struct StripMesh {
  std::vector<QSGGeometry::ColoredPoint2D> vertices;
  std::vector<quint32> indices;

  static constexpr size_t kMost = 1 << 20;

  void clear() {
    vertices.clear();
    indices.clear();
  }
  bool has_room() const { return vertices.size() < kMost; }
  /// Indices of 16 bits do.
  bool is_small() const { return vertices.size() < 0xffff; }
  /// To a geometry whose indices are of 16 bits if the mesh is small, else of 32.
  void copy_to(QSGGeometry* geometry) const;
};

/// How a strip looks. Lengths in screen pixels; `pixel` is one screen pixel in canvas units.
struct StripStyle {
  double pixel = 1;
  double width = 2.5;
  QRgb from = 0, to = 0;  // straight colours with alpha
  QRgb casing = 0;        // a rim around the strip that parts crossing wires; alpha 0: none
  double casing_width = 0;
  double dash = 0, gap = 0;  // 0: solid
  QRgb wave = 0;             // a second colour that comes and goes along the strip: a field; alpha 0: none
  double wave_length = 48;
  bool is_far = false;  // from so far that a bend needs few segments
};

/// From a to b, for strips that do not bend.
WireCurve straight_line(QPointF a, QPointF b);
/// Appends the strip of `curve`.
void add_strip(StripMesh& mesh, const WireCurve& curve, const StripStyle& style);
/// Appends a filled disc with a soft rim.
void add_disc(StripMesh& mesh, QPointF centre, double radius, double pixel, QRgb colour);
/// Appends a disc with a cross in it: an Inf or NaN.
void add_bad_mark(StripMesh& mesh, QPointF centre, double radius, double pixel, QRgb colour, QRgb cross);
/// How a panel looks.
struct PanelStyle {
  double pixel = 1;       // one screen pixel in canvas units
  double radius = 0;      // of its corners, canvas units
  double line_width = 1;  // screen pixels, within the panel
  QRgb fill = 0, line = 0;
};
/// Appends a rectangle with a line along its inside, round corners and soft edges.
void add_panel(StripMesh& mesh, const QRectF& rect, const PanelStyle& style);
/// Appends a rectangle.
void add_rect(StripMesh& mesh, const QRectF& rect, QRgb colour);

}  // namespace hw::app
