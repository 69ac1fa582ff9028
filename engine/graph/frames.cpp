#include "engine/graph/frames.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/canvas_grid.h"
#include "engine/core/codes.h"

namespace hw {
namespace {

constexpr double kNoteWidth = 240, kNoteHeight = 128;

Box around(const Graph& graph, const Placed& placed, const BoxOf& box) {
  double left = std::numeric_limits<double>::max(), top = left, right = -left, bottom = -left;
  const auto add = [&](const Box& b) {
    left = std::min(left, b.x);
    top = std::min(top, b.y);
    right = std::max(right, b.x + b.width);
    bottom = std::max(bottom, b.y + b.height);
  };
  for (const std::string& id : placed.nodes)
    if (const Node* node = graph.find(id)) add(box(*node));
  for (const std::string& id : placed.frames)
    if (const auto frame = graph.frames().find(id); frame != graph.frames().end()) add(box_of(frame->second));
  return {left, top, right - left, bottom - top};
}

void surround(Frame& frame, const Box& inside) {
  const auto down = [](double v) { return std::floor(v / kCanvasGrid) * kCanvasGrid; };
  const auto up = [](double v) { return std::ceil(v / kCanvasGrid) * kCanvasGrid; };
  frame.x = down(inside.x - kFramePad);
  frame.y = down(inside.y - kFramePad - kFrameTitle);
  frame.width = up(inside.x + inside.width + kFramePad) - frame.x;
  frame.height = up(inside.y + inside.height + kFramePad) - frame.y;
}

Error refused(const std::string& where, std::string reason, std::string remedy = {}) {
  return {codes::bad_parameter, where, std::move(reason), std::move(remedy)};
}

}  // namespace

bool Box::holds(const Box& other) const {
  return other.x >= x && other.y >= y && other.x + other.width <= x + width && other.y + other.height <= y + height;
}

Box box_of(const Frame& frame) {
  return {frame.x, frame.y, frame.width, frame.height};
}

Placed with_content(const Graph& graph, Placed chosen, const BoxOf& box) {
  std::vector<Box> holders;
  for (const std::string& id : chosen.frames)
    if (const auto frame = graph.frames().find(id); frame != graph.frames().end())
      holders.push_back(box_of(frame->second));
  if (holders.empty()) return chosen;
  const auto held = [&](const Box& b) {
    return std::ranges::any_of(holders, [&](const Box& holder) { return holder.holds(b); });
  };
  for (const auto& [id, frame] : graph.frames())
    if (held(box_of(frame))) chosen.frames.insert(id);
  for (const auto& [id, node] : graph.nodes())
    if (held(box(node))) chosen.nodes.insert(id);
  return chosen;
}

std::set<std::string> frames_of(const Graph& graph, const Placed& chosen, const BoxOf& box) {
  std::set<std::string> found = chosen.frames;
  if (graph.frames().empty() || chosen.nodes.empty()) return found;
  std::map<std::string, std::pair<bool, bool>> holds;  // by frame: a chosen node, another
  for (const auto& [id, node] : graph.nodes()) {
    const Box b = box(node);
    for (const auto& [frame_id, frame] : graph.frames())
      if (box_of(frame).holds(b)) (chosen.nodes.contains(id) ? holds[frame_id].first : holds[frame_id].second) = true;
  }
  for (const auto& [id, what] : holds)
    if (what.first && !what.second) found.insert(id);
  return found;
}

Edits moved(const Graph& graph, const Placed& placed, double dx, double dy) {
  Edits edits;
  for (const std::string& id : placed.nodes)
    if (const Node* node = graph.find(id)) edits.push_back(MoveNode{id, node->x + dx, node->y + dy});
  for (const std::string& id : placed.frames) {
    const auto found = graph.frames().find(id);
    if (found == graph.frames().end()) continue;
    Frame frame = found->second;
    frame.x += dx;
    frame.y += dy;
    edits.push_back(SetFrame{std::move(frame)});
  }
  return edits;
}

Status check_frame(const Frame& frame) {
  const auto fits = [](double v) { return std::isfinite(v) && std::abs(v) <= kFarthest; };
  if (!fits(frame.x) || !fits(frame.y) || !fits(frame.width) || !fits(frame.height))
    return refused(frame.id, "a frame's place and size must be finite, and at most 1e7.");
  if (frame.width < 0 || frame.height < 0) return refused(frame.id, "a frame's size must not be negative.");
  return ok();
}

Result<Frame> frame_around(const Graph& graph, const Placed& placed, const BoxOf& box) {
  if (placed.nodes.empty() && placed.frames.empty())
    return refused({}, "there is nothing to put a frame around.", "Select nodes first.");
  Frame frame;
  frame.id = graph.fresh_frame_id("frame");
  frame.title = "Frame";
  surround(frame, around(graph, placed, box));
  return frame;
}

Result<Frame> shrunk(const Graph& graph, const Frame& frame, const BoxOf& box) {
  Placed inside = with_content(graph, {{}, {frame.id}}, box);
  inside.frames.erase(frame.id);
  std::erase_if(inside.frames, [&](const std::string& id) {  // two of one size hold each other
    return box_of(graph.frames().at(id)) == box_of(frame);
  });
  if (inside.nodes.empty() && inside.frames.empty()) return refused(frame.id, "nothing lies in the frame.");
  Frame fitted = frame;
  surround(fitted, around(graph, inside, box));
  return fitted;
}

Frame new_note(const Graph& graph, double x, double y) {
  Frame note;
  note.id = graph.fresh_frame_id("note");
  note.title = "Note";
  note.colour = "yellow";
  note.text = "";
  note.x = x;
  note.y = y;
  note.width = kNoteWidth;
  note.height = kNoteHeight;
  return note;
}

Frame resized(Frame frame, Sides sides, double dx, double dy) {
  const double least_width = std::min(frame.width, kLeastFrame), least_height = std::min(frame.height, kLeastFrame);
  const auto move = [](bool low, bool high, double by, double least, double& at, double& size) {
    const double room = size - least;
    if (low) by = std::min(by, room);
    if (high) by = std::max(by, -room);
    if (low) at += by;
    size += low ? -by : high ? by : 0;
  };
  move(sides.left, sides.right, dx, least_width, frame.x, frame.width);
  move(sides.top, sides.bottom, dy, least_height, frame.y, frame.height);
  return frame;
}

}  // namespace hw
