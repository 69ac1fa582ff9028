#include "app/models/graph/arrangement.h"

#include <QRect>
#include <algorithm>

#include "app/document/document.h"
#include "app/document/task.h"
#include "app/document/text.h"
#include "app/models/cards/card.h"
#include "app/models/graph/card_layout.h"
#include "app/models/graph/frame_clusters.h"
#include "engine/core/canvas_grid.h"

namespace hw::app {
namespace {

constexpr size_t kAtOnce = 400;  // nodes that are laid out within a frame or two

std::vector<std::string> selected(const Document& document) {
  std::vector<std::string> ids;
  for (const QString& id : document.selection().nodes()) ids.push_back(id.toStdString());
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Twice the middle of all boxes, whole.
layout::Place doubled_middle(const std::vector<layout::Box>& boxes, const std::vector<layout::Place>& places) {
  QRect all;
  for (size_t i = 0; i < boxes.size(); ++i) all |= QRect(places[i].x, places[i].y, boxes[i].width, boxes[i].height);
  return {2 * all.x() + all.width(), 2 * all.y() + all.height()};
}

}  // namespace

Arrangement::Arrangement(Document& document, QObject* parent) : QObject(parent), document_(document) {
  work_.setMaxThreadCount(1);
  for (const auto edit :
       {&Document::nodesAdded, &Document::nodesRemoved, &Document::nodesChanged, &Document::linksChanged})
    connect(&document_, edit, this, &Arrangement::cancel);
  for (const auto other : {&Document::reset, &Document::shownChanged})
    connect(&document_, other, this, &Arrangement::cancel);
  connect(&document_, &Document::selectionChanged, this, &Arrangement::chosenChanged);
}

int Arrangement::chosen() const {
  return static_cast<int>(document_.selection().nodes().size());
}

Arrangement::~Arrangement() {
  stop_.request_stop();
  work_.waitForDone();
}

void Arrangement::set_busy(bool busy) {
  if (busy == busy_) return;
  busy_ = busy;
  Q_EMIT busyChanged();
}

bool Arrangement::cancel() {
  if (!busy_) return false;
  stop_.request_stop();
  set_busy(false);
  return true;
}

void Arrangement::arrange() {
  cancel();
  document_.letGo();  // from the stored positions, not where nodes are being dragged
  const std::vector<std::string> chosen = selected(document_);
  const bool all = chosen.size() < 2;
  CardLayout cards = card_layout(document_, all ? std::vector<std::string>() : chosen);
  if (cards.ids.size() < 2) return;
  const Scope& scope = document_.shown().scope();
  FrameClusters frames = frame_clusters(*scope.graph, scope, cards, all);
  const auto lay_out = [](const CardLayout& c, const FrameClusters& f, const std::stop_token& stop) {
    return layout::lay_out_clusters(f.boxes, f.cluster_of, f.clusters, c.wires, {}, stop);
  };
  if (cards.ids.size() <= kAtOnce) return finish(cards, frames, *lay_out(cards, frames, {}));
  stop_ = std::stop_source();
  set_busy(true);
  start_task(
      work_, this,
      [this, lay_out, cards = std::move(cards), frames = std::move(frames), stop = stop_.get_token()] {
        auto laid = lay_out(cards, frames, stop);
        if (!laid) return;
        QMetaObject::invokeMethod(
            this,
            [this, cards, frames, laid = std::move(*laid), stop] {
              if (stop.stop_requested()) return;
              set_busy(false);
              finish(cards, frames, laid);
            },
            Qt::QueuedConnection);
      },
      [this](const Error& error) {
        set_busy(false);
        Q_EMIT document_.refused(to_q(error.code), to_q(error.reason), to_q(error.remedy));
      });
}

void Arrangement::finish(const CardLayout& cards, const FrameClusters& frames, const layout::Clustered& laid) {
  document_.letGo();
  const layout::Place before = doubled_middle(cards.boxes, cards.places), now = doubled_middle(cards.boxes, laid.boxes);
  const auto half_way = [](int twice) { return static_cast<int>(to_grid(twice / 2.0)); };
  const int dx = half_way(before.x - now.x), dy = half_way(before.y - now.y);
  std::vector<layout::Place> moved = laid.boxes;
  for (layout::Place& place : moved) place = {place.x + dx, place.y + dy};
  const Graph& graph = document_.shown().graph();
  move(tr("Arrange"), cards, moved, true, true, placed_frames(graph, frames, laid, dx, dy));
  if (cards.ids.size() == graph.nodes().size()) Q_EMIT allArranged();
}

void Arrangement::align(const QString& line) {
  document_.letGo();
  const std::vector<std::string> chosen = selected(document_);
  if (chosen.size() < 2) return;
  static const std::pair<const char*, layout::Line> kLines[] = {
      {"left", layout::Line::left},     {"right", layout::Line::right},       {"top", layout::Line::top},
      {"bottom", layout::Line::bottom}, {"middle_x", layout::Line::middle_x}, {"middle_y", layout::Line::middle_y}};
  const CardLayout cards = card_layout(document_, chosen);
  for (const auto& [name, chosen_line] : kLines) {
    if (line != QLatin1String(name)) continue;
    const bool x = chosen_line == layout::Line::left || chosen_line == layout::Line::right ||
                   chosen_line == layout::Line::middle_x;
    move(tr("Align"), cards, layout::aligned(cards.boxes, cards.places, chosen_line), x, !x);
  }
}

void Arrangement::distribute(bool alongX) {
  document_.letGo();
  const std::vector<std::string> chosen = selected(document_);
  if (chosen.size() < 3) return;
  const CardLayout cards = card_layout(document_, chosen);
  const layout::Spacing spacing;
  const int least = alongX ? static_cast<int>(CardMetrics::gap) : spacing.rows;
  move(tr("Distribute"), cards, layout::distributed(cards.boxes, cards.places, alongX, least), alongX, !alongX);
}

void Arrangement::move(const QString& text, const CardLayout& cards, const std::vector<layout::Place>& places, bool x,
                       bool y, Edits more) {
  Edits edits = std::move(more);
  for (size_t i = 0; i < cards.ids.size(); ++i) {
    const Node& node = *document_.shown().graph().find(cards.ids[i]);
    const double new_x = x ? places[i].x : node.x, new_y = y ? places[i].y : node.y;
    if (new_x != node.x || new_y != node.y) edits.push_back(MoveNode{node.id, new_x, new_y});
  }
  if (!edits.empty()) document_.push(text, edits);
}

}  // namespace hw::app
