#include "engine/graph/topological_order.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

namespace hw {

bool TopologicalOrder::reset(const Graph& graph) {
  places_.clear();
  first_ = next_ = 0;
  std::unordered_map<std::string, size_t> waiting;
  std::deque<std::string> ready;
  for (const auto& [id, node] : graph.nodes()) {
    const auto& links = graph.links_into(id);
    const auto count = std::ranges::count_if(links, [&](const Link& link) { return graph.find(link.from) != nullptr; });
    if (count == 0) ready.push_back(id);
    waiting[id] = static_cast<size_t>(count);
  }
  while (!ready.empty()) {
    const std::string id = std::move(ready.front());
    ready.pop_front();
    places_[id] = next_++;
    for (const Link& link : graph.links_from(id)) {
      const auto left = waiting.find(link.to);
      if (left != waiting.end() && --left->second == 0) ready.push_back(link.to);
    }
  }
  const bool is_acyclic = places_.size() == graph.nodes().size();
  for (const auto& [id, node] : graph.nodes())
    if (places_.try_emplace(id, next_).second) ++next_;
  return is_acyclic;
}

void TopologicalOrder::place(const Graph& graph, const std::string& node) {
  if (places_.contains(node)) return;
  places_[node] = graph.links_into(node).empty() ? --first_ : next_++;
}

bool TopologicalOrder::collect(const Graph& graph, const std::string& start, const std::string& end,
                               std::vector<std::string>& found, bool forwards) const {
  const int64_t bound = places_.at(end);
  std::unordered_set<std::string> seen{start};
  found.push_back(start);
  for (size_t i = 0; i < found.size(); ++i) {
    const std::string id = found[i];
    for (const Link& link : forwards ? graph.links_from(id) : graph.links_into(id)) {
      const std::string& next = forwards ? link.to : link.from;
      if (next == end) return false;
      const auto place = places_.find(next);
      if (place == places_.end() || (forwards ? place->second > bound : place->second < bound)) continue;
      // Against the order: a wire of the same edits, whose own turn comes.
      if (forwards ? place->second < places_.at(id) : place->second > places_.at(id)) continue;
      if (seen.insert(next).second) found.push_back(next);
    }
  }
  return true;
}

bool TopologicalOrder::update(const Graph& graph, const std::string& node) {
  if (!graph.find(node)) {
    remove(node);
    return true;
  }
  place(graph, node);
  for (const Link& link : graph.links_into(node)) {
    if (link.from == node) return false;
    if (!graph.find(link.from)) continue;
    place(graph, link.from);
    if (places_.at(link.from) < places_.at(node)) continue;
    std::vector<std::string> behind, before;
    if (!collect(graph, node, link.from, behind, true)) return false;
    collect(graph, link.from, node, before, false);
    const auto earlier = [&](const std::string& a, const std::string& b) { return places_.at(a) < places_.at(b); };
    std::ranges::sort(behind, earlier);
    std::ranges::sort(before, earlier);
    before.insert(before.end(), behind.begin(), behind.end());
    std::vector<int64_t> places;
    for (const std::string& id : before) places.push_back(places_.at(id));
    std::ranges::sort(places);
    for (size_t i = 0; i < before.size(); ++i) places_[before[i]] = places[i];
  }
  return true;
}

}  // namespace hw
