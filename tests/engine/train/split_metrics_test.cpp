// Metrics over the test split: all of it, with the weights as they are, without changing the run.
#include "engine/train/split_metrics.h"

#include <cmath>
#include <limits>

#include "engine/devices/devices.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/quad_assets.h"

namespace hw::test::split_metrics_test {
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

TEST(SplitMetrics, CoverTheWholeSplitAlsoWhatIsLeftOver) {
  const Graph graph = classifier(6);
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::finished) << last->error->text();
  ASSERT_TRUE(last->measured) << (last->notes.empty() ? "no note" : last->notes.front());
  EXPECT_EQ(last->measured->step, 6u);
  const double measured = last->measured->numbers.at("right");
  EXPECT_NEAR(measured, in_one_block(graph, *last->weights), 1e-6);
  EXPECT_GT(measured, 0);
  EXPECT_LT(measured, 1) << "as few steps as these leave errors, so that blocks of different accuracy are averaged";
}

// Evaluated every 3 steps and stopped at the 5th: what is shown was measured after the 3rd, and says so.
TEST(SplitMetrics, CarryTheStepTheyWereMeasuredAfter) {
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
  ASSERT_TRUE(last->measured);
  EXPECT_EQ(last->measured->step, 3u);
  EXPECT_EQ(last->measured->samples, 600);
}

TEST(SplitMetrics, RiseWithTraining) {
  const auto last = run(classifier(600));
  ASSERT_EQ(last->state, RunState::finished);
  EXPECT_GT(last->measured->numbers.at("right"), 0.95);
}

TEST(SplitMetrics, MeasuringDoesNotChangeTheRun) {
  const auto never = run(classifier(20)), often = run(classifier(20, 3));
  ASSERT_TRUE(never->losses && often->losses);
  EXPECT_EQ(*never->losses, *often->losses);
  EXPECT_EQ(never->measured->numbers, often->measured->numbers);
}

TEST(SplitMetrics, AreOfTheAveragedWeightsWhereThereAreSome) {
  Graph graph = classifier(30, 7);
  const auto plain = run(graph);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "ema_decay", 0.95}}));
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::finished);
  EXPECT_EQ(*last->losses, *plain->losses) << "measuring with averages does not change the run";
  EXPECT_NEAR(last->measured->numbers.at("right"), in_one_block(graph, *last->weights), 1e-6);
  EXPECT_NE(last->measured->numbers.at("right"), plain->measured->numbers.at("right")) << "the test would notice";
}

TEST(SplitMetrics, StopBetweenBlocks) {
  const Graph graph = classifier(2);
  QuadAssets assets;
  const std::shared_ptr<Device> device = *make_device("cpu");
  const std::shared_ptr<States> none = *device->prepare_states({}, nullptr, 0, nullptr);
  std::vector<std::string> notes;
  const auto metrics = SplitMetrics::make(graph, "train", Split::test, device, assets, none, notes);
  ASSERT_TRUE(metrics) << metrics.error().text();
  int asked = 0;
  const auto measured = (*metrics)->measure(0, nullptr, [&] { return ++asked == 2; });
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, codes::cancelled);
}

TEST(SplitMetrics, SayWhyThereAreNone) {
  Graph graph = classifier(2);
  ASSERT_TRUE(apply_edits(graph, {RemoveLink{link("batch.labels", "right.labels")}}));
  const auto last = run(graph);
  EXPECT_EQ(last->state, RunState::finished);
  EXPECT_FALSE(last->measured);
  ASSERT_EQ(last->notes.size(), 1u);
  EXPECT_NE(last->notes.front().find("Metrics are not measured: HW-G001 at right"), std::string::npos)
      << last->notes.front();
}

TEST(SplitMetrics, AreNoneWithoutAMetricNode) {
  Graph graph = classifier(2);
  ASSERT_TRUE(apply_edits(graph, {RemoveNode{"right"}}));
  const auto last = run(graph);
  EXPECT_EQ(last->state, RunState::finished);
  EXPECT_FALSE(last->measured);
}

// ---- validation

