// Where numbers stop being finite: every instrument names the place, and none calls it fine.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "engine/compare/dump_comparison.h"
#include "engine/compare/parity.h"
#include "engine/devices/devices.h"
#include "engine/io/asset/assets.h"
#include "engine/plan/lost_numbers.h"
#include "engine/precision/what_if.h"
#include "engine/precision/xray.h"
#include "engine/train/first_bad_value.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::not_finite_test {
namespace {

using test::built;
using test::link;
using test::node;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kF16 = "f16", kF32 = "f32";

Node numbers(const std::string& id, const std::vector<double>& values, const std::string& dtype = kF32) {
  return node(id, "tensor_constant", {{"values", values}, {"dtype", dtype}});
}

XrayReport rayed(const Graph& graph, const XrayOptions& options = {}) {
  test::QuadAssets assets;
  const auto report = xray(graph, assets, options);
  EXPECT_TRUE(report) << report.error().text();
  return report ? *report : XrayReport{};
}

const XrayItem& worst_of(const XrayReport& report) {
  static const XrayItem none;
  EXPECT_TRUE(report.worst);
  return report.worst ? report.items[*report.worst] : none;
}

/// w [values], a parameter that begins with 1, times `values` → `middle` → mean → Train.
Graph trained(const std::vector<double>& values, const Edits& middle, const std::string& last,
              const ParamMap& settings = {}) {
  const auto count = static_cast<double>(values.size());
  Edits edits{AddNode{numbers("x", values)},
              AddNode{node("w", "parameter",
                           {{"shape", std::vector<double>{count}}, {"init", std::string("constant")}, {"scale", 1.0}})},
              AddNode{node("m", "mul")},
              AddNode{node("loss", "mean")},
              AddNode{node("train", "train", settings)},
              AddLink{link("x.y", "m.a")},
              AddLink{link("w.y", "m.b")}};
  edits.insert(edits.end(), middle.begin(), middle.end());
  edits.insert(edits.end(), {AddLink{link(last, "loss.x")}, AddLink{link("loss.y", "train.loss")}});
  return built(edits);
}

std::shared_ptr<const RunSnapshot> ended(const Graph& graph, bool watch, const std::string& inspected = "") {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  if (watch) session.watch(watch_for_bad_values());
  if (!inspected.empty()) session.inspect(inspected);
  session.start(graph, "cpu");
  session.wait();
  return session.snapshot();
}

TEST(LostNumbers, AreThoseBeyondTheRoundingOfAnyNumber) {
  EXPECT_EQ(lost_number_text(1e-8, DType::f16), "1e-08 is 0 in f16");
  EXPECT_EQ(lost_number_text(1e5, DType::f16), "100000 is Inf in f16");
  EXPECT_NE(lost_number_text(1e-7, DType::f16), "") << "subnormal: a bit is left";
  EXPECT_EQ(lost_number_text(0.1, DType::f16), "");
  EXPECT_EQ(lost_number_text(1e-8, DType::f32), "");
  EXPECT_EQ(lost_number_text(1e-8, DType::bf16), "");
  EXPECT_EQ(lost_number_text(0, DType::f16), "");
  EXPECT_EQ(lost_number_text(INFINITY, DType::f16), "") << "asked for";
}

TEST(NotFinite, TheShadowHasConstantsAsTheyWereAskedFor) {
  const Graph graph =
      built({AddNode{node("x", "constant", {{"value", 0.0}, {"shape", std::vector<double>{4}}, {"dtype", kF16}})},
             AddNode{node("n", "expression",
                          {{"source", std::string("in x; y = x + 0.00000001; z = 1 / (x + 0.00000001)")}})},
             AddLink{link("x.y", "n.x")}});
  for (const char* shadow : {"cpu", "ref"}) {
    XrayOptions options;
    options.shadow = shadow;
    const XrayReport report = rayed(graph, options);
    int outputs = 0;
    for (const XrayItem& i : report.items) {
      if (i.node != "n") continue;
      ++outputs;
      EXPECT_THAT(i.causes, Contains("1e-08 is 0 in f16")) << i.name;
      EXPECT_EQ(i.introduced.bits_left, 0) << i.name;
    }
    EXPECT_EQ(outputs, 2) << "y and z";
    const XrayItem& worst = worst_of(report);
    EXPECT_EQ(worst.name, "n.z");
    EXPECT_EQ(worst.introduced.not_finite, 4);
    ASSERT_FALSE(worst.worst_introduced.empty());
    EXPECT_DOUBLE_EQ(worst.worst_introduced.front().reference, 1e8);
  }
}

TEST(NotFinite, AnInfThatAnotherNodesConstantIsCountsForTheNodeThatReadsIt) {
  const Graph graph = built({AddNode{node("k", "constant", {{"value", 1e5}, {"dtype", kF16}})},
                             AddNode{node("k2", "constant", {{"value", 1e-8}, {"dtype", kF16}})},
                             AddNode{node("m", "mul")}, AddLink{link("k.y", "m.a")}, AddLink{link("k2.y", "m.b")}});
  const XrayReport report = rayed(graph);
  const XrayItem& worst = worst_of(report);
  EXPECT_EQ(worst.name, "m.y");
  EXPECT_DOUBLE_EQ(worst.worst_introduced.front().reference, 1e-3);
  EXPECT_THAT(worst.causes, Contains("100000 is Inf in f16"));
  EXPECT_THAT(worst.causes, Contains("1e-08 is 0 in f16"));
}

TEST(NotFinite, TheFirstInfIsWorseThanAllThatComesOfIt) {
  const XrayReport report = rayed(trained(
      {90, 1.1, 2.2, 3.3},
      {AddNode{node("e", "exp")}, AddNode{node("l", "log")}, AddNode{node("y", "mul")}, AddLink{link("m.y", "e.x")},
       AddLink{link("e.y", "l.x")}, AddLink{link("l.y", "y.a")}, AddLink{link("m.y", "y.b")}},
      "y.y"));
  const XrayItem& worst = worst_of(report);
  EXPECT_EQ(worst.name, "e.y");
  EXPECT_EQ(worst.introduced.not_finite, 1);
  EXPECT_EQ(worst.total.bits_left, 0) << "three elements are right";
  EXPECT_EQ(report.remedy, "Keep the inputs of e smaller, or compute it in f64.");
}

TEST(NotFinite, AnOverflowThatLeavesNoInfIsFollowedToWhereItVanishes) {
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{4}}, {"dtype", kF16}})},
             AddNode{node("square", "mul")}, AddNode{node("div", "div")}, AddLink{link("x.y", "square.a")},
             AddLink{link("x.y", "square.b")}, AddLink{link("x.y", "div.a")}, AddLink{link("square.y", "div.b")}});
  XrayOptions options;
  options.given[{"x", "y"}] = Tensor::from_f64(DType::f16, {4}, std::vector<double>{787.5, 2, 1, 0.5});
  const XrayReport report = rayed(graph, options);
  const XrayItem& worst = worst_of(report);
  EXPECT_EQ(worst.name, "square.y");
  ASSERT_FALSE(worst.worst_introduced.empty());
  EXPECT_EQ(worst.worst_introduced.front().index, 0);
  EXPECT_DOUBLE_EQ(worst.worst_introduced.front().reference, 787.5 * 787.5);
  EXPECT_THAT(report.remedy, HasSubstr("square … div"));
  EXPECT_THAT(report.remedy, HasSubstr("div.y is finite again, and wrong"));
  const auto behind = std::ranges::find(report.items, "div.y", &XrayItem::name);
  ASSERT_NE(behind, report.items.end());
  EXPECT_LT(behind->introduced.relative, 1e-3);
  EXPECT_GT(behind->inherited.max_relative, 0.9);
}

