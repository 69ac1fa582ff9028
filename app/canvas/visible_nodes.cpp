#include "app/canvas/visible_nodes.h"

#include <QSet>
#include <algorithm>
#include <limits>

namespace hw::app {
namespace {

constexpr int kFrameMs = 16, kRestMs = 200;
constexpr qint64 kMovingNs = 2'000'000, kRestingNs = 8'000'000;  // of a frame, for cards that come
constexpr size_t kMostPlaces = 256;                              // beyond, a place of any other type is taken first

}  // namespace

VisibleNodes::VisibleNodes(Of of, const Camera& camera, const NodeGrid& grid, QObject* parent)
    : QAbstractListModel(parent), of_(of), camera_(camera), grid_(grid) {
  frames_.setInterval(kFrameMs);
  connect(&frames_, &QTimer::timeout, this, &VisibleNodes::fill_some);
  moved_.start();
}

void VisibleNodes::setGraph(GraphModel* graph) {
  if (graph_) graph_->disconnect(this);
  beginResetModel();
  graph_ = graph;
  places_.clear();
  by_node_.clear();
  waiting_.clear();
  choice_ = Choice::none;
  endResetModel();
  if (!graph_) return;
  connect(graph_, &QAbstractItemModel::dataChanged, this, &VisibleNodes::forward_changes);
  connect(graph_, &QAbstractItemModel::layoutChanged, this, &VisibleNodes::notify_stack);
  connect(graph_, &QAbstractItemModel::rowsAboutToBeRemoved, this, [this](const QModelIndex&, int first, int last) {
    for (int row = first; row <= last; ++row) {
      waiting_.removeOne(graph_->idAt(row));
      if (const auto place = by_node_.constFind(graph_->idAt(row)); place != by_node_.cend()) hide(*place);
    }
  });
  connect(graph_, &QAbstractItemModel::rowsRemoved, this, &VisibleNodes::notify_stack);
  connect(graph_, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
    waiting_.clear();
    for (const int place : QHash<QString, int>(by_node_)) hide(place);
  });
  refresh();
}

VisibleNodes::Choice VisibleNodes::wanted() const {
  if (of_ == Of::names) {
    return camera_.far() && camera_.zoom() >= kNamesFrom ? Choice::inside : Choice::none;
  }
  if (camera_.far()) return Choice::none;
  return graph_ && graph_->count() > kAlwaysAll ? Choice::inside : Choice::all;
}

void VisibleNodes::follow() {
  moved_.restart();
  const Choice choice = wanted();
  if (choice == choice_ && (choice != Choice::inside || chosen_.contains(camera_.visible()))) return;
  refresh();
}

std::vector<int> VisibleNodes::wanted_rows() const {
  std::vector<int> rows;
  if (!graph_ || choice_ == Choice::none) return rows;
  if (choice_ == Choice::inside) return grid_.rows(chosen_);
  for (int row = 0; row < graph_->count(); ++row) rows.push_back(row);
  return rows;
}

void VisibleNodes::refresh() {
  if (refreshing_) {  // hiding a card may end an edit in it
    again_ = true;
    return;
  }
  refreshing_ = true;
  choice_ = wanted();
  const QRectF seen = camera_.visible();
  const double dx = seen.width() * 0.3, dy = seen.height() * 0.3;
  chosen_ = seen.adjusted(-dx, -dy, dx, dy);
  const bool was_pending = pending();
  const std::vector<int> rows = wanted_rows();
  QSet<QString> wanted;
  wanted.reserve(static_cast<qsizetype>(rows.size()));
  for (const int row : rows) wanted.insert(graph_->idAt(row));
  for (size_t place = 0; place < places_.size(); ++place) {
    if (places_[place].shown && !wanted.contains(places_[place].node)) hide(static_cast<int>(place));
  }
  // Those in view come first.
  QStringList inside, around;
  for (const int row : rows) {
    const QString& id = graph_->idAt(row);
    if (!by_node_.contains(id)) (graph_->rectAt(row).intersects(seen) ? inside : around).append(id);
  }
  waiting_ = around + inside;
  if (choice_ == Choice::all) {
    std::reverse(waiting_.begin(), waiting_.end());
    fill(std::numeric_limits<qint64>::max());
  } else if (pending() && !frames_.isActive()) {
    frames_.start();
  }
  refreshing_ = false;
  if (pending() != was_pending) Q_EMIT pendingChanged();
  if (std::exchange(again_, false)) refresh();
}

