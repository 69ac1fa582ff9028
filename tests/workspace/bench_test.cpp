// bench: what it measures for a caller without a command line, with threads of its own, and that it can be stopped.
#include "app/workspace/bench.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::workspace {
namespace {

BenchRequest texture_steps() {
  BenchRequest request;
  request.graph = test::texture_for(40);
  request.assets = std::make_shared<test::QuadAssets>();
  request.device = *make_device("cpu");
  request.train = true;
  request.runs = 3;
  return request;
}

TEST(Bench, MeasuresStepsOnThreadsOfItsOwn) {
  const int before = thread_count();
  BenchRequest request = texture_steps();
  request.threads = before + 1;
  const auto report = bench(request);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->threads, before + 1);
  EXPECT_EQ(thread_count(), before);
  EXPECT_EQ(report->ms.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(report->ms));
  EXPECT_GT(report->median_ms(), 0);
  EXPECT_GT(report->batch, 0);
  EXPECT_GT(report->products_per_second, 0);
  EXPECT_TRUE(std::ranges::is_sorted(report->nodes, std::greater(), &BenchNode::ms));
  EXPECT_TRUE(std::ranges::any_of(report->nodes, [](const BenchNode& n) { return n.node == "mlp" && n.floor_ms > 0; }));
}

TEST(Bench, IsStopped) {
  const std::atomic<bool> stop{true};
  BenchRequest request = texture_steps();
  request.cancel = &stop;
  const auto report = bench(request);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, codes::cancelled);
}

TEST(Bench, MeasuresRunsOfWires) {
  BenchRequest request = texture_steps();
  request.train = false;
  request.wires = {{"mlp", "y"}};
  int shown = 0;
  request.progress = [&](double share, const std::string&) {
    EXPECT_GT(share, 0);
    EXPECT_LE(share, 1);
    ++shown;
  };
  const auto report = bench(request);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->ms.size(), 3u);
  EXPECT_TRUE(std::ranges::any_of(report->nodes, [](const BenchNode& n) { return n.node == "mlp"; }));
  EXPECT_LE(shown, 5) << "two runs that warm up, and three that are measured";
}

}  // namespace
}  // namespace hw::workspace
