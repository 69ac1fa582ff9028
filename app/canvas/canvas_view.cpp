#include "app/canvas/canvas_view.h"

#include <algorithm>

#include "app/canvas/node_step.h"
#include "app/canvas/pill_place.h"
#include "app/models/instruments/heat_map_model.h"

namespace hw::app {
namespace {

WireCurve curve_of(const GraphModel& graph, const QString& from, const QString& from_socket, const QString& to,
                   const QString& to_socket) {
  return {graph.anchor(from.toStdString(), from_socket.toStdString(), true),
          graph.anchor(to.toStdString(), to_socket.toStdString(), false)};
}

}  // namespace

CanvasView::CanvasView(QQuickItem* parent) : QQuickItem(parent) {
  setAcceptedMouseButtons(Qt::LeftButton | Qt::MiddleButton | Qt::RightButton);
  setAcceptHoverEvents(true);
  setFlag(ItemIsFocusScope);
  setClip(true);
  connect(&gestures_, &CanvasGestures::changed, this, &CanvasView::on_gesture);
  connect(&gestures_, &CanvasGestures::drawn, this, &CanvasView::gestureChanged);
  connect(&gestures_, &CanvasGestures::dropWireChanged, this, &CanvasView::hoverChanged);
  connect(&gestures_, &CanvasGestures::searchRequested, this, &CanvasView::searchRequested);
  connect(&gestures_, &CanvasGestures::nodeMenuRequested, this, &CanvasView::nodeMenuRequested);
  connect(&gestures_, &CanvasGestures::frameMenuRequested, this, &CanvasView::frameMenuRequested);
  connect(&gestures_, &CanvasGestures::viewRequested, this, &CanvasView::viewRequested);
  connect(&camera_, &Camera::changed, this, [this] {
    framed_ = false;
    visible_.follow();
    names_.follow();
    frames_.follow();
    previews_.follow();
  });
  connect(&camera_, &Camera::farChanged, this, &CanvasView::standInsChanged);
  connect(&visible_, &VisibleNodes::pendingChanged, this, &CanvasView::standInsChanged);
}

void CanvasView::setGraph(GraphModel* graph) {
  if (graph == graph_) return;
  cancelGesture();
  if (graph_) {
    keep_view();
    graph_->disconnect(this);
    document().disconnect(this);
    connect(graph_, &QObject::destroyed, this, [this](const QObject* gone) { kept_.forget(gone); });
  }
  graph_ = graph;
  grid_.setGraph(graph);
  drag_.setGraph(graph);
  wires_.setGraph(graph);
  visible_.setGraph(graph);
  names_.setGraph(graph);
  frames_.setGraph(graph);
  previews_.setGraph(graph);
  gestures_.setGraph(graph);
  if (graph_) {
    connect(graph_, &GraphModel::geometryChanged, this, &CanvasView::on_geometry);
    connect(graph_, &GraphModel::wiresChanged, this, &CanvasView::on_geometry);
    connect(graph_, &GraphModel::wireLooksChanged, this, &CanvasView::hoverChanged);  // its words
    connect(graph_, &GraphModel::wireLooksTouched, this, [this] {
      if (hover_.what == CanvasHit::What::wire) Q_EMIT hoverChanged();
    });
    connect(graph_->arrangement(), &Arrangement::allArranged, this, [this] {
      if (!camera_.visible().contains(bounds())) frameAll();
    });
    connect(graph_, &GraphModel::nodeMsChanged, this, &CanvasView::hoverChanged);  // what goes over it
    connect(graph_, &QAbstractItemModel::modelReset, this, [this] {
      keep_view();
      level_ = to_q(document().shown().path());
      on_geometry();
      restore_view();
    });
    connect(&document(), &Document::stepComing, this, [this](int mergeId) {
      if (mergeId < 0 || mergeId != gestures_.ownSteps()) cancelGesture();
    });
    connect(&document(), &Document::reset, this, [this] {
      kept_.forget(graph_);
      frameAll();
    });
    connect(&document(), &Document::revealRequested, this, &CanvasView::revealNode);
  }
  Q_EMIT graphChanged();
  level_ = graph_ ? to_q(document().shown().path()) : QString();
  if (graph_) on_geometry();
  restore_view();
}

void CanvasView::keep_view() {
  kept_.keep(graph_, level_, {camera_.zoom(), camera_.origin(), framed_});
}

void CanvasView::restore_view() {
  const KeptViews::View* view = kept_.find(graph_, level_);
  if (!view || view->framed) return frameAll();
  camera_.set(view->zoom, view->origin);
}

void CanvasView::setAutoPan(bool on) {
  if (on == gestures_.autoPan()) return;
  gestures_.setAutoPan(on);
  Q_EMIT autoPanChanged();
}

void CanvasView::setColours(const QVariantMap& colours) {
  colours_ = colours;
  wires_.setColours(colours);
  Q_EMIT coloursChanged();
}

void CanvasView::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  if (now.size() == before.size()) return;
  const bool all = framed_ || before.isEmpty();
  camera_.setViewport(now.size());
  gestures_.setView(now.size());
  previews_.follow();
  if (all) frameAll();
}

