#include "app/canvas/wire_labels.h"

#include <unordered_map>

namespace hw::app {

WireLabels::WireLabels(QObject* parent) : QAbstractListModel(parent) {
  soon_.setSingleShot(true);
  soon_.setInterval(0);
  connect(&soon_, &QTimer::timeout, this, &WireLabels::refresh);
}

int WireLabels::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(places_.size());
}

QHash<int, QByteArray> WireLabels::roleNames() const {
  return {{TextRole, "words"},
          {MiddleXRole, "middleX"},
          {MiddleYRole, "middleY"},
          {RoomRole, "room"},
          {ShownRole, "shown"}};
}

QVariant WireLabels::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Label& label = places_[static_cast<size_t>(index.row())];
  switch (role) {
    case TextRole:
      return label.text;
    case MiddleXRole:
      return label.middle.x();
    case MiddleYRole:
      return label.middle.y();
    case RoomRole:
      return label.room;
    case ShownRole:
      return label.wire >= 0;
    default:
      return {};
  }
}

void WireLabels::setView(CanvasView* view) {
  if (view == view_) return;
  if (view_) {
    view_->disconnect(this);
    view_->camera()->disconnect(this);
    view_->wires()->disconnect(this);
  }
  view_ = view;
  if (view_) {
    connect(view_->camera(), &Camera::changed, this, &WireLabels::follow_camera);
    connect(view_->wires(), &WireSet::wiresReset, this, &WireLabels::touch);
    connect(view_->wires(), &WireSet::wiresTouched, this, &WireLabels::touch);
    connect(view_, &CanvasView::graphChanged, this, &WireLabels::follow_graph);
    follow_graph();
    follow_camera();
  }
  Q_EMIT viewChanged();
}

void WireLabels::follow_graph() {
  touch();
  const GraphModel* graph = view_->graph();
  if (!graph) return;
  // A shape can change while the wire looks the same.
  connect(graph, &GraphModel::wireLooksChanged, this, &WireLabels::touch, Qt::UniqueConnection);
  connect(graph, &GraphModel::wireLooksTouched, this, &WireLabels::touch, Qt::UniqueConnection);
}

void WireLabels::follow_camera() {
  const bool near_now = view_->camera()->zoom() >= from_zoom;
  if (near_now != near_) {
    near_ = near_now;
    Q_EMIT nearChanged();
  } else if (!near_ || chosen_.contains(view_->camera()->visible())) {
    return;
  }
  near_ ? refresh() : soon_.stop();
}

void WireLabels::touch() {
  if (near_) soon_.start();
}

WireLabels::Label WireLabels::label_of(int wire) const {
  const Wire& w = view_->wires()->wires()[static_cast<size_t>(wire)];
  if (w.gone || w.wrong || w.bad) return {};
  const GraphModel& graph = *view_->graph();
  const QStringList lines = graph.wireText(w.link).split(QLatin1Char('\n'));
  if (lines.size() > 1 && !graph.heatMap()) return {};  // between devices: a mark says what that costs
  const double room =
      graph.anchor(w.link.to, w.link.to_socket, false).x() - graph.anchor(w.link.from, w.link.from_socket, true).x();
  return {wire, lines.front(), w.curve.at(0.5), std::max(0.0, room)};
}

void WireLabels::refresh() {
  if (!near_ || !view_ || !view_->graph()) return;
  const QRectF seen = view_->camera()->visible();
  chosen_ = seen.adjusted(-seen.width() / 2, -seen.height() / 2, seen.width() / 2, seen.height() / 2);
  std::unordered_map<int, Label> wanted;
  for (const int wire : view_->wires()->in(chosen_)) {
    Label label = label_of(wire);
    if (label.wire >= 0 && chosen_.contains(label.middle)) wanted.emplace(wire, std::move(label));
  }
  // Wires keep their places; the others take what is free.
  std::vector<Label> now(places_.size());
  std::vector<size_t> free;
  for (size_t i = 0; i < places_.size(); ++i) {
    const auto same = wanted.find(places_[i].wire);
    if (same == wanted.end()) {
      free.push_back(i);
      continue;
    }
    now[i] = std::move(same->second);
    wanted.erase(same);
  }
  std::vector<Label> more;
  for (auto& [wire, label] : wanted) {
    if (free.empty()) {
      more.push_back(std::move(label));
    } else {
      now[free.back()] = std::move(label);
      free.pop_back();
    }
  }
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] == places_[i]) continue;
    places_[i] = std::move(now[i]);
    const QModelIndex at = index(static_cast<int>(i));
    Q_EMIT dataChanged(at, at);
  }
  if (more.empty()) return;
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(more.size()) - 1);
  std::move(more.begin(), more.end(), std::back_inserter(places_));
  endInsertRows();
}

}  // namespace hw::app
