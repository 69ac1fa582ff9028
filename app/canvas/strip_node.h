// StripNode: a StripMesh in the scene graph.
#pragma once

#include <QSGGeometryNode>
#include <QSGVertexColorMaterial>
#include <memory>

#include "app/canvas/wire_strip.h"

namespace hw::app {

/// Never batched, so that each node has a buffer of its own: the renderer merges compatible nodes into one buffer,
/// which it rewrites when any of them changes, never shrinks, and gives to other nodes later.
class StripMaterial : public QSGVertexColorMaterial {
 public:
  StripMaterial() { setFlag(Blending | NoBatching); }
  int compare(const QSGMaterial* other) const override { return this == other ? 0 : this < other ? -1 : 1; }
};

/// Blended, a colour a vertex. Render thread.
class StripNode : public QSGGeometryNode {
 public:
  StripNode() {
    use(QSGGeometry::UnsignedShortType);
    setMaterial(&material_);
  }
  /// What updatePaintNode returns: `old`, or a new node, with the mesh in it; none for an empty mesh.
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
    const auto type = mesh.is_small() ? QSGGeometry::UnsignedShortType : QSGGeometry::UnsignedIntType;
    if (geometry_->indexType() != type) use(type);
    mesh.copy_to(geometry_.get());
    markDirty(DirtyGeometry);
  }

 private:
  void use(QSGGeometry::Type index_type) {
    auto geometry = std::make_unique<QSGGeometry>(QSGGeometry::defaultAttributes_ColoredPoint2D(), 0, 0, index_type);
    geometry->setDrawingMode(QSGGeometry::DrawTriangles);
    setGeometry(geometry.get());
    geometry_ = std::move(geometry);
  }
  std::unique_ptr<QSGGeometry> geometry_;
  StripMaterial material_;
};

}  // namespace hw::app