TEST(NotFinite, AnEpsilonThatIsZeroIsTheCauseOfTheDivision) {
  const auto s =
      ended(trained({0, 2},
                    {AddNode{node("h", "cast", {{"to", kF16}})},
                     AddNode{node("eps", "expression", {{"source", std::string("in v; y = v + 0.00000001")}})},
                     AddNode{node("d", "div")}, AddNode{node("f", "cast", {{"to", kF32}})}, AddLink{link("m.y", "h.x")},
                     AddLink{link("h.y", "eps.v")}, AddLink{link("h.y", "d.a")}, AddLink{link("eps.y", "d.b")},
                     AddLink{link("d.y", "f.x")}},
                    "f.y"),
            true);
  ASSERT_TRUE(s->bad_value);
  EXPECT_EQ(s->bad_value->node, "d");
  ASSERT_EQ(s->bad_value->causes.size(), 1u);
  EXPECT_EQ(s->bad_value->causes[0].node, "eps");
  EXPECT_EQ(s->bad_value->causes[0].text, "1e-08 is 0 in f16");
  EXPECT_THAT(s->error->reason, HasSubstr("the cause lies before it, in eps: 1e-08 is 0 in f16"));
  EXPECT_THAT(s->error->remedy, HasSubstr("eps"));
}

