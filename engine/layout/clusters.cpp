#include "engine/layout/clusters.h"

#include <algorithm>

namespace hw::layout {
namespace {

/// Boxes first, then clusters: what a cluster, or the whole drawing, holds.
struct Level {
  std::vector<int> members;
  std::vector<Wire> wires;  // between indices into `members`
};

class Layout {
 public:
  Layout(const std::vector<Box>& boxes, const std::vector<int>& cluster_of, const std::vector<Cluster>& clusters)
      : boxes_(boxes), clusters_(clusters), parent_(cluster_of), local_(boxes.size() + clusters.size()) {
    for (const Cluster& cluster : clusters) parent_.push_back(cluster.parent);
    size_.resize(parent_.size());
    for (size_t box = 0; box < boxes.size(); ++box) size_[box] = boxes[box];
    levels_.resize(clusters.size() + 1);
    index_.resize(parent_.size());
  }

  bool run(const std::vector<Wire>& wires, const Spacing& spacing, const std::stop_token& stop) {
    for (const Wire& wire : wires) share(wire);
    // Those inside first. What a cluster holds is known once all in it are.
    for (size_t box = 0; box < boxes_.size(); ++box) join(box);
    for (size_t cluster = clusters_.size(); cluster-- > 0;) {
      if (!solve(levels_[cluster], &clusters_[cluster], cluster_item(cluster), spacing, stop)) return false;
      if (!levels_[cluster].members.empty()) join(cluster_item(cluster));
    }
    return solve(levels_.back(), nullptr, 0, spacing, stop);
  }

  Clustered result() const {
    Clustered done{std::vector<Place>(boxes_.size()), std::vector<Area>(clusters_.size())};
    for (size_t cluster = 0; cluster < clusters_.size(); ++cluster) {
      const size_t item = cluster_item(cluster);
      const Place at = placed(done, item);
      done.clusters[cluster] = {at.x, at.y, size_[item].width, size_[item].height};
    }
    for (size_t box = 0; box < boxes_.size(); ++box) done.boxes[box] = placed(done, box);
    return done;
  }

 private:
  /// A wire as the level sees it that holds both ends: from and to items, by index.
  struct Shared {
    size_t from, to;
    Wire wire;
  };
  size_t cluster_item(size_t cluster) const { return boxes_.size() + cluster; }
  size_t level_of(size_t item) const {
    return parent_[item] < 0 ? clusters_.size() : static_cast<size_t>(parent_[item]);
  }
  void join(size_t item) {
    Level& level = levels_[level_of(item)];
    index_[item] = static_cast<int>(level.members.size());
    level.members.push_back(static_cast<int>(item));
  }
  /// An item and the clusters around it, the outermost first.
  std::vector<size_t> chain(size_t item) const {
    std::vector<size_t> all{item};
    while (parent_[all.back()] >= 0) all.push_back(cluster_item(static_cast<size_t>(parent_[all.back()])));
    std::reverse(all.begin(), all.end());
    return all;
  }
  void share(const Wire& wire) {
    const auto from = static_cast<size_t>(wire.from), to = static_cast<size_t>(wire.to);
    if (parent_[from] == parent_[to]) return shared_level(from).push_back({from, to, wire});
    const std::vector<size_t> a = chain(from), b = chain(to);
    size_t at = 0;
    while (a[at] == b[at]) ++at;  // the ends are boxes: neither chain is a part of the other
    shared_level(a[at]).push_back({a[at], b[at], wire});
  }
  std::vector<Shared>& shared_level(size_t item) {
    if (shared_.empty()) shared_.resize(levels_.size());
    return shared_[level_of(item)];
  }
  /// How far below the top of `item`, which holds the box or is it, that place of the box lies.
  int below(size_t item, int box, int y) const {
    for (auto inner = static_cast<size_t>(box); inner != item;
         inner = cluster_item(static_cast<size_t>(parent_[inner])))
      y += local_[inner].y;
    return y;
  }
  bool solve(Level& level, const Cluster* cluster, size_t item, const Spacing& spacing, const std::stop_token& stop) {
    if (!shared_.empty()) {
      for (const Shared& s : shared_[static_cast<size_t>(&level - levels_.data())])
        level.wires.push_back({index_[s.from], index_[s.to], below(s.from, s.wire.from, s.wire.out_y),
                               below(s.to, s.wire.to, s.wire.in_y)});
    }
    std::vector<Box> boxes;
    Spacing apart = spacing;
    for (const int member : level.members) {
      boxes.push_back(size_[static_cast<size_t>(member)]);
      if (static_cast<size_t>(member) >= boxes_.size())
        apart.rows = 2 * spacing.rows;  // titles, from afar, stand above
    }
    const auto places = lay_out(boxes, level.wires, apart, stop);
    if (!places) return false;
    const int pad = cluster ? cluster->pad : 0, title = cluster ? cluster->title : 0;
    int width = 0, height = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      local_[static_cast<size_t>(level.members[i])] = {(*places)[i].x + pad, (*places)[i].y + title};
      width = std::max(width, (*places)[i].x + boxes[i].width);
      height = std::max(height, (*places)[i].y + boxes[i].height);
    }
    if (cluster) size_[item] = {width + 2 * pad, height + title + pad, Side::any};
    return true;
  }
  /// Clusters of lower index are placed.
  Place placed(const Clustered& done, size_t item) const {
    if (parent_[item] < 0) return local_[item];
    const Area& around = done.clusters[static_cast<size_t>(parent_[item])];
    return {around.x + local_[item].x, around.y + local_[item].y};
  }

  const std::vector<Box>& boxes_;
  const std::vector<Cluster>& clusters_;
  std::vector<int> parent_;   // cluster of each item
  std::vector<Place> local_;  // from the top left of the cluster around
  std::vector<Box> size_;
  std::vector<int> index_;     // among the members of its level
  std::vector<Level> levels_;  // of each cluster, then the whole
  std::vector<std::vector<Shared>> shared_;
};

}  // namespace

std::optional<Clustered> lay_out_clusters(const std::vector<Box>& boxes, const std::vector<int>& cluster_of,
                                          const std::vector<Cluster>& clusters, const std::vector<Wire>& wires,
                                          const Spacing& spacing, std::stop_token stop) {
  Layout layout(boxes, cluster_of, clusters);
  if (!layout.run(wires, spacing, stop)) return std::nullopt;
  return layout.result();
}

}  // namespace hw::layout
