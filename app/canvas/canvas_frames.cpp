#include "app/canvas/canvas_frames.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hw::app {
namespace {

constexpr double kLeastTitle = 16;  // screen pixels
constexpr double kLeastWidth = 72;  // screen pixels of a frame with room for words
constexpr double kReach = 5;        // screen pixels around a side that take it
constexpr int kNewAtOnce = 16, kFrameMs = 16;

QRectF rect_of(const Frame& frame) {
  return {frame.x, frame.y, frame.width, frame.height};
}

/// A third of an octave: words are up to 1.26 times as large as they must be.
double step_below(double zoom) {
  return std::exp2(std::floor(3 * std::log2(zoom)) / 3);
}

}  // namespace

CanvasFrames::CanvasFrames(const Camera& camera, QObject* parent) : QAbstractListModel(parent), camera_(camera) {
  soon_.setSingleShot(true);
  soon_.setInterval(kFrameMs);
  connect(&soon_, &QTimer::timeout, this, &CanvasFrames::refresh);
}

void CanvasFrames::setGraph(GraphModel* graph) {
  if (graph_) {
    graph_->disconnect(this);
    graph_->document().disconnect(this);
  }
  endEdit();
  beginResetModel();
  graph_ = graph;
  places_.clear();
  endResetModel();
  if (!graph_) return Q_EMIT looksChanged();
  const Document& document = graph_->document();
  connect(&document, &Document::framesChanged, this, &CanvasFrames::renew);
  connect(&document, &Document::selectionChanged, this, [this] {
    if (!places_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1), {SelectedRole});
    Q_EMIT looksChanged();
  });
  connect(&document, &Document::shownAboutToChange, this, &CanvasFrames::endEdit);
  connect(graph_, &QAbstractItemModel::modelReset, this, &CanvasFrames::renew);
  refresh();
  Q_EMIT looksChanged();
}

const std::map<std::string, Frame, std::less<>>& CanvasFrames::frames() const {
  static const std::map<std::string, Frame, std::less<>> kNone;
  return graph_ ? graph_->document().shown().graph().frames() : kNone;
}

bool CanvasFrames::isSelected(const std::string& id) const {
  return graph_ && graph_->document().selection().frames().contains(to_q(id));
}

void CanvasFrames::follow() {
  const double zoom = step_below(camera_.zoom());
  const bool other_zoom = std::exchange(zoom_, zoom) != zoom;
  if (other_zoom) Q_EMIT zoomed();
  if (other_zoom || !chosen_.contains(camera_.visible())) refresh();
}

double CanvasFrames::titleInside() const {
  return titleHeight() > kFrameTitle ? 0 : kFrameTitle;
}

double CanvasFrames::titleHeight() const {
  return std::max(kFrameTitle, kLeastTitle / zoom_);
}

void CanvasFrames::refresh() {
  const QRectF seen = camera_.visible();
  const double dx = seen.width() * 0.3, dy = seen.height() * 0.3;
  chosen_ = seen.adjusted(-dx, -dy, dx, dy);
  QSet<QString> wanted;
  for (const auto& [id, frame] : frames()) {
    const bool has_room =
        frame.width * zoom_ >= kLeastWidth && rect_of(frame).united(title_rect(frame)).intersects(chosen_);
    if (has_room || (!edited_.isEmpty() && to_std(edited_) == id)) wanted.insert(to_q(id));
  }
  std::vector<bool> touched(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].isEmpty() || wanted.remove(places_[i])) continue;
    places_[i].clear();
    touched[i] = true;
  }
  for (size_t i = 0; i < places_.size() && !wanted.isEmpty(); ++i) {
    if (!places_[i].isEmpty()) continue;
    places_[i] = *wanted.begin();
    wanted.remove(places_[i]);
    touched[i] = true;
  }
  for (size_t i = 0; i < places_.size(); ++i)
    if (touched[i]) Q_EMIT dataChanged(index(static_cast<int>(i)), index(static_cast<int>(i)));
  if (!wanted.isEmpty()) {
    const auto count = std::min<int>(static_cast<int>(wanted.size()), kNewAtOnce);
    beginInsertRows({}, rowCount(), rowCount() + count - 1);
    places_.insert(places_.end(), wanted.begin(), std::next(wanted.begin(), count));
    endInsertRows();
    if (count < wanted.size()) soon_.start();
  }
  if (!edited_.isEmpty() && !frames().contains(to_std(edited_))) endEdit();
}

