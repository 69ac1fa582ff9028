// Weights that are updated in bf16 without masters: what the optimiser keeps beside them moves all the same, and what
// it cannot move of them is said.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "engine/instrument/instruments.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::narrow_states_test {
namespace {

using test::link;
using test::node;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// One bf16 number p from `start`; the loss is its mean, or with `target` (p − target)².
Graph one_number(double start, const ParamMap& train, std::optional<double> target = {}) {
  ParamMap params{{"master_weights", std::string("none")}};
  for (const auto& [id, value] : train) params[id] = value;
  const std::string bf16 = "bf16";
  Edits edits{
      AddNode{node(
          "p", "parameter",
          {{"shape", std::vector<double>{1}}, {"init", std::string("constant")}, {"scale", start}, {"dtype", bf16}})},
      AddNode{node("train", "train", params)},
      AddLink{link("loss." + std::string(target ? "loss" : "y"), "train.loss")}};
  if (target) {
    edits.insert(edits.begin() + 1, AddNode{node("loss", "mse")});
    edits.insert(
        edits.begin() + 1,
        AddNode{node("c", "constant", {{"value", *target}, {"shape", std::vector<double>{1}}, {"dtype", bf16}})});
    edits.push_back(AddLink{link("p.y", "loss.prediction")});
    edits.push_back(AddLink{link("c.y", "loss.target")});
  } else {
    edits.insert(edits.begin() + 1, AddNode{node("loss", "mean")});
    edits.push_back(AddLink{link("p.y", "loss.x")});
  }
  return test::built(edits);
}

struct Ended {
  std::shared_ptr<const RunSnapshot> last;
  std::shared_ptr<const Checkpoint> states;
};

Ended run(const Graph& graph, uint64_t steps, const std::string& device = "cpu", bool instruments = false) {
  Ended ended;
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  if (instruments) session.instruments(InstrumentSettings{0.05, 1});
  session.start(graph, device, steps);
  session.wait();
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) { ended.states = std::move(c); });
  session.wait();
  ended.last = session.snapshot();
  EXPECT_TRUE(ended.states) << (ended.last->error ? ended.last->error->text() : "");
  return ended;
}

double state(const Ended& ended, const std::string& name) {
  const Tensor& tensor = ended.states->states.at(name);
  EXPECT_EQ(tensor.dtype(), DType::f32) << name;
  return tensor.to_f64().front();
}

// The gradient is 1: v = 1 − 0.999ᵗ. In bf16 it would stand still at ¼, where half a unit in the last place is 2^-10.
TEST(NarrowStates, TheSecondMomentMovesByAThousandth) {
  for (const char* device : {"cpu", "ref"}) {
    const Ended ended = run(one_number(1, {{"learning_rate", 1e-6}}), 1000, device);
    EXPECT_NEAR(state(ended, "p.value#adam_v"), 1 - std::pow(0.999, 1000), 1e-4) << device;
    EXPECT_NEAR(state(ended, "p.value#adam_m"), 1, 1e-5) << device;
  }
}

// p is ¼ from the first update on, and the average goes there from 1 by (1 − d) = max(1e-3, 9 / (10 + t)) of the way.
TEST(NarrowStates, TheAverageGoesOnByLessThanTheWeightsOwnSteps) {
  double want = 1;
  for (int t = 0; t < 3000; ++t) want += (0.25 - want) * (1 - std::min(0.9999, (1.0 + t) / (10 + t)));
  const ParamMap train{{"optimiser", std::string("sgd")}, {"learning_rate", 0.5}, {"ema_decay", 0.9999}};
  for (const char* device : {"cpu", "ref"})
    EXPECT_NEAR(state(run(one_number(1, train, 0.25), 3000, device), "p.value#average"), want, 1e-6) << device;
  // A weight that moves by 1e-4 of itself a step, as far as bf16 lets it: the average follows closer than its steps.
  const Ended slow = run(one_number(1,
                                    {{"optimiser", std::string("sgd")},
                                     {"learning_rate", 0.05},
                                     {"warmup_steps", int64_t{100000}},
                                     {"ema_decay", 0.9999}},
                                    0.25),
                         12000);
  EXPECT_NEAR(state(slow, "p.value#average"), 0.343, 1e-3);
  EXPECT_EQ(slow.last->weights->at("p.value").dtype(), DType::bf16);
}

// 1 − 1e-3 is nearer to 1 than to the next bf16 number below, 1 − 2^-8.
TEST(NarrowStates, UpdatesThatAreLostAreSaid) {
  const ParamMap train{{"optimiser", std::string("sgd")}, {"learning_rate", 1e-3}};
  const Ended lost = run(one_number(1, train), 12, "cpu", true);
  EXPECT_EQ(lost.last->weights->at("p.value").to_f64(), std::vector<double>{1});
  const auto& verdicts = lost.last->instruments->verdicts;
  const auto verdict = std::ranges::find(verdicts, GradientVerdict::Kind::lost_updates, &GradientVerdict::kind);
  ASSERT_NE(verdict, verdicts.end());
  EXPECT_EQ(verdict->node + "." + verdict->parameter, "p.value");
  EXPECT_EQ(verdict->factor, 1);
  EXPECT_THAT(to_text(*verdict, [](const std::string& id) { return id; }),
              HasSubstr("Updates of p.value are lost: 100 % of them are smaller than half a unit in the last place of "
                        "bf16. Keep f32 masters"));
  ParamMap faster = train, masters = train;
  faster["learning_rate"] = 0.01;  // 1 − 0.01 is another bf16 number
  masters["master_weights"] = std::string("f32");
  for (const ParamMap& good : {faster, masters})
    for (const GradientVerdict& v : run(one_number(1, good), 12, "cpu", true).last->instruments->verdicts)
      EXPECT_NE(v.kind, GradientVerdict::Kind::lost_updates);
}

// As a version before kept them: the run goes on from them, in f32, and not from 0. The gradient is 1.
TEST(NarrowStates, OlderCheckpointsHaveNarrowMoments) {
  const Graph graph = one_number(1, {{"learning_rate", 1e-3}});
  Checkpoint old = *run(graph, 5).states;
  for (const char* name : {"p.value#adam_m", "p.value#adam_v"})
    old.states.at(name) = old.states.at(name).to(DType::bf16);
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.load_checkpoint(std::make_shared<const Checkpoint>(old));
  session.start(graph, "cpu", 3);
  session.wait();
  const auto s = session.snapshot();
  EXPECT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_EQ(s->step, 8u);
  Ended ended{s, {}};
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) { ended.states = std::move(c); });
  session.wait();
  ASSERT_TRUE(ended.states);
  EXPECT_NEAR(state(ended, "p.value#adam_m"), 1 - std::pow(0.9, 8), 1e-3);
  EXPECT_NEAR(state(ended, "p.value#adam_v"), 1 - std::pow(0.999, 8), 2e-5);
}

}  // namespace
}  // namespace hw::narrow_states_test
