// Quads: axis-parallel rectangles of one colour as a scene-graph node.
#pragma once

#include <QColor>
#include <QSGFlatColorMaterial>
#include <QSGGeometryNode>
#include <algorithm>
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
  void give(QSGNode* to, const QColor& colour) const {
    auto* node = static_cast<QSGGeometryNode*>(to);
    node->geometry()->allocate(static_cast<int>(points.size()));
    std::copy(points.begin(), points.end(), node->geometry()->vertexDataAsPoint2D());
    static_cast<QSGFlatColorMaterial*>(node->material())->setColor(colour);
    node->markDirty(QSGNode::DirtyGeometry | QSGNode::DirtyMaterial);
  }
};

}  // namespace hw::app
