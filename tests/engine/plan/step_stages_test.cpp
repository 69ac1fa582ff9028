// The runs of a training step: their order, the numbers they draw by, and that they are what a session trains by.
#include "engine/plan/step_stages.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "engine/core/same_bits.h"
#include "engine/devices/devices.h"
#include "tests/engine/batch_parts.h"

namespace hw::step_stages_test {
namespace {

using test::link;
using test::node;
using testing::Each;
using testing::ElementsAre;
using Kind = StepStage::Kind;

/// A plan of programs that are never run.
TrainingPlan plan_of(int64_t micro_batches, uint64_t ranks = 1, size_t part_sums = 0, bool updates = true) {
  TrainingPlan plan;
  plan.program = std::make_shared<const Program>();
  if (updates) plan.updates = std::make_shared<const Program>();
  for (size_t k = 0; k < part_sums; ++k) plan.part_sums.push_back({std::make_shared<const Program>(), {}});
  plan.ranks = ranks;
  plan.settings.accumulate = micro_batches;
  plan.settings.seed = 7;
  return plan;
}

std::vector<Kind> kinds(const std::vector<StepStage>& stages) {
  std::vector<Kind> all;
  for (const StepStage& stage : stages) all.push_back(stage.kind);
  return all;
}

std::vector<uint64_t> numbers(const StepStage& stage) {
  std::vector<uint64_t> all;
  for (const StepInputs& inputs : stage.runs) all.push_back(inputs.step);
  return all;
}

std::vector<bool> starts(const StepStage& stage) {
  std::vector<bool> all;
  for (const StepInputs& inputs : stage.runs) all.push_back(inputs.starts_sums);
  return all;
}

TEST(StepStages, AreMicroBatchesThenTheUpdate) {
  std::atomic<bool> cancel = false;
  const auto stages = stages_of(plan_of(3), {5, 10, 0, &cancel});
  ASSERT_THAT(kinds(stages), ElementsAre(Kind::gradients, Kind::updates));
  EXPECT_THAT(numbers(stages[0]), ElementsAre(15, 16, 17));
  EXPECT_THAT(starts(stages[0]), ElementsAre(true, false, false));
  EXPECT_THAT(numbers(stages[1]), ElementsAre(17)) << "as the last micro-batch";
  EXPECT_EQ(count_runs(stages), 4u);
  for (const StepStage& stage : stages)
    for (const StepInputs& inputs : stage.runs) {
      EXPECT_EQ(inputs.update, 5u);
      EXPECT_EQ(inputs.seed, 7u);
      EXPECT_EQ(inputs.cancel, &cancel);
    }
}

TEST(StepStages, WithoutAnUpdateEndWithTheGradients) {
  const TrainingPlan plan = plan_of(1, 1, 2, false);
  const auto stages = stages_of(plan, {0, 1});
  ASSERT_THAT(kinds(stages), ElementsAre(Kind::part_sums, Kind::part_sums, Kind::gradients));
  EXPECT_EQ(plan.programs()[stages[1].program], plan.part_sums[1].program);
}

TEST(StepStages, OfPartSumsRunForAllMicroBatchesFirst) {
  const TrainingPlan plan = plan_of(2, 1, 2);
  const auto stages = stages_of(plan, {3, 10});
  ASSERT_THAT(kinds(stages), ElementsAre(Kind::part_sums, Kind::part_sums, Kind::gradients, Kind::updates));
  const auto programs = plan.programs();
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(stages[k].part_sums, k);
    EXPECT_EQ(programs[stages[k].program], plan.part_sums[k].program);
  }
  EXPECT_EQ(programs[stages[2].program], plan.program);
  EXPECT_EQ(programs[stages[3].program], plan.updates);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_THAT(numbers(stages[k]), ElementsAre(6, 7)) << "each stage draws what the others do";
    EXPECT_THAT(starts(stages[k]), ElementsAre(true, false)) << "each stage has sums of its own";
  }
}

TEST(StepStages, OfAllRanksDrawEveryPartOnce) {
  const TrainingPlan plan = plan_of(2, 3);
  std::vector<uint64_t> drawn;
  for (uint64_t step = 0; step < 3; ++step)
    for (uint64_t rank = 0; rank < 3; ++rank) {
      const auto stages = stages_of(plan, {step, 3, rank});
      EXPECT_THAT(starts(stages[0]), ElementsAre(true, false)) << "rank " << rank;
      for (uint64_t batch = 0; batch < 2; ++batch) EXPECT_EQ(micro_batch_of(stages[0].runs[batch], 2), batch);
      for (const uint64_t number : numbers(stages[0])) drawn.push_back(number);
    }
  std::vector<uint64_t> wanted(18);
  for (size_t k = 0; k < wanted.size(); ++k) wanted[k] = k;
  EXPECT_EQ(drawn, wanted) << "rank by rank, step by step, in the order of one rank that takes all micro-batches";
}