// sigmoid(-244) is 0 in f32, and has no part in 50 · 1e38.
TEST(NotFinite, WhatWasLostBeforeAnOverflowOfExactNumbersIsNotItsCause) {
  const std::vector<double> row{1, 2}, column{2, 1};
  const auto s =
      ended(trained({-244, 50},
                    {AddNode{node("gate", "sigmoid")}, AddNode{node("silu", "mul")},
                     AddNode{numbers("large", {1e38, 1e38})}, AddNode{node("row", "reshape", {{"shape", row}})},
                     AddNode{node("column", "reshape", {{"shape", column}})}, AddNode{node("y", "matmul")},
                     AddLink{link("m.y", "gate.x")}, AddLink{link("m.y", "silu.a")}, AddLink{link("gate.y", "silu.b")},
                     AddLink{link("silu.y", "row.x")}, AddLink{link("large.y", "column.x")},
                     AddLink{link("row.y", "y.a")}, AddLink{link("column.y", "y.b")}},
                    "y.y"),
            true);
  ASSERT_TRUE(s->bad_value);
  EXPECT_EQ(s->bad_value->node, "y");
  EXPECT_TRUE(s->bad_value->causes.empty());
}

TEST(NotFinite, ACancellationIsTheCauseOfTheLogarithm) {
  // 1 + 1e-8 is 1 in f32: the difference is 0, in f64 1e-8.
  const auto s = ended(
      trained({1e-8, 1},
              {AddNode{numbers("one", {1, 1})}, AddNode{node("up", "add")}, AddNode{node("down", "sub")},
               AddNode{node("log", "log")}, AddLink{link("m.y", "up.a")}, AddLink{link("one.y", "up.b")},
               AddLink{link("up.y", "down.a")}, AddLink{link("one.y", "down.b")}, AddLink{link("down.y", "log.x")}},
              "log.y"),
      true);
  ASSERT_TRUE(s->bad_value);
  EXPECT_EQ(s->bad_value->node, "log");
  ASSERT_EQ(s->bad_value->causes.size(), 1u);
  EXPECT_EQ(s->bad_value->causes[0].node, "down");
  EXPECT_THAT(s->bad_value->causes[0].text, HasSubstr("sub made 0 of 1, 1; f64 makes 9.99"));
}

TEST(NotFinite, AnOpThatIsItselfAtFaultHasNoCauseBeforeIt) {
  const auto s = ended(trained({-1, 2}, {AddNode{node("log", "log")}, AddLink{link("m.y", "log.x")}}, "log.y"), true);
  ASSERT_TRUE(s->bad_value);
  EXPECT_EQ(s->bad_value->node, "log");
  EXPECT_TRUE(s->bad_value->causes.empty());
}

