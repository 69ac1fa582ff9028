// Gradients over a training: their sizes and the updates' are those worked out by hand; what vanishes, explodes or is 0
// on the way to the weights is named with its node.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "engine/instrument/format_rounded.h"
#include "engine/instrument/instrument_report.h"
#include "engine/instrument/instruments.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::gradient_flow_test {
namespace {

using test::link;
using test::node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Off = GradientVerdict::Kind;

std::shared_ptr<const RunSnapshot> trained(const Graph& graph, uint64_t steps, const std::string& device = "cpu",
                                           const Weights& weights = {}, RunState ends = RunState::finished) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.instruments(InstrumentSettings{0.05, 1});
  if (!weights.empty()) session.load_weights(std::make_shared<const Weights>(weights));
  session.start(graph, device, steps);
  session.wait();
  auto last = session.snapshot();
  EXPECT_EQ(last->state, ends) << (last->error ? last->error->text() : "");
  EXPECT_TRUE(last->instruments && last->instruments->gradients);
  return last;
}

GradientSize size_of(const GradientHistory& h, const GradientLook& look, const std::string& label) {
  for (size_t k = 0; k < h.subjects->series.size(); ++k) {
    const GradientSeries& s = h.subjects->series[k];
    if (s.node + "." + s.name == label) return look.series[k];
  }
  ADD_FAILURE() << label << " is not followed";
  return {};
}

GradientSize node_of(const GradientHistory& h, const GradientLook& look, const std::string& node) {
  for (size_t k = 0; k < h.subjects->nodes.size(); ++k)
    if (h.subjects->nodes[k] == node) return look.nodes[k];
  ADD_FAILURE() << node << " is not followed";
  return {};
}

/// x = 0.5 everywhere [2, 2]; h = x · aᵀ with a = [1 2; 3 4], so [1.5 3.5]; y = h · bᵀ with b = [2 −1], so −0.5; the
/// loss is the mean of y². `between` puts a Gradient Scale of 8 between the layers.
Graph two_layers(ParamMap train, bool between = false, bool freeze_a = false) {
  train["optimiser"] = std::string("sgd");
  train["learning_rate"] = 0.1;
  Node a = node("a", "linear", {{"out_features", int64_t{2}}, {"bias", false}});
  a.frozen = freeze_a;
  Edits e{AddNode{node("x", "constant", {{"shape", std::vector<double>{2, 2}}, {"value", 0.5}})},
          AddNode{a},
          AddNode{node("b", "linear", {{"out_features", int64_t{1}}, {"bias", false}})},
          AddNode{node("zero", "constant", {{"shape", std::vector<double>{2, 1}}, {"value", 0.0}})},
          AddNode{node("mse", "mse")},
          AddNode{node("train", "train", std::move(train))},
          AddLink{link("x.y", "a.x")},
          AddLink{link("b.y", "mse.prediction")},
          AddLink{link("zero.y", "mse.target")},
          AddLink{link("mse.loss", "train.loss")}};
  if (between) {
    e.push_back(AddNode{node("hook", "gradient_scale", {{"factor", 8.0}})});
    e.push_back(AddLink{link("a.y", "hook.x")});
    e.push_back(AddLink{link("hook.y", "b.x")});
  } else {
    e.push_back(AddLink{link("a.y", "b.x")});
  }
  return test::built(e);
}

Weights layers() {
  return {{"a.weight", Tensor::from_f64(DType::f32, {2, 2}, std::vector<double>{1, 2, 3, 4})},
          {"b.weight", Tensor::from_f64(DType::f32, {1, 2}, std::vector<double>{2, -1})}};
}