TEST(StepStages, HaveTheRateOfTheStepInARunOfThatLength) {
  TrainingPlan plan = plan_of(2, 1, 1);
  plan.settings.schedule = TrainSettings::Schedule::cosine;
  for (const uint64_t steps : {4u, 40u}) {
    std::vector<double> rates;
    for (const StepStage& stage : stages_of(plan, {3, steps}))
      for (const StepInputs& inputs : stage.runs) rates.push_back(inputs.learning_rate);
    EXPECT_THAT(rates, Each(learning_rate_at(plan.settings, 3, steps))) << steps;
  }
  EXPECT_NE(learning_rate_at(plan.settings, 3, 4), learning_rate_at(plan.settings, 3, 40));
}

constexpr uint64_t kSteps = 4;

/// Cross entropy over the samples whose label is not 0, whose number all micro-batches must know: by Adam with a
/// schedule, in four micro-batches.
Graph counted() {
  const Edits losses{AddNode{node("loss", "cross_entropy", {{"ignores", true}, {"ignore_index", int64_t{0}}})},
                     AddLink{link("scores.y", "loss.logits")}, AddLink{link("batch.labels", "loss.labels")},
                     AddLink{link("loss.loss", "train.loss")}};
  const ParamMap train{
      {"optimiser", std::string("adam")}, {"schedule", std::string("cosine")}, {"steps", static_cast<int64_t>(kSteps)}};
  return test::in_parts(test::classifier(losses, train), 2, 4);
}

/// The states after kSteps steps that run stage by stage, as `change` leaves the stages of each.
std::map<std::string, Tensor> walked(const Graph& graph, const std::function<void(std::vector<StepStage>&)>& change) {
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets, true, true, 1, {}, true);
  EXPECT_TRUE(plan) << plan.error().text();
  EXPECT_FALSE(plan->part_sums.empty());
  const auto device = *make_device("cpu");
  std::shared_ptr<States> states;
  for (const auto& program : plan->programs())
    states = *device->prepare_states(*program, states, plan->settings.seed, nullptr);
  std::vector<std::unique_ptr<Executable>> executables;
  for (const auto& program : plan->programs()) executables.push_back(*device->compile(program, states));
  for (uint64_t step = 0; step < kSteps; ++step) {
    std::vector<StepStage> stages = stages_of(*plan, {step, kSteps});
    change(stages);
    for (const StepStage& stage : stages)
      for (const StepInputs& inputs : stage.runs) EXPECT_TRUE(executables[stage.program]->run(inputs));
  }
  std::map<std::string, Tensor> all;
  for (const std::string& name : states->names()) all.emplace(name, states->read(name));
  return all;
}

TEST(StepStages, AreWhatASessionTrainsBy) {
  const Graph graph = counted();
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  std::shared_ptr<const Checkpoint> trained;
  session.start(graph, "cpu");
  session.wait();
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> taken) { trained = std::move(taken); });
  session.wait();
  ASSERT_TRUE(trained);
  ASSERT_EQ(trained->step, kSteps);
  const auto as_trained = [&](const std::function<void(std::vector<StepStage>&)>& change) {
    const auto states = walked(graph, change);
    return std::ranges::all_of(trained->states,
                               [&](const auto& state) { return same_bits(states.at(state.first), state.second); });
  };
  EXPECT_TRUE(as_trained([](auto&) {}));
  const auto for_all = [](const std::function<void(StepInputs&)>& change) {
    return [change](std::vector<StepStage>& stages) {
      for (StepStage& stage : stages)
        for (StepInputs& inputs : stage.runs) change(inputs);
    };
  };
  EXPECT_FALSE(as_trained(for_all([](StepInputs& inputs) { inputs.starts_sums = false; }))) << "sums of all steps";
  EXPECT_FALSE(as_trained(for_all([](StepInputs& inputs) { inputs.starts_sums = true; }))) << "the last part alone";
  EXPECT_FALSE(as_trained(for_all([](StepInputs& inputs) { ++inputs.step; }))) << "draws of other parts";
  EXPECT_FALSE(as_trained(for_all([](StepInputs& inputs) { inputs.update = 0; }))) << "Adam's bias of the first update";
  EXPECT_FALSE(as_trained(for_all([](StepInputs& inputs) { inputs.learning_rate = 1e-2; }))) << "no schedule";
  EXPECT_FALSE(as_trained([](std::vector<StepStage>& stages) { stages.erase(stages.begin()); })) << "counts of no part";
  EXPECT_FALSE(as_trained([](std::vector<StepStage>& stages) { stages[1].runs.pop_back(); })) << "a part is left out";
}

}  // namespace
}  // namespace hw::step_stages_test