Graph validated(int64_t steps, int64_t evaluate_every, double learning_rate = 0.02) {
  Graph graph = classifier(steps, evaluate_every);
  const auto applied =
      apply_edits(graph, {SetParam{"data", "validation", 0.25}, SetParam{"train", "learning_rate", learning_rate}});
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

TEST(Validation, DecidesWhileItRunsAndTheTestSplitIsForTheEnd) {
  const auto last = run(validated(30, 10));
  ASSERT_EQ(last->state, RunState::finished) << last->error->text();
  ASSERT_TRUE(last->measured && last->history && last->best);
  EXPECT_EQ(last->measured->split, Split::test);
  EXPECT_EQ(last->measured->samples, 600);
  EXPECT_TRUE(last->measured->loss && last->measured->numbers.contains("right"));
  std::vector<std::pair<uint64_t, Split>> when;
  for (const RunHistory::Metrics& m : last->history->metrics) when.emplace_back(m.step, m.split);
  EXPECT_EQ(when, (std::vector<std::pair<uint64_t, Split>>{
                      {10, Split::validation}, {20, Split::validation}, {30, Split::validation}, {30, Split::test}}));
  EXPECT_EQ(last->best->step, 30u) << "it still falls";
  EXPECT_EQ(last->best->loss, last->history->metrics[2].loss);
}

/// A rate that overshoots, so that the loss rises at times; as many steps as end behind such a rise.
Graph rising() {
  Graph graph = validated(1000, 5, 3);
  EXPECT_TRUE(apply_edits(graph, {SetParam{"train", "patience", int64_t{3}}}));
  const auto steps = static_cast<int64_t>(run(graph)->step);
  EXPECT_LT(steps, 1000);
  return validated(steps, 5, 3);
}

TEST(Validation, TheBestWeightsAreHandedOut) {
  const Graph graph = rising();
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::finished) << last->error->text();
  ASSERT_TRUE(last->best);
  double lowest = std::numeric_limits<double>::infinity();
  uint64_t at = 0;
  for (const RunHistory::Metrics& m : last->history->metrics) {
    if (m.split != Split::validation || *m.loss >= lowest) continue;
    lowest = *m.loss;
    at = m.step;
  }
  EXPECT_EQ(last->best->step, at);
  EXPECT_EQ(at + 15, last->step) << "the test would notice";
  EXPECT_EQ(last->weights_step, at);
  EXPECT_EQ(last->measured->step, at);
  EXPECT_NEAR(last->measured->numbers.at("right"), in_one_block(graph, *last->weights), 1e-6)
      << "the test split is measured with them";
  Graph without = graph;
  ASSERT_TRUE(apply_edits(without, {SetParam{"train", "best_weights", false}}));
  const auto of_the_end = run(without);
  EXPECT_EQ(of_the_end->weights_step, last->step);
  EXPECT_EQ(*of_the_end->losses, *last->losses) << "keeping the best does not change the run";
  EXPECT_NE(of_the_end->measured->loss, last->measured->loss);
}

TEST(Validation, ARunEndsEarlyWhenItGetsNoBetter) {
  Graph graph = validated(1000, 5, 3);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "patience", int64_t{3}}}));
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::finished) << last->error->text();
  ASSERT_TRUE(last->best);
  EXPECT_EQ(last->step, last->best->step + 15);
  ASSERT_FALSE(last->notes.empty());
  EXPECT_NE(last->notes.back().find("Stopped early"), std::string::npos) << last->notes.back();
}

TEST(Validation, PatienceWithoutAValidationSplitIsRefused) {
  Graph graph = classifier(5, 1);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "patience", int64_t{3}}}));
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::failed);
  EXPECT_EQ(last->error->code, codes::asset_lacks);
  EXPECT_EQ(last->error->where, "train");
}

