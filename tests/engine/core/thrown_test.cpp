// What is thrown while a graph runs ends as a failed run with a reason; the session and its weights live.
#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/checkpoint/checkpoint_writer.h"
#include "engine/train/session.h"
#include "tests/engine/failing_memory.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/quad_assets.h"
#include "tests/engine/throwing_device.h"

namespace hw {
namespace {

Graph small_graph() {
  return test::built({AddNode{test::node("x", "random", {{"shape", std::vector<double>{64, 3}}})},
                      AddNode{test::node("mlp", "mlp", {{"width", int64_t{8}}, {"hidden_layers", int64_t{1}}})},
                      AddNode{test::node("mean", "mean")}, AddNode{test::node("train", "train")},
                      AddLink{test::link("x.y", "mlp.x")}, AddLink{test::link("mlp.y", "mean.x")},
                      AddLink{test::link("mean.y", "train.loss")}});
}

TEST(Thrown, BecomesAnError) {
  const auto of = [](auto&& work) { return guarded(std::forward<decltype(work)>(work)); };
  EXPECT_EQ(*of([]() -> Result<int> { return 3; }), 3);
  EXPECT_EQ(of([]() -> Status { throw std::bad_alloc(); }).error().code, codes::out_of_memory);
  EXPECT_EQ(of([]() -> Status { throw std::length_error("vector"); }).error().code, codes::out_of_memory);
  const Status odd = of([]() -> Status { throw std::runtime_error("a thing"); });
  EXPECT_EQ(odd.error().code, codes::unsupported);
  EXPECT_NE(odd.error().reason.find("a thing"), std::string::npos);
  EXPECT_EQ(of([]() -> Status { throw 7; }).error().code, codes::unsupported);
}

using test::Fails;
using test::ThrowingDevice;

TEST(Thrown, WhereAnotherExecutableCannotBeMadeTheRunFailsAndTheNextGoesOn) {
  for (const Fails how : {Fails::compile_throws, Fails::compile_refuses}) {
    const auto fails = std::make_shared<std::atomic<Fails>>(Fails::never);
    Session session(std::make_shared<test::QuadAssets>(), nullptr,
                    [&](const std::string&) -> Result<std::shared_ptr<Device>> {
                      return std::shared_ptr<Device>(std::make_shared<ThrowingDevice>(fails));
                    });
    const Graph graph = small_graph();
    session.start(graph, "cpu", 3, true);
    session.step_once();
    session.wait();
    session.inspect("mlp");
    session.wait();
    *fails = how;
    session.step_once();
    session.wait();
    const auto failed = session.snapshot();
    EXPECT_EQ(failed->state, RunState::failed);
    ASSERT_TRUE(failed->error);
    EXPECT_NE(failed->error->reason.find("planted"), std::string::npos) << failed->error->text();
    *fails = Fails::never;
    session.start(graph, "cpu", 2);
    session.wait();
    EXPECT_EQ(session.snapshot()->state, RunState::finished);
    EXPECT_EQ(session.snapshot()->step, 3u) << "weights and step are kept";
  }
}

TEST(Thrown, InAStepFailsTheRunAndTheNextGoesOn) {
  const auto fails = std::make_shared<std::atomic<Fails>>(Fails::never);
  Session session(std::make_shared<test::QuadAssets>(), nullptr,
                  [&](const std::string&) -> Result<std::shared_ptr<Device>> {
                    return std::shared_ptr<Device>(std::make_shared<ThrowingDevice>(fails));
                  });
  const Graph graph = small_graph();
  session.start(graph, "cpu", 3);
  session.wait();
  ASSERT_EQ(session.snapshot()->state, RunState::finished);
  *fails = Fails::run_throws;
  session.start(graph, "cpu", 2);
  session.wait();
  const auto failed = session.snapshot();
  EXPECT_EQ(failed->state, RunState::failed);
  ASSERT_TRUE(failed->error);
  EXPECT_NE(failed->error->reason.find("planted"), std::string::npos) << failed->error->text();
  EXPECT_EQ(failed->error->where, "train");
  EXPECT_EQ(failed->step, 3u);
  *fails = Fails::never;
  session.start(graph, "cpu", 2);
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::finished);
  EXPECT_EQ(session.snapshot()->step, 5u) << "weights and step are kept";
}

// Allocations of a whole short run in turn, and several that fail together, as when memory is really gone. From 128
// bytes on: libstdc++ 12 destroys what is not there when copying a variant of strings and vectors throws.
TEST(Thrown, AFailingAllocationAnywhereFailsTheRun) {
  // Without products: what a library does when its own allocations fail is not ours.
  const Graph graph =
      test::built({AddNode{test::node("x", "parameter", {{"shape", std::vector<double>{64, 3}}})},
                   AddNode{test::node("sin", "sin")}, AddNode{test::node("mean", "mean")},
                   AddNode{test::node("train", "train")}, AddLink{test::link("x.y", "sin.x")},
                   AddLink{test::link("sin.y", "mean.x")}, AddLink{test::link("mean.y", "train.loss")}});
  const auto assets = std::make_shared<test::QuadAssets>();
  const auto run = [&](uint64_t first, uint64_t count) {
    Session session(assets, nullptr);
    uint64_t seen = 0;
    {
      const test::FailingMemory memory(first, count, 128);
      session.start(graph, "cpu", 2);
      session.wait();
      seen = memory.seen();
    }
    const auto s = session.snapshot();
    const bool failed = s->state == RunState::failed;
    EXPECT_TRUE(failed || s->state == RunState::finished) << name(s->state) << " at " << first;
    if (failed) {
      if (!s->error) return ADD_FAILURE() << "no error at " << first, seen;
      EXPECT_EQ(s->error->code, codes::out_of_memory) << s->error->text();
      EXPECT_GT(s->error->reason.size(), 10u);
    }
    // Whatever it was, the session lives.
    session.start(graph, "cpu", 1);
    session.wait();
    EXPECT_EQ(session.snapshot()->state, RunState::finished)
        << first << ": " << (session.snapshot()->error ? session.snapshot()->error->text() : "");
    return seen;
  };
  const uint64_t all = run(~uint64_t{0} >> 1, 1);
  ASSERT_GT(all, 100u);
  size_t tried = 0;
  const uint64_t stride = std::max<uint64_t>(1, all / 700);
  for (uint64_t first = 1; first <= all && !testing::Test::HasFailure(); first += stride, ++tried) run(first, 1);
  for (uint64_t first = 1; first <= all && !testing::Test::HasFailure(); first += 23 * stride, ++tried) run(first, 40);
  std::printf("%zu runs with failing allocations, of %llu\n", tried, static_cast<unsigned long long>(all));
}

TEST(Thrown, ByACheckpointIsReportedByItsWriter) {
  const test::TempFolder folder;
  CheckpointWriter writer(folder.path(), 0);
  auto checkpoint = std::make_shared<Checkpoint>();
  checkpoint->step = 1;
  checkpoint->graph = small_graph();
  checkpoint->states.emplace("x", Tensor::zeros(DType::f32, {100}));
  Status status = ok();
  {
    const test::FailingMemory memory(5, 1'000'000);
    writer.write(checkpoint);
    status = writer.finish();
  }
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, codes::out_of_memory);
}

}  // namespace
}  // namespace hw
