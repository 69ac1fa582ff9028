// Parity and determinism train as a session does, also where the parts of a step must know of each other.
#include <gmock/gmock.h>

#include <algorithm>

#include "engine/compare/determinism.h"
#include "engine/compare/parity.h"
#include "engine/devices/devices.h"
#include "engine/plan/training_plan.h"
#include "tests/engine/batch_parts.h"
#include "tests/engine/faulty_device.h"

namespace hw::part_sums_test {
namespace {

using test::link;
using test::node;

/// Cross entropy over the samples whose label is not 0, in four micro-batches that have other numbers of them.
Graph counted() {
  return test::in_parts(
      test::classifier({AddNode{node("loss", "cross_entropy", {{"ignores", true}, {"ignore_index", int64_t{0}}})},
                        AddLink{link("scores.y", "loss.logits")}, AddLink{link("batch.labels", "loss.labels")},
                        AddLink{link("loss.loss", "train.loss")}},
                       {{"schedule", std::string("cosine")}}),
      2, 4);
}

bool is_part_sum(const std::string& name) {
  return name.ends_with(kPartSum);
}

ParityReport compared(const Graph& graph, const ParityDevice& b) {
  test::QuadAssets assets;
  auto report = parity(graph, assets, *parity_device("ref"), b, {});
  EXPECT_TRUE(report) << report.error().text();
  return *std::move(report);
}

TEST(PartSums, ParityTrainsAsASession) {
  const Graph graph = counted();
  const ParityReport report = compared(graph, *parity_device("cpu"));
  EXPECT_TRUE(report.agrees());
  EXPECT_GT(std::ranges::count_if(report.items, [](const ParityItem& i) { return is_part_sum(i.name); }), 0);
  const auto trained = test::trained(graph);
  ASSERT_EQ(report.losses.size(), trained->losses->size());
  for (size_t step = 0; step < report.losses.size(); ++step)
    EXPECT_FLOAT_EQ(static_cast<float>(report.losses[step].second), (*trained->losses)[step]) << step;
}

TEST(PartSums, ParityPinsOneThatIsLost) {
  const Graph graph = counted();
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets, true, true, 1, {}, true);
  ASSERT_TRUE(plan);
  ASSERT_FALSE(plan->part_sums.empty());
  const Program& sums = *plan->part_sums.front().program;
  size_t at = 0;
  while (!test::applies(test::Fault::lost_update, sums, sums.instrs[at])) ++at;
  const ParityReport report = compared(graph, {"faulty", test::faulty_device(test::Fault::lost_update, at), 0});
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.items[*report.first].name, plan->part_sums.front().sums.front().first);
  EXPECT_EQ(report.step, 0u);
  EXPECT_EQ(report.pass, 0u);
}

TEST(PartSums, AreComparedAtAllNumbersOfThreads) {
  test::QuadAssets assets;
  DeterminismOptions options;
  options.threads = {1, 3};
  const auto report = check_determinism(counted(), assets, *make_device("cpu"), options);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_TRUE(report->deterministic());
  const auto sum = std::ranges::find_if(report->items, [](const DeterminismItem& i) { return is_part_sum(i.name); });
  const auto update = std::ranges::find_if(
      report->items, [](const DeterminismItem& i) { return i.pass == Pass::update && !is_part_sum(i.name); });
  ASSERT_NE(sum, report->items.end());
  EXPECT_LT(sum - report->items.begin(), update - report->items.begin()) << "in the order they are computed";
}

}  // namespace
}  // namespace hw::part_sums_test
