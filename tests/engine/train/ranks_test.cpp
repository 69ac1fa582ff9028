// Several ranks train one graph: the bits of one rank that takes their parts as micro-batches, and one end for all.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "engine/core/codes.h"
#include "engine/plan/training_plan.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/thread_ranks.h"
#include "tests/engine/throwing_device.h"

namespace hw::ranks_test {
namespace {

using test::link;
using test::node;
using test::TrainingRanks;

/// Random x and target [rows, …] → linear → dropout → cast, rounded stochastically → linear → MSE.
Graph drawing(const ParamMap& train, int64_t rows) {
  const auto random = [&](const char* id, double columns) {
    return node(id, "random",
                {{"shape", std::vector<double>{static_cast<double>(rows), columns}}, {"axes", std::string("N C")}});
  };
  return test::built(
      {AddNode{random("x", 5)}, AddNode{random("target", 4)},
       AddNode{node("a", "linear", {{"out_features", int64_t{6}}})}, AddNode{node("drop", "dropout")},
       AddNode{node("cast", "cast", {{"to", std::string("bf16")}, {"rounding", std::string("stochastic")}})},
       AddNode{node("wide", "cast", {{"to", std::string("f32")}})},
       AddNode{node("b", "linear", {{"out_features", int64_t{4}}})}, AddNode{node("mse", "mse")},
       AddNode{node("train", "train", train)}, AddLink{link("x.y", "a.x")}, AddLink{link("a.y", "drop.x")},
       AddLink{link("drop.y", "cast.x")}, AddLink{link("cast.y", "wide.x")}, AddLink{link("wide.y", "b.x")},
       AddLink{link("b.y", "mse.prediction")}, AddLink{link("target.y", "mse.target")},
       AddLink{link("mse.loss", "train.loss")}});
}

Graph edited(Graph graph, const Edits& edits) {
  EXPECT_TRUE(apply_edits(graph, edits));
  return graph;
}

Graph in_micro_batches(const Graph& graph, uint64_t count) {
  return edited(graph, {SetParam{"train", "accumulate", ParamValue(static_cast<int64_t>(count))}});
}

std::shared_ptr<const Checkpoint> checkpoint_of(Session& session) {
  std::shared_ptr<const Checkpoint> taken;
  session.wait();
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) { taken = std::move(c); });
  session.wait();
  const auto s = session.snapshot();
  EXPECT_TRUE(taken) << (s->error ? s->error->text() : "");
  return taken ? taken : std::make_shared<const Checkpoint>();
}

/// After so many steps of one rank.
std::shared_ptr<const Checkpoint> alone(const Graph& graph, uint64_t steps) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, "cpu", steps);
  return checkpoint_of(session);
}

void expect_same(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.losses, b.losses);
  EXPECT_EQ(a.loss_scales, b.loss_scales);
  ASSERT_EQ(a.states.size(), b.states.size());
  ASSERT_FALSE(a.states.empty());
  for (const auto& [name, state] : a.states) {
    const Tensor& other = b.states.at(name);
    ASSERT_EQ(state.bytes(), other.bytes()) << name;
    EXPECT_EQ(std::memcmp(state.data(), other.data(), state.bytes()), 0) << name;
  }
}

const ParamMap kAll{{"clip_norm", 0.05},
                    {"ema_decay", 0.5},
                    {"loss_scaling", std::string("dynamic")},
                    {"growth_interval", int64_t{3}},
                    {"warmup_steps", int64_t{4}}};

TEST(Ranks, GiveTheBitsOfOneRankWithAsManyMicroBatches) {
  for (const uint64_t size : {uint64_t{2}, uint64_t{4}})
    for (const Graph& graph :
         {drawing({{"optimiser", std::string("sgd")}, {"momentum", 0.9}}, 6),
          drawing(kAll, 24 / static_cast<int64_t>(size)), test::small_texture(kAll),
          edited(test::small_texture({}), {SetParam{"hash_grid", "gradient", std::string("f16")}})}) {
      TrainingRanks all(size);
      all.session->start(graph, "cpu", 9);
      const auto together = checkpoint_of(*all.session);
      expect_same(*together, *alone(in_micro_batches(graph, size), 9));
      EXPECT_FALSE(::testing::Test::HasFailure()) << size << " ranks";
      for (uint64_t r = 0; r < size; ++r) EXPECT_EQ(all.ranks.steps(r), 9u);
    }
}

