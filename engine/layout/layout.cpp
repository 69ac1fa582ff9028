// The parts that no wire connects are laid out one by one, and put into rows.
#include "engine/layout/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/layout/coordinates.h"
#include "engine/layout/fold.h"
#include "engine/layout/ordering.h"

namespace hw::layout {
namespace {

struct Part {
  std::vector<int> boxes;
  std::vector<Wire> wires;  // between indices into `boxes`
  std::vector<Place> places;
  int width = 0, height = 0;
};

/// What wires connect. Boxes that must stand at a side belong together: their order counts.
std::vector<Part> parts_of(const std::vector<Box>& boxes, const std::vector<Wire>& wires) {
  std::vector<int> root(boxes.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int box) {
    while (root[static_cast<size_t>(box)] != box) {
      int& up = root[static_cast<size_t>(box)];
      box = up = root[static_cast<size_t>(up)];
    }
    return box;
  };
  const auto join = [&](int a, int b) {
    a = find(a), b = find(b);
    root[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  };
  for (const Wire& wire : wires) join(wire.from, wire.to);
  int at_side = -1;
  for (size_t box = 0; box < boxes.size(); ++box) {
    if (boxes[box].side == Side::any) continue;
    if (at_side >= 0) join(at_side, static_cast<int>(box));
    at_side = static_cast<int>(box);
  }
  std::vector<int> part_at(boxes.size(), -1), index(boxes.size());
  std::vector<Part> parts;
  for (size_t box = 0; box < boxes.size(); ++box) {
    int& part = part_at[static_cast<size_t>(find(static_cast<int>(box)))];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    std::vector<int>& members = parts[static_cast<size_t>(part)].boxes;
    index[box] = static_cast<int>(members.size());
    members.push_back(static_cast<int>(box));
  }
  for (const Wire& wire : wires) {
    Part& part = parts[static_cast<size_t>(part_at[static_cast<size_t>(find(wire.from))])];
    part.wires.push_back(
        {index[static_cast<size_t>(wire.from)], index[static_cast<size_t>(wire.to)], wire.out_y, wire.in_y});
  }
  return parts;
}

/// Places from (0, 0) on. False: stopped.
bool lay_out_part(Part& part, const std::vector<Box>& all, const Spacing& spacing, const std::stop_token& stop) {
  std::vector<Box> boxes;
  for (const int box : part.boxes) boxes.push_back(all[static_cast<size_t>(box)]);
  const std::vector<Step> steps = without_cycles(boxes.size(), part.wires);
  const std::vector<int> layer = layers_of(boxes, steps);
  LayeredGraph graph = layered(boxes, steps, layer, spacing);
  if (stop.stop_requested() || !order_layers(graph, stop)) return false;
  const auto tops = tops_of(graph, spacing, stop);
  if (!tops) return false;

  std::vector<int> widest(graph.layers.size());
  int highest = std::numeric_limits<int>::max();
  for (size_t box = 0; box < boxes.size(); ++box) {
    int& width = widest[static_cast<size_t>(layer[box])];
    width = std::max(width, boxes[box].width);
    highest = std::min(highest, (*tops)[box]);
  }
  std::vector<int> left(graph.layers.size());
  for (size_t i = 1; i < left.size(); ++i)
    left[i] = left[i - 1] + up_to_grid(widest[i - 1] + spacing.columns, spacing.grid);
  part.places.resize(boxes.size());
  for (size_t box = 0; box < boxes.size(); ++box) {
    part.places[box] = {left[static_cast<size_t>(layer[box])], (*tops)[box] - highest};
  }
  fold(boxes, steps, layer, spacing, part.places);
  for (size_t box = 0; box < boxes.size(); ++box) {
    part.width = std::max(part.width, part.places[box].x + boxes[box].width);
    part.height = std::max(part.height, part.places[box].y + boxes[box].height);
  }
  return true;
}

/// Larger parts first; small ones side by side, in rows about as wide as the widest, or as all together are high.
void pack(std::vector<Part>& parts, const Spacing& spacing) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.boxes.size() > b.boxes.size(); });
  double area = 0;
  int row_width = 0;
  for (const Part& part : parts) {
    area += static_cast<double>(part.width + spacing.columns) * (part.height + spacing.rows);
    row_width = std::max(row_width, part.width);
  }
  constexpr double kWide = 1.6;  // as a window is
  row_width = std::max(row_width, static_cast<int>(std::sqrt(area * kWide)));
  int x = 0, y = 0, row_height = 0;
  for (Part& part : parts) {
    if (x > 0 && x + part.width > row_width) {
      x = 0;
      y += up_to_grid(row_height + 2 * spacing.rows, spacing.grid);
      row_height = 0;
    }
    for (Place& place : part.places) place = {place.x + x, place.y + y};
    x += up_to_grid(part.width + spacing.columns, spacing.grid);
    row_height = std::max(row_height, part.height);
  }
}

}  // namespace

std::optional<std::vector<Place>> lay_out(const std::vector<Box>& boxes, const std::vector<Wire>& wires,
                                          const Spacing& spacing, std::stop_token stop) {
  std::vector<Part> parts = parts_of(boxes, wires);
  for (Part& part : parts)
    if (!lay_out_part(part, boxes, spacing, stop)) return std::nullopt;
  pack(parts, spacing);
  std::vector<Place> places(boxes.size());
  for (const Part& part : parts)
    for (size_t i = 0; i < part.boxes.size(); ++i) places[static_cast<size_t>(part.boxes[i])] = part.places[i];
  return places;
}

int64_t crossings(const std::vector<Box>& boxes, const std::vector<Wire>& wires, const std::vector<Place>& places) {
  struct Segment {
    double x0, y0, x1, y1;
  };
  std::vector<Segment> lines;
  for (const Wire& wire : wires) {
    const auto from = static_cast<size_t>(wire.from), to = static_cast<size_t>(wire.to);
    lines.push_back({static_cast<double>(places[from].x + boxes[from].width),
                     static_cast<double>(places[from].y + wire.out_y), static_cast<double>(places[to].x),
                     static_cast<double>(places[to].y + wire.in_y)});
  }
  // Which side of a line a point is on.
  const auto side = [](const Segment& l, double x, double y) {
    const double cross = (l.x1 - l.x0) * (y - l.y0) - (l.y1 - l.y0) * (x - l.x0);
    return (cross > 0) - (cross < 0);
  };
  int64_t count = 0;
  for (size_t a = 0; a < lines.size(); ++a) {
    for (size_t b = a + 1; b < lines.size(); ++b) {
      const Segment &p = lines[a], &q = lines[b];
      count += side(p, q.x0, q.y0) * side(p, q.x1, q.y1) < 0 && side(q, p.x0, p.y0) * side(q, p.x1, p.y1) < 0;
    }
  }
  return count;
}

}  // namespace hw::layout
