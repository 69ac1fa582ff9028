// parallel_for: each index once, at every thread count, nested, and from several threads at once.
#include "engine/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace hw {
namespace {

class ParallelFor : public testing::Test {
 protected:
  void TearDown() override { set_thread_count(before_); }
  const int before_ = thread_count();
};

TEST_F(ParallelFor, visits_every_index_once) {
  for (int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(thread_count(), threads);
    for (int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      parallel_for(count, [&](int64_t i) { ++seen[static_cast<size_t>(i)]; });
      for (auto& s : seen) ASSERT_EQ(s, 1);
    }
  }
}

TEST_F(ParallelFor, uses_several_threads) {
  set_thread_count(2);
  std::atomic<int> inside{0};
  std::atomic<bool> together{false};
  parallel_for(2, [&](int64_t) {  // each waits for the other: done only if two threads run
    ++inside;
    for (int spin = 0; inside < 2 && spin < 5000; ++spin) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (inside == 2) together = true;
  });
  EXPECT_TRUE(together);
}

TEST_F(ParallelFor, nested_calls_stay_on_the_thread) {
  set_thread_count(4);
  std::atomic<int> sum{0};
  parallel_for(8, [&](int64_t) {
    const auto self = std::this_thread::get_id();
    parallel_for(5, [&](int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      ++sum;
    });
  });
  EXPECT_EQ(sum, 40);
}

TEST_F(ParallelFor, calls_from_several_threads_do_not_mix) {
  set_thread_count(3);
  std::atomic<int> bad{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<int64_t> sum{0};
        parallel_for(50, [&](int64_t i) { sum += i; });
        if (sum != 1225) ++bad;
      }
    });
  for (auto& c : callers) c.join();
  EXPECT_EQ(bad, 0);
}

// A body that throws on a worker would end the process; on the caller it would leave the pool a dead job.
TEST_F(ParallelFor, hands_on_what_a_body_throws) {
  for (int threads : {1, 2, 8}) {
    set_thread_count(threads);
    for (int64_t count : {1, 2, 1000}) {
      for (int64_t thrower : {int64_t{0}, count / 2, count - 1}) {
        std::atomic<int64_t> called{0};
        const auto body = [&](int64_t i) {
          ++called;
          if (i == thrower) throw std::bad_alloc();
        };
        EXPECT_THROW(parallel_for(count, body), std::bad_alloc);
        EXPECT_LE(called, count);
        std::atomic<int64_t> sum{0};
        parallel_for(100, [&](int64_t i) { sum += i; });  // the pool goes on
        ASSERT_EQ(sum, 4950);
      }
    }
    // All throw: one is handed on.
    EXPECT_THROW(parallel_for(64, [](int64_t i) { throw std::runtime_error(std::to_string(i)); }), std::runtime_error);
  }
  set_thread_count(3);
  // Of a nested call, through the body.
  EXPECT_THROW(parallel_for(4, [](int64_t) { parallel_for(4, [](int64_t) { throw std::bad_alloc(); }); }),
               std::bad_alloc);
  std::atomic<bool> together{false};
  std::atomic<int> inside{0};
  parallel_for(2, [&](int64_t) {  // nested calls of a thread that threw do not stay on it
    ++inside;
    for (int spin = 0; inside < 2 && spin < 5000; ++spin) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (inside == 2) together = true;
  });
  EXPECT_TRUE(together);
}

}  // namespace
}  // namespace hw
