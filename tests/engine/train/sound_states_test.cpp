// A run that fails leaves the weights that it had before the step that failed, to the bit.
#include <gmock/gmock.h>

#include <cmath>

#include "engine/core/codes.h"
#include "engine/instrument/instruments.h"
#include "engine/train/first_bad_value.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::sound_states_test {
namespace {

using test::link;
using test::node;
using ::testing::HasSubstr;

/// Random x → linear → MSE against 0, which a far too large rate makes grow until f32 overflows.
Graph growing(const ParamMap& train = {}) {
  ParamMap params{{"optimiser", std::string("sgd")}, {"learning_rate", 50.0}, {"steps", int64_t{400}}};
  for (const auto& [id, value] : train) params[id] = value;
  const auto shape = [](double columns) { return ParamValue(std::vector<double>{8, columns}); };
  return test::built({AddNode{node("x", "random", {{"shape", shape(4)}})}, AddNode{node("norm", "batch_norm")},
                      AddNode{node("lin", "linear", {{"out_features", int64_t{2}}})},
                      AddNode{node("zero", "constant", {{"shape", shape(2)}, {"value", 0.0}})},
                      AddNode{node("mse", "mse")}, AddNode{node("train", "train", params)},
                      AddLink{link("x.y", "norm.x")}, AddLink{link("norm.y", "lin.x")},
                      AddLink{link("lin.y", "mse.prediction")}, AddLink{link("zero.y", "mse.target")},
                      AddLink{link("mse.loss", "train.loss")}});
}

std::shared_ptr<const RunSnapshot> run(const Graph& graph, const std::string& device, uint64_t steps = 0,
                                       bool watched = false) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.publish_weights_while_running(false);
  session.instruments(InstrumentSettings{0.05, 1});
  if (watched) session.watch(watch_for_bad_values());
  session.start(graph, device, steps);
  session.wait();
  return session.snapshot();
}

void expect_those_before(const Graph& graph, const std::string& device, bool watched = false) {
  const auto failed = run(graph, device, 0, watched);
  ASSERT_EQ(failed->state, RunState::failed);
  ASSERT_TRUE(failed->error && failed->weights);
  EXPECT_EQ(failed->error->code, codes::not_finite);
  ASSERT_GT(failed->step, 1u);
  EXPECT_EQ(failed->weights_step, failed->step);
  EXPECT_EQ(failed->losses->size(), failed->step);
  ASSERT_FALSE(failed->notes.empty());
  EXPECT_THAT(failed->notes.back(),
              HasSubstr("after step " + std::to_string(failed->step) + ", the last that are sound"));
  EXPECT_TRUE(failed->instruments && !failed->instruments->gradients->looks.empty()) << "what was looked at stays";
  const auto before = run(graph, device, failed->step);
  ASSERT_EQ(before->state, RunState::finished) << before->error->text();
  for (const auto& [name, tensor] : *before->weights) {
    EXPECT_EQ(failed->weights->at(name).to_f64(), tensor.to_f64()) << device << " " << name;
    for (const double w : tensor.to_f64()) EXPECT_TRUE(std::isfinite(w)) << name;
  }
}

TEST(SoundStates, AreThoseBeforeTheStepThatFailed) {
  for (const char* device : {"cpu", "ref"}) expect_those_before(growing(), device);
  expect_those_before(growing({{"momentum", 0.9}}), "cpu");
}

TEST(SoundStates, AlsoOfARunThatIsWatched) {
  expect_those_before(growing(), "cpu", true);
}

TEST(SoundStates, OfMicroBatchesAndAverages) {
  expect_those_before(growing({{"accumulate", int64_t{3}}, {"ema_decay", 0.9}}), "cpu");
}

TEST(SoundStates, AFirstStepThatFailsLeavesTheFirstWeights) {
  Graph graph = growing();
  ASSERT_TRUE(apply_edits(graph, {SetParam{"zero", "value", ParamValue(1e30)}}));
  const auto s = run(graph, "cpu");
  ASSERT_EQ(s->state, RunState::failed);
  EXPECT_EQ(s->step, 0u);
  ASSERT_TRUE(s->weights);
  EXPECT_EQ(s->weights_step, 0u);
  for (const auto& [name, tensor] : *s->weights)
    for (const double w : tensor.to_f64()) EXPECT_TRUE(std::isfinite(w)) << name;
}

}  // namespace
}  // namespace hw::sound_states_test