TEST(NotFinite, TheStepThatFailedIsInspected) {
  // x² · w² with a rate that multiplies w: Inf after some steps, which a schedule of the learning rate moves.
  const Graph graph =
      trained({1, 1}, {AddNode{node("s", "mul")}, AddLink{link("m.y", "s.a")}, AddLink{link("m.y", "s.b")}}, "s.y",
              {{"optimiser", std::string("sgd")},
               {"learning_rate", 100.0},
               {"steps", int64_t{100}},
               {"schedule", std::string("cosine")}});
  const auto s = ended(graph, false, "s");
  ASSERT_EQ(s->state, RunState::failed);
  EXPECT_GT(s->step, 1u);
  EXPECT_LT(s->step, 50u);
  ASSERT_TRUE(s->inspection);
  EXPECT_EQ(s->inspection->node, "s");
  EXPECT_EQ(s->inspection->step, s->step) << "0-based: the one after those that are done";
  EXPECT_TRUE(std::isinf(s->inspection->items.front().value.to_f64().front()));
  EXPECT_FALSE(s->inspection->items.front().gradient.empty());
}

TEST(NotFinite, WhatIfGoesOnWhereTheGraphAsItIsFails) {
  const auto half = [](const std::string& dtype) {
    return trained({300, 2},
                   {AddNode{node("h", "cast", {{"to", dtype}})}, AddNode{node("s", "mul")},
                    AddNode{node("f", "cast", {{"to", kF32}})}, AddLink{link("m.y", "h.x")},
                    AddLink{link("h.y", "s.a")}, AddLink{link("h.y", "s.b")}, AddLink{link("s.y", "f.x")}},
                   "f.y", {{"optimiser", std::string("sgd")}, {"learning_rate", 1e-9}});
  };
  test::QuadAssets assets;
  WhatIfOptions options;
  options.steps = 4;
  const auto r = what_if(half(kF16), half("bf16"), assets, options);
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_TRUE(r->base.failed);
  EXPECT_THAT(r->base.failed->reason, HasSubstr("at step 1"));
  EXPECT_FALSE(r->changed.failed);
  EXPECT_TRUE(std::isfinite(r->changed.loss));
  EXPECT_TRUE(std::isfinite(r->changed.held_out_loss));
  EXPECT_EQ(r->loss_rise, -INFINITY);
  const auto back = what_if(half("bf16"), half(kF16), assets, options);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->base.failed);
  EXPECT_TRUE(back->changed.failed);
  EXPECT_EQ(back->loss_rise, INFINITY);
}

TEST(NotFinite, WhatIsNaNThroughoutOnBothSidesIsNotCompared) {
  const Graph chain = built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})},
                             AddNode{node("log", "log")}, AddLink{link("x.y", "log.x")}});
  const auto compared = [&](const std::vector<double>& x) {
    std::vector<double> log;
    for (const double value : x) log.push_back(std::log(value));
    const Dump dump{{"x", Tensor::from_f64(DType::f32, {2, 3}, x)}, {"log", Tensor::from_f64(DType::f32, {2, 3}, log)}};
    FileAssets assets("");
    const auto r = compare_with_dump(chain, assets, *make_device("cpu"), dump, {});
    EXPECT_TRUE(r) << r.error().text();
    return r ? *r : DumpReport{};
  };
  const DumpReport all = compared({-1, -2, -3, -4, -5, -6});
  EXPECT_EQ(all.not_compared, 1u);
  EXPECT_FALSE(all.items.front().is_compared());
  EXPECT_THAT(all.items.front().note, HasSubstr("nothing finite was compared"));
  const DumpReport some = compared({-1, -2, -3, -4, -5, 6});
  EXPECT_EQ(some.not_compared, 0u);
  EXPECT_THAT(some.items.front().note, HasSubstr("5 of 6 elements are NaN or Inf on both sides"));
  EXPECT_TRUE(compared({1, 2, 3, 4, 5, 6}).items.front().note.empty());

  test::QuadAssets assets;
  const auto a = parity_device("ref"), b = parity_device("cpu");
  const auto devices = parity(trained({-1, -2}, {AddNode{node("log", "log")}, AddLink{link("m.y", "log.x")}}, "log.y"),
                              assets, *a, *b, {});
  ASSERT_TRUE(devices) << devices.error().text();
  EXPECT_GT(devices->not_compared(), 0u);
}

}  // namespace
}  // namespace hw::not_finite_test
