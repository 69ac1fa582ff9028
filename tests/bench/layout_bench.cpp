#include "tests/bench/layout_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/graph/check/find.h"
#include "engine/layout/clusters.h"

namespace hw::bench {
namespace {

double median_ms(int rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void print(const std::string& what, double ms, double wanted) {
  std::printf("  %-40s %9.1f ms   wanted %6.0f ms   %s\n", what.c_str(), ms, wanted,
              ms <= wanted ? "ok" : "falls short");
}

struct Drawing {
  std::vector<layout::Box> boxes;
  std::vector<layout::Wire> wires;
};

enum class Kind { random, near, chain_with_skips, all_into_one };

Drawing draw(Kind kind, int nodes) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Drawing d;
  for (int i = 0; i < nodes; ++i) d.boxes.push_back({216, 72 + 24 * below(6)});
  for (int i = 0; i < 2 * nodes; ++i) {
    int from = i / 2, to = std::min(nodes - 1, from + 1);
    if (kind == Kind::random) from = below(nodes), to = below(nodes);
    if (kind == Kind::near) from = below(nodes), to = std::min(nodes - 1, from + 1 + below(8));
    if (kind == Kind::chain_with_skips && i % 2 == 1) to = std::min(nodes - 1, from + 4);
    if (kind == Kind::all_into_one && i % 2 == 1) to = nodes - 1;
    if (from != to) d.wires.push_back({std::min(from, to), std::max(from, to), 52 + 24 * below(3), 52 + 24 * below(3)});
  }
  return d;
}

}  // namespace

void print_layouts(int rounds) {
  std::printf("layout\n");
  for (const auto& [kind, name] :
       {std::pair(Kind::random, "random"), std::pair(Kind::near, "random, short wires"),
        std::pair(Kind::chain_with_skips, "a chain with skips"), std::pair(Kind::all_into_one, "all into one")}) {
    for (const int nodes : {1000, 10000}) {
      const Drawing d = draw(kind, nodes);
      const double ms = median_ms(rounds, [&] { (void)layout::lay_out(d.boxes, d.wires); });
      print(std::to_string(nodes) + " nodes, " + name, ms, nodes == 1000 ? 1000 : 5000);
    }
  }
  for (const int nodes : {1000, 10000}) {
    const Drawing d = draw(Kind::near, nodes);
    constexpr int kInFrame = 20;
    std::vector<int> cluster_of;
    for (int i = 0; i < nodes; ++i) cluster_of.push_back(i / kInFrame);
    const std::vector<layout::Cluster> frames(static_cast<size_t>(nodes / kInFrame), layout::Cluster{-1, 72, 24});
    const double ms = median_ms(rounds, [&] { (void)layout::lay_out_clusters(d.boxes, cluster_of, frames, d.wires); });
    print(std::to_string(nodes) + " nodes, short wires, in frames of 20", ms, nodes == 1000 ? 1000 : 5000);
  }
  Graph graph;
  for (int i = 0; i < 10000; ++i) {
    Node node;
    node.id = "n" + std::to_string(i);
    node.type = i % 100 == 0 ? "constant" : "add";
    graph.add_node(node);
    if (i % 100 == 0) continue;
    for (const char* input : {"a", "b"}) graph.add_link({"n" + std::to_string(i - 1), "y", node.id, input});
  }
  Validator validator;
  validator.reset(graph);
  std::printf("find in %zu nodes\n", graph.nodes().size());
  for (const char* text : {"n99", "type:add", "dtype:f32", "value:dtype=f32", "has:problem"}) {
    const auto query = FindQuery::parse(text, nullptr);
    if (query) print(text, median_ms(rounds, [&] { (void)find_nodes(graph, validator, *query); }), 50);
  }
}

}  // namespace hw::bench
