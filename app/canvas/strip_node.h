// StripNode: a StripMesh in the scene graph.
#pragma once

#include <QSGGeometryNode>
#include <QSGVertexColorMaterial>

#include "app/canvas/wire_strip.h"

namespace hw::app {

/// Blended, a colour a vertex. Render thread.
class StripNode : public QSGGeometryNode {
 public:
  StripNode() : geometry_(QSGGeometry::defaultAttributes_ColoredPoint2D(), 0, 0) {
    geometry_.setDrawingMode(QSGGeometry::DrawTriangles);
    setGeometry(&geometry_);
    material_.setFlag(QSGMaterial::Blending);
    setMaterial(&material_);
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