TEST(Validation, TheBestIsKeptInCheckpoints) {
  const Graph graph = validated(40, 5, 3);
  std::shared_ptr<const Checkpoint> halfway;
  {
    Session session(std::make_shared<QuadAssets>(), nullptr);
    session.checkpoint_every(30, [&](auto c) {
      if (c->step == 30) halfway = std::move(c);
    });
    session.start(graph, "cpu");
    session.wait();
  }
  ASSERT_TRUE(halfway && halfway->best);
  const TempFolder folder;
  ASSERT_TRUE(save_checkpoint(*halfway, folder / "c.safetensors"));
  auto read = read_checkpoint(folder / "c.safetensors");
  ASSERT_TRUE(read) << read.error().text();
  Session session(std::make_shared<QuadAssets>(), nullptr);
  session.load_checkpoint(std::make_shared<const Checkpoint>(std::move(*read)));
  session.start(graph, "cpu");
  session.wait();
  const auto resumed = session.snapshot(), whole = run(graph);
  ASSERT_EQ(resumed->state, RunState::finished) << resumed->error->text();
  ASSERT_TRUE(resumed->best && whole->best);
  EXPECT_EQ(resumed->best->step, whole->best->step);
  EXPECT_EQ(resumed->best->loss, whole->best->loss);
  EXPECT_EQ(resumed->measured->numbers, whole->measured->numbers);
  EXPECT_EQ(resumed->measured->loss, whole->measured->loss);
}

// A rename goes to the session as moved names and the graph with them.
TEST(Validation, TheBestStaysThroughARename) {
  Graph graph = rising();
  Session session(std::make_shared<QuadAssets>(), nullptr);
  session.start(graph, "cpu");
  session.wait();
  const auto before = session.snapshot();
  ASSERT_TRUE(before->best);
  const auto renamed =
      apply_edits(graph, {RemoveNode{"scores"}, AddNode{node("classes", "linear", {{"out_features", int64_t{150}}})},
                          AddLink{link("flat.y", "classes.x")}, AddLink{link("classes.y", "loss.logits")},
                          AddLink{link("classes.y", "right.logits")}});
  ASSERT_TRUE(renamed) << renamed.error().text();
  session.update_graph(graph, {{"scores", "classes"}});
  std::shared_ptr<const Checkpoint> saved;
  session.take_checkpoint([&](auto c) { saved = std::move(c); });
  session.wait();
  const auto after = session.snapshot();
  ASSERT_TRUE(after->best && saved && saved->weights);
  EXPECT_EQ(after->best->step, before->best->step);
  EXPECT_EQ(saved->weights->at("classes.weight").to_f64(), before->weights->at("scores.weight").to_f64())
      << "what is saved is what is shown";
}

TEST(Validation, WithoutTheBestTheLastIsShownAndSaved) {
  Graph graph = rising();
  Session session(std::make_shared<QuadAssets>(), nullptr);
  session.start(graph, "cpu");
  session.wait();
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "best_weights", false}}));
  session.update_graph(graph);
  std::shared_ptr<const Checkpoint> saved;
  session.take_checkpoint([&](auto c) { saved = std::move(c); });
  session.wait();
  const auto after = session.snapshot();
  EXPECT_EQ(after->weights_step, after->step);
  ASSERT_TRUE(saved && saved->weights);
  EXPECT_EQ(saved->weights->at("scores.weight").to_f64(), after->weights->at("scores.weight").to_f64());
}

TEST(Validation, ACheckpointHasWhatWasMeasuredAtItsStep) {
  std::shared_ptr<const Checkpoint> at_ten;
  Session session(std::make_shared<QuadAssets>(), nullptr);
  session.checkpoint_every(10, [&](auto c) {
    if (c->step == 10) at_ten = std::move(c);
  });
  session.start(validated(20, 10), "cpu");
  session.wait();
  ASSERT_TRUE(at_ten && at_ten->best);
  EXPECT_EQ(at_ten->best->step, 10u);
  ASSERT_EQ(at_ten->history.metrics.size(), 1u);
}

// ---- metrics that are more than one number

