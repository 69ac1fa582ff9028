// First bad value: planted Inf and NaN are named with node, pass, element and inputs; a clean run is left alone.
#include "engine/train/first_bad_value.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/core/magnitudes.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::first_bad_value_test {
namespace {

using test::link;
using test::node;
using ::testing::HasSubstr;

const std::string kF16 = "f16", kF32 = "f32";

/// A parameter [2, 3] → `middle` nodes → MSE against a constant, by plain SGD.
Graph model(const Edits& middle, const std::string& last, const ParamMap& train = {}, double target = 0) {
  Node settings =
      node("train", "train", {{"optimiser", std::string("sgd")}, {"learning_rate", 0.125}, {"steps", int64_t{20}}});
  for (const auto& [name, value] : train) settings.params[name] = value;
  Edits edits{AddNode{node("p", "parameter", {{"shape", std::vector<double>{2, 3}}})},
              AddNode{node("target", "constant", {{"shape", std::vector<double>{2, 3}}, {"value", target}})},
              AddNode{node("mse", "mse")}, AddNode{settings}};
  edits.insert(edits.end(), middle.begin(), middle.end());
  edits.insert(edits.end(), {AddLink{link(last, "mse.prediction")}, AddLink{link("target.y", "mse.target")},
                             AddLink{link("mse.loss", "train.loss")}});
  Graph graph;
  const auto applied = apply_edits(graph, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

std::shared_ptr<const Weights> starting_at(const std::vector<double>& values) {
  return std::make_shared<Weights>(Weights{{"p.value", Tensor::from_f64(DType::f32, {2, 3}, values)}});
}

struct Ended {
  std::shared_ptr<const RunSnapshot> last;
  std::map<std::string, Tensor> states;  // afterwards, where there are any
};

Ended watched(const Graph& graph, std::shared_ptr<const Weights> weights, const std::string& device = "cpu",
              bool watch = true) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  if (weights) session.load_weights(weights);
  if (watch) session.watch(watch_for_bad_values());
  session.start(graph, device);
  session.wait();
  Ended ended{session.snapshot(), {}};
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) {
    if (c) ended.states = c->states;
  });
  session.wait();
  return ended;
}

const BadValue& bad_of(const Ended& ended) {
  static const BadValue none;
  EXPECT_EQ(ended.last->state, RunState::failed);
  EXPECT_TRUE(ended.last->bad_value) << (ended.last->error ? ended.last->error->text() : "no error");
  return ended.last->bad_value ? *ended.last->bad_value : none;
}

TEST(FirstBadValue, ALogarithmOfZero) {
  const Graph graph = model({AddNode{node("log", "log")}, AddNode{node("after", "relu")}, AddLink{link("p.y", "log.x")},
                             AddLink{link("log.y", "after.x")}},
                            "after.y");
  for (const char* device : {"cpu", "ref"}) {
    const Ended ended = watched(graph, starting_at({1, 2, 3, 4, 0, 6}), device);
    const BadValue& bad = bad_of(ended);
    EXPECT_EQ(bad.node, "log");
    EXPECT_EQ(bad.value, "log.y");
    EXPECT_EQ(bad.op, "log");
    EXPECT_EQ(bad.pass, Pass::forward);
    EXPECT_EQ(bad.index, 4);
    EXPECT_EQ(bad.element, -INFINITY) << "though the ReLU after it makes 0 of it";
    EXPECT_EQ(bad.infs, 1);
    EXPECT_EQ(bad.nans, 0);
    EXPECT_EQ(bad.step, 0u);
    ASSERT_EQ(bad.inputs.size(), 1u);
    EXPECT_EQ(bad.inputs[0].name, "p.value");
    ASSERT_EQ(bad.inputs[0].elements.size(), 1u);
    EXPECT_EQ(bad.inputs[0].elements[0], std::pair(int64_t{4}, 0.0));
    EXPECT_TRUE(bad.replayed);
    ASSERT_TRUE(ended.last->error);
    EXPECT_EQ(ended.last->error->code, codes::not_finite);
    EXPECT_EQ(ended.last->error->where, "log") << "where the app jumps to";
    EXPECT_THAT(ended.last->error->reason, HasSubstr("-Inf at [1, 1] of log.y"));
    EXPECT_THAT(ended.last->error->reason, HasSubstr("from p.value = 0"));
  }
}

