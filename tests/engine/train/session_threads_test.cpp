// Sessions at once, each with threads of its own or on those of the process: the bits of each alone.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::session_threads_test {
namespace {

constexpr int kSteps = 30;

std::unique_ptr<Session> session_with(int threads) {
  return std::make_unique<Session>(std::make_shared<test::QuadAssets>(), nullptr, make_device, one_rank(), threads);
}

/// The losses and weights of a run that has ended.
void expect_same(const RunSnapshot& run, const RunSnapshot& other, int threads) {
  ASSERT_EQ(run.state, RunState::finished) << (run.error ? run.error->text() : "");
  EXPECT_EQ(*run.losses, *other.losses) << threads << " threads";
  ASSERT_EQ(run.weights->size(), other.weights->size());
  for (const auto& [name, tensor] : *other.weights)
    EXPECT_EQ(run.weights->at(name).to_f64(), tensor.to_f64()) << name << ", " << threads << " threads";
}

TEST(SessionThreads, SessionsAtOnceComputeTheBitsOfEachAlone) {
  const int before = thread_count();
  set_thread_count(2);
  std::shared_ptr<const RunSnapshot> alone;
  {
    const auto session = session_with(1);
    session->start(test::texture_for(kSteps), "cpu");
    session->wait();
    alone = session->snapshot();
  }
  ASSERT_EQ(alone->state, RunState::finished) << (alone->error ? alone->error->text() : "");
  ASSERT_EQ(alone->losses->size(), static_cast<size_t>(kSteps));
  const std::vector<int> threads{1, 3, 0, 5, 0};  // 0: those of the process, two callers of its pool
  std::vector<std::unique_ptr<Session>> sessions;
  for (const int count : threads) sessions.push_back(session_with(count));
  for (const auto& session : sessions) session->start(test::texture_for(kSteps), "cpu");
  for (size_t k = 0; k < sessions.size(); ++k) {
    sessions[k]->wait();
    expect_same(*sessions[k]->snapshot(), *alone, threads[k]);
  }
  EXPECT_EQ(thread_count(), 2) << "a session has changed the threads of the process";
  set_thread_count(before);
}

/// How many threads the device is made with: it is made on the thread that trains.
TEST(SessionThreads, ItComputesOnAsManyAsAreAskedFor) {
  const int before = thread_count();
  set_thread_count(2);
  for (const int asked : {0, 1, 3}) {
    int seen = 0;
    const auto devices = [&](const std::string& id) {
      seen = thread_count();
      return make_device(id);
    };
    Session session(std::make_shared<test::QuadAssets>(), nullptr, devices, one_rank(), asked);
    session.start(test::texture_for(2), "cpu");
    session.wait();
    EXPECT_EQ(session.snapshot()->state, RunState::finished);
    EXPECT_EQ(seen, asked == 0 ? 2 : asked);
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace hw::session_threads_test
