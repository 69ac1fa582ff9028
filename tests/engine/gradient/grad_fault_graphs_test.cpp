// Planted faults in larger graphs: with residuals, and where many derivatives are taken at kinks.
#include <gmock/gmock.h>

#include "engine/gradient/grad_check.h"
#include "engine/graph/edit.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"
#include "tests/engine/quad_subject.h"
#include "tests/engine/spoiler.h"

namespace hw::grad_fault_graphs_test {
namespace {

using test::link;
using test::node;
using test::Spoiler;

/// x → linear → position embedding → Dropout → a transformer block with residuals → MSE.
GradSubject transformer_block() {
  const std::vector<double> shape{2, 3, 4};
  const auto random = [&](const std::string& id) {
    return AddNode{node(id, "random", {{"shape", shape}, {"axes", std::string("batch seq hidden")}})};
  };
  const auto linear = [](const std::string& id, int64_t size) {
    return AddNode{node(id, "linear", {{"out_features", size}})};
  };
  Graph graph;
  const auto applied = apply_edits(graph, {random("x"),
                                           random("target"),
                                           linear("embed", 4),
                                           AddNode{node("place", "position_embedding", {{"scale", 0.5}})},
                                           AddNode{node("dropout", "dropout", {{"p", 0.25}})},
                                           AddNode{node("norm_a", "layer_norm")},
                                           AddNode{node("attention", "attention", {{"heads", int64_t{2}}})},
                                           AddNode{node("sum_a", "add")},
                                           AddNode{node("norm_b", "rms_norm")},
                                           linear("up", 6),
                                           AddNode{node("gelu", "gelu")},
                                           linear("down", 4),
                                           AddNode{node("sum_b", "add")},
                                           AddNode{node("mse", "mse")},
                                           AddNode{node("train", "train")},
                                           AddLink{link("x.y", "embed.x")},
                                           AddLink{link("embed.y", "place.x")},
                                           AddLink{link("place.y", "dropout.x")},
                                           AddLink{link("dropout.y", "norm_a.x")},
                                           AddLink{link("norm_a.y", "attention.x")},
                                           AddLink{link("dropout.y", "sum_a.a")},
                                           AddLink{link("attention.y", "sum_a.b")},
                                           AddLink{link("sum_a.y", "norm_b.x")},
                                           AddLink{link("norm_b.y", "up.x")},
                                           AddLink{link("up.y", "gelu.x")},
                                           AddLink{link("gelu.y", "down.x")},
                                           AddLink{link("sum_a.y", "sum_b.a")},
                                           AddLink{link("down.y", "sum_b.b")},
                                           AddLink{link("sum_b.y", "mse.prediction")},
                                           AddLink{link("target.y", "mse.target")},
                                           AddLink{link("mse.loss", "train.loss")}});
  EXPECT_TRUE(applied) << applied.error().text();
  return test::subject_of(graph);
}

// The sign of each instruction of the backward pass in turn. Where a wire's gradients are added up, the sum belongs to
// no reader alone: all of them are named.
TEST(GradFault, EachInstructionOfATransformerBlockIsPinnedToItsNode) {
  const GradSubject clean = transformer_block();
  const auto right = check_gradients(clean, {});
  ASSERT_TRUE(right) << right.error().text();
  EXPECT_TRUE(right->passed());
  std::map<std::string, size_t> pinned;
  for (size_t k = 0; k < clean.program->instrs.size(); ++k) {
    const Instr& instr = clean.program->instrs[k];
    const std::string& at = clean.program->nodes[instr.node];
    if (!instr.backward || at == "mse" || at == "train") continue;
    auto program = std::make_shared<Program>(*clean.program);
    Spoiler(*program, k).multiply(-1);
    GradSubject spoiled = clean;
    spoiled.program = program;
    const auto report = check_gradients(spoiled, {});
    ASSERT_TRUE(report) << report.error().text();
    const std::string what = std::string(info(instr.op).name) + " " + std::to_string(k) + " of " + at;
    const bool is_sum = instr.op == Op::add && report->suspects.size() > 1;
    if (is_sum) {
      EXPECT_THAT(report->suspects, testing::Contains(at)) << what;
    } else {
      EXPECT_THAT(report->suspects, testing::ElementsAre(at)) << what;
    }
    ++pinned[at];
  }
  EXPECT_EQ(pinned.size(), 9u) << "every node between x and the loss, but the sums, which only hand on";
  EXPECT_GE(pinned["attention"], 12u);
}

// Half of what the pool reads is 0, and equal numbers are kinks: a wrong adjoint is still distinguished from them.
TEST(GradFault, AmongKinksAFaultIsFound) {
  Graph graph;
  const auto applied =
      apply_edits(graph, {AddNode{node("data", "dataset_source",
                                       {{"path", std::string("digits")}, {"sample", std::vector<double>{1, 8, 8}}})},
                          AddNode{node("batch", "batch", {{"batch_size", int64_t{2}}})},
                          AddNode{node("conv", "conv2d", {{"out_channels", int64_t{2}}})},
                          AddNode{node("relu", "relu")},
                          AddNode{node("pool", "max_pool")},
                          AddNode{node("mean", "global_avg_pool")},
                          AddNode{node("flat", "flatten")},
                          AddNode{node("last", "linear", {{"out_features", int64_t{10}}})},
                          AddNode{node("loss", "cross_entropy")},
                          AddNode{node("train", "train")},
                          AddLink{link("data.data", "batch.data")},
                          AddLink{link("batch.x", "conv.x")},
                          AddLink{link("conv.y", "relu.x")},
                          AddLink{link("relu.y", "pool.x")},
                          AddLink{link("pool.y", "mean.x")},
                          AddLink{link("mean.y", "flat.x")},
                          AddLink{link("flat.y", "last.x")},
                          AddLink{link("last.y", "loss.logits")},
                          AddLink{link("batch.labels", "loss.labels")},
                          AddLink{link("loss.loss", "train.loss")}});
  ASSERT_TRUE(applied) << applied.error().text();
  test::QuadAssets assets;
  auto subject = grad_subject(graph, assets);
  ASSERT_TRUE(subject) << subject.error().text();
  const auto clean = check_gradients(*subject, {});
  ASSERT_TRUE(clean) << clean.error().text();
  EXPECT_TRUE(clean->passed());
  size_t kinks = 0;
  for (const GradResult& r : clean->results) kinks += r.verdict == GradVerdict::kink;
  EXPECT_GT(kinks, 0u);
  for (const double factor : {0.0, 1.01}) {
    GradSubject spoiled = *subject;
    auto program = std::make_shared<Program>(*subject->program);
    for (size_t k = 0; k < program->instrs.size(); ++k) {
      Spoiler spoiler(*program, k);
      if (spoiler.is(Op::max_pool_grad)) spoiler.multiply(factor);
    }
    spoiled.program = program;
    const auto report = check_gradients(spoiled, {});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_THAT(report->suspects, testing::ElementsAre("pool")) << factor;
  }
}

}  // namespace
}  // namespace hw::grad_fault_graphs_test
