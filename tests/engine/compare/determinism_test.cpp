// Determinism: every op gives the same bits at 1, 2, 3 and 8 threads; a product that does not is named.
#include "engine/compare/determinism.h"

#include <gmock/gmock.h>

#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/node/example_assets.h"
#include "engine/plan/training_plan.h"
#include "tests/engine/faulty_device.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::determinism_test {
namespace {

using test::Fault;
using test::link;
using test::node;
using test::normal_numbers;

/// Linear, Dropout, an MLP on so many rows that they make many tiles.
Graph tokens() {
  return test::built(
      {AddNode{normal_numbers("x", {6001, 16}, "N C")}, AddNode{normal_numbers("target", {6001, 4}, "N C")},
       AddNode{node("linear", "linear", {{"out_features", int64_t{24}}})},
       AddNode{node("dropout", "dropout", {{"p", 0.3}})}, AddNode{node("norm", "layer_norm")},
       AddNode{node("mlp", "mlp", {{"width", int64_t{16}}, {"out_features", int64_t{4}}})}, AddNode{node("mse", "mse")},
       AddNode{node("train", "train", {{"clip_norm", 1.0}})}, AddLink{link("x.y", "linear.x")},
       AddLink{link("linear.y", "dropout.x")}, AddLink{link("dropout.y", "norm.x")}, AddLink{link("norm.y", "mlp.x")},
       AddLink{link("mlp.y", "mse.prediction")}, AddLink{link("target.y", "mse.target")},
       AddLink{link("mse.loss", "train.loss")}});
}

Graph pictures() {
  return test::built(
      {AddNode{normal_numbers("x", {24, 3, 16, 16}, "N C H W")}, AddNode{normal_numbers("target", {24, 5}, "N C")},
       AddNode{node("conv", "conv2d", {{"out_channels", int64_t{8}}})}, AddNode{node("norm", "batch_norm")},
       AddNode{node("relu", "relu")}, AddNode{node("pool", "max_pool")}, AddNode{node("flat", "flatten")},
       AddNode{node("linear", "linear", {{"out_features", int64_t{5}}})}, AddNode{node("mse", "mse")},
       AddNode{node("train", "train", {{"optimiser", std::string("sgd")}})}, AddLink{link("x.y", "conv.x")},
       AddLink{link("conv.y", "norm.x")}, AddLink{link("norm.y", "relu.x")}, AddLink{link("relu.y", "pool.x")},
       AddLink{link("pool.y", "flat.x")}, AddLink{link("flat.y", "linear.x")},
       AddLink{link("linear.y", "mse.prediction")}, AddLink{link("target.y", "mse.target")},
       AddLink{link("mse.loss", "train.loss")}});
}

Graph texture() {
  Graph graph = test::neural_texture();
  EXPECT_TRUE(apply_edits(
      graph, {SetParam{"surface_sampler", "points", int64_t{5000}},
              SetParam{"train", "loss_scaling", std::string("dynamic")}, SetParam{"train", "ema_decay", 0.9}}));
  return graph;
}

DeterminismReport checked(const Graph& graph, const std::shared_ptr<Device>& device,
                          std::vector<int> threads = {1, 2, 3, 8}) {
  test::QuadAssets assets;
  DeterminismOptions options;
  options.threads = std::move(threads);
  auto report = check_determinism(graph, assets, device, options);
  EXPECT_TRUE(report) << report.error().text();
  return report ? std::move(*report) : DeterminismReport{};
}

std::string text(const DeterminismReport& r) {
  std::string list;
  for (const DeterminismItem& i : r.items)
    if (i.verdict != DeterminismVerdict::same) list += i.node + " " + i.op + " " + i.name + "; ";
  return list;
}

TEST(Determinism, HoldsOnTheCpuAtAnyNumberOfThreads) {
  const int before = thread_count();
  for (const Graph& graph : {tokens(), pictures(), texture()}) {
    const DeterminismReport r = checked(graph, *make_device("cpu"));
    EXPECT_TRUE(r.deterministic()) << text(r);
    EXPECT_GE(r.items.size(), 20u);
    for (const DeterminismItem& i : r.items) {
      EXPECT_EQ(i.verdict, DeterminismVerdict::same) << text(r);
      EXPECT_FALSE(i.implementation.empty()) << i.op;
    }
  }
  EXPECT_EQ(thread_count(), before);
}

TEST(Determinism, IsCheckedForEveryPassAndState) {
  std::map<std::string, int> passes;
  for (const DeterminismItem& i : checked(texture(), *make_device("cpu"), {1, 2}).items) {
    ++passes[std::string(name(i.pass))];
    if (i.pass == Pass::update) ++passes[i.name];
  }
  EXPECT_GT(passes["forward"], 5);
  EXPECT_GT(passes["backward"], 5);
  EXPECT_GT(passes["update"], 5);
  EXPECT_EQ(passes.count("hash_grid.table"), 1u);
  EXPECT_EQ(passes.count("mlp.layer_1"), 1u);
}

/// Products of the graph's program that the fault can be planted in.
std::vector<size_t> products(const Graph& graph) {
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets);
  EXPECT_TRUE(plan);
  std::vector<size_t> found;
  for (size_t i = 0; i < plan->program->instrs.size(); ++i)
    if (test::applies(Fault::by_threads, *plan->program, plan->program->instrs[i])) found.push_back(i);
  return found;
}