void CanvasView::on_geometry() {
  const bool was_over = hover_.what != CanvasHit::What::empty || gestures_.dropWire() >= 0;
  hover_ = {};
  gestures_.forgetDropWire();
  ++tick_;
  camera_.setLargeGraph(graph_->count() > VisibleNodes::kAlwaysAll);
  // While a gesture moves nodes their cards stay; what left the view is looked for afterwards.
  if (gestures_.gesture() != Gesture::move) {
    visible_.refresh();
    names_.refresh();
  }
  Q_EMIT geometryTicked();
  if (was_over) Q_EMIT hoverChanged();
}

void CanvasView::takeFocus() {
  if (QQuickItem* field = scopedFocusItem()) field->setFocus(false);
  forceActiveFocus(Qt::MouseFocusReason);
}

QString CanvasView::hoverSocket() const {
  if (hover_.what != CanvasHit::What::socket) return {};
  return hover_.node + (hover_.is_output ? QStringLiteral(":out:") : QStringLiteral(":in:")) + to_q(hover_.socket);
}

QString CanvasView::hoverWireText() const {
  if (hover_.wire < 0 || !graph_ || static_cast<size_t>(hover_.wire) >= wires_.wires().size()) return {};
  return graph_->wireText(wires_.wires()[static_cast<size_t>(hover_.wire)].link);
}

QString CanvasView::hoverNodeText() const {
  if (!graph_ || hover_.what != CanvasHit::What::node || hover_.field) return {};
  const HeatMapModel* map = graph_->heatMap();
  QStringList lines{graph_->comparison()->textOf(hover_.node),
                    map ? map->wordsOf(document().pathOf(hover_.node)) : QString()};
  lines.removeAll(QString());
  return lines.join(QLatin1Char('\n'));
}

QPointF CanvasView::wireMiddle(const QString& from, const QString& fromSocket, const QString& to,
                               const QString& toSocket) const {
  return graph_ ? curve_of(*graph_, from, fromSocket, to, toSocket).at(0.5) : QPointF();
}

QVariantMap CanvasView::pillPlace(const QString& from, const QString& fromSocket, const QString& to,
                                  const QString& toSocket, QSizeF size) const {
  if (!graph_) return {};
  WireCurve wire = curve_of(*graph_, from, fromSocket, to, toSocket);
  wire.map([this](QPointF p) { return camera_.toScreen(p); });
  const QRectF view(0, 0, width(), height());
  // Out of sight, or from so far that no field can be read, it stays on its wire.
  const bool looks = view.contains(wire.at(0.5)) && !camera_.far();
  const PillPlace place = place_pill(wire, size, [&](const QRectF& pill) {
    if (!looks) return false;
    if (!view.contains(pill)) return true;
    const QRectF area(camera_.toCanvas(pill.topLeft()), camera_.toCanvas(pill.bottomRight()));
    const std::vector<int> rows = grid_.rows(area);
    return std::ranges::any_of(rows, [&](int row) { return graph_->rectAt(row).intersects(area); });
  });
  return {{"x", place.pill.x()}, {"y", place.pill.y()}, {"at", place.at}};
}

QRectF CanvasView::bounds() const {
  QRectF all = frames_.bounds();
  for (int row = 0; graph_ && row < graph_->count(); ++row) all |= graph_->rectAt(row);
  return all;
}

void CanvasView::frameAll() {
  camera_.frame(bounds());
  framed_ = true;
}

void CanvasView::frameSelection() {
  QRectF chosen;
  if (graph_) {
    for (const QString& id : document().selection().nodes()) chosen |= graph_->nodeRect(id);
    for (const QString& id : document().selection().frames()) chosen |= frames_.rectOf(id);
  }
  chosen.isEmpty() ? frameAll() : camera_.frame(chosen);
}

void CanvasView::revealNode(const QString& id) {
  if (!graph_ || graph_->rowOf(id) < 0) return;
  document().selectNode(id);
  if (camera_.far()) camera_.zoomTo(QPointF(width(), height()) / 2, 1);
  camera_.reveal(graph_->nodeRect(id));
}

void CanvasView::deleteSelected() {
  if (graph_) document().deleteSelection();
}

void CanvasView::step(int dx, int dy) {
  if (!graph_) return;
  const QString node = next_node(*graph_, document().activeNode(), camera_.visible().center(), dx, dy);
  if (node.isEmpty()) return;
  document().selectNode(node);
  camera_.reveal(graph_->nodeRect(node));
}

}  // namespace hw::app
