// Quads: rectangles and thick lines of one colour as a scene-graph node.
#pragma once

#include <QColor>
#include <QSGFlatColorMaterial>
#include <QSGGeometryNode>
#include <algorithm>
#include <cmath>
#include <vector>

namespace hw::app {

/// A node for Quads::give; owned by `parent`.
inline QSGGeometryNode* add_quads_node(QSGNode* parent) {
  auto* node = new QSGGeometryNode;
  auto* geometry = new QSGGeometry(QSGGeometry::defaultAttributes_Point2D(), 0);
  geometry->setDrawingMode(QSGGeometry::DrawTriangles);
  node->setGeometry(geometry);
  node->setMaterial(new QSGFlatColorMaterial);
  node->setFlags(QSGNode::OwnsGeometry | QSGNode::OwnsMaterial);
  parent->appendChildNode(node);
  return node;
}

struct Quads {
  std::vector<QSGGeometry::Point2D> points;

  void add(double left, double top, double right, double bottom) {
    const auto l = static_cast<float>(left), t = static_cast<float>(top);
    const auto r = static_cast<float>(right), b = static_cast<float>(bottom);
    const QSGGeometry::Point2D corners[] = {{l, t}, {r, t}, {l, b}, {r, b}};
    for (const int i : {0, 1, 2, 2, 1, 3}) points.push_back(corners[i]);
  }
  /// A thick line between two points.
  void line(double x0, double y0, double x1, double y1, double width) {
    const double length = std::hypot(x1 - x0, y1 - y0);
    if (length <= 0) return;
    const double dx = (y1 - y0) / length * width / 2, dy = (x0 - x1) / length * width / 2;
    const auto point = [](double x, double y) {
      return QSGGeometry::Point2D{static_cast<float>(x), static_cast<float>(y)};
    };
    const QSGGeometry::Point2D corners[] = {point(x0 + dx, y0 + dy), point(x0 - dx, y0 - dy), point(x1 + dx, y1 + dy),
                                            point(x1 - dx, y1 - dy)};
    for (const int i : {0, 1, 2, 2, 1, 3}) points.push_back(corners[i]);
  }
  void give(QSGNode* to, const QColor& colour) const {
    auto* node = static_cast<QSGGeometryNode*>(to);
    node->geometry()->allocate(static_cast<int>(points.size()));
    std::copy(points.begin(), points.end(), node->geometry()->vertexDataAsPoint2D());
    static_cast<QSGFlatColorMaterial*>(node->material())->setColor(colour);
    node->markDirty(QSGNode::DirtyGeometry | QSGNode::DirtyMaterial);
  }
};

}  // namespace hw::app
