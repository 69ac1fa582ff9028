#include "app/models/graph/frame_clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "app/models/cards/card_boxes.h"

namespace hw::app {
namespace {

constexpr int kAbove = 96;  // canvas units between loose notes and what they stand above

double area(const Frame& frame) {
  return frame.width * frame.height;
}

Box box_at(const CardLayout& cards, size_t i) {
  return {static_cast<double>(cards.places[i].x), static_cast<double>(cards.places[i].y),
          static_cast<double>(cards.boxes[i].width), static_cast<double>(cards.boxes[i].height)};
}

/// Ids of the frames that hold a card that is not among these.
std::set<std::string> with_others(const Graph& graph, const Scope& scope, const CardLayout& cards) {
  std::set<std::string> found;
  const std::set<std::string> chosen(cards.ids.begin(), cards.ids.end());
  const BoxOf box = card_boxes(scope);
  for (const auto& [id, node] : graph.nodes()) {
    if (chosen.contains(id)) continue;
    for (const auto& [frame_id, frame] : graph.frames())
      if (box_of(frame).holds(box(node))) found.insert(frame_id);
  }
  return found;
}

}  // namespace

FrameClusters frame_clusters(const Graph& graph, const Scope& scope, const CardLayout& cards, bool all) {
  FrameClusters found;
  found.boxes = cards.boxes;
  found.cluster_of.assign(cards.boxes.size(), -1);
  if (graph.frames().empty()) return found;

  std::vector<const Frame*> frames;
  const std::set<std::string> left_out = all ? std::set<std::string>() : with_others(graph, scope, cards);
  for (const auto& [id, frame] : graph.frames())
    if (!left_out.contains(id)) frames.push_back(&frame);
  std::stable_sort(frames.begin(), frames.end(), [](const Frame* a, const Frame* b) { return area(*a) > area(*b); });
  std::vector<Box> boxes;
  for (const Frame* frame : frames) boxes.push_back(box_of(*frame));
  // The last that holds it is the smallest.
  const auto innermost = [&](const Box& box, size_t before) {
    for (size_t i = before; i-- > 0;)
      if (boxes[i].holds(box)) return static_cast<int>(i);
    return -1;
  };
  std::vector<int> frame_of(cards.boxes.size()), parent(frames.size());
  std::vector<bool> holds(frames.size());
  for (size_t i = 0; i < cards.boxes.size(); ++i) frame_of[i] = innermost(box_at(cards, i), frames.size());
  for (size_t i = 0; i < frames.size(); ++i) parent[i] = innermost(boxes[i], i);
  for (const int frame : frame_of)
    for (int at = frame; at >= 0; at = parent[static_cast<size_t>(at)]) holds[static_cast<size_t>(at)] = true;

  std::vector<int> cluster(frames.size(), -1);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (!holds[i]) continue;
    cluster[i] = static_cast<int>(found.ids.size());
    found.ids.push_back(frames[i]->id);
    // What holds a frame that holds cards holds cards.
    found.clusters.push_back({parent[i] < 0 ? -1 : cluster[static_cast<size_t>(parent[i])],
                              static_cast<int>(kFrameTitle + kFramePad), static_cast<int>(kFramePad)});
  }
  for (size_t i = 0; i < frame_of.size(); ++i)
    if (frame_of[i] >= 0) found.cluster_of[i] = cluster[static_cast<size_t>(frame_of[i])];
  for (size_t i = 0; i < frames.size(); ++i) {
    if (holds[i]) continue;
    if (parent[i] < 0) {
      if (all) found.loose.push_back(frames[i]->id);
      continue;
    }
    if (cluster[static_cast<size_t>(parent[i])] < 0) continue;  // in another note
    found.notes.push_back(frames[i]->id);
    found.boxes.push_back(
        {static_cast<int>(std::ceil(frames[i]->width)), static_cast<int>(std::ceil(frames[i]->height))});
    found.cluster_of.push_back(cluster[static_cast<size_t>(parent[i])]);
  }
  return found;
}

Edits placed_frames(const Graph& graph, const FrameClusters& frames, const layout::Clustered& laid, int dx, int dy) {
  Edits edits;
  const auto put = [&](const std::string& id, double x, double y, double width, double height) {
    Frame frame = graph.frames().at(id);
    const Frame before = frame;
    frame.x = x;
    frame.y = y;
    frame.width = width;
    frame.height = height;
    if (frame != before) edits.push_back(SetFrame{std::move(frame)});
  };
  int top = std::numeric_limits<int>::max(), left = top;
  for (const layout::Area& area : laid.clusters) {
    top = std::min(top, area.y + dy);
    left = std::min(left, area.x + dx);
  }
  for (const layout::Place& place : laid.boxes) {
    top = std::min(top, place.y + dy);
    left = std::min(left, place.x + dx);
  }
  for (size_t i = 0; i < frames.ids.size(); ++i) {
    const layout::Area& area = laid.clusters[i];
    put(frames.ids[i], area.x + dx, area.y + dy, area.width, area.height);
  }
  const size_t cards = laid.boxes.size() - frames.notes.size();
  for (size_t i = 0; i < frames.notes.size(); ++i) {
    const Frame& note = graph.frames().at(frames.notes[i]);
    put(note.id, laid.boxes[cards + i].x + dx, laid.boxes[cards + i].y + dy, note.width, note.height);
  }
  for (const std::string& id : frames.loose) {
    const Frame& note = graph.frames().at(id);
    put(id, left, top - kAbove - std::ceil(note.height / 8) * 8, note.width, note.height);
    left += static_cast<int>(std::ceil(note.width / 8)) * 8 + kAbove;
  }
  return edits;
}

}  // namespace hw::app