TEST(Ranks, DoNotDrawWhatOneOfThemDraws) {
  const Graph graph = drawing({}, 6);
  TrainingRanks all(2);
  all.session->start(graph, "cpu", 2);
  EXPECT_NE(checkpoint_of(*all.session)->losses, alone(graph, 2)->losses);
}

// The batch's mean is the mean of its parts' means: the same number in another order of sums.
TEST(Ranks, GiveTheGradientOfOneLargeBatch) {
  const ParamMap sgd{{"optimiser", std::string("sgd")}, {"learning_rate", 0.5}};
  const auto whole = alone(drawing(sgd, 24), 3);
  for (const uint64_t size : {uint64_t{2}, uint64_t{4}}) {
    TrainingRanks all(size);
    all.session->start(drawing(sgd, 24 / static_cast<int64_t>(size)), "cpu", 3);
    const auto together = checkpoint_of(*all.session);
    for (size_t step = 0; step < 3; ++step)
      EXPECT_NEAR(together->losses.at(step), whole->losses.at(step), 1e-5 * std::abs(whole->losses.at(step)));
    for (const char* name : {"a.weight", "b.weight", "b.bias"}) {
      const auto got = together->states.at(name).to_f64(), expected = whole->states.at(name).to_f64();
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], expected[i], 1e-5 + 1.3e-6 * std::abs(expected[i])) << name << " of " << size;
    }
  }
}

// Micro-batches of a rank are added before those of the next: another order of sums than on one rank.
TEST(Ranks, WithMicroBatchesDrawTheSameNumbersAndAddThemRankByRank) {
  const ParamMap sgd{{"optimiser", std::string("sgd")}, {"learning_rate", 0.5}};
  const Graph graph = drawing(sgd, 6);
  TrainingRanks all(2);
  all.session->start(in_micro_batches(graph, 2), "cpu", 1);
  const auto together = checkpoint_of(*all.session), one = alone(in_micro_batches(graph, 4), 1);
  EXPECT_EQ(together->losses, one->losses);
  const auto got = together->states.at("a.weight").to_f64(), expected = one->states.at("a.weight").to_f64();
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
}