TEST(Determinism, PinsAProductThatAddsUpByThreads) {
  for (const Graph& graph : {tokens(), texture()}) {
    test::QuadAssets assets;
    const TrainingPlan plan = *plan_training(graph, assets);
    const std::vector<size_t> all = products(graph);
    ASSERT_GE(all.size(), 4u);
    for (const size_t at : all) {
      const Instr& instr = plan.program->instrs[at];
      const auto& in = (*plan.program)[instr.in[0]].dims;
      if ((instr.op == Op::matmul_tn ? in.front() : in.back()) < 16) continue;  // hardly a sum
      const DeterminismReport r = checked(graph, test::faulty_device(Fault::by_threads, at), {1, 2, 3});
      ASSERT_TRUE(r.first) << "instruction " << at;
      const DeterminismItem& first = r.items[*r.first];
      EXPECT_EQ(first.name, (*plan.program)[instr.out[0]].name);
      EXPECT_EQ(first.node, plan.program->nodes[instr.node]);
      ASSERT_FALSE(first.differences.empty());
      EXPECT_GT(first.differences.front().elements, 0u);
      EXPECT_NE(first.differences.front().a, first.differences.front().b);
      for (const DeterminismItem& i : r.items)
        if (&i != &first) {
          EXPECT_NE(i.verdict, DeterminismVerdict::differs) << i.node << " " << i.op << " only inherits";
        }
    }
  }
}

TEST(Determinism, OfMicroBatchesChecksThemAllAndTheUpdate) {
  Graph graph = tokens();
  EXPECT_TRUE(apply_edits(graph, {SetParam{"train", "accumulate", int64_t{2}}}));
  const DeterminismReport clean = checked(graph, *make_device("cpu"), {1, 3});
  EXPECT_TRUE(clean.deterministic()) << text(clean);
  const auto updates = [](const DeterminismItem& i) { return i.op == "adam_update"; };
  EXPECT_GT(std::count_if(clean.items.begin(), clean.items.end(), updates), 0);
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets);
  ASSERT_TRUE(plan);
  size_t at = 0;
  while (!test::applies(Fault::by_threads, *plan->program, plan->program->instrs[at])) ++at;
  const DeterminismReport faulty = checked(graph, test::faulty_device(Fault::by_threads, at), {1, 3});
  ASSERT_TRUE(faulty.first);
  EXPECT_EQ(faulty.items[*faulty.first].name, (*plan->program)[plan->program->instrs[at].out[0]].name);
}

TEST(Determinism, DistinguishesInheritedFromOwn) {
  const Graph graph = tokens();
  const DeterminismReport r =
      checked(graph, test::faulty_device(Fault::by_threads, products(graph).front()), {2, 2, 3});
  ASSERT_TRUE(r.first);
  EXPECT_EQ(r.items[*r.first].node, "linear");
  for (const BitDifference& d : r.items[*r.first].differences) EXPECT_EQ(d.threads, 3) << "2 and 2 agree";
  std::set<std::string> inherited;
  for (const DeterminismItem& i : r.items)
    if (i.verdict == DeterminismVerdict::inherited) inherited.insert(i.node);
  EXPECT_THAT(inherited, testing::IsSupersetOf({"dropout", "norm", "mlp"}));
}

TEST(Determinism, RefusesNumbersOfThreadsThatCannotBe) {
  test::QuadAssets assets;
  for (const std::vector<int>& threads : {std::vector<int>{}, {1}, {1, 0}, {2, 5000}}) {
    DeterminismOptions options;
    options.threads = threads;
    const auto refused = check_determinism(tokens(), assets, *make_device("cpu"), options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "HW-C001");
  }
}

}  // namespace
}  // namespace hw::determinism_test