TEST(FirstBadValue, AnF16OverflowInTheForwardPassAndTheRangesBeforeIt) {
  // Far too large a step: p becomes −5 p each time, until its f16 cast overflows.
  const Graph graph =
      model({AddNode{node("narrow", "cast", {{"to", kF16}})}, AddNode{node("wide", "cast", {{"to", kF32}})},
             AddLink{link("p.y", "narrow.x")}, AddLink{link("narrow.y", "wide.x")}},
            "wide.y", {{"learning_rate", 18.0}});
  const Ended ended = watched(graph, starting_at({1e-4, 2e-4, 3e-4, 4e-4, 5e-4, -6e-3}));
  const BadValue& bad = bad_of(ended);
  EXPECT_EQ(bad.node, "narrow");
  EXPECT_EQ(bad.value, "narrow.y");
  EXPECT_EQ(bad.dtype, DType::f16);
  EXPECT_EQ(bad.pass, Pass::forward);
  EXPECT_EQ(bad.index, 5);
  EXPECT_EQ(bad.element, INFINITY);
  EXPECT_TRUE(bad.replayed);
  ASSERT_EQ(bad.inputs.size(), 1u);
  ASSERT_EQ(bad.inputs[0].elements.size(), 1u);
  EXPECT_GE(bad.inputs[0].elements[0].second, 65520);
  EXPECT_EQ(bad.step, 11u) << "6e-3 · 5^11 is the first above 65520";
  ASSERT_EQ(bad.history.size(), 8u);
  EXPECT_EQ(bad.history.back().step, bad.step);
  for (size_t k = 0; k + 2 < bad.history.size(); ++k) {
    EXPECT_NEAR(bad.history[k + 1].largest / bad.history[k].largest, 5, 0.1);
    EXPECT_LT(bad.history[k].smallest, bad.history[k + 1].smallest);
  }
  EXPECT_EQ(ended.last->losses->size(), bad.step) << "the steps before it count";
}

TEST(FirstBadValue, AnF16OverflowInTheBackwardPass) {
  // grad(narrow.y) = 2 / 6 · (p − target) · 1e6 is stored in f16.
  const Graph graph =
      model({AddNode{node("narrow", "cast", {{"to", kF16}})}, AddNode{node("wide", "cast", {{"to", kF32}})},
             AddNode{node("scale", "gradient_scale", {{"factor", 1e6}})}, AddLink{link("p.y", "narrow.x")},
             AddLink{link("narrow.y", "wide.x")}, AddLink{link("wide.y", "scale.x")}},
            "scale.y");
  for (const char* device : {"cpu", "ref"}) {
    const Ended ended = watched(graph, starting_at({1e-3, 1e-3, 0, -1, 1e-3, -2}), device);
    const BadValue& bad = bad_of(ended);
    EXPECT_EQ(bad.node, "wide") << "its backward pass stores the gradient of the wire into it";
    EXPECT_EQ(bad.value, "grad(narrow.y)");
    EXPECT_EQ(bad.op, "cast");
    EXPECT_EQ(bad.pass, Pass::backward);
    EXPECT_EQ(bad.dtype, DType::f16);
    EXPECT_EQ(bad.index, 3);
    EXPECT_EQ(bad.element, -INFINITY);
    EXPECT_EQ(bad.infs, 2);
    ASSERT_EQ(bad.inputs.size(), 1u);
    EXPECT_NEAR(bad.inputs[0].elements.at(0).second, -1e6 / 3, 1);
    EXPECT_TRUE(bad.replayed);
    EXPECT_EQ(ended.last->error->where, "wide");
  }
}

TEST(FirstBadValue, DynamicLossScalingIsLeftToLowerItsScale) {
  const Graph graph =
      model({AddNode{node("narrow", "cast", {{"to", kF16}})}, AddNode{node("wide", "cast", {{"to", kF32}})},
             AddLink{link("p.y", "narrow.x")}, AddLink{link("narrow.y", "wide.x")}},
            "wide.y", {{"loss_scaling", std::string("dynamic")}});
  const Ended ended = watched(graph, starting_at({1, 2, 3, 40, 5, 6}));
  ASSERT_EQ(ended.last->state, RunState::finished) << (ended.last->error ? ended.last->error->text() : "");
  ASSERT_TRUE(ended.last->loss_scales);
  EXPECT_TRUE(ended.last->loss_scales->front().skipped) << "40 · 2 / 6 · 65536 is beyond f16";
  // A forward pass that overflows is mended by no scale.
  const Ended forward = watched(graph, starting_at({1, 2, 3, 1e6, 5, 6}));
  EXPECT_EQ(bad_of(forward).pass, Pass::forward);
  EXPECT_TRUE(bad_of(forward).replayed);
}

