// Frames: what lies in one, and edits of them. A frame holds what lies wholly in it.
#pragma once

#include <array>
#include <functional>
#include <set>

#include "engine/graph/edit.h"

namespace hw {

/// What Frame::colour may name, beside nothing.
inline constexpr std::array<const char*, 6> kFrameColours = {"blue", "green", "yellow", "orange", "red", "purple"};

/// Canvas units. The title stands at the top of a frame, in its box.
inline constexpr double kFrameTitle = 48, kFramePad = 24, kLeastFrame = 64;
/// What lies on a canvas is at most so far from its origin, and no larger.
inline constexpr double kFarthest = 1e7;

/// The place of a frame or a card, canvas units.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  bool holds(const Box& other) const;
  bool operator==(const Box&) const = default;
};
Box box_of(const Frame& frame);
/// The engine does not know how large cards are.
using BoxOf = std::function<Box(const Node&)>;

/// Ids of nodes and frames of one graph.
struct Placed {
  std::set<std::string> nodes, frames;
  bool operator==(const Placed&) const = default;
};
/// These, and what lies in these frames.
Placed with_content(const Graph& graph, Placed chosen, const BoxOf& box);
/// These frames, and those that hold nodes, none but these.
std::set<std::string> frames_of(const Graph& graph, const Placed& chosen, const BoxOf& box);
/// These nodes and frames, each as far to the side.
Edits moved(const Graph& graph, const Placed& placed, double dx, double dy);

/// Whether a frame may be in a graph: its place and size are finite, within kFarthest, and the size is not negative.
/// Error HW-P001.
Status check_frame(const Frame& frame);

/// A frame around nodes and frames, with room for its title. Error HW-P001: there are none.
Result<Frame> frame_around(const Graph& graph, const Placed& placed, const BoxOf& box);
/// The frame as small as what is in it allows. Error HW-P001: nothing is in it.
Result<Frame> shrunk(const Graph& graph, const Frame& frame, const BoxOf& box);
/// A note with its top left there.
Frame new_note(const Graph& graph, double x, double y);

/// Sides of a frame that the user drags.
struct Sides {
  bool left = false, top = false, right = false, bottom = false;
  bool any() const { return left || top || right || bottom; }
  bool operator==(const Sides&) const = default;
};
/// The frame with these sides moved, no smaller than kLeastFrame.
Frame resized(Frame frame, Sides sides, double dx, double dy);

}  // namespace hw
