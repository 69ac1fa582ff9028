// parallel_for: each index once, at every thread count, nested, and from several threads at once.
#include "engine/core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
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
  // From a nested call, through the body.
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

TEST_F(ParallelFor, visits_every_task_once) {
  for (int threads : {1, 2, 5}) {
    for (int64_t count : {0, 1, 2, 40}) {
      std::mutex mutex;
      std::vector<int64_t> begun;
      std::atomic<int> inside{0};
      parallel_tasks(count, threads, [&](int64_t i) {
        EXPECT_LE(++inside, threads);
        {
          const std::lock_guard lock(mutex);
          begun.push_back(i);
        }
        --inside;
      });
      EXPECT_EQ(begun.size(), static_cast<size_t>(count));
      std::ranges::sort(begun);
      for (size_t k = 0; k < begun.size(); ++k) EXPECT_EQ(begun[k], static_cast<int64_t>(k));
    }
  }
}

// Each waits for the other, and for the pool, which another thread has meanwhile.
TEST_F(ParallelFor, tasks_run_beside_the_pool) {
  set_thread_count(2);
  std::atomic<int> inside{0};
  std::atomic<bool> served{false};
  const auto wait = [](const auto& done) {
    for (int spin = 0; !done() && spin < 5000; ++spin) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(done());
  };
  std::thread other([&] {
    wait([&] { return inside == 2; });
    parallel_for(2, [](int64_t) {});
    served = true;
  });
  parallel_tasks(2, 2, [&](int64_t) {
    ++inside;
    wait([&] { return inside == 2 && served; });
    const auto self = std::this_thread::get_id();
    parallel_for(5, [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
  });
  other.join();
}

TEST_F(ParallelFor, says_how_many_threads_a_call_could_use) {
  set_thread_count(3);
  EXPECT_EQ(usable_threads(), 3);
  parallel_for(4, [](int64_t) { EXPECT_EQ(usable_threads(), 1); });
  parallel_for(1, [](int64_t) { EXPECT_EQ(usable_threads(), 3); });
  parallel_tasks(4, 2, [](int64_t) { EXPECT_EQ(usable_threads(), 1); });
  parallel_tasks(4, 1, [](int64_t) { EXPECT_EQ(usable_threads(), 3); });
  EXPECT_EQ(usable_threads(), 3);
}

TEST_F(ParallelFor, own_threads_are_those_of_the_thread_that_has_them) {
  set_thread_count(2);
  {
    const OwnThreads own(3);
    EXPECT_EQ(thread_count(), 3);
    EXPECT_EQ(usable_threads(), 3);
    parallel_for(8, [](int64_t) { EXPECT_EQ(thread_count(), 3); });
    parallel_tasks(3, 3, [](int64_t) { EXPECT_EQ(thread_count(), 3); });
    std::thread([] { EXPECT_EQ(thread_count(), 2) << "another thread sees the number"; }).join();
    {
      const OwnThreads one(1);
      EXPECT_EQ(thread_count(), 1);
      const auto self = std::this_thread::get_id();
      parallel_for(8, [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
      const OwnThreads as_it_was(0);
      EXPECT_EQ(thread_count(), 1);
    }
    EXPECT_EQ(thread_count(), 3);
    set_thread_count(4);
    EXPECT_EQ(thread_count(), 4);
    std::vector<std::atomic<int>> seen(1000);
    parallel_for(1000, [&](int64_t i) { ++seen[static_cast<size_t>(i)]; });
    for (auto& s : seen) ASSERT_EQ(s, 1);
    EXPECT_THROW(parallel_for(64, [](int64_t) { throw std::bad_alloc(); }), std::bad_alloc);
  }
  EXPECT_EQ(thread_count(), 2) << "the process has what its threads of their own were given";
}

// Each body waits for all others, the other callers' among them: served one after the other they would never meet.
TEST_F(ParallelFor, callers_with_own_threads_run_at_the_same_time) {
  set_thread_count(2);
  constexpr int kAll = 2 + 3 + 2;
  std::atomic<int> inside{0};
  std::atomic<bool> together{true};
  const auto meet = [&](int threads) {
    parallel_for(threads, [&](int64_t) {
      ++inside;
      for (int spin = 0; inside < kAll && spin < 5000; ++spin)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (inside < kAll) together = false;
    });
  };
  std::vector<std::thread> callers;
  for (const int threads : {2, 3})
    callers.emplace_back([&meet, threads] {
      const OwnThreads own(threads);
      meet(threads);
    });
  meet(2);  // on the threads of the process
  for (auto& c : callers) c.join();
  EXPECT_TRUE(together);
}

TEST_F(ParallelFor, hands_on_what_a_task_throws) {
  for (int threads : {1, 2, 8}) {
    for (int64_t thrower : {0, 5, 9}) {
      const auto body = [&](int64_t i) {
        if (i == thrower) throw std::bad_alloc();
      };
      EXPECT_THROW(parallel_tasks(10, threads, body), std::bad_alloc);
    }
  }
}

}  // namespace
}  // namespace hw
