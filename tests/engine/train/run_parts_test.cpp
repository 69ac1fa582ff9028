// The small parts of a session, each by itself: its mailbox, checkpoints, progress, pace and end, and the exchange of
// ranks.
#include <gmock/gmock.h>

#include <cmath>
#include <thread>

#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/train/rank_exchange.h"
#include "engine/train/run_checkpoints.h"
#include "engine/train/run_pace.h"
#include "engine/train/run_target.h"
#include "engine/train/session_mailbox.h"
#include "engine/train/training_progress.h"

namespace hw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const RunSnapshot> at_step(uint64_t step) {
  auto s = std::make_shared<RunSnapshot>();
  s->step = step;
  return s;
}

TEST(SessionMailbox, GivesRequestsOnce) {
  SessionMailbox mailbox;
  mailbox.post([](SessionRequests& r) { r.stop = true; });
  mailbox.post([](SessionRequests& r) { r.inspect = "a"; });
  EXPECT_TRUE(mailbox.asks_to_stop());
  const auto first = mailbox.take(false);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->requests.stop);
  EXPECT_EQ(first->requests.inspect, "a");
  EXPECT_FALSE(mailbox.asks_to_stop());
  const auto second = mailbox.take(true);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->requests.any());
}

TEST(SessionMailbox, ShowsNoSnapshotFromBeforeAnOrderToForget) {
  SessionMailbox mailbox;
  mailbox.publish(at_step(1));
  EXPECT_EQ(mailbox.snapshot()->step, 1u);
  mailbox.post_anew([](SessionRequests& r) { r.reset = true; });
  EXPECT_EQ(mailbox.snapshot()->step, 0u) << "at once";
  mailbox.publish(at_step(2));
  EXPECT_EQ(mailbox.snapshot()->step, 0u) << "the worker has not seen the order";
  const auto taken = mailbox.take(true);
  mailbox.publish(at_step(3));
  EXPECT_EQ(mailbox.snapshot()->step, 0u) << "what it settles is of before";
  mailbox.enter(taken->generation);
  mailbox.publish(at_step(4));
  EXPECT_EQ(mailbox.snapshot()->step, 4u);
  mailbox.publish_out_of_memory();
  EXPECT_EQ(mailbox.snapshot()->error->code, codes::out_of_memory);
}

TEST(SessionMailbox, AnOrderToForgetDropsOrdersAndKeepsCheckpoints) {
  SessionMailbox mailbox;
  const CheckpointSink sink = [](auto) {};
  mailbox.post([&](SessionRequests& r) {
    r.paused = true;
    r.take.push_back(sink);
  });
  mailbox.post_anew([](SessionRequests& r) { r.reset = true; });
  mailbox.post([&](SessionRequests& r) { r.take.push_back(sink); });
  mailbox.post_anew([](SessionRequests& r) { r.reset = true; });
  const auto taken = mailbox.take(false);
  ASSERT_TRUE(taken);
  EXPECT_FALSE(taken->requests.paused);
  EXPECT_EQ(taken->requests.take_first.size(), 1u) << "of what the first forgot";
  EXPECT_EQ(taken->requests.take_never.size(), 1u) << "between the two there was nothing";
  EXPECT_TRUE(taken->requests.take.empty());
}

TEST(SessionMailbox, WaitsUntilAllIsDone) {
  SessionMailbox mailbox;
  int served = 0;  // by the worker, until it waits
  std::thread worker([&] {
    bool runs = false;
    while (const auto taken = mailbox.take(runs)) {
      runs = taken->requests.any();  // one turn more
      ++served;
      mailbox.publish(at_step(static_cast<uint64_t>(served)));
    }
  });
  for (int k = 1; k <= 3; ++k) {
    mailbox.post([](SessionRequests& r) { r.step_once = true; });
    mailbox.wait();
    EXPECT_EQ(mailbox.snapshot()->step, 2u * static_cast<uint64_t>(k));
  }
  mailbox.quit();
  worker.join();
  EXPECT_FALSE(mailbox.take(true)) << "nothing any more";
}

TEST(RunCheckpoints, HandOutEachStepOnce) {
  RunCheckpoints checkpoints;
  EXPECT_FALSE(checkpoints.is_due(10));
  EXPECT_FALSE(checkpoints.lacks(10)) << "nobody asked";
  std::vector<uint64_t> steps;
  checkpoints.set_every(5, [&](std::shared_ptr<const Checkpoint> c) { steps.push_back(c->step); });
  const auto end = [&](uint64_t step) {
    if (!checkpoints.lacks(step)) return;
    auto made = std::make_shared<Checkpoint>();
    made->step = step;
    checkpoints.hand_out(std::move(made));
  };
  for (uint64_t step = 1; step <= 12; ++step)
    if (checkpoints.is_due(step)) end(step);
  end(12);
  end(12);
  EXPECT_THAT(steps, ElementsAre(5, 10, 12));
  checkpoints.forget();
  end(12);
  EXPECT_THAT(steps, ElementsAre(5, 10, 12, 12)) << "of another run";
  checkpoints.are_there(20);
  end(20);
  EXPECT_EQ(steps.size(), 4u) << "it was read from there";
}