TEST(FirstBadValue, AProductNamesTheElementsThatItSums) {
  const Graph graph = model({AddNode{node("linear", "linear", {{"out_features", int64_t{3}}, {"bias", false}})},
                             AddLink{link("p.y", "linear.x")}},
                            "linear.y");
  auto weights = std::make_shared<Weights>(*starting_at({1, 1, 1, 1e30, 2, 3}));
  const std::vector<double> w{1, 1, 1, 1e30, 0, 0, 1, 1, 1};
  (*weights)["linear.weight"] = Tensor::from_f64(DType::f32, {3, 3}, w);
  const Ended ended = watched(graph, weights);
  const BadValue& bad = bad_of(ended);
  EXPECT_EQ(bad.node, "linear");
  EXPECT_EQ(bad.op, "matmul");
  EXPECT_EQ(bad.index, 4);
  ASSERT_EQ(bad.inputs.size(), 2u);
  EXPECT_EQ(bad.inputs[0].name, "p.value");
  EXPECT_EQ(bad.inputs[0].count, 3);
  EXPECT_EQ(bad.inputs[0].elements[0].first, 3);
  EXPECT_EQ(bad.inputs[1].name, "linear.weight");
  EXPECT_EQ(bad.inputs[1].elements[0].first, 3);
  EXPECT_FLOAT_EQ(static_cast<float>(bad.inputs[1].largest), 1e30f);
}

TEST(FirstBadValue, AnUpdateThatOverflowsAndTheStatesBeforeIt) {
  // The loss is finite; p − lr · g is not.
  const auto larger = [](const std::string& id) {
    return AddNode{node(id, "gradient_scale", {{"factor", 0x1p24}, {"unscale", false}})};
  };
  const Graph graph = model({larger("a"), larger("b"), larger("c"), AddLink{link("p.y", "a.x")},
                             AddLink{link("a.y", "b.x")}, AddLink{link("b.y", "c.x")}},
                            "c.y", {{"learning_rate", 100.0}, {"accumulate", int64_t{2}}});
  const auto start = starting_at({1, 2, 3, 1e16, 5, 6});
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.load_weights(start);
  session.watch(watch_for_bad_values());
  session.start(graph, "cpu");
  session.wait();
  const auto s = session.snapshot();
  ASSERT_TRUE(s->bad_value) << (s->error ? s->error->text() : "");
  EXPECT_EQ(s->bad_value->pass, Pass::update);
  EXPECT_EQ(s->bad_value->op, "sgd_update");
  EXPECT_EQ(s->bad_value->node, "p");
  EXPECT_EQ(s->bad_value->index, 3);
  EXPECT_TRUE(s->bad_value->replayed);
  ASSERT_GE(s->bad_value->inputs.size(), 4u);
  EXPECT_FLOAT_EQ(static_cast<float>(s->bad_value->inputs[0].elements.at(0).second), 1e16f) << "as it was before";
  // The states are those before the step: with a small rate the run can go on.
  Graph calm = graph;
  ASSERT_TRUE(apply_edits(calm, {SetParam{"train", "learning_rate", ParamValue(1e-30)}}));
  session.start(calm, "cpu", 1);
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::finished);
  EXPECT_EQ(session.snapshot()->weights->at("p.value").to_f64(), start->at("p.value").to_f64());
}

TEST(FirstBadValue, AStateThatWasBadBefore) {
  const Ended ended = watched(model({}, "p.y"), starting_at({1, 2, NAN, 4, INFINITY, 6}));
  const BadValue& bad = bad_of(ended);
  EXPECT_EQ(bad.pass, std::nullopt);
  EXPECT_EQ(bad.node, "p");
  EXPECT_EQ(bad.value, "p.value");
  EXPECT_EQ(bad.index, 2);
  EXPECT_EQ(bad.nans, 1);
  EXPECT_EQ(bad.infs, 1);
  EXPECT_THAT(ended.last->error->reason, HasSubstr("before step 1"));
}

