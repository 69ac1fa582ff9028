// Metrics over the test split: all of it, with the weights as they are, without changing the run.
#include "engine/train/test_metrics.h"

#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {
namespace {

/// A linear classifier of samples whose class is the place of their brightest element. 150 classes: 600 test samples.
Graph classifier(int64_t steps, int64_t evaluate_every = 0) {
  Graph g;
  const Edits edits{
      AddNode{
          node("data", "dataset_source",
               {{"path", std::string("any")}, {"sample", std::vector<double>{1, 15, 10}}, {"classes", int64_t{150}}})},
      AddNode{node("batch", "batch", {{"batch_size", int64_t{50}}})},
      AddNode{node("flat", "reshape", {{"shape", std::vector<double>{-1, 150}}})},
      AddNode{node("scores", "linear", {{"out_features", int64_t{150}}})},
      AddNode{node("loss", "cross_entropy")},
      AddNode{node("right", "accuracy")},
      AddNode{node("train", "train", {{"steps", steps}, {"evaluate_every", evaluate_every}, {"learning_rate", 0.02}})},
      AddLink{link("data.data", "batch.data")},
      AddLink{link("batch.x", "flat.x")},
      AddLink{link("flat.y", "scores.x")},
      AddLink{link("scores.y", "loss.logits")},
      AddLink{link("batch.labels", "loss.labels")},
      AddLink{link("scores.y", "right.logits")},
      AddLink{link("batch.labels", "right.labels")},
      AddLink{link("loss.loss", "train.loss")}};
  const auto applied = apply_edits(g, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

std::shared_ptr<const RunSnapshot> run(const Graph& graph) {
  Session session(std::make_shared<QuadAssets>(), nullptr);
  session.start(graph, "cpu");
  session.wait();
  return session.snapshot();
}

/// The accuracy of one lowering over all 600 rows at once.
double in_one_block(const Graph& graph, const Weights& weights) {
  QuadAssets assets;
  const SocketRef wanted{"right", "accuracy"};
  LowerOptions options;
  options.evaluation_rows = 600;
  auto lowered = lower(graph, std::span(&wanted, 1), options, assets);
  EXPECT_TRUE(lowered) << lowered.error().text();
  const ValueId value = std::get<Val>(lowered->sockets.at(wanted)).id;
  lowered->program->outputs.push_back({"accuracy", value});
  const auto device = *make_device("ref");
  const auto states = *device->prepare_states(*lowered->program, nullptr, 0, nullptr);
  for (const auto& [name, tensor] : weights) EXPECT_TRUE(states->write(name, tensor));
  const auto executable = *device->compile(lowered->program, states);
  EXPECT_TRUE(executable->run({}));
  return executable->read(value)->to_f64().front();
}

TEST(TestMetrics, CoverTheWholeSplitAlsoWhatIsLeftOver) {
  const Graph graph = classifier(6);
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::finished) << last->error->text();
  ASSERT_TRUE(last->metrics.contains("right")) << (last->notes.empty() ? "no note" : last->notes.front());
  EXPECT_EQ(last->metrics_step, 6u);
  const double measured = last->metrics.at("right");
  EXPECT_NEAR(measured, in_one_block(graph, *last->weights), 1e-6);
  EXPECT_GT(measured, 0);
  EXPECT_LT(measured, 1) << "as few steps as these leave errors, so that blocks of different accuracy are averaged";
}

// Evaluated every 3 steps and stopped at the 5th: what is shown was measured after the 3rd, and says so.
TEST(TestMetrics, CarryTheStepTheyWereMeasuredAfter) {
  Session session(std::make_shared<QuadAssets>(), nullptr);
  session.start(classifier(100, 3), "cpu", 0, true);
  for (int i = 0; i < 5; ++i) {
    session.step_once();
    session.wait();
  }
  session.stop();
  session.wait();
  const auto last = session.snapshot();
  EXPECT_EQ(last->step, 5u);
  ASSERT_TRUE(last->metrics.contains("right"));
  EXPECT_EQ(last->metrics_step, 3u);
  EXPECT_EQ(last->metrics_samples, 600);
}

TEST(TestMetrics, RiseWithTraining) {
  const auto last = run(classifier(600));
  ASSERT_EQ(last->state, RunState::finished);
  EXPECT_GT(last->metrics.at("right"), 0.95);
}

TEST(TestMetrics, MeasuringDoesNotChangeTheRun) {
  const auto never = run(classifier(20)), often = run(classifier(20, 3));
  ASSERT_TRUE(never->losses && often->losses);
  EXPECT_EQ(*never->losses, *often->losses);
  EXPECT_EQ(never->metrics, often->metrics);
}

TEST(TestMetrics, AreOfTheAveragedWeightsWhereThereAreSome) {
  Graph graph = classifier(30, 7);
  const auto plain = run(graph);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "ema_decay", 0.95}}));
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::finished);
  EXPECT_EQ(*last->losses, *plain->losses) << "measuring with averages does not change the run";
  EXPECT_NEAR(last->metrics.at("right"), in_one_block(graph, *last->weights), 1e-6);
  EXPECT_NE(last->metrics.at("right"), plain->metrics.at("right")) << "the test would notice";
}

TEST(TestMetrics, StopBetweenBlocks) {
  const Graph graph = classifier(2);
  QuadAssets assets;
  const std::shared_ptr<Device> device = *make_device("cpu");
  const std::shared_ptr<States> none = *device->prepare_states({}, nullptr, 0, nullptr);
  const auto metrics = TestMetrics::make(graph, device, assets, none);
  ASSERT_TRUE(metrics) << metrics.error().text();
  int asked = 0;
  const auto measured = (*metrics)->measure(0, nullptr, [&] { return ++asked == 2; });
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, codes::cancelled);
}

TEST(TestMetrics, SayWhyThereAreNone) {
  Graph graph = classifier(2);
  ASSERT_TRUE(apply_edits(graph, {RemoveLink{link("batch.labels", "right.labels")}}));
  const auto last = run(graph);
  EXPECT_EQ(last->state, RunState::finished);
  EXPECT_TRUE(last->metrics.empty());
  ASSERT_EQ(last->notes.size(), 1u);
  EXPECT_NE(last->notes.front().find("Metrics are not measured: HW-G001 at right"), std::string::npos)
      << last->notes.front();
}

TEST(TestMetrics, AreNoneWithoutAMetricNode) {
  Graph graph = classifier(2);
  ASSERT_TRUE(apply_edits(graph, {RemoveNode{"right"}}));
  const auto last = run(graph);
  EXPECT_EQ(last->state, RunState::finished);
  EXPECT_TRUE(last->metrics.empty());
}

}  // namespace
}  // namespace hw::test
