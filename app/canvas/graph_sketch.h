// GraphSketch: a small picture of a graph file: its cards and wires where they lie, in the theme's colours.
#pragma once

#include <QQuickItem>
#include <QUrl>
#include <QVariantMap>

#include "app/canvas/wire_strip.h"
#include "engine/graph/graph.h"

namespace hw::app {

/// Reads the file when `file` is set; draws nothing when that cannot be read. For examples: small files.
class GraphSketch : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(QUrl file READ file WRITE setFile NOTIFY fileChanged)
  /// Theme tokens to colours.
  Q_PROPERTY(QVariantMap colours MEMBER colours_ NOTIFY coloursChanged)
  Q_PROPERTY(int nodes READ nodes NOTIFY fileChanged)

 public:
  explicit GraphSketch(QQuickItem* parent = nullptr);
  const QUrl& file() const { return file_; }
  void setFile(const QUrl& file);
  int nodes() const { return static_cast<int>(graph_.nodes().size()); }

 Q_SIGNALS:
  void fileChanged();
  void coloursChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  struct Wire {
    QPointF from, to;
    QString token;
  };
  QRgb colour(const QString& token) const;
  void build(StripMesh& mesh) const;
  QUrl file_;
  Graph graph_;
  std::vector<Wire> wires_;
  QRectF bounds_;
  QVariantMap colours_;
};

}  // namespace hw::app