TEST(RunCheckpoints, ForgetWhereToGoOnFrom) {
  RunCheckpoints checkpoints;
  checkpoints.go_on_from(std::make_shared<const Checkpoint>());
  EXPECT_TRUE(checkpoints.from());
  checkpoints.forget();
  EXPECT_FALSE(checkpoints.from());
}

StepOutcome scaled(uint64_t step, double scale, bool skipped) {
  LossScaleEvent event;
  event.step = step;
  event.scale = scale;
  event.skipped = skipped;
  return {step, 1, event, {}};
}

TEST(TrainingProgress, HasAnEntryAStep) {
  TrainingProgress progress;
  for (uint64_t step = 0; step < 4; ++step)
    progress.add({step, static_cast<double>(step), {}, {}}, 0.1, static_cast<double>(2 * step));
  EXPECT_EQ(progress.step, 4u);
  EXPECT_THAT(progress.losses, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(progress.history.seconds, ElementsAre(0, 2, 4, 6));
  progress.go_back(2);
  EXPECT_EQ(progress.step, 2u);
  EXPECT_THAT(progress.losses, ElementsAre(0, 1));
  EXPECT_EQ(progress.history.learning_rates.size(), 2u);
  EXPECT_EQ(progress.history.seconds.size(), 2u);
}

TEST(TrainingProgress, KeepsTheLossScaleWhereItChanges) {
  TrainingProgress progress;
  progress.add(scaled(0, 8, false), 0, 0);
  progress.add(scaled(1, 8, false), 0, 0);
  progress.add(scaled(2, 4, true), 0, 0);
  progress.add(scaled(3, 4, true), 0, 0);
  progress.add(scaled(4, 4, false), 0, 0);
  std::vector<uint64_t> steps;
  for (const LossScaleEvent& event : progress.loss_scales) steps.push_back(event.step);
  EXPECT_THAT(steps, ElementsAre(0, 2, 3)) << "the first, changes, and steps that were left out";
}

TEST(TrainingProgress, GoesOnFromACheckpointOfAnOlderVersion) {
  Checkpoint checkpoint;
  checkpoint.step = 2;
  checkpoint.losses = {1, 2};
  TrainingProgress progress;
  progress.take_over(checkpoint);
  progress.add({2, 3, {}, {}}, 0.5, 1);
  EXPECT_THAT(progress.losses, ElementsAre(1, 2, 3));
  ASSERT_EQ(progress.history.learning_rates.size(), 3u);
  EXPECT_TRUE(std::isnan(progress.history.learning_rates[1])) << "nobody kept it";
  EXPECT_EQ(progress.history.learning_rates[2], 0.5f);
}

TEST(RunPace, IsThatOfTheLastSecond) {
  RunPace pace;
  const RunPace::Clock::time_point begin;
  const auto mark = [&](int ms, uint64_t step) { pace.mark(begin + std::chrono::milliseconds(ms), step); };
  pace.set_seconds(10);
  EXPECT_EQ(pace.steps_per_s(true, 20), 2) << "nothing is marked: over all";
  mark(0, 20);
  EXPECT_EQ(pace.steps_per_s(true, 20), 2) << "one mark is no time";
  mark(500, 25);
  EXPECT_EQ(pace.steps_per_s(true, 25), 10);
  mark(2000, 100);
  mark(2500, 200);
  EXPECT_EQ(pace.steps_per_s(true, 200), 200) << "older marks are gone";
  EXPECT_EQ(pace.steps_per_s(false, 200), 20) << "it stands still";
  pace.rest();
  EXPECT_EQ(pace.steps_per_s(true, 200), 20);
  EXPECT_EQ(RunPace().steps_per_s(false, 5), 0);
}

TEST(RunTarget, IsAsManyStepsAsAreAskedForOrTheSettingsSay) {
  RunTarget target;
  target.start(0, 100, 0);
  EXPECT_EQ(target.end(), 100u);
  target.start(100, 100, 0);
  EXPECT_EQ(target.end(), 200u) << "another run, as the end is reached";
  target.ask(7);
  target.start(200, 100, 0);
  EXPECT_EQ(target.end(), 207u) << "on top of what is done";
}

TEST(RunTarget, CompletesARunThatWasStopped) {
  RunTarget target;
  target.start(0, 100, 0);
  target.start(40, 100, 0);
  EXPECT_EQ(target.end(), 100u);
  target.start(60, 80, 0);
  EXPECT_EQ(target.end(), 80u) << "of settings that have changed";
  target.ask(5);
  target.start(60, 100, 0);
  EXPECT_EQ(target.end(), 65u) << "steps that are asked for begin where it is";
  target.ask(0);
  target.start(62, 100, 0);
  EXPECT_EQ(target.end(), 160u) << "of the run that began at 60";
}

TEST(RunTarget, IsThatOfTheCheckpointThatItGoesOnFrom) {
  RunTarget target;
  target.start(30, 100, 500);
  EXPECT_EQ(target.end(), 500u);
  RunTarget more;
  more.ask(10);
  more.start(30, 100, 500);
  EXPECT_EQ(more.end(), 40u);
  RunTarget ended;
  ended.start(500, 100, 500);
  EXPECT_EQ(ended.end(), 600u) << "it has ended";
}

TEST(RunTarget, GrowsByASingleStep) {
  RunTarget target;
  target.start(0, 10, 0);
  target.reach(4);
  EXPECT_EQ(target.end(), 10u);
  target.reach(11);
  EXPECT_EQ(target.end(), 11u);
  target.end_at(11);
  target.start(11, 10, 0);
  EXPECT_EQ(target.end(), 21u);
}

/// Rank 0 of two; the other always says the same.
class TwoRanks : public Communicator {
 public:
  explicit TwoRanks(RankReport other) : other_(std::move(other)) {}
  uint64_t rank() const override { return 0; }
  uint64_t size() const override { return 2; }
  Result<std::optional<RankOrder>> broadcast(std::optional<RankOrder> order) override {
    starts.push_back(order && order->start);
    return order;
  }
  Result<std::vector<RankReport>> all_gather(RankReport report) override {
    ++gathered;
    return std::vector<RankReport>{std::move(report), other_};
  }
  Status all_reduce(std::span<Tensor>) override {
    ++reduced;
    return ok();
  }

  std::vector<bool> starts;  // whether the order had one
  int gathered = 0, reduced = 0;

 private:
  const RankReport other_;
};

struct Exchanged {
  std::shared_ptr<States> states = *(*make_device("ref"))->prepare_states(Program(), nullptr, 0, nullptr);
  TrainingPlan plan;
};

TEST(RankExchange, GivesTheStatesOnceUntilTheyMayDiffer) {
  const auto ranks = std::make_shared<TwoRanks>(RankReport{});
  RankExchange exchange(ranks, false, Program());
  const auto order = [&](uint64_t step) { EXPECT_TRUE(exchange.order(step, 9, {}, [] { return RankStart(); })); };
  order(0);
  order(1);
  exchange.lose_step();
  order(2);
  order(3);
  EXPECT_THAT(ranks->starts, ElementsAre(true, false, true, false));
}

TEST(RankExchange, AnErrorOfOneRankIsThatOfAll) {
  Exchanged of;
  const Error failed{codes::not_finite, "train", "it failed.", ""};
  const auto theirs = std::make_shared<TwoRanks>(RankReport{{}, {}, failed});
  RankExchange exchange(theirs, false, Program());
  exchange.begin_part();
  const Status done = exchange.add_gradients(ok(), of.plan, nullptr, *of.states);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().reason, HasSubstr("on rank 1: it failed."));
  EXPECT_EQ(theirs->reduced, 0);
  const auto ours = std::make_shared<TwoRanks>(RankReport{});
  RankExchange other(ours, false, Program());
  other.begin_part();
  const Status own = other.add_part_sums(failed, PartSums{}, *of.states);
  ASSERT_FALSE(own);
  EXPECT_THAT(own.error().reason, HasSubstr("on rank 0: it failed."));
  EXPECT_EQ(ours->gathered, 1) << "the others are notified";
}

