#include "tests/bench/group_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "engine/graph/check/validate.h"
#include "engine/graph/groups/flat_graph.h"

namespace hw::bench {
namespace {

double milliseconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

Node node(const std::string& id, const std::string& type, ParamMap params = {}) {
  Node n;
  n.id = id;
  n.type = type;
  n.params = std::move(params);
  return n;
}

/// An Input, so many nodes of a type one behind the other, and an Output; a parameter of the first is promoted.
Group chain(const std::string& id, const std::string& type, int count, const std::string& param) {
  Group group{id, "", {}, {{"width", "", "n0", param}}, ""};
  group.graph.add_node(node("x", "input"));
  group.graph.add_node(node("y", "output"));
  std::string from = "x";
  for (int i = 0; i < count; ++i) {
    const std::string to = "n" + std::to_string(i);
    group.graph.add_node(node(to, type));
    group.graph.add_link({from, "y", to, "x"});
    from = to;
  }
  group.graph.add_link({from, "y", "y", "x"});
  return group;
}

void print(const char* what, const std::vector<double>& times, double wanted) {
  const double time = median(times);
  std::printf("  %-46s %9.3f ms   wanted %6.1f ms   %s\n", what, time, wanted, time <= wanted ? "ok" : "falls short");
}

}  // namespace

void print_groups(int nodes, int rounds) {
  Graph graph;
  graph.set_group(chain("layer", "linear", 8, "out_features"));  // 10 nodes
  graph.set_group(chain("block", "group:layer", 10, "width"));   // 102
  graph.set_group(chain("stage", "group:block", 10, "width"));   // 1022
  graph.add_node(node("data", "random"));
  std::string from = "data";
  for (int i = 0; i * 1022 < nodes; ++i) {
    const std::string to = "stage_" + std::to_string(i);
    graph.add_node(node(to, "group:stage"));
    graph.add_link({from, "y", to, "x"});
    from = to;
  }
  FlatGraph flat;
  Validator validator;
  std::vector<double> whole, value, wire, definition;
  for (int round = 0; round < rounds; ++round) {
    whole.push_back(milliseconds([&] {
      flat.reset(graph);
      validator.reset(flat.graph());
    }));
    const auto edit = [&](std::vector<double>& times, const Edits& edits) {
      times.push_back(milliseconds([&] {
        if (apply_edits(graph, edits)) validator.update(flat.graph(), flat.update(graph, edits));
      }));
    };
    edit(value, {SetParam{"stage_5", "width", ParamValue(int64_t{32 + round % 2})}});
    const Link link{"stage_4", "y", "stage_5", "x"};
    edit(wire, {RemoveLink{link}, AddLink{{"data", "y", "stage_5", "x"}}});
    edit(wire, {AddLink{link}});
    Group changed = *graph.find_group("layer");
    changed.graph.node("n3").params["out_features"] = int64_t{16 + round % 2};
    edit(definition, {SetGroup{std::move(changed)}});
  }
  std::printf("groups: %zu nodes flattened, %zu links, %zu problems\n", flat.graph().nodes().size(),
              flat.graph().link_count(), validator.all().size());
  print("flatten and validate", whole, 500);
  print("a value of an instance", value, 1);
  print("a wire into an instance", wire, 1);
  std::printf("  %-46s %9.3f ms\n", "a definition that 1000 instances follow", median(definition));
}

}  // namespace hw::bench
