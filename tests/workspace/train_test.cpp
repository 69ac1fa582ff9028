// train_to_end: progress, a stop from elsewhere, failures, threads.
#include "app/workspace/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "engine/core/parallel.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::workspace {
namespace {

TrainingRequest texture_request(uint64_t steps) {
  TrainingRequest request;
  request.graph = test::texture_for(40);
  request.assets = std::make_shared<test::QuadAssets>();
  request.steps = steps;
  return request;
}

TEST(TrainToEnd, ShowsProgressOnTheCallingThreadUpToTheLastStep) {
  std::vector<uint64_t> steps;
  const auto self = std::this_thread::get_id();
  const auto show = [&](const RunSnapshot& s) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    steps.push_back(s.step);
  };
  const TrainingResult result = train_to_end(texture_request(0), show, nullptr);
  EXPECT_EQ(result.last->state, RunState::finished) << (result.last->error ? result.last->error->text() : "");
  EXPECT_FALSE(result.interrupted);
  EXPECT_GE(result.wall_seconds, result.last->seconds);
  EXPECT_FALSE(result.states);
  ASSERT_FALSE(steps.empty());
  EXPECT_TRUE(std::ranges::is_sorted(steps));
  EXPECT_EQ(steps.back(), 40u) << "what the Train node says";
  ASSERT_TRUE(result.last->weights);
  EXPECT_EQ(result.last->weights_step, 40u);
}

TEST(TrainToEnd, NeedsNoProgressAndHandsOutStates) {
  TrainingRequest request = texture_request(7);
  request.keep_states = true;
  const TrainingResult result = train_to_end(std::move(request), {}, nullptr);
  EXPECT_EQ(result.last->step, 7u);
  ASSERT_TRUE(result.states);
  EXPECT_EQ(result.states->step, 7u);
}

TEST(TrainToEnd, AStopKeepsWhatWasLearnt) {
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> step{0};
  std::jthread other([&](const std::stop_token& over) {
    while (step < 5 && !over.stop_requested()) std::this_thread::yield();
    stop = true;
  });
  TrainingRequest request = texture_request(1'000'000);
  request.keep_states = true;
  const TrainingResult result = train_to_end(
      std::move(request), [&](const RunSnapshot& s) { step = s.step; }, &stop);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.last->state, RunState::idle);
  EXPECT_GE(result.last->step, 5u);
  EXPECT_LT(result.last->step, 1'000'000u);
  EXPECT_EQ(result.last->losses->size(), result.last->step);
  EXPECT_EQ(result.last->weights_step, result.last->step);
  ASSERT_TRUE(result.states);
  EXPECT_EQ(result.states->step, result.last->step);
  EXPECT_EQ(step, result.last->step) << "progress ends with the last snapshot";
}

TEST(TrainToEnd, AStopThatWasAskedForBeforeEndsItAtOnce) {
  const std::atomic<bool> stop{true};
  const TrainingResult result = train_to_end(texture_request(1'000'000), {}, &stop);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.last->state, RunState::idle) << (result.last->error ? result.last->error->text() : "");
  EXPECT_LT(result.last->step, 1'000'000u);
}

TEST(TrainToEnd, AFailureIsSaidInTheLastSnapshot) {
  TrainingRequest request = texture_request(5);
  request.device = "nowhere";
  int shown = 0;
  const TrainingResult result = train_to_end(
      std::move(request), [&](const RunSnapshot&) { ++shown; }, nullptr);
  EXPECT_EQ(result.last->state, RunState::failed);
  EXPECT_TRUE(result.last->error);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(shown, 0);
}

TEST(TrainToEnd, RunsAtOnceWithThreadsOfTheirOwn) {
  const int before = thread_count();
  const TrainingResult alone = train_to_end(texture_request(0), {}, nullptr);
  std::vector<TrainingResult> results(3);
  {
    std::vector<std::jthread> callers;
    for (size_t k = 0; k < results.size(); ++k)
      callers.emplace_back([&results, k] {
        TrainingRequest request = texture_request(0);
        request.threads = static_cast<int>(k) + 1;
        results[k] = train_to_end(std::move(request), {}, nullptr);
      });
  }
  for (const TrainingResult& result : results) {
    EXPECT_EQ(*result.last->losses, *alone.last->losses);
    EXPECT_EQ(result.last->weights->at("hash_grid.table").to_f64(),
              alone.last->weights->at("hash_grid.table").to_f64());
  }
  EXPECT_EQ(thread_count(), before);
}

}  // namespace
}  // namespace hw::workspace