TEST(RankExchange, HasTheLossesOfAllRanks) {
  Exchanged of;
  RankExchange exchange(std::make_shared<TwoRanks>(RankReport{{3, 4}, {}, {}}), false, Program());
  exchange.begin_part();
  ASSERT_TRUE(exchange.add_gradients(ok(), of.plan, nullptr, *of.states));
  EXPECT_THAT(exchange.take_losses(), ElementsAre(3, 4));
  exchange.begin_part();
  EXPECT_TRUE(exchange.take_losses().empty());
}

TEST(RankExchange, AloneSaysNothing) {
  Exchanged of;
  const auto ranks = std::make_shared<TwoRanks>(RankReport{});
  RankExchange exchange(ranks, true, Program());
  EXPECT_TRUE(exchange.order(0, 1, {}, [] { return RankStart(); }));
  exchange.begin_part();
  EXPECT_TRUE(exchange.add_part_sums(ok(), PartSums{}, *of.states));
  EXPECT_TRUE(exchange.add_gradients(ok(), of.plan, nullptr, *of.states));
  const Status failed = exchange.add_gradients(Error{codes::not_finite, "", "no.", ""}, of.plan, nullptr, *of.states);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "no.");
  EXPECT_TRUE(exchange.take_losses().empty());
  EXPECT_TRUE(ranks->starts.empty());
  EXPECT_EQ(ranks->gathered + ranks->reduced, 0);
  EXPECT_TRUE(RankExchange(one_rank(), false, Program()).is_alone());
}

}  // namespace
}  // namespace hw
