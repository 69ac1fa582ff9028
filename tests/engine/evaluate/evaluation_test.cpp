// Wires computed forward: weights that lack a parameter, passes, devices of nodes, given values, states that are there.
#include "engine/evaluate/evaluation.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Four threes through a linear layer.
Graph linear() {
  return built({AddNode{node("c", "constant", {{"shape", std::vector<double>{4}}, {"value", 3.0}})},
                AddNode{node("l", "linear", {{"out_features", int64_t{2}}})}, AddLink{link("c.y", "l.x")}});
}

const SocketRef kLinear{"l", "y"};

Result<Evaluation> evaluation_of(const Graph& graph, const SocketRef& wire, const EvaluationOptions& options = {},
                                 const char* device = "cpu") {
  test::QuadAssets assets;
  return Evaluation::make(graph, std::span(&wire, 1), assets, *make_device(device), options);
}

std::vector<double> values_of(Evaluation& evaluation) {
  const Status ran = evaluation.run();
  EXPECT_TRUE(ran) << (ran ? "" : ran.error().text());
  const auto values = evaluation.read(0);
  EXPECT_TRUE(values) << (values ? "" : values.error().text());
  return values ? values->to_f64() : std::vector<double>();
}

TEST(Evaluation, WeightsThatLackAParameterAreRefusedOrItIsInitial) {
  auto made = evaluation_of(linear(), kLinear);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->set_weights(nullptr, 7));
  const std::vector<double> initial = values_of(*made);
  EXPECT_NE(initial, (std::vector<double>{0, 0}));

  Weights weights{{"l.weight", Tensor::zeros(DType::f32, {2, 4})}};
  const Status refused = made->set_weights(&weights, 7, Lacking::refused);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::weights_mismatch);
  EXPECT_EQ(refused.error().where, "l.bias");

  ASSERT_TRUE(made->set_weights(&weights, 7, Lacking::initial));
  const Param& bias = *std::ranges::find(made->program().params, "l.bias", &Param::name);
  EXPECT_EQ(values_of(*made), made->read(bias).to_f64());

  weights["l.bias"] = Tensor::from_f64(DType::f32, {2}, {{5, 6}});
  ASSERT_TRUE(made->set_weights(&weights, 7, Lacking::refused));
  EXPECT_EQ(values_of(*made), (std::vector<double>{5, 6}));
  ASSERT_TRUE(made->set_weights(nullptr, 7));
  EXPECT_EQ(values_of(*made), initial) << "weights that are given no more leave nothing behind";

  auto first = evaluation_of(linear(), kLinear);
  weights.erase("l.bias");
  EXPECT_FALSE(first->set_weights(&weights, 7, Lacking::refused)) << "before the first run, too";
  weights["l.bias"] = Tensor::zeros(DType::f32, {3});
  const Status other = first->set_weights(&weights, 7);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, codes::weights_mismatch) << "other sizes never fit";
  ASSERT_TRUE(first->set_weights(nullptr, 7)) << "an error is no end";
  EXPECT_EQ(values_of(*first), initial);
}

TEST(Evaluation, WhatPassesMadeIsKnown) {
  const Graph graph =
      built({AddNode{test::normal_numbers("x", {4, 2, 9, 8}, "N C H W")},
             AddNode{node("conv", "conv2d", {{"out_channels", int64_t{3}}})}, AddNode{node("norm", "batch_norm")},
             AddLink{link("x.y", "conv.x")}, AddLink{link("conv.y", "norm.x")}});
  const SocketRef wire{"norm", "y"};
  const auto notes = [&](const PassesOff& off, const char* device = "cpu") {
    const auto made = evaluation_of(graph, wire, {.passes_off = off}, device);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return made ? made->notes() : std::vector<PassNote>();
  };
  const std::vector<PassNote> all = notes({});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].pass, "fold_batch_norm");
  EXPECT_EQ(all[0].node + " in " + all[0].into, "norm in conv");
  EXPECT_EQ(notes({"channels_last"}).size(), 1u);
  EXPECT_THAT(notes({"fold_batch_norm"}), IsEmpty());
  EXPECT_THAT(notes(every_pass()), IsEmpty());
  EXPECT_THAT(notes({}, "ref"), IsEmpty()) << "the oracle computes what was lowered";
  const auto plain = evaluation_of(graph, wire, {.passes_off = every_pass()});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->program().any_layout);
  EXPECT_EQ(plain->program().regions, Regions::never);
  EXPECT_TRUE(check_passes(every_pass()));
}