TEST(GradientFlow, SizesAreThoseWorkedOutByHand) {
  // dL/dy = y = −0.5 in both rows; dL/dh = [−1 0.5]; dL/db = [−1.5 −3.5]; dL/da = [−1 −1; 0.5 0.5].
  const ParamMap none, scaled{{"loss_scaling", std::string("static")}, {"loss_scale", 1024.0}},
      batches{{"accumulate", int64_t{4}}};
  for (const char* device : {"cpu", "ref"})
    for (const ParamMap& train : {none, scaled, batches})
      for (const bool hook : {false, true}) {
        const auto s = trained(two_layers(train, hook), 1, device, layers());
        const GradientHistory& h = *s->instruments->gradients;
        ASSERT_THAT(h.looks, SizeIs(1));
        const GradientLook& look = *h.looks.front();
        const GradientSize y = size_of(h, look, "b.y"), hidden = size_of(h, look, "a.y");
        EXPECT_NEAR(y.norm, std::sqrt(0.5), 1e-6);
        EXPECT_NEAR(y.rms, 0.5, 1e-6);
        EXPECT_NEAR(hidden.norm, std::sqrt(2.5), 1e-6);
        EXPECT_NEAR(hidden.rms, std::sqrt(2.5) / 2, 1e-6);
        EXPECT_TRUE(std::isnan(hidden.weight) && std::isnan(hidden.update)) << "a wire has none";
        const GradientSize a = size_of(h, look, "a.weight"), b = size_of(h, look, "b.weight");
        EXPECT_NEAR(a.norm, std::sqrt(2.5), 1e-6);
        EXPECT_NEAR(b.norm, std::sqrt(14.5), 1e-5);
        EXPECT_NEAR(a.weight, std::sqrt(30.0), 1e-6);
        EXPECT_NEAR(b.weight, std::sqrt(5.0), 1e-6);
        EXPECT_NEAR(a.update, 0.1 * std::sqrt(2.5 / 30), 1e-6) << "the rate times gradient over weight";
        EXPECT_NEAR(b.update, 0.1 * std::sqrt(14.5 / 5), 1e-6);
        const GradientSize node = node_of(h, look, "a");
        EXPECT_EQ(node.norm, hidden.norm);
        EXPECT_EQ(node.update, a.update);
        EXPECT_THAT(s->instruments->verdicts, IsEmpty());
      }
}

