// Quads: rectangles and thick, smooth lines of one colour as a scene-graph node.
#pragma once

#include <QColor>
#include <QSGGeometryNode>
#include <QSGVertexColorMaterial>
#include <algorithm>
#include <cmath>
#include <vector>

namespace hw::app {

/// A node for Quads::give; owned by `parent`.
inline QSGGeometryNode* add_quads_node(QSGNode* parent) {
  auto* node = new QSGGeometryNode;
  auto* geometry = new QSGGeometry(QSGGeometry::defaultAttributes_ColoredPoint2D(), 0);
  geometry->setDrawingMode(QSGGeometry::DrawTriangles);
  node->setGeometry(geometry);
  node->setMaterial(new QSGVertexColorMaterial);
  node->setFlags(QSGNode::OwnsGeometry | QSGNode::OwnsMaterial);
  parent->appendChildNode(node);
  return node;
}

struct Quads {
  /// `cover` in [0, 1]: how much of the pixel is the quad's.
  struct Point {
    float x, y, cover;
  };
  std::vector<Point> points;

  void add(double left, double top, double right, double bottom) {
    const auto l = static_cast<float>(left), t = static_cast<float>(top);
    const auto r = static_cast<float>(right), b = static_cast<float>(bottom);
    corners({l, t, 1}, {r, t, 1}, {l, b, 1}, {r, b, 1});
  }
  /// A thick line between two points, fading over a pixel at its sides: the window has no multisampling.
  void line(double x0, double y0, double x1, double y1, double width) {
    const double length = std::hypot(x1 - x0, y1 - y0);
    if (length <= 0) return;
    const double nx = (y1 - y0) / length, ny = (x0 - x1) / length;
    // A little longer, so that lines that follow one another leave no hole where they meet.
    const double ex = (x1 - x0) / length / 4, ey = (y1 - y0) / length / 4;
    x0 -= ex, y0 -= ey, x1 += ex, y1 += ey;
    const double inner = std::max(0.0, (width - 1) / 2), outer = (width + 1) / 2;
    const auto point = [&](double x, double y, double side, float cover) {
      return Point{static_cast<float>(x + nx * side), static_cast<float>(y + ny * side), cover};
    };
    const auto strip = [&](double from, float from_cover, double to, float to_cover) {
      corners(point(x0, y0, from, from_cover), point(x0, y0, to, to_cover), point(x1, y1, from, from_cover),
              point(x1, y1, to, to_cover));
    };
    strip(-outer, 0, -inner, 1);
    strip(-inner, 1, inner, 1);
    strip(inner, 1, outer, 0);
  }
  void give(QSGNode* to, const QColor& colour) const {
    auto* node = static_cast<QSGGeometryNode*>(to);
    node->geometry()->allocate(static_cast<int>(points.size()));
    auto* out = node->geometry()->vertexDataAsColoredPoint2D();
    for (const Point& p : points) {
      const float alpha = colour.alphaF() * p.cover;  // the material wants it multiplied in
      const auto channel = [&](float c) { return static_cast<uchar>(std::lround(c * alpha * 255)); };
      (out++)->set(p.x, p.y, channel(colour.redF()), channel(colour.greenF()), channel(colour.blueF()), channel(1));
    }
    node->markDirty(QSGNode::DirtyGeometry);
  }

 private:
  void corners(Point a, Point b, Point c, Point d) { points.insert(points.end(), {a, b, c, c, b, d}); }
};

}  // namespace hw::app
