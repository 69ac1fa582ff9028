// Whoever evaluates a graph looks for room first: what does not fit is refused before it is taken.
#include <gtest/gtest.h>

#include "engine/compare/dump_comparison.h"
#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/devices/devices.h"
#include "engine/evaluate/evaluation.h"
#include "engine/field/node_evaluator.h"
#include "engine/gradient/jacobian.h"
#include "engine/rewrite/equivalence.h"
#include "engine/train/split_metrics.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {
namespace {

const SocketRef kLarge{"large", "y"};

/// "large" is the mean of a sum of parameters of 1 GiB each, more than the machine has.
Graph larger_than_memory() {
  Edits edits;
  std::string sum;
  for (size_t i = 0; i < (machine_memory() >> 30) + 2; ++i) {
    const std::string id = "p" + std::to_string(i), add = "add" + std::to_string(i);
    edits.push_back(AddNode{node(id, "parameter", {{"shape", std::vector<double>{1 << 28}}})});
    if (!sum.empty()) {
      edits.push_back(AddNode{node(add, "add")});
      edits.push_back(AddLink{link(sum, add + ".a")});
      edits.push_back(AddLink{link(id + ".y", add + ".b")});
    }
    sum = sum.empty() ? id + ".y" : add + ".y";
  }
  edits.push_back(AddNode{node("large", "mean")});
  edits.push_back(AddLink{link(sum, "large.x")});
  return built(edits);
}

template <class T>
void expect_refused(const T& result) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, codes::out_of_memory) << result.error().text();
  EXPECT_NE(result.error().reason.find("is free"), std::string::npos) << result.error().reason;
}

TEST(MemoryRefused, ByAnEvaluation) {
  QuadAssets assets;
  auto made = Evaluation::make(larger_than_memory(), std::span(&kLarge, 1), assets, *make_device("cpu"));
  ASSERT_TRUE(made) << made.error().text();
  expect_refused(made->set_weights(nullptr, 0));
  expect_refused(made->set_weights(nullptr, 0));
  const auto node = NodeEvaluator::make(larger_than_memory(), {"large"}, assets, *make_device("cpu"));
  ASSERT_TRUE(node) << node.error().text();
  expect_refused((*node)->evaluate(nullptr, 0));
}

TEST(MemoryRefused, ByAComparisonWithADump) {
  QuadAssets assets;
  const Dump dump{{"large", Tensor::zeros(DType::f32, {})}};
  expect_refused(compare_with_dump(larger_than_memory(), assets, *make_device("cpu"), dump, {}));
}

TEST(MemoryRefused, ByTheProofOfARewrite) {
  QuadAssets assets;
  const Graph graph = larger_than_memory();
  const auto cpu = *make_device("cpu");
  const SameOutput same[]{{kLarge, kLarge}};
  expect_refused(check_equivalence(graph, {}, graph, {}, {}, same, assets, *cpu, {}));
  expect_refused(initial_weights(graph, std::span(&kLarge, 1), assets, *cpu, 0));
}

TEST(MemoryRefused, ByAJacobian) {
  QuadAssets assets;
  expect_refused(jacobian(larger_than_memory(), "large", assets, {}));
}

TEST(MemoryRefused, ByMetricsOfASplit) {
  Graph graph = larger_than_memory();
  ASSERT_TRUE(apply_edits(
      graph,
      {AddNode{
           node("data", "dataset_source",
                {{"path", std::string("any")}, {"sample", std::vector<double>{1, 5, 2}}, {"classes", int64_t{10}}})},
       AddNode{node("batch", "batch", {{"batch_size", int64_t{4}}})},
       AddNode{node("flat", "reshape", {{"shape", std::vector<double>{-1, 10}}})}, AddNode{node("scores", "add")},
       AddNode{node("right", "accuracy")}, AddLink{link("data.data", "batch.data")}, AddLink{link("batch.x", "flat.x")},
       AddLink{link("flat.y", "scores.a")}, AddLink{link("large.y", "scores.b")},
       AddLink{link("scores.y", "right.logits")}, AddLink{link("batch.labels", "right.labels")}}));
  QuadAssets assets;
  const std::shared_ptr<Device> cpu = *make_device("cpu");
  const std::shared_ptr<States> none = *cpu->prepare_states({}, nullptr, 0, nullptr);
  std::vector<std::string> notes;
  expect_refused(SplitMetrics::make(graph, "train", Split::test, cpu, assets, none, notes));
}

}  // namespace
}  // namespace hw::test
