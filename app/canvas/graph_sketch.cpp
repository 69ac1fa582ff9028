#include "app/canvas/graph_sketch.h"

#include <QColor>

#include "app/canvas/strip_node.h"
#include "app/models/cards/card.h"
#include "app/models/cards/wire_curve.h"
#include "engine/io/graph/graph_file.h"

namespace hw::app {

GraphSketch::GraphSketch(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &GraphSketch::coloursChanged, this, &QQuickItem::update);
}

void GraphSketch::setFile(const QUrl& file) {
  if (file == file_) return;
  file_ = file;
  wires_.clear();
  bounds_ = {};
  auto graph = read_graph(std::filesystem::path(file.toLocalFile().toStdU16String()));
  graph_ = graph ? std::move(*graph) : Graph();
  Validator validator;
  validator.reset(graph_);
  const Scope scope = document_scope(graph_);
  for (const auto& [id, node] : graph_.nodes()) bounds_ |= QRectF({node.x, node.y}, make_card(scope, node).size);
  for (const Link& link : graph_.links()) {
    const Node *from = graph_.find(link.from), *to = graph_.find(link.to);
    if (!from || !to) continue;
    wires_.push_back({QPointF(from->x, from->y) + make_card(scope, *from).anchor(link.from_socket, true),
                      QPointF(to->x, to->y) + make_card(scope, *to).anchor(link.to_socket, false),
                      colour_token(output_look(scope, validator, *from, link.from_socket))});
    for (const QPointF p : WireCurve(wires_.back().from, wires_.back().to).points(16))
      bounds_ |= QRectF(p, QSizeF(1, 1));
  }
  update();
  Q_EMIT fileChanged();
}

QRgb GraphSketch::colour(const QString& token) const {
  const QVariant found = colours_.value(token);
  return found.canConvert<QColor>() ? found.value<QColor>().rgba() : QColor(Qt::gray).rgba();
}

void GraphSketch::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  update();
}

void GraphSketch::build(StripMesh& mesh) const {
  if (bounds_.isEmpty() || width() <= 0 || height() <= 0) return;
  const double scale = std::min({width() / bounds_.width(), height() / bounds_.height(), 1.0});
  const QPointF middle(width() / 2, height() / 2);
  const auto place = [&](QPointF p) { return middle + (p - bounds_.center()) * scale; };
  for (const Wire& wire : wires_) {
    StripStyle style;
    style.from = style.to = colour(wire.token);
    style.width = 1.5;
    WireCurve curve(wire.from, wire.to);  // bent as on the canvas, then scaled
    curve.map(place);
    add_strip(mesh, curve, style);
  }
  const QRgb card = colour(QStringLiteral("card")), outline = colour(QStringLiteral("cardLine"));
  for (const auto& [id, node] : graph_.nodes()) {
    const Card made = make_card(document_scope(graph_), node);
    const QRectF rect(place({node.x, node.y}), made.size * scale);
    add_rect(mesh, rect.adjusted(-1, -1, 1, 1), outline);
    add_rect(mesh, rect, card);
    QRectF header = rect;
    header.setHeight(std::min(std::max(2.0, CardMetrics::header * scale), rect.height()));
    const QString category = made.type ? to_q(made.type->decl.category()) : QString();
    add_rect(mesh, header, colour(QStringLiteral("category") + category));
  }
}

QSGNode* GraphSketch::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  StripMesh mesh;
  build(mesh);
  return StripNode::showing(mesh, old);
}

}  // namespace hw::app
