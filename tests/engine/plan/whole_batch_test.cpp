// Parts of a step give what one batch gives, also where a loss has a count of its own or is no mean of its samples'.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "engine/devices/devices.h"
#include "engine/plan/check_parts.h"
#include "engine/plan/training_plan.h"
#include "engine/train/split_metrics.h"
#include "tests/engine/batch_parts.h"
#include "tests/engine/thread_ranks.h"

namespace hw {
namespace {

using test::link;
using test::node;

using test::classifier;
using test::in_parts;
using test::joined;
using test::kClasses;
using test::kSize;
using test::mean_square;
using test::trained;
using Vector = test::Vector;

Edits ignoring(int64_t label) {
  return {AddNode{node("loss", "cross_entropy", {{"ignores", true}, {"ignore_index", label}})},
          AddLink{link("scores.y", "loss.logits")}, AddLink{link("batch.labels", "loss.labels")},
          AddLink{link("loss.loss", "train.loss")}};
}

void expect_near(const Weights& got, const Weights& want, double tolerance, const std::string& what) {
  for (const auto& [name, tensor] : want) {
    const Vector a = got.at(name).to_f64(), b = tensor.to_f64();
    for (size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << what << " " << name << " " << i;
  }
}

/// A step of softmax regression from zeros, in f64: each kept sample gives (1/3 − [class = label]) x ÷ kept.
Weights by_hand(int64_t ignored) {
  test::QuadAssets assets;
  DatasetSpec spec;
  spec.sample = {kSize};
  spec.classes = kClasses;
  const auto data = *assets.dataset("any", spec);
  Vector weight(kClasses * kSize), bias(kClasses);
  double kept = 0;
  for (int64_t i = 0; i < 8; ++i) kept += data->train.labels.as<int64_t>()[i] != ignored;
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t label = data->train.labels.as<int64_t>()[i];
    if (label == ignored) continue;
    for (int64_t c = 0; c < kClasses; ++c) {
      const double slope = (1.0 / 3 - (c == label ? 1 : 0)) / kept;
      bias[static_cast<size_t>(c)] -= 0.1 * slope;
      for (int64_t k = 0; k < kSize; ++k)
        weight[static_cast<size_t>(c * kSize + k)] -= 0.1 * slope * data->train.x.as<uint8_t>()[i * kSize + k] / 255;
    }
  }
  return {{"scores.weight", Tensor::from_f64(DType::f32, {kClasses, kSize}, weight)},
          {"scores.bias", Tensor::from_f64(DType::f32, {kClasses}, bias)}};
}

std::shared_ptr<const Weights> zeros() {
  return std::make_shared<const Weights>(Weights{{"scores.weight", Tensor::zeros(DType::f32, {kClasses, kSize})},
                                                 {"scores.bias", Tensor::zeros(DType::f32, {kClasses})}});
}

TEST(WholeBatch, WhatDoesNotCountInOnePartCountsInNone) {
  const Weights want = by_hand(0);
  for (const char* device : {"cpu", "ref"}) {
    // Three of the samples have a label that does not count: its loss is no NaN, and adds nothing.
    for (const auto& [rows, parts] : {std::pair(8, 1), std::pair(4, 2), std::pair(2, 4), std::pair(1, 8)}) {
      const auto s = trained(in_parts(classifier(ignoring(0)), rows, parts), device, zeros(), 1);
      expect_near(*s->weights, want, 1e-7, std::string(device) + " in parts of " + std::to_string(rows));
      EXPECT_NEAR(s->loss, std::log(3), 1e-6) << rows;
    }
  }
}

TEST(WholeBatch, RanksCountTogether) {
  const Graph graph = in_parts(classifier(ignoring(0)), 2, 2);
  test::TrainingRanks ranks(2);
  ranks.session->start(graph, "cpu", 3);
  ranks.session->wait();
  const auto several = ranks.session->snapshot();
  ASSERT_EQ(several->state, RunState::finished) << (several->error ? several->error->text() : "");
  const auto alone = trained(in_parts(classifier(ignoring(0)), 2, 4), "cpu", nullptr, 3);
  expect_near(*several->weights, *alone->weights, 1e-7, "ranks");
  expect_near(*alone->weights, *trained(classifier(ignoring(0)), "cpu", nullptr, 3)->weights, 1e-6, "one batch");
}

/// `graph` in eight, four and two parts against one; `stages`: programs that run for all parts first.
void expect_as_one_batch(const std::string& what, const Edits& losses, size_t stages) {
  test::QuadAssets assets;
  const auto plan = plan_training(in_parts(classifier(losses), 2, 4), assets, true, true, 1, {}, true);
  ASSERT_TRUE(plan) << what << ": " << plan.error().text();
  EXPECT_EQ(plan->part_sums.size(), stages) << what;
  const auto one = trained(classifier(losses));
  for (const auto& [rows, parts] : {std::pair(4, 2), std::pair(2, 4), std::pair(1, 8)}) {
    const auto s = trained(in_parts(classifier(losses), rows, parts));
    expect_near(*s->weights, *one->weights, 1e-6, what + " in parts of " + std::to_string(rows));
    EXPECT_NEAR(s->loss, one->loss, 2e-6 * std::max(1.0, std::abs(one->loss))) << what;
  }
}

/// The mean of score², each sample by its first element: Σ x₀ s² / Σ x₀, as people wire a masked mean.
Edits weighted_mean() {
  return {AddNode{node("first", "slice", {{"axis", int64_t{1}}, {"begin", int64_t{0}}, {"end", int64_t{1}}})},
          AddNode{node("square", "mul")},
          AddNode{node("weighted", "mul")},
          AddNode{node("above", "sum")},
          AddNode{node("below", "sum")},
          AddNode{node("mean", "div")},
          AddLink{link("batch.x", "first.x")},
          AddLink{link("scores.y", "square.a")},
          AddLink{link("scores.y", "square.b")},
          AddLink{link("square.y", "weighted.a")},
          AddLink{link("first.y", "weighted.b")},
          AddLink{link("weighted.y", "above.x")},
          AddLink{link("first.y", "below.x")},
          AddLink{link("above.y", "mean.a")},
          AddLink{link("below.y", "mean.b")}};
}

Edits square_mean(const std::string& id, const char* type) {
  return {AddNode{node(id, type)}, AddNode{node(id + "_of", "slice", {{"axis", int64_t{1}}, {"end", kClasses}})},
          AddLink{link("batch.x", id + "_of.x")}, AddLink{link("scores.y", id + ".prediction")},
          AddLink{link(id + "_of.y", id + ".target")}};
}

TEST(WholeBatch, EveryLossThatIsNoMeanOfItsPartsIs) {
  const Edits ends{AddLink{link("end.y", "train.loss")}};
  expect_as_one_batch("a mean", joined({square_mean("mse", "mse"), {AddLink{link("mse.loss", "train.loss")}}}), 0);
  expect_as_one_batch(
      "a sum",
      {AddNode{node("square", "mul")}, AddNode{node("end", "sum")}, AddLink{link("scores.y", "square.a")},
       AddLink{link("scores.y", "square.b")}, AddLink{link("square.y", "end.x")}, AddLink{link("end.y", "train.loss")}},
      0);
  // The sum over a sample's classes is the sample's own, also where there is one sample: (Σ_c s)².
  expect_as_one_batch(
      "squares of each sample's sum",
      {AddNode{node("each", "sum", {{"axes", Vector{1}}})}, AddNode{node("square", "mul")},
       AddNode{node("end", "mean")}, AddLink{link("scores.y", "each.x")}, AddLink{link("each.y", "square.a")},
       AddLink{link("each.y", "square.b")}, AddLink{link("square.y", "end.x")}, AddLink{link("end.y", "train.loss")}},
      0);
  // A sum of one number is that number, which is of all samples already.
  expect_as_one_batch("a sum of a mean",
                      joined({square_mean("mse", "mse"),
                              {AddNode{node("one", "reshape", {{"shape", Vector{1}}})}, AddNode{node("end", "sum")},
                               AddLink{link("mse.loss", "one.x")}, AddLink{link("one.y", "end.x")}},
                              ends}),
                      0);
  expect_as_one_batch(
      "a norm of all",
      {AddNode{node("end", "reduce_l2")}, AddLink{link("scores.y", "end.x")}, AddLink{link("end.y", "train.loss")}}, 1);
  expect_as_one_batch("a masked mean", joined({weighted_mean(), {AddLink{link("mean.y", "train.loss")}}}), 1);
  expect_as_one_batch(
      "a root of a mean",
      joined({square_mean("mse", "mse"), {AddNode{node("end", "sqrt")}, AddLink{link("mse.loss", "end.x")}}, ends}), 1);
  expect_as_one_batch(
      "a product of two",
      joined({square_mean("mse", "mse"),
              square_mean("l1", "l1"),
              {AddNode{node("end", "mul")}, AddLink{link("mse.loss", "end.a")}, AddLink{link("l1.loss", "end.b")}},
              ends}),
      1);
  Edits counted = ignoring(1);
  counted.pop_back();
  expect_as_one_batch(
      "two counts and a mean",
      joined({counted,
              weighted_mean(),
              {AddNode{node("end", "add")}, AddLink{link("loss.loss", "end.a")}, AddLink{link("mean.y", "end.b")}},
              ends}),
      1);
  // The exponential needs the loss of all parts, which needs the count of all parts.
  expect_as_one_batch("a perplexity",
                      joined({counted, {AddNode{node("end", "exp")}, AddLink{link("loss.loss", "end.x")}}, ends}), 2);
}

TEST(WholeBatch, WhatIsReducedOverTheSamplesIsOfAllOfThem) {
  const auto over = [](const char* type, ParamMap params) {
    return Edits{AddNode{node("over", type, std::move(params))}, AddLink{link("scores.y", "over.x")}};
  };
  const ParamMap first{{"axes", Vector{0}}}, kept{{"axes", Vector{0}}, {"keep", true}};
  for (const auto& [type, weight] : {std::pair("sum", 1e-3), std::pair("mean", 1.0), std::pair("reduce_l1", 1e-3),
                                     std::pair("reduce_l2", 1e-2), std::pair("reduce_sum_square", 1e-3)}) {
    expect_as_one_batch(type, joined({over(type, first), mean_square("over.y", weight)}), 1);
    expect_as_one_batch(type, joined({over(type, kept), mean_square("over.y", weight)}), 1);
  }
  for (const ParamMap& axes : {ParamMap{{"correction", int64_t{1}}}, ParamMap{{"correction", int64_t{0}}},
                               ParamMap{{"correction", int64_t{0}}, {"axes", Vector{0}}},
                               ParamMap{{"correction", int64_t{0}}, {"axes", Vector{0}}, {"keep", true}}})
    for (const bool deviation : {false, true}) {
      ParamMap params = axes;
      params["deviation"] = deviation;
      expect_as_one_batch("a variance", joined({over("variance", params), mean_square("over.y")}), 2);
    }
  // A weight's variance is the same in every part.
  expect_as_one_batch(
      "of a weight",
      joined({{AddNode{node("p", "parameter", {{"shape", Vector{5}}})}, AddNode{node("over", "variance")},
               AddNode{node("sum", "add")}, AddLink{link("p.y", "over.x")}},
              square_mean("mse", "mse"),
              {AddLink{link("over.y", "sum.a")}, AddLink{link("mse.loss", "sum.b")},
               AddLink{link("sum.y", "train.loss")}}}),
      0);
}

TEST(WholeBatch, AnEinsumThatSumsTheSamplesSumsAllOfThem) {
  const auto einsum = [](const char* equation) {
    return Edits{AddNode{node("over", "einsum", {{"equation", std::string(equation)}})},
                 AddLink{link("scores.y", "over.a")}, AddLink{link("scores.y", "over.b")}};
  };
  const Edits small{AddNode{node("weight", "constant", {{"value", 1e-2}})}, AddNode{node("end", "mul")},
                    AddLink{link("over.y", "end.a")}, AddLink{link("weight.y", "end.b")},
                    AddLink{link("end.y", "train.loss")}};
  expect_as_one_batch("a number", joined({einsum("nc,nc->"), small}), 0);
  expect_as_one_batch("squares of a number", joined({einsum("nc,nc->"), mean_square("over.y", 1e-4)}), 1);
  expect_as_one_batch("a covariance", joined({einsum("nc,nd->cd"), mean_square("over.y", 1e-3)}), 1);
  expect_as_one_batch("each sample's own", joined({einsum("nc,nc->n"), mean_square("over.y")}), 0);
}

TEST(WholeBatch, WhatIsNoSumOverThePartsIsWarnedOf) {
  const auto warnings = [](const char* type, const ParamMap& params, int64_t parts) {
    Graph graph =
        in_parts(classifier(joined({{AddNode{node("over", type, params)}, AddLink{link("scores.y", "over.x")}},
                                    mean_square("over.y")})),
                 2, parts);
    test::QuadAssets assets;
    const auto found = check_parts(graph, assets);
    for (const Diagnostic& d : found) {
      EXPECT_EQ(d.node + "." + d.socket, "train.accumulate");
      EXPECT_EQ(d.severity, Severity::warning);
      EXPECT_THAT(d.reason, testing::HasSubstr("(over) is over the samples of each of the"));
      EXPECT_TRUE(apply_edits(graph, d.remedies.at(0).edits));
      EXPECT_TRUE(check_parts(graph, assets).empty());
    }
    return found.size();
  };
  for (const char* type : {"reduce_max", "reduce_min", "reduce_prod", "log_sum_exp"}) {
    EXPECT_EQ(warnings(type, {}, 4), 1u) << type;
    EXPECT_EQ(warnings(type, {{"axes", Vector{0}}}, 4), 1u) << type;
    EXPECT_EQ(warnings(type, {{"axes", Vector{-2}}}, 4), 1u) << type;
    EXPECT_EQ(warnings(type, {{"axes", Vector{1}}}, 4), 0u) << type << ": each sample's own";
    EXPECT_EQ(warnings(type, {}, 1), 0u) << type << ": one batch";
  }
  EXPECT_EQ(warnings("variance", {}, 4), 0u) << "it is of the whole step";
}

TEST(WholeBatch, ASplitIsMeasuredAsOneBlock) {
  // Blocks of 500 rows and one of 100; labels below 150, of which one does not count.
  Graph graph = test::built(
      {AddNode{node(
           "data", "dataset_source",
           {{"path", std::string("any")}, {"sample", Vector{150}}, {"classes", int64_t{150}}, {"validation", 0.5}})},
       AddNode{node("batch", "batch", {{"batch_size", int64_t{50}}})},
       AddNode{node("scores", "linear", {{"out_features", int64_t{150}}})},
       AddNode{node("loss", "cross_entropy", {{"ignores", true}, {"ignore_index", int64_t{3}}})},
       AddNode{node("train", "train", {{"steps", int64_t{2}}})}, AddLink{link("data.data", "batch.data")},
       AddLink{link("batch.x", "scores.x")}, AddLink{link("scores.y", "loss.logits")},
       AddLink{link("batch.labels", "loss.labels")}, AddLink{link("loss.loss", "train.loss")}});
  const auto s = trained(graph);
  ASSERT_TRUE(s->measured && s->measured->loss);
  test::QuadAssets assets;
  const SocketRef wanted{"loss", "loss"};
  LowerOptions options;
  options.evaluation_rows = s->measured->samples;
  auto lowered = lower(graph, std::span(&wanted, 1), options, assets);
  ASSERT_TRUE(lowered) << lowered.error().text();
  for (Instr& instr : lowered->program->instrs)
    if (auto* rows = std::get_if<SampleRowsAttr>(&instr.attr)) rows->which = s->measured->split;
  const ValueId loss = std::get<Val>(lowered->sockets.at(wanted)).id;
  lowered->program->outputs.push_back({"loss", loss});
  const auto device = *make_device("ref");
  const auto states = *device->prepare_states(*lowered->program, nullptr, 0, nullptr);
  for (const auto& [name, tensor] : *s->weights) EXPECT_TRUE(states->write(name, tensor));
  const auto executable = *device->compile(lowered->program, states);
  ASSERT_TRUE(executable->run({}));
  EXPECT_GT(s->measured->samples, 500) << "several blocks";
  EXPECT_NEAR(*s->measured->loss, executable->read(loss)->to_f64().front(), 1e-6);
}

}  // namespace
}  // namespace hw