void VisibleNodes::fill_some() {
  if (pending()) {
    moved_.elapsed() < kRestMs ? reuse(kMovingNs) : fill(kRestingNs);
    if (!pending()) Q_EMIT pendingChanged();
  }
  if (!pending()) frames_.stop();
}

void VisibleNodes::fill(qint64 budget_ns) {
  QElapsedTimer timer;
  timer.start();
  while (pending() && timer.nsecsElapsed() < budget_ns) give(waiting_.takeLast());
}

void VisibleNodes::reuse(qint64 budget_ns) {
  QElapsedTimer timer;
  timer.start();
  for (qsizetype i = waiting_.size() - 1; i >= 0 && timer.nsecsElapsed() < budget_ns; --i) {
    const int row = graph_->rowOf(waiting_[i]);
    const int place = row < 0 ? -1 : free_place(type_at(row));
    if (place >= 0 && places_[static_cast<size_t>(place)].type == type_at(row)) give(waiting_.takeAt(i));
  }
}

const NodeType* VisibleNodes::type_at(int row) const {
  return of_ == Of::cards ? graph_->cardAt(row).type : nullptr;
}

int VisibleNodes::free_place(const NodeType* type) const {
  int any = -1;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].shown) continue;
    any = static_cast<int>(i);
    if (places_[i].type == type) return any;
  }
  return places_.size() < kMostPlaces ? -1 : any;
}

void VisibleNodes::give(const QString& node) {
  const int row = graph_ ? graph_->rowOf(node) : -1;
  if (row < 0) return;
  const NodeType* type = type_at(row);
  const int free = free_place(type);
  const int place = free < 0 ? static_cast<int>(places_.size()) : free;
  by_node_[node] = place;
  if (free >= 0) {
    places_[static_cast<size_t>(place)] = {node, type, true};
    Q_EMIT dataChanged(index(place), index(place));
    return;
  }
  beginInsertRows({}, place, place);
  places_.push_back({node, type, true});
  endInsertRows();
}

void VisibleNodes::hide(int place) {
  Place& hidden = places_[static_cast<size_t>(place)];
  hidden.shown = false;
  by_node_.remove(hidden.node);
  Q_EMIT dataChanged(index(place), index(place), {ShownRole});
}

void VisibleNodes::forward_changes(const QModelIndex& first, const QModelIndex& last, const QVector<int>& roles) {
  if (last.row() - first.row() < shown()) {
    for (int row = first.row(); row <= last.row(); ++row) {
      const auto place = by_node_.constFind(graph_->idAt(row));
      if (place != by_node_.cend()) Q_EMIT dataChanged(index(*place), index(*place), roles);
    }
    return;
  }
  for (size_t i = 0; i < places_.size(); ++i) {
    const int row = places_[i].shown ? graph_->rowOf(places_[i].node) : -1;
    const auto place = static_cast<int>(i);
    if (row >= first.row() && row <= last.row()) Q_EMIT dataChanged(index(place), index(place), roles);
  }
}

void VisibleNodes::notify_stack() {
  if (!places_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1), {StackRole});
}

int VisibleNodes::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(places_.size());
}

QVariant VisibleNodes::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || !graph_) return {};
  const Place& place = places_[static_cast<size_t>(index.row())];
  if (role == ShownRole) return place.shown;
  const int row = graph_->rowOf(place.node);
  if (role == StackRole) return row;
  return graph_->data(graph_->index(row), role);
}

QHash<int, QByteArray> VisibleNodes::roleNames() const {
  QHash<int, QByteArray> names = graph_ ? graph_->roleNames() : QHash<int, QByteArray>();
  names[ShownRole] = "shown";
  names[StackRole] = "stack";
  return names;
}

}  // namespace hw::app