TEST(Evaluation, NodesRunWhereTheyArePinnedOrNot) {
  Graph graph = linear();
  ASSERT_TRUE(apply_edits(graph, {SetDevice{"l", "cuda:99"}}));
  for (const PinnedNodes pinned : {PinnedNodes::where_present, PinnedNodes::ignored}) {
    auto made = evaluation_of(graph, kLinear, {.pinned = pinned});
    ASSERT_TRUE(made) << made.error().text();
    const Status set = made->set_weights(nullptr, 7);
    EXPECT_TRUE(set) << set.error().text();
  }
  auto required = evaluation_of(graph, kLinear, {.pinned = PinnedNodes::required});
  const Status refused = required ? required->set_weights(nullptr, 7) : Status(required.error());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::no_device);
  EXPECT_THAT(refused.error().reason, HasSubstr("cuda:99"));
}

TEST(Evaluation, OtherValuesAreGivenBetweenRuns) {
  const auto four = [](double value) { return Tensor::from_f64(DType::f32, {4}, std::vector<double>(4, value)); };
  auto made = evaluation_of(linear(), kLinear, {.given = {{{"c", "y"}, four(0)}, {{"other", "y"}, four(0)}}});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->depends_on({"c", "y"}));
  EXPECT_FALSE(made->depends_on({"other", "y"}));
  const Weights weights{{"l.weight", Tensor::from_f64(DType::f32, {2, 4}, std::vector<double>(8, 1))},
                        {"l.bias", Tensor::from_f64(DType::f32, {2}, {{1, 2}})}};
  ASSERT_TRUE(made->set_weights(&weights, 7, Lacking::refused));
  EXPECT_EQ(values_of(*made), (std::vector<double>{1, 2}));
  ASSERT_TRUE(made->give({{{"c", "y"}, four(1)}, {{"other", "y"}, four(1)}}));
  EXPECT_EQ(values_of(*made), (std::vector<double>{5, 6}));
}

TEST(Evaluation, ReadsAllWiresInOrder) {
  test::QuadAssets assets;
  const SocketRef wires[]{{"l", "y"}, {"c", "y"}, {"l", "y"}};
  auto made = Evaluation::make(linear(), wires, assets, *make_device("cpu"));
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->set_weights(nullptr, 7));
  ASSERT_TRUE(made->run());
  const auto all = made->read_all();
  ASSERT_TRUE(all && all->size() == 3);
  EXPECT_EQ((*all)[1].to_f64(), std::vector<double>(4, 3));
  EXPECT_EQ((*all)[0].to_f64(), (*all)[2].to_f64());
}

TEST(Evaluation, AWireWithoutATensorSaysWhatItCarries) {
  const auto none = evaluation_of(built({AddNode{node("m", "mesh_source")}}), {"m", "mesh"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::kind_mismatch);
  EXPECT_EQ(none.error().where, "m.mesh");
  EXPECT_THAT(none.error().reason, HasSubstr("carries a mesh"));
}

TEST(Evaluation, GoesOnWithStatesThatAreThere) {
  test::QuadAssets assets;
  const std::shared_ptr<Device> device = *make_device("cpu");
  const auto lowered = [&] {
    auto made = lower(linear(), std::span(&kLinear, 1), {}, assets);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(*made);
  };
  LoweredGraph before = lowered(), after = lowered();
  const auto first = evaluated_program(before, std::span(&kLinear, 1), "cpu");
  ASSERT_TRUE(first) << first.error().text();
  const Weights weights{{"l.weight", Tensor::zeros(DType::f32, {2, 4})},
                        {"l.bias", Tensor::from_f64(DType::f32, {2}, {{5, 6}})}};
  const auto made = compile_evaluation(first->program, *device, {nullptr, 7, &weights, Lacking::refused}, first->wires);
  ASSERT_TRUE(made) << made.error().text();
  const auto second = evaluated_program(after, std::span(&kLinear, 1), "cpu");
  ASSERT_TRUE(second) << second.error().text();
  const auto next = compile_evaluation(second->program, *device, {made->states, 8}, second->wires);
  ASSERT_TRUE(next) << next.error().text();
  EXPECT_EQ(next->states, made->states);
  ASSERT_TRUE(next->executable->run(StepInputs{}));
  EXPECT_EQ(next->executable->read(second->wires[0])->to_f64(), (std::vector<double>{5, 6})) << "not those of seed 8";
}

}  // namespace
}  // namespace hw
