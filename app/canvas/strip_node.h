// StripNode: a StripMesh in the scene graph.
#pragma once

#include <QSGGeometryNode>
#include <QSGVertexColorMaterial>

#include "app/canvas/wire_strip.h"

namespace hw::app {

/// Blended, a colour a vertex. Render thread.
class StripNode : public QSGGeometryNode {
 public:
  StripNode() : geometry_(QSGGeometry::defaultAttributes_ColoredPoint2D(), 0, 0, QSGGeometry::UnsignedIntType) {
    geometry_.setDrawingMode(QSGGeometry::DrawTriangles);
    setGeometry(&geometry_);
    material_.setFlag(QSGMaterial::Blending);
    setMaterial(&material_);
  }
  /// What updatePaintNode gives: `old`, or a new node, with the mesh in it; none for an empty mesh.
  static QSGNode* showing(const StripMesh& mesh, QSGNode* old) {
    auto* node = static_cast<StripNode*>(old);
    if (mesh.vertices.empty()) {
      delete node;
      return nullptr;
    }
    if (!node) node = new StripNode;
    node->take(mesh);
    return node;
  }
  void take(const StripMesh& mesh) {
    mesh.copy_to(&geometry_);
    markDirty(DirtyGeometry);
  }

 private:
  QSGGeometry geometry_;
  QSGVertexColorMaterial material_;
};

}  // namespace hw::app
