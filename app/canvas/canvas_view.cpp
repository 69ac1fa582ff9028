#include "app/canvas/canvas_view.h"

#include <QCursor>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/canvas/pill_place.h"
#include "app/models/instruments/heat_map_model.h"

namespace hw::app {
namespace {

constexpr double kSocketReach = 10;  // screen pixels around a socket that pick it up
constexpr double kWireReach = 6;

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
  auto_pan_.setInterval(16);
  connect(&auto_pan_, &QTimer::timeout, this, &CanvasView::auto_pan);
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
    keep_place();
    graph_->disconnect(this);
    document().disconnect(this);
    connect(graph_, &QObject::destroyed, this, &CanvasView::forget_places);
  }
  graph_ = graph;
  grid_.setGraph(graph);
  drag_.setGraph(graph);
  wires_.setGraph(graph);
  visible_.setGraph(graph);
  names_.setGraph(graph);
  frames_.setGraph(graph);
  previews_.setGraph(graph);
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
      keep_place();
      level_ = to_q(document().shown().path());
      on_geometry();
      go_to_place();
    });
    connect(&document(), &Document::stepComing, this, [this](int mergeId) {
      if (mergeId < 0 || mergeId != own_steps()) cancelGesture();
    });
    connect(&document(), &Document::reset, this, [this] {
      forget_places(graph_);
      frameAll();
    });
    connect(&document(), &Document::revealRequested, this, &CanvasView::revealNode);
  }
  Q_EMIT graphChanged();
  level_ = graph_ ? to_q(document().shown().path()) : QString();
  if (graph_) on_geometry();
  go_to_place();
}

void CanvasView::keep_place() {
  places_[{graph_, level_}] = {camera_.zoom(), {camera_.originX(), camera_.originY()}, framed_};
}

void CanvasView::go_to_place() {
  const auto place = places_.constFind({graph_, level_});
  if (place == places_.cend() || place->framed) return frameAll();
  camera_.set(place->zoom, place->origin);
}

void CanvasView::forget_places(const QObject* graph) {
  places_.removeIf([graph](const auto& place) { return place.key().first == graph; });
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
  previews_.follow();
  if (all) frameAll();
}

void CanvasView::on_geometry() {
  const bool was_over = hover_.what != CanvasHit::What::empty || drop_wire_ >= 0;
  hover_ = {};
  drop_wire_ = -1;
  ++tick_;
  camera_.setLargeGraph(graph_->count() > VisibleNodes::kAlwaysAll);
  // While a gesture moves nodes their cards stay; what left the view is looked for afterwards.
  if (gesture_ != Gesture::move) {
    visible_.refresh();
    names_.refresh();
  }
  Q_EMIT geometryTicked();
  if (was_over) Q_EMIT hoverChanged();
}

CanvasHit CanvasView::hit(QPointF screen) const {
  CanvasHit found;
  if (!graph_) return found;
  const QPointF p = camera_.toCanvas(screen);
  const double reach = kSocketReach / camera_.zoom();
  const auto consider = [&](int row, bool selected) {
    const QRectF rect = graph_->rectAt(row);
    if (!rect.adjusted(-reach, 0, reach, 0).contains(p)) return false;
    if (graph_->isSelectedAt(row) != selected) return false;
    const Card& card = graph_->cardAt(row);
    for (const bool output : {true, false}) {
      if (card.collapsed && !output && card.inputs.size() > 1) continue;
      for (const CardSocket& s : output ? card.outputs : card.inputs) {
        const QPointF off = rect.topLeft() + card.anchor(s.id, output) - p;
        if (std::hypot(off.x(), off.y()) >
            std::min(reach, card.dot ? CardMetrics::dot / 4 : CardMetrics::socket_row / 2))
          continue;
        found = {CanvasHit::What::socket, graph_->idAt(row), s.id, output, -1};
        return true;
      }
    }
    if (!rect.contains(p)) return false;
    found = {CanvasHit::What::node, graph_->idAt(row), {}, false, -1};
    const double fields = CardMetrics::pad + CardMetrics::param_row * static_cast<double>(card.params.size());
    found.field = !card.collapsed && !card.params.empty() && !camera_.coarse() && p.y() > rect.bottom() - fields;
    return true;
  };
  // Selected cards lie on top, later ones over earlier ones.
  const std::vector<int> rows = grid_.rows(QRectF(p.x() - reach, p.y(), 2 * reach, 0));
  for (const bool selected : {true, false}) {
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (consider(*row, selected)) return found;
    }
  }
  found.wire = wires_.at(p, kWireReach / camera_.zoom());
  if (found.wire >= 0) {
    found.what = CanvasHit::What::wire;
  } else if (const auto frame = frames_.at(p)) {
    found.what = CanvasHit::What::frame;
    found.frame = *frame;
  }
  return found;
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
  if (!graph_ || graph_->count() == 0) return;
  const QRectF from = graph_->nodeRect(document().activeNode());
  const QPointF start = from.isNull() ? camera_.visible().center() : from.center();
  QString best;
  double best_cost = std::numeric_limits<double>::max();
  for (int row = 0; row < graph_->count(); ++row) {
    const QPointF off = graph_->rectAt(row).center() - start;
    const double along = off.x() * dx + off.y() * dy, across = std::abs(off.x() * dy) + std::abs(off.y() * dx);
    if (graph_->idAt(row) == document().activeNode() || (!from.isNull() && along <= 1)) continue;
    const double cost = std::abs(along) + 2 * across;
    if (cost < best_cost) {
      best_cost = cost;
      best = graph_->idAt(row);
    }
  }
  if (best.isEmpty()) return;
  document().selectNode(best);
  camera_.reveal(graph_->nodeRect(best));
}

void CanvasView::update_hover() {
  const CanvasHit before = hover_;
  hover_ = busy() ? CanvasHit{} : hit(cursor_);
  if (hover_ == before) return;
  if (!busy()) setCursor(cursor_over(hover_));
  Q_EMIT hoverChanged();
}

void CanvasView::hoverMoveEvent(QHoverEvent* event) {
  cursor_ = event->position();
  Q_EMIT cursorMoved();
  update_hover();
  event->ignore();
}

void CanvasView::hoverLeaveEvent(QHoverEvent*) {
  hover_ = {};
  Q_EMIT hoverChanged();
}

}  // namespace hw::app
