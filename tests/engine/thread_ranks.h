// Ranks in one process, one a thread.
#pragma once

#include <gtest/gtest.h>

#include <any>
#include <barrier>
#include <functional>
#include <thread>

#include "engine/devices/devices.h"
#include "engine/train/follower.h"
#include "engine/train/session.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {

/// Says by memory what the ranks say to each other.
class ThreadRanks {
 public:
  explicit ThreadRanks(uint64_t size) : said_(size), steps_(size), everyone_(static_cast<std::ptrdiff_t>(size)) {}
  std::shared_ptr<Communicator> rank(uint64_t rank) { return std::make_shared<Rank>(*this, rank); }
  /// How many steps a rank was ordered to do. While no step is ordered.
  uint64_t steps(uint64_t rank) const { return steps_[rank]; }
  uint64_t size() const { return said_.size(); }

 private:
  class Rank : public Communicator {
   public:
    Rank(ThreadRanks& all, uint64_t rank) : all_(all), rank_(rank) {}
    uint64_t rank() const override { return rank_; }
    uint64_t size() const override { return all_.size(); }
    Result<std::optional<RankOrder>> broadcast(std::optional<RankOrder> order) override {
      const auto orders = all_.exchange(rank_, std::make_shared<const std::optional<RankOrder>>(std::move(order)));
      if (*orders.front()) ++all_.steps_[rank_];
      return *orders.front();
    }
    Result<std::vector<RankReport>> all_gather(RankReport report) override {
      return all_.exchange(rank_, std::move(report));
    }
    Status all_reduce(std::span<Tensor> tensors) override {
      const auto terms = all_.exchange(rank_, std::vector<Tensor>(tensors.begin(), tensors.end()));
      for (size_t k = 0; k < tensors.size(); ++k) {
        tensors[k] = terms.front()[k].clone();
        for (size_t r = 1; r < terms.size(); ++r) add_gradient(tensors[k], terms[r][k]);
      }
      all_.everyone_.arrive_and_wait();  // until then others may read this rank's
      return ok();
    }

   private:
    ThreadRanks& all_;
    const uint64_t rank_;
  };

  /// What all ranks say, by rank.
  template <class T>
  std::vector<T> exchange(uint64_t rank, T mine) {
    said_[rank] = std::move(mine);
    everyone_.arrive_and_wait();
    std::vector<T> all;
    for (const std::any& one : said_) all.push_back(std::any_cast<T>(one));
    everyone_.arrive_and_wait();
    return all;
  }

  std::vector<std::any> said_;
  std::vector<std::atomic<uint64_t>> steps_;
  std::barrier<> everyone_;
};

/// Rank 0's session, and the others on their threads. `session` ends first.
struct TrainingRanks {
  using MakeDevice = std::function<Result<std::shared_ptr<Device>>(const std::string& id)>;
  /// `of_last`: makes the last rank's devices.
  explicit TrainingRanks(uint64_t size, MakeDevice of_last = make_device) : ranks(size) {
    for (uint64_t r = 1; r < size; ++r)
      threads.emplace_back([this, r, devices = r + 1 == size ? of_last : MakeDevice(make_device)] {
        QuadAssets assets;
        const Status followed = follow(ranks.rank(r), assets, devices);
        EXPECT_TRUE(followed) << followed.error().text();
      });
    session.emplace(std::make_shared<QuadAssets>(), nullptr, make_device, ranks.rank(0));
  }
  ~TrainingRanks() {
    session.reset();
    for (std::thread& thread : threads) thread.join();
  }

  ThreadRanks ranks;
  std::vector<std::thread> threads;
  std::optional<Session> session;
};

}  // namespace hw::test
