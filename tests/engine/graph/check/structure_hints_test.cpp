// Hints about a network's structure: given where they are true, and not where a wire makes them false.
#include "engine/graph/check/structure_hints.h"

#include <gtest/gtest.h>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/precision/remedy.h"
#include "tests/engine/group_graphs.h"

namespace hw::test {
namespace {

std::vector<std::string> hints(const Graph& flat) {
  std::vector<std::string> lines;
  for (const Diagnostic& d : structure_hints(flat)) {
    EXPECT_EQ(d.severity, Severity::info);
    lines.push_back(d.code + " " + d.node + (d.socket.empty() ? "" : "." + d.socket));
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// `layers` Linear nodes in a row; every second of them with a wire around the pair where `shortcuts`.
Graph row_of_layers(int layers, bool shortcuts) {
  Edits edits{AddNode{normal_numbers("x", {4, 8}, "N C")}};
  std::string last = "x";
  for (int i = 0; i < layers; i += 2) {
    const std::string n = std::to_string(i);
    for (const char* half : {"a", "b"})
      edits.push_back(AddNode{node(half + n, "linear", {{"out_features", int64_t{8}}})});
    edits.push_back(AddLink{link(last + ".y", "a" + n + ".x")});
    edits.push_back(AddLink{link("a" + n + ".y", "b" + n + ".x")});
    if (shortcuts) {
      edits.push_back(AddNode{node("sum" + n, "add")});
      edits.push_back(AddLink{link("b" + n + ".y", "sum" + n + ".a")});
      edits.push_back(AddLink{link(last + ".y", "sum" + n + ".b")});
    }
    last = (shortcuts ? "sum" : "b") + n;
  }
  return built(edits);
}

TEST(StructureHints, ManyLayersWithoutAShortcut) {
  EXPECT_EQ(hints(row_of_layers(kMostPlainLayers, false)), Lines{"HW-G012 b" + std::to_string(kMostPlainLayers - 2)});
  EXPECT_EQ(hints(row_of_layers(kMostPlainLayers - 2, false)), Lines{});
  EXPECT_EQ(hints(row_of_layers(3 * kMostPlainLayers, true)), Lines{});
}

Graph with_norm(bool bias, bool read_elsewhere) {
  Edits edits{AddNode{normal_numbers("x", {4, 3, 8, 8}, "N C H W")},
              AddNode{node("conv", "conv2d", {{"bias", bias}})},
              AddNode{node("corner", "reroute")},
              AddNode{node("norm", "batch_norm")},
              AddLink{link("x.y", "conv.x")},
              AddLink{link("conv.y", "corner.x")},
              AddLink{link("corner.y", "norm.x")}};
  if (read_elsewhere) {
    edits.push_back(AddNode{node("relu", "relu")});
    edits.push_back(AddLink{link("conv.y", "relu.x")});
  }
  return built(edits);
}

TEST(StructureHints, ABiasThatANormTakesAway) {
  const Graph graph = with_norm(true, false);
  EXPECT_EQ(hints(graph), Lines{"HW-P003 conv.bias"});
  EXPECT_EQ(hints(with_norm(false, false)), Lines{});
  EXPECT_EQ(hints(with_norm(true, true)), Lines{});
  Graph mended = graph;
  ASSERT_TRUE(apply_edits(mended, remedy_edits(graph, structure_hints(graph)[0].remedies[0])));
  EXPECT_EQ(hints(mended), Lines{});
}

TEST(StructureHints, AveragesThatNothingClassifies) {
  const auto with_end = [](const char* end, const char* socket) {
    return built({AddNode{normal_numbers("x", {4, 3, 8, 8}, "N C H W")}, AddNode{node("pool", "global_avg_pool")},
                  AddNode{node("flat", "dropout")}, AddNode{node("end", end)}, AddLink{link("x.y", "pool.x")},
                  AddLink{link("pool.y", "flat.x")}, AddLink{link("flat.y", std::string("end.") + socket)}});
  };
  EXPECT_EQ(hints(with_end("output", "x")), Lines{"HW-G013 pool"});
  EXPECT_EQ(hints(with_end("cross_entropy", "logits")), Lines{"HW-G013 pool"});
  EXPECT_EQ(hints(with_end("linear", "x")), Lines{});
}

TEST(StructureHints, ACycleIsNoNetworkYet) {
  const Graph graph =
      built({AddNode{node("pool", "global_avg_pool")}, AddNode{node("a", "reshape")}, AddNode{node("b", "reshape")},
             AddLink{link("pool.y", "a.x")}, AddLink{link("a.y", "b.x")}});
  Graph cyclic = graph;
  cyclic.add_link(link("b.y", "a.x"));
  EXPECT_EQ(hints(cyclic), Lines{});
}

TEST(StructureHints, LionWithTheSettingsOfAdam) {
  const auto train = [](ParamMap params) { return built({AddNode{node("train", "train", std::move(params))}}); };
  const ParamValue lion = std::string("lion");
  EXPECT_EQ(hints(train({{"optimiser", std::string("adam")}})), Lines{});
  EXPECT_EQ(hints(train({{"optimiser", lion}, {"beta2", 0.99}})), Lines{});
  Graph graph = train({{"optimiser", lion}, {"weight_decay", 0.02}});
  EXPECT_EQ(hints(graph), Lines{"HW-P004 train.optimiser"});
  ASSERT_TRUE(apply_edits(graph, structure_hints(graph).front().remedies.front().edits));
  EXPECT_EQ(hints(graph), Lines{});
  EXPECT_EQ(param_value(graph.node("train"), "beta2"), ParamValue(0.99));
  EXPECT_EQ(param_value(graph.node("train"), "learning_rate"), ParamValue(0.001));
  EXPECT_EQ(param_value(graph.node("train"), "weight_decay"), ParamValue(0.2));
  EXPECT_EQ(hints(train({{"optimiser", lion}, {"learning_rate", std::string("fast")}})), Lines{});
  EXPECT_EQ(hints(train({{"optimiser", lion}, {"weight_decay", true}})), Lines{});
}

}  // namespace
}  // namespace hw::test