TEST(FirstBadValue, AnInfinityThatAConstantHoldsIsNoFault) {
  const Graph graph = model({AddNode{node("most", "constant", {{"value", 1e300}})}, AddNode{node("least", "min")},
                             AddLink{link("p.y", "least.a")}, AddLink{link("most.y", "least.b")}},
                            "least.y");
  EXPECT_EQ(watched(graph, starting_at({1, 2, 3, 4, 5, 6})).last->state, RunState::finished);
}

TEST(FirstBadValue, ACleanRunIsNotDisturbed) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(
      graph, {SetParam{"train", "steps", ParamValue(int64_t{12})}, SetParam{"train", "clip_norm", ParamValue(1.0)},
              SetParam{"train", "accumulate", ParamValue(int64_t{2})}}));
  const Ended with = watched(graph, nullptr), without = watched(graph, nullptr, "cpu", false);
  ASSERT_EQ(with.last->state, RunState::finished) << (with.last->error ? with.last->error->text() : "");
  EXPECT_FALSE(with.last->bad_value);
  EXPECT_EQ(*with.last->losses, *without.last->losses);
  ASSERT_EQ(with.states.size(), without.states.size());
  for (const auto& [name, tensor] : without.states)
    EXPECT_EQ(std::memcmp(tensor.data(), with.states.at(name).data(), tensor.bytes()), 0) << name;
}

TEST(FirstBadValueText, SaysWhyCausesWereNotLookedFor) {
  BadValue bad;
  bad.node = "log";
  bad.op = "log";
  EXPECT_EQ(to_error(bad).reason.find("Causes"), std::string::npos);
  bad.untraced = "Causes before it were not looked for in f64: it needs about 2 GB, and 1 GB is free.";
  bad.read = "Row 3 holds NaN.";
  EXPECT_THAT(to_error(bad).reason, testing::EndsWith(". " + bad.untraced + " Row 3 holds NaN."));
  EXPECT_THAT(to_string(bad), HasSubstr("\n  " + bad.untraced + "\n"));
}

TEST(Magnitudes, OfEveryFloatDtypeExactly) {
  for (const DTypeInfo& row : dtype_table()) {
    if (!row.is_float || !row.storable) continue;
    std::vector<double> values(1'000'003, 1.0);
    values[7] = 0;
    values[11] = -row.max;
    values[13] = row.min_subnormal;
    const auto count = static_cast<int64_t>(values.size());
    const Magnitudes clean = magnitudes_of(Tensor::from_f64(row.dtype, {count}, values));
    EXPECT_TRUE(clean.finite()) << row.name;
    EXPECT_EQ(clean.largest, row.max) << row.name;
    EXPECT_EQ(clean.smallest, row.min_subnormal) << row.name;
    values[1'000'001] = NAN;
    if (row.has_inf) values[500'000] = -INFINITY;
    const Magnitudes bad = magnitudes_of(Tensor::from_f64(row.dtype, {count}, values));
    EXPECT_EQ(bad.first_bad, row.has_inf ? 500'000 : 1'000'001) << row.name;
    EXPECT_EQ(bad.nans, 1) << row.name;
    EXPECT_EQ(bad.infs, row.has_inf ? 1 : 0) << row.name;
    EXPECT_EQ(bad.largest, row.max) << row.name << ": of what is finite";
    EXPECT_EQ(bad.smallest, row.min_subnormal) << row.name;
  }
  EXPECT_TRUE(magnitudes_of(Tensor::zeros(DType::i64, {3})).finite());
}

/// A step that dynamic scaling leaves out leaves its sums of gradients bad; the next step begins them anew.
TEST(FirstBadValue, BadSumsOfAStepThatWasLeftOutAreNoFault) {
  const Graph graph =
      model({AddNode{node("narrow", "cast", {{"to", kF16}})}, AddNode{node("wide", "cast", {{"to", kF32}})},
             AddLink{link("p.y", "narrow.x")}, AddLink{link("narrow.y", "wide.x")}},
            "wide.y", {{"loss_scaling", std::string("dynamic")}, {"accumulate", int64_t{2}}});
  const Ended ended = watched(graph, starting_at({1, 2, 3, 40, 5, 6}));
  ASSERT_EQ(ended.last->state, RunState::finished) << (ended.last->error ? ended.last->error->text() : "");
  ASSERT_TRUE(ended.last->loss_scales);
  EXPECT_TRUE(ended.last->loss_scales->front().skipped);
}

}  // namespace
}  // namespace hw::first_bad_value_test