void wait_for_step(Session& session, uint64_t step) {
  while (session.snapshot()->step < step && session.snapshot()->state == RunState::running)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(Ranks, PauseAndStopAtOneStep) {
  const Graph graph = drawing({}, 6);
  TrainingRanks all(3);
  const auto expect_all_at = [&](uint64_t step) {
    for (uint64_t r = 0; r < 3; ++r) EXPECT_EQ(all.ranks.steps(r), step) << "rank " << r;
  };
  all.session->start(graph, "cpu", 1'000'000, true);
  all.session->wait();
  expect_all_at(0);
  all.session->resume();
  for (const bool stops : {false, true}) {
    while (all.session->snapshot()->state != RunState::running) std::this_thread::yield();
    wait_for_step(*all.session, all.session->snapshot()->step + 3);
    stops ? all.session->stop() : all.session->pause();
    all.session->wait();
    const auto s = all.session->snapshot();
    EXPECT_EQ(s->state, stops ? RunState::idle : RunState::paused);
    expect_all_at(s->step);
    if (!stops) all.session->resume();
  }
  const auto stopped = checkpoint_of(*all.session);
  expect_same(*stopped, *alone(edited(in_micro_batches(graph, 3), {}), stopped->step));
}

TEST(Ranks, FollowLiveParametersAndEditsOfStructure) {
  const Graph graph = drawing({{"optimiser", std::string("sgd")}}, 6);
  const Graph faster = edited(graph, {SetParam{"train", "learning_rate", 0.3}});
  const Graph other = edited(faster, {SetParam{"drop", "p", 0.25}});
  const auto train = [&](Session& session, uint64_t parts) {
    session.start(in_micro_batches(graph, parts), "cpu", 2);
    session.wait();
    for (const Graph& next : {faster, other}) {
      session.update_graph(in_micro_batches(next, parts));
      session.start(in_micro_batches(next, parts), "cpu", 2);
      session.wait();
    }
    return checkpoint_of(session);
  };
  TrainingRanks all(2);
  Session one(std::make_shared<test::QuadAssets>(), nullptr);
  expect_same(*train(*all.session, 1), *train(one, 2));
}

TEST(Ranks, GoOnFromACheckpoint) {
  const Graph graph = test::small_texture(kAll);
  const auto whole = alone(in_micro_batches(graph, 2), 8);
  std::shared_ptr<const Checkpoint> half;
  {
    TrainingRanks all(2);
    all.session->start(graph, "cpu", 8, true);
    for (int step = 0; step < 4; ++step) {
      all.session->step_once();
      all.session->wait();
    }
    half = checkpoint_of(*all.session);
    EXPECT_EQ(half->step, 4u);
  }
  TrainingRanks all(2);
  all.session->load_checkpoint(half);
  all.session->start(graph, "cpu");
  const auto again = checkpoint_of(*all.session);
  EXPECT_EQ(again->step, 8u);
  expect_same(*again, *whole);
}

TEST(Ranks, EndTogetherWhereOneFails) {
  const Graph graph = drawing({}, 6);
  const auto fails = std::make_shared<std::atomic<test::Fails>>(test::Fails::never);
  TrainingRanks all(3, [&](const std::string&) -> Result<std::shared_ptr<Device>> {
    return std::shared_ptr<Device>(std::make_shared<test::ThrowingDevice>(fails));
  });
  Session& session = *all.session;
  session.start(graph, "cpu", 6, true);
  for (int step = 0; step < 3; ++step) {
    session.step_once();
    session.wait();
  }
  for (const test::Fails how : {test::Fails::run_throws, test::Fails::run_refuses, test::Fails::compile_refuses}) {
    if (how == test::Fails::compile_refuses) session.update_graph(edited(graph, {SetParam{"drop", "p", 0.25}}));
    *fails = how;
    session.step_once();
    session.wait();
    const auto failed = session.snapshot();
    ASSERT_EQ(failed->state, RunState::failed);
    EXPECT_THAT(failed->error->reason, testing::HasSubstr("planted"));
    EXPECT_THAT(failed->error->reason, testing::HasSubstr("rank 2"));
    EXPECT_EQ(failed->step, 3u) << "no rank updates";
    *fails = test::Fails::never;
  }
  session.update_graph(graph);
  session.start(graph, "cpu", 3);
  const auto mended = checkpoint_of(session);
  EXPECT_EQ(mended->step, 6u);
  expect_same(*mended, *alone(in_micro_batches(graph, 3), 6));
}

TEST(Ranks, EndWhileTheyTrain) {
  TrainingRanks all(2);
  all.session->start(drawing({}, 6), "cpu", 1'000'000);
  while (all.session->snapshot()->step < 2 && all.session->snapshot()->state != RunState::failed)
    std::this_thread::yield();
  EXPECT_EQ(all.session->snapshot()->state, RunState::running);
}

TEST(Ranks, KeepTheRunningStatisticsOfAllParts) {
  const Graph graph = test::built(
      {AddNode{node("x", "random", {{"shape", std::vector<double>{4, 2, 3, 3}}, {"axes", std::string("N C H W")}})},
       AddNode{node("conv", "conv2d", {{"out_channels", int64_t{3}}})}, AddNode{node("norm", "batch_norm")},
       AddNode{node("sin", "sin")}, AddNode{node("mean", "mean")}, AddNode{node("train", "train")},
       AddLink{link("x.y", "conv.x")}, AddLink{link("conv.y", "norm.x")}, AddLink{link("norm.y", "sin.x")},
       AddLink{link("sin.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
  TrainingRanks all(2);
  all.session->start(graph, "cpu", 4);
  expect_same(*checkpoint_of(*all.session), *alone(in_micro_batches(graph, 2), 4));
  // Whatever order the gradients are added in: of several micro-batches a rank, too.
  TrainingRanks twice(2);
  twice.session->start(in_micro_batches(graph, 2), "cpu", 1);
  const auto together = checkpoint_of(*twice.session), one = alone(in_micro_batches(graph, 4), 1);
  size_t statistics = 0;
  for (const auto& [name, state] : together->states) {
    if (name.find("running") == name.npos) continue;
    ++statistics;
    EXPECT_EQ(state.to_f64(), one->states.at(name).to_f64()) << name;
  }
  EXPECT_EQ(statistics, 2u);
}

}  // namespace
}  // namespace hw::ranks_test