TEST(GradientFlow, ReadingsCarryTheSizesAndWords) {
  const auto s = trained(two_layers({}), 1, "cpu", layers());
  const auto find = [&](const std::string& label) {
    for (const InstrumentReading& r : s->instruments->readings)
      if (r.label() == label) return r;
    ADD_FAILURE() << label;
    return InstrumentReading{};
  };
  EXPECT_EQ(size_text(find("grad(a.y)")), "gradient norm 1.6, 0.79 an element");
  EXPECT_EQ(size_text(find("b.weight")), "norm 2.2, update/weight 0.17");
  EXPECT_EQ(size_text(find("a.y")), "");
  const InstrumentReadings& all = *s->instruments;
  EXPECT_NEAR(all.least_norm, std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(all.most_norm, std::sqrt(2.5), 1e-6) << "of wires";
  EXPECT_EQ(heat(find("grad(b.y)"), InstrumentQuantity::gradient_norm, &all), 0);
  EXPECT_NEAR(*heat(find("grad(a.y)"), InstrumentQuantity::gradient_norm, &all), std::log10(std::sqrt(5.0)) / 2, 1e-6);
  EXPECT_FALSE(heat(find("grad(a.weight)"), InstrumentQuantity::gradient_norm, &all)) << "it is no wire";
  EXPECT_EQ(heat(find("b.weight"), InstrumentQuantity::update), 1);
  EXPECT_NEAR(*heat(find("a.weight"), InstrumentQuantity::update), std::log10(2.886751), 1e-4);
}

TEST(GradientFlow, AFrozenParameterHasNoUpdate) {
  const auto s = trained(two_layers({}, false, true), 2, "cpu", layers());
  const GradientHistory& h = *s->instruments->gradients;
  const GradientSize a = size_of(h, *h.looks.back(), "a.weight");
  EXPECT_NEAR(a.weight, std::sqrt(30.0), 1e-6);
  EXPECT_TRUE(std::isnan(a.norm));
  EXPECT_TRUE(std::isnan(a.update)) << "not known, not 0";
  EXPECT_TRUE(std::isnan(node_of(h, *h.looks.back(), "a").update));
  EXPECT_GT(size_of(h, *h.looks.back(), "b.weight").update, 0);
}

TEST(GradientFlow, WeightsOfZeroHaveNoRatio) {
  Weights weights = layers();
  weights["b.weight"] = Tensor::zeros(DType::f32, {1, 2});
  const auto s = trained(two_layers({}), 1, "cpu", weights);
  const GradientHistory& h = *s->instruments->gradients;
  EXPECT_TRUE(std::isnan(size_of(h, *h.looks.back(), "b.weight").update));
  EXPECT_EQ(size_of(h, *h.looks.back(), "b.weight").weight, 0);
}

/// p [8] → … → MSE against 1, the nodes between in order.
Graph chain(const std::vector<Node>& between, double start, const ParamMap& train = {}, const Edits& more = {},
            double elements = 8) {
  const std::vector<double> shape{elements};
  Edits e{AddNode{node("p", "parameter", {{"shape", shape}, {"init", std::string("constant")}, {"scale", start}})},
          AddNode{node("one", "constant", {{"shape", shape}, {"value", 1.0}})}, AddNode{node("mse", "mse")},
          AddNode{node("train", "train", train)}};
  std::string from = "p.y";
  for (const Node& n : between) {
    e.push_back(AddNode{n});
    e.push_back(AddLink{link(from, n.id + (n.type == "mul" ? ".a" : ".x"))});
    from = n.id + ".y";
  }
  e.push_back(AddLink{link(from, "mse.prediction")});
  e.push_back(AddLink{link("one.y", "mse.target")});
  e.push_back(AddLink{link("mse.loss", "train.loss")});
  e.insert(e.end(), more.begin(), more.end());
  return test::built(e);
}

Edits times(const std::string& id, double factor) {
  return {AddNode{node("factor", "constant", {{"value", factor}})}, AddLink{link("factor.y", id + ".b")}};
}

const GradientVerdict* find(const std::vector<GradientVerdict>& all, Off kind) {
  for (const GradientVerdict& v : all)
    if (v.kind == kind) return &v;
  return nullptr;
}

std::string text_of(const GradientVerdict& v) {
  return to_text(v, [](const std::string& id) { return id; });
}

TEST(GradientFlow, TwelveSigmoidLayersVanish) {
  Edits e{AddNode{node("x", "constant", {{"shape", std::vector<double>{4, 16}}, {"value", 0.5}})},
          AddNode{node("zero", "constant", {{"shape", std::vector<double>{4, 16}}, {"value", 0.0}})},
          AddNode{node("mse", "mse")}, AddNode{node("train", "train")}};
  std::string from = "x.y";
  for (int i = 1; i <= 12; ++i) {
    const std::string n = std::to_string(i);
    e.push_back(AddNode{node("linear_" + n, "linear", {{"out_features", int64_t{16}}})});
    e.push_back(AddNode{node("sigmoid_" + n, "sigmoid")});
    e.push_back(AddLink{link(from, "linear_" + n + ".x")});
    e.push_back(AddLink{link("linear_" + n + ".y", "sigmoid_" + n + ".x")});
    from = "sigmoid_" + n + ".y";
  }
  e.insert(e.end(), {AddLink{link(from, "mse.prediction")}, AddLink{link("zero.y", "mse.target")},
                     AddLink{link("mse.loss", "train.loss")}});
  const auto s = trained(test::built(e), 3);
  const GradientVerdict* v = find(s->instruments->verdicts, Off::vanishes);
  ASSERT_TRUE(v);
  EXPECT_LT(v->factor, kVanishes);
  ASSERT_THAT(v->path, SizeIs(24));
  EXPECT_EQ(v->path.front(), "sigmoid_12");
  EXPECT_EQ(v->path.back(), "linear_1");
  EXPECT_THAT(v->node, ::testing::StartsWith("sigmoid_")) << "a sigmoid passes a quarter at most";
  EXPECT_LE(v->node_factor, 0.25);
  EXPECT_THAT(text_of(*v), HasSubstr("vanishes along sigmoid_12 → … → linear_1: ×"));
  EXPECT_THAT(text_of(*v), HasSubstr("the largest step in sigmoid_"));
  EXPECT_FALSE(find(s->instruments->verdicts, Off::explodes));
  EXPECT_FALSE(find(s->instruments->verdicts, Off::zero));
}

TEST(GradientFlow, TheNodeThatShrinksOrGrowsItIsNamed) {
  const std::vector<Node> between{node("relu", "relu"), node("by", "mul"), node("after", "relu")};
  for (const double factor : {1e-6, 1e6}) {
    const auto s = trained(chain(between, 0.5, {{"learning_rate", 1e-9}}, times("by", factor)), 1);
    const Off kind = factor < 1 ? Off::vanishes : Off::explodes;
    ASSERT_THAT(s->instruments->verdicts, SizeIs(1)) << factor;
    const GradientVerdict& v = s->instruments->verdicts.front();
    EXPECT_EQ(v.kind, kind);
    EXPECT_THAT(v.path, ElementsAre("after", "by", "relu", "p"));
    EXPECT_EQ(v.node, "by");
    EXPECT_NEAR(v.factor / factor, 1, 1e-5);
    EXPECT_NEAR(v.node_factor / factor, 1, 1e-5);
    EXPECT_EQ(text_of(v), factor < 1 ? "Gradient vanishes along after → by → relu → p: ×1e-6, most of it in by (×1e-6)."
                                     : "Gradient explodes along after → by → relu → p: ×1e6, most of it in by (×1e6).");
  }
  EXPECT_THAT(trained(chain(between, 0.5, {}, times("by", 0.01)), 1)->instruments->verdicts, IsEmpty());
}

TEST(GradientFlow, FactorsOfLargeTensorsAreSaidToBeSampled) {
  const std::vector<Node> between{node("by", "mul")};
  for (const int elements : {4096, 4097}) {
    const std::string sampled = elements > 4096 ? ", of 4,096 sampled" : "";
    const auto s = trained(chain(between, 0.5, {{"learning_rate", 1e-9}}, times("by", 1e-6), elements), 12);
    const GradientVerdict* falls = find(s->instruments->verdicts, Off::vanishes);
    ASSERT_TRUE(falls);
    EXPECT_EQ(text_of(*falls), "Gradient vanishes along by → p: ×1e-6, most of it in by (×1e-6)" + sampled + ".");
    const GradientVerdict* small = find(s->instruments->verdicts, Off::small_updates);
    ASSERT_TRUE(small);
    EXPECT_THAT(text_of(*small), HasSubstr(" of their size at most" + sampled + ", where about"));
    const auto none = trained(chain(between, 0.5, {}, times("by", 0), elements), 1);
    ASSERT_THAT(none->instruments->verdicts, SizeIs(1));
    EXPECT_EQ(text_of(none->instruments->verdicts.front()), "Gradient is exactly 0 along by → p: none passes by.")
        << "counted over every element";
  }
}

TEST(GradientFlow, OfTwoWaysTheOneThatCarriesMoreCounts) {
  // p reaches the sum directly, and through a factor of 1e-6: nothing is lost.
  Edits more = times("by", 1e-6);
  more.insert(more.end(), {AddNode{node("sum", "add")}, AddNode{node("first", "relu")}});
  const std::vector<double> shape{8};
  more.insert(more.end(),
              {AddNode{node("p", "parameter", {{"shape", shape}, {"init", std::string("constant")}, {"scale", 0.5}})},
               AddNode{node("one", "constant", {{"shape", shape}, {"value", 1.0}})}, AddNode{node("by", "mul")},
               AddNode{node("mse", "mse")}, AddNode{node("train", "train", {{"learning_rate", 1e-9}})},
               AddLink{link("p.y", "first.x")}, AddLink{link("first.y", "by.a")}, AddLink{link("first.y", "sum.a")},
               AddLink{link("by.y", "sum.b")}, AddLink{link("sum.y", "mse.prediction")},
               AddLink{link("one.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
  std::stable_partition(more.begin(), more.end(), [](const Edit& e) { return std::holds_alternative<AddNode>(e); });
  EXPECT_THAT(trained(test::built(more), 1)->instruments->verdicts, IsEmpty());
}

TEST(GradientFlow, APathBeginsAtTheTensorsBeforeAnySumOfLosses) {
  const std::vector<double> shape{8};
  const auto s = trained(
      test::built(
          {AddNode{node("p", "parameter", {{"shape", shape}, {"init", std::string("constant")}, {"scale", 0.5}})},
           AddNode{node("one", "constant", {{"shape", shape}, {"value", 1.0}})},
           AddNode{node("factor", "constant", {{"value", 1e-6}})}, AddNode{node("by", "mul")},
           AddNode{node("mse", "mse")}, AddNode{node("l1", "l1")}, AddNode{node("sum", "add")},
           AddNode{node("train", "train")}, AddLink{link("p.y", "by.a")}, AddLink{link("factor.y", "by.b")},
           AddLink{link("by.y", "mse.prediction")}, AddLink{link("one.y", "mse.target")},
           AddLink{link("by.y", "l1.prediction")}, AddLink{link("one.y", "l1.target")},
           AddLink{link("mse.loss", "sum.a")}, AddLink{link("l1.loss", "sum.b")},
           AddLink{link("sum.y", "train.loss")}}),
      1);
  EXPECT_THAT(s->instruments->gradients->subjects->nodes, ElementsAre("p", "by")) << "of losses it is a factor";
  const GradientVerdict* v = find(s->instruments->verdicts, Off::vanishes);
  ASSERT_TRUE(v);
  EXPECT_THAT(v->path, ElementsAre("by", "p"));
  EXPECT_EQ(v->node, "by");
  EXPECT_NEAR(v->factor / 1e-6, 1, 1e-5);
}

TEST(GradientFlow, ExactlyZeroIsAVerdictOfItsOwn) {
  const auto s = trained(chain({node("relu", "relu"), node("tanh", "tanh")}, -1), 1);
  ASSERT_THAT(s->instruments->verdicts, SizeIs(1));
  const GradientVerdict& v = s->instruments->verdicts.front();
  EXPECT_EQ(v.kind, Off::zero);
  EXPECT_EQ(v.node, "relu");
  EXPECT_THAT(v.path, ElementsAre("tanh", "relu", "p"));
  EXPECT_EQ(text_of(v), "Gradient is exactly 0 along tanh → relu → p: none passes relu.");
}

TEST(GradientFlow, InfAndNaNAreNamedAndStayApart) {
  // The update with such a gradient makes the parameter NaN, which ends the run.
  const auto s = trained(chain({node("root", "sqrt"), node("tanh", "tanh")}, 0), 1, "cpu", {}, RunState::failed);
  const GradientHistory& h = *s->instruments->gradients;
  EXPECT_TRUE(std::isinf(size_of(h, *h.looks.back(), "p.y").norm));
  EXPECT_TRUE(std::isfinite(size_of(h, *h.looks.back(), "root.y").norm));
  const GradientVerdict* v = find(s->instruments->verdicts, Off::not_finite);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->node, "root");
  EXPECT_EQ(text_of(*v), "Gradient holds Inf or NaN from root on.");
}

TEST(GradientFlow, UpdatesOutsideTheUsualAreNamed) {
  const std::vector<Node> between{node("relu", "relu")};
  const auto steady = trained(chain(between, 2, {{"learning_rate", 1e-3}}), 12);
  EXPECT_THAT(steady->instruments->verdicts, IsEmpty());
  const auto small = trained(chain(between, 2, {{"learning_rate", 1e-8}}), 12);
  ASSERT_THAT(small->instruments->verdicts, SizeIs(1));
  EXPECT_EQ(small->instruments->verdicts.front().kind, Off::small_updates);
  EXPECT_THAT(text_of(small->instruments->verdicts.front()), HasSubstr("Weights of p barely move"));
  // p − 1 is multiplied by 1 − lr · 2 / 8 in a step: −1.1.
  const ParamMap wild{{"learning_rate", 8.4}, {"optimiser", std::string("sgd")}};
  EXPECT_THAT(trained(chain({}, 0.5, wild), 15)->instruments->verdicts, IsEmpty()) << "too few to say";
  const auto jumps = trained(chain({}, 0.5, wild), 25);
  ASSERT_THAT(jumps->instruments->verdicts, SizeIs(1));
  EXPECT_EQ(jumps->instruments->verdicts.front().kind, Off::large_updates);
  EXPECT_GT(jumps->instruments->verdicts.front().factor, 1);
}

TEST(GradientFlow, TheHistoryGoesOnWithTheRunAndBeginsAnewAfterAReset) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.instruments(InstrumentSettings{0.05, 1});
  session.start(chain({node("relu", "relu")}, 0.5), "cpu", 4);
  session.wait();
  const auto first = session.snapshot()->instruments->gradients;
  ASSERT_THAT(first->looks, SizeIs(4));
  session.start(chain({node("relu", "relu")}, 0.5), "cpu", 4);
  session.wait();
  const auto both = session.snapshot()->instruments->gradients;
  ASSERT_THAT(both->looks, SizeIs(8));
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(both->looks[k], first->looks[k]) << "shared, not copied";
  EXPECT_EQ(both->looks.back()->step, 7u);
  EXPECT_THAT(first->looks, SizeIs(4)) << "what was handed out stays as it is";
  session.reset();
  session.start(chain({node("relu", "relu")}, 0.5), "cpu", 2);
  session.wait();
  EXPECT_THAT(session.snapshot()->instruments->gradients->looks, SizeIs(2));
}

TEST(GradientRecorder, ThinsEvenlyAndKeepsTheEnds) {
  GradientRecorder recorder({}, nullptr, 16);
  for (uint64_t step = 0; step < 1000; ++step) {
    recorder.add({3 * step, {}, {}, {}});
    const auto history = recorder.history();
    const auto& looks = history->looks;
    ASSERT_LE(looks.size(), 17u);
    ASSERT_GE(looks.size(), std::min<size_t>(step + 1, 8));
    ASSERT_EQ(looks.front()->step, 0u);
    ASSERT_EQ(looks.back()->step, 3 * step);
    for (size_t k = 1; k + 1 < looks.size(); ++k)
      ASSERT_EQ(looks[k]->step - looks[k - 1]->step, looks[1]->step - looks[0]->step) << step;
  }
}

TEST(GradientRecorder, AGapIsReportedWithItsReason) {
  GradientRecorder recorder({}, nullptr, 16);
  for (const uint64_t step : {0, 10, 20, 30, 40, 50}) recorder.add({step, {}, {}, {}}, "it was busy");
  const auto even = recorder.history();
  for (const auto& look : even->looks) EXPECT_EQ(look->gap, "");
  recorder.add({1000, {}, {}, {}}, "it was busy");
  EXPECT_EQ(recorder.history()->looks.back()->gap, "it was busy");
  recorder.add({1010, {}, {}, {}}, "another reason");
  EXPECT_EQ(recorder.history()->looks.back()->gap, "");
  // However the history is thinned, one look stands after the gap.
  for (uint64_t step = 1020; step < 60'000; step += 10) {
    recorder.add({step, {}, {}, {}});
    const auto history = recorder.history();
    int gaps = 0;
    for (size_t k = 1; k < history->looks.size(); ++k) {
      if (history->looks[k]->gap.empty()) continue;
      ++gaps;
      EXPECT_LE(history->looks[k - 1]->step, 50u) << step;
      EXPECT_GE(history->looks[k]->step, 1000u) << step;
    }
    ASSERT_EQ(gaps, 1) << step;
  }
}

TEST(GradientRecorder, LooksThatAreFarApartAsARuleHaveNoGaps) {
  GradientRecorder recorder({}, nullptr);
  uint64_t step = 0;
  for (int k = 0; k < 300; ++k) {
    recorder.add({step, {}, {}, {}}, "none");
    step += 60 + static_cast<uint64_t>(k * 37 % 120);
  }
  const auto history = recorder.history();
  for (const auto& look : history->looks) EXPECT_EQ(look->gap, "");
}

TEST(BriefNumber, TwoDigits) {
  EXPECT_EQ(format_rounded(3e-6), "3e-6");
  EXPECT_EQ(format_rounded(1.23e-10), "1.2e-10");
  EXPECT_EQ(format_rounded(0.0312), "0.031");
  EXPECT_EQ(format_rounded(123.4), "123");
  EXPECT_EQ(format_rounded(99.7), "100");
  EXPECT_EQ(format_rounded(1e6), "1e6");
  EXPECT_EQ(format_rounded(0), "0");
  EXPECT_EQ(format_rounded(INFINITY), "Inf");
}

}  // namespace
}  // namespace hw::gradient_flow_test