TEST(SplitMetrics, ConfusionAndWorstSamplesAreOfTheWholeSplit) {
  Graph graph = classifier(40);
  const auto applied =
      apply_edits(graph, {AddNode{node("confusion", "confusion_matrix")},
                          AddNode{node("worst", "worst_samples", {{"count", int64_t{20}}})},
                          AddLink{link("scores.y", "confusion.logits")},
                          AddLink{link("batch.labels", "confusion.labels")}, AddLink{link("batch.x", "worst.sample")},
                          AddLink{link("scores.y", "worst.logits")}, AddLink{link("batch.labels", "worst.labels")}});
  ASSERT_TRUE(applied) << applied.error().text();
  const auto last = run(graph);
  ASSERT_EQ(last->state, RunState::finished) << last->error->text();
  ASSERT_TRUE(last->measured) << (last->notes.empty() ? "no note" : last->notes.front());
  const std::vector<double> matrix = last->measured->tensors.at("confusion").front().to_f64();
  ASSERT_EQ(matrix.size(), 150u * 150);
  double all = 0, diagonal = 0;
  for (size_t i = 0; i < matrix.size(); ++i) {
    all += matrix[i];
    if (i % 151 == 0) diagonal += matrix[i];
  }
  EXPECT_NEAR(all, 1, 1e-6);
  EXPECT_NEAR(diagonal, last->measured->numbers.at("right"), 1e-6);

  const std::vector<Tensor>& worst = last->measured->tensors.at("worst");
  ASSERT_EQ(worst.size(), 5u);
  EXPECT_EQ(worst[2].dims(), (Dims{20, 1, 15, 10}));
  // By hand: each test sample's scores from the weights.
  QuadAssets assets;
  const auto data = *assets.dataset("any", {{1, 15, 10}, 150});
  const std::vector<double> w = last->weights->at("scores.weight").to_f64(),
                            bias = last->weights->at("scores.bias").to_f64();
  std::vector<std::pair<double, int64_t>> losses;
  std::vector<int64_t> predicted;
  for (int64_t row = 0; row < 600; ++row) {
    std::vector<double> scores = bias;
    for (size_t c = 0; c < 150; ++c)
      for (size_t k = 0; k < 150; ++k)
        scores[c] += w[c * 150 + k] * data->test.x.as<uint8_t>()[static_cast<size_t>(row) * 150 + k] / 255.0;
    double sum = 0;
    for (const double score : scores) sum += std::exp(score);
    losses.emplace_back(std::log(sum) - scores[static_cast<size_t>(data->test.labels.as<int64_t>()[row])], row);
    predicted.push_back(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }
  std::sort(losses.rbegin(), losses.rend());
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(worst[0].as<float>()[i], losses[i].first, 1e-4) << i;
    const int64_t row = worst[1].as<int64_t>()[i];
    EXPECT_NEAR(worst[0].as<float>()[i],
                std::find_if(losses.begin(), losses.end(), [&](const auto& l) { return l.second == row; })->first, 1e-4)
        << "it is that row of the split";
    EXPECT_EQ(worst[3].as<int64_t>()[i], data->test.labels.as<int64_t>()[row]);
    EXPECT_EQ(worst[4].as<int64_t>()[i], predicted[static_cast<size_t>(row)]);
    EXPECT_NEAR(worst[2].as<float>()[150 * i + 3], data->test.x.as<uint8_t>()[row * 150 + 3] / 255.0, 1e-6);
  }
}

/// What all parts of a split must know of each other lies where the nodes that read it run.
TEST(SplitMetrics, AreTheSameWhereTheLossRunsElsewhere) {
  std::vector<double> losses;
  for (const char* device : {"", "ref"}) {
    Graph graph = classifier(4);
    const auto applied = apply_edits(
        graph, {SetParam{"data", "validation", ParamValue(0.25)}, SetParam{"loss", "ignores", ParamValue(true)},
                SetParam{"loss", "ignore_index", ParamValue(int64_t{0})}, SetDevice{"loss", device}});
    ASSERT_TRUE(applied) << applied.error().text();
    const auto last = run(graph);
    ASSERT_EQ(last->state, RunState::finished);
    ASSERT_TRUE(last->best);
    losses.push_back(last->best->loss);
  }
  EXPECT_NEAR(losses[1], losses[0], 1e-4 * losses[0]);
}

TEST(SplitMetrics, AnInvalidOneBesideAValidOneIsNamed) {
  Graph graph = classifier(2);
  ASSERT_TRUE(apply_edits(graph, {AddNode{node("also", "accuracy")}, AddLink{link("scores.y", "also.logits")}}));
  const auto last = run(graph);
  ASSERT_TRUE(last->measured);
  EXPECT_TRUE(last->measured->numbers.contains("right"));
  ASSERT_EQ(last->notes.size(), 1u);
  EXPECT_NE(last->notes.front().find("A metric is not measured: HW-G001 at also"), std::string::npos)
      << last->notes.front();
}

}  // namespace
}  // namespace hw::test::split_metrics_test