void CanvasFrames::renew() {
  refresh();
  for (size_t i = 0; i < places_.size(); ++i)
    if (!places_[i].isEmpty()) Q_EMIT dataChanged(index(static_cast<int>(i)), index(static_cast<int>(i)));
  Q_EMIT looksChanged();
}

void CanvasFrames::edit(const QString& id, bool text) {
  if (id == edited_ && text == edits_text_) return;
  edited_ = id;
  edits_text_ = text;
  if (!id.isEmpty()) refresh();  // it has a place however small it is
  Q_EMIT editedChanged();
}

QRectF CanvasFrames::title_rect(const Frame& frame) const {
  const double height = titleHeight();
  return {frame.x, frame.y + titleInside() - height, frame.width, height};
}

std::optional<FrameHit> CanvasFrames::at(QPointF p) const {
  const double reach = kReach / camera_.zoom();
  std::optional<FrameHit> found;
  double smallest = 0;
  for (const auto& [id, frame] : frames()) {
    const QRectF rect = rect_of(frame), title = title_rect(frame);
    const double size = frame.width * frame.height;
    if ((found && size >= smallest) || !rect.united(title).adjusted(-reach, -reach, reach, reach).contains(p)) continue;
    const auto near = [reach](double a, double b) { return std::abs(a - b) <= reach; };
    const bool level = p.y() >= rect.top() - reach && p.y() <= rect.bottom() + reach;
    const bool over = rect.adjusted(-reach, -reach, reach, reach).contains(p);
    FrameHit hit{to_q(id), {}, false};
    hit.sides.left = level && near(p.x(), rect.left());
    hit.sides.right = level && !hit.sides.left && near(p.x(), rect.right());
    hit.sides.bottom = over && near(p.y(), rect.bottom());
    // From afar the title covers the upper side.
    hit.sides.top = over && !hit.sides.bottom && title.top() >= rect.top() && near(p.y(), rect.top());
    if (!hit.sides.any()) {
      hit.text = frame.text && rect.contains(p) && !title.contains(p);
      if (!hit.text && !title.contains(p)) continue;
    }
    found = hit;
    smallest = size;
  }
  return found;
}

QSet<QString> CanvasFrames::inside(const QRectF& area) const {
  QSet<QString> found;
  for (const auto& [id, frame] : frames())
    if (area.contains(rect_of(frame))) found.insert(to_q(id));
  return found;
}

QRectF CanvasFrames::bounds() const {
  QRectF all;
  for (const auto& [id, frame] : frames()) all |= rect_of(frame);
  return all;
}

QRectF CanvasFrames::rectOf(const QString& id) const {
  const auto found = frames().find(to_std(id));
  return found == frames().end() ? QRectF() : rect_of(found->second);
}

int CanvasFrames::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(places_.size());
}

QVariant CanvasFrames::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const QString& id = places_[static_cast<size_t>(index.row())];
  const auto found = frames().find(to_std(id));
  static const Frame nothing;  // of a place that waits for another frame
  const bool shown = found != frames().end();
  const Frame& frame = shown ? found->second : nothing;
  switch (role) {
    case FrameIdRole:
      return id;
    case Qt::DisplayRole:
    case TitleRole:
      return to_q(frame.title);
    case ColourRole:
      return to_q(frame.colour);
    case NoteRole:
      return frame.text.has_value();
    case TextRole:
      return to_q(frame.text.value_or(""));
    case BoxRole:
      return rect_of(frame);
    case SelectedRole:
      return shown && isSelected(found->first);
    case ShownRole:
      return shown;
    default:
      return {};
  }
}

QHash<int, QByteArray> CanvasFrames::roleNames() const {
  return {{FrameIdRole, "frameId"}, {TitleRole, "title"}, {ColourRole, "colour"},     {NoteRole, "note"},
          {TextRole, "text"},       {BoxRole, "box"},     {SelectedRole, "selected"}, {ShownRole, "shown"}};
}

}  // namespace hw::app
