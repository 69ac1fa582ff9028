// Numbers that a dtype cannot hold: what is said of them, with which remedies, and what changes of dtypes do to them.
#include "engine/graph/check/check_numbers.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "engine/core/held_number.h"
#include "engine/graph/groups/flat_graph.h"
#include "engine/graph/precision/autocast.h"
#include "engine/graph/precision/choose_precision.h"
#include "tests/engine/dtype_graphs.h"

namespace hw {
namespace {

using namespace test;
using ::testing::Contains;
using ::testing::HasSubstr;
using Loss = Unheld::Loss;

constexpr double kMostF32 = 3.4028234663852886e38;

TEST(HeldNumber, IsWhatConversionsMakeOfIt) {
  struct Row {
    double value;
    DType dtype;
    Loss loss;
    double nearest;
  };
  const double inf = std::numeric_limits<double>::infinity();
  for (const Row& row :
       {Row{-kMostF32, DType::bf16, Loss::beyond, -info(DType::bf16).max}, Row{1e5, DType::f16, Loss::beyond, 65504},
        Row{1e-8, DType::f16, Loss::vanishes, std::ldexp(1.0, -24)},
        Row{-1e-50, DType::f32, Loss::vanishes, -std::ldexp(1.0, -149)}, Row{1e39, DType::f32, Loss::beyond, kMostF32},
        Row{1e3, DType::f8e4m3, Loss::beyond, 448}, Row{-inf, DType::f8e4m3, Loss::beyond, -448},
        Row{257, DType::bf16, Loss::not_whole, 256}, Row{2049, DType::f16, Loss::not_whole, 2048},
        Row{300, DType::u8, Loss::beyond, 255}, Row{-1, DType::u8, Loss::beyond, 0},
        Row{3e9, DType::i32, Loss::beyond, 2147483647}}) {
    const auto lost = unheld(row.value, row.dtype);
    ASSERT_TRUE(lost) << row.value << " in " << name(row.dtype);
    EXPECT_EQ(lost->loss, row.loss) << row.value;
    EXPECT_EQ(lost->nearest, row.nearest) << row.value;
    EXPECT_FALSE(unheld(lost->nearest, row.dtype)) << "the nearest is held";
  }
  EXPECT_EQ(to_string(*unheld(1e5, DType::f16), DType::f16),
            "100000 is inf in f16; the nearest that f16 holds is 65504");
}

TEST(HeldNumber, RoundsFractionsUnsaid) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    for (const double value : {0.0, -0.0, 0.1, -1.5, 3.0, 1 / 3.0}) EXPECT_FALSE(unheld(value, dtype)) << name(dtype);
    EXPECT_FALSE(unheld(std::nan(""), dtype)) << name(dtype);
  }
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f8e5m2})
    EXPECT_FALSE(unheld(std::numeric_limits<double>::infinity(), dtype)) << name(dtype);
  EXPECT_FALSE(unheld(0.5, DType::i32));
  EXPECT_FALSE(unheld(1e300, DType::f64));
}

std::vector<Diagnostic> findings(const Graph& graph, const std::string& id) {
  Validator v;
  v.reset(graph);
  std::vector<Diagnostic> found = v.of(id);
  std::erase_if(found, [](const Diagnostic& d) { return d.code != codes::bad_parameter; });
  return found;
}

TEST(CheckNumbers, AConstantThatBecomesInfNamesItsValueAndTheNearest) {
  const Graph graph = made({computing("c", "constant", DType::bf16, {{"value", -kMostF32}})}, {});
  const auto found = findings(graph, "c");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].socket, "value");
  EXPECT_THAT(found[0].reason, HasSubstr("-inf in bf16; the nearest that bf16 holds is -3.38953e+38"));
  ASSERT_EQ(found[0].remedies.size(), 2u);
  for (const Remedy& remedy : found[0].remedies) {
    Graph mended = graph;
    ASSERT_TRUE(apply_edits(mended, remedy.edits)) << remedy.label;
    EXPECT_TRUE(findings(mended, "c").empty()) << remedy.label;
  }
}

TEST(CheckNumbers, LooksWhereverANumberIsStoredAsItStands) {
  const std::vector<double> numbers{1, 1e-9, 5};
  const Graph graph =
      made({source("x", DType::f16), computing("list", "tensor_constant", DType::f16, {{"values", numbers}}),
            node("formula", "expression", {{"source", std::string("in x; y = x / sqrt(x * x + 0.00000001)")}}),
            node("border", "pad", {{"value", 1e6}}), node("below", "threshold", {{"threshold", 0.5}, {"value", -1e6}}),
            computing("bytes", "tensor_constant", DType::u8, {{"values", std::vector<double>{300, 2}}}),
            computing("whole", "constant", DType::f16, {{"value", 2049.0}})},
           {{"x.y", "formula.x"}, {"x.y", "border.x"}, {"x.y", "below.x"}});
  const auto only = [&](const std::string& id) {
    const auto found = findings(graph, id);
    EXPECT_EQ(found.size(), 1u) << id;
    return found.empty() ? Diagnostic() : found[0];
  };
  EXPECT_EQ(only("list").socket, "values");
  EXPECT_EQ(only("formula").socket, "source");
  EXPECT_EQ(only("border").socket, "value");
  EXPECT_EQ(only("below").socket, "value");
  EXPECT_THAT(only("bytes").reason, HasSubstr("300 is 255 in u8"));
  EXPECT_EQ(only("whole").severity, Severity::info);
}

TEST(CheckNumbers, BoundsAreLookedAtAsTheyWereGiven) {
  for (const auto& [dtype, low, high, reason] :
       {std::tuple(DType::f16, -1.0, 1e5, "100000 is inf in f16; the nearest that f16 holds is 65504"),
        std::tuple(DType::bf16, -1.0, kMostF32,
                   "3.40282e+38 is inf in bf16; the nearest that bf16 holds is 3.38953e+38"),
        std::tuple(DType::f16, 1e-9, 1.0, "1e-09 is 0 in f16")}) {
    const Graph graph =
        made({source("x", dtype), node("clip", "clip", {{"min", low}, {"max", high}})}, {{"x.y", "clip.x"}});
    const auto found = findings(graph, "clip");
    ASSERT_EQ(found.size(), 1u) << reason;
    EXPECT_EQ(found[0].severity, Severity::warning);
    EXPECT_EQ(found[0].socket, low == 1e-9 ? "min" : "max");
    EXPECT_THAT(found[0].reason, HasSubstr(reason));
    ASSERT_EQ(found[0].remedies.size(), 1u);
    Graph mended = graph;
    ASSERT_TRUE(apply_edits(mended, found[0].remedies[0].edits));
    EXPECT_TRUE(findings(mended, "clip").empty());
  }
  const Graph fine = made({source("x", DType::f16), node("share", "clip", {{"min", 0.1}, {"max", 65504.0}}),
                           node("formula", "expression", {{"source", std::string("in x; y = clamp(x, -1e5, 1.0)")}})},
                          {{"x.y", "share.x"}, {"x.y", "formula.x"}});
  EXPECT_TRUE(findings(fine, "share").empty());
  ASSERT_EQ(findings(fine, "formula").size(), 1u);
  EXPECT_EQ(findings(fine, "formula")[0].socket, "source");
}

TEST(CheckNumbers, NumbersThatAreDrawnAndParametersBeginWithinTheDtype) {
  const ParamMap shape{{"shape", std::vector<double>{2}}, {"axes", std::string("C")}};
  const auto with = [&](ParamMap more) {
    more.insert(shape.begin(), shape.end());
    return more;
  };
  const Graph graph =
      made({computing("wide", "random", DType::f16, with({{"a", -1e6}, {"b", 1.0}})),
            computing("normal", "random", DType::f16, with({{"distribution", std::string("normal")}, {"b", 1e5}})),
            computing("p", "parameter", DType::f16, with({{"init", std::string("constant")}, {"scale", 1e5}})),
            computing("small", "random", DType::f16, with({{"a", -1.0}, {"b", 1e-9}}))},
           {});
  EXPECT_EQ(findings(graph, "wide").at(0).socket, "a") << findings(graph, "wide").at(0).reason;
  EXPECT_EQ(findings(graph, "normal").at(0).socket, "b");
  EXPECT_EQ(findings(graph, "p").at(0).socket, "scale");
  EXPECT_TRUE(findings(graph, "small").empty()) << "it is an end of what is drawn";
}

TEST(CheckNumbers, SaysNothingOfWhatIsComputedWiderOrChosenByTheDtype) {
  const Graph graph =
      made({source("x", DType::f16), computing("norm", "layer_norm", DType::f16, {{"epsilon", 1e-8}}),
            computing("attention", "attention", DType::f16, {{"heads", int64_t{2}}, {"causal", true}}),
            computing("token", "random", DType::f16,
                      {{"shape", std::vector<double>{1, 4, 8}}, {"axes", std::string("batch seq hidden")}}),
            node("scaled", "remap", {})},
           {{"x.y", "norm.x"}, {"token.y", "attention.x"}, {"x.y", "scaled.x"}});
  EXPECT_EQ(problems(graph), "");
}

/// scores + (1 − mask) · lowest, softmax: how exported models mask.
Graph masked() {
  return made({source("scores", DType::f32), source("mask", DType::f32), node("one", "constant"),
               node("lowest", "constant", {{"value", -kMostF32}}), node("hidden", "sub"), node("far", "mul"),
               node("sum", "add"), node("shares", "softmax")},
              {{"one.y", "hidden.a"},
               {"mask.y", "hidden.b"},
               {"hidden.y", "far.a"},
               {"lowest.y", "far.b"},
               {"scores.y", "sum.a"},
               {"far.y", "sum.b"},
               {"sum.y", "shares.x"}});
}

TEST(CheckNumbers, UnifyingSetsAMaskToTheNearestAndSaysSo) {
  const Graph before = masked();
  const PrecisionPlan plan = unify(before, DType::bf16);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("-3.40282e+38 is -inf in bf16; the nearest that bf16 holds is "
                                             "-3.38953e+38, which it is set to")));
  const Graph mended = after(before, plan);  // no problems are left
  EXPECT_EQ(std::get<double>(mended.find("lowest")->params.at("value")), -info(DType::bf16).max);
}

TEST(CheckNumbers, EveryChangeOfDtypesLooks) {
  const Graph before = masked();
  EXPECT_THAT(choose_precision(before, {{"lowest", {DType::f16, {}}}}).notes, Contains(HasSubstr("-inf in f16")));
  const std::vector<std::string> nodes{"lowest"};
  EXPECT_THAT(set_precision(before, nodes, DType::f16)->notes, Contains(HasSubstr("-inf in f16")));
  const Graph epsilon =
      made({source("x", DType::f32), node("small", "constant", {{"value", 1e-8}}), node("sum", "add")},
           {{"x.y", "sum.a"}, {"small.y", "sum.b"}});
  const PrecisionPlan plan = unify(epsilon, DType::f16);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("1e-08 is 0 in f16")));
  Graph narrow = epsilon;
  ASSERT_TRUE(apply_edits(narrow, plan.edits));
  EXPECT_EQ(std::get<double>(narrow.find("small")->params.at("value")), 1e-8) << "an epsilon is left to the user";
}

TEST(CheckNumbers, ACastOfAConstantIsLookedAt) {
  const Graph graph =
      made({node("c", "constant", {{"value", 1e5}}), node("narrow", "cast", {{"to", std::string("f16")}}),
            node("end", "cast", {{"to", std::string("f16")}, {"saturate", true}})},
           {{"c.y", "narrow.x"}, {"c.y", "end.x"}});
  EXPECT_TRUE(findings(graph, "c").empty());
  ASSERT_EQ(findings(graph, "narrow").size(), 1u);
  EXPECT_THAT(findings(graph, "narrow")[0].reason, HasSubstr("100000 is inf in f16"));
  EXPECT_TRUE(findings(graph, "end").empty()) << "it stops at the largest number, as asked for";
}

TEST(LookAtNumbers, EveryNumberIsSetWhereverTheNodeSaysIt) {
  Graph graph = made({source("x", DType::f32),
                      node("many", "tensor_constant", {{"values", std::vector<double>{1e5, 0, -1e5, 2e5, 3e5, -4e5}}}),
                      node("clip", "clip", {{"min", 7e4}, {"max", 7e4}})},
                     {{"x.y", "clip.x"}});
  const PrecisionPlan plan = unify(graph, DType::f16);
  ASSERT_TRUE(apply_edits(graph, plan.edits));
  EXPECT_EQ(std::get<std::vector<double>>(graph.find("many")->params.at("values")),
            (std::vector<double>{65504, 0, -65504, 65504, 65504, -65504}));
  EXPECT_EQ(std::get<double>(graph.find("clip")->params.at("min")), 65504);
  EXPECT_EQ(std::get<double>(graph.find("clip")->params.at("max")), 65504);
  EXPECT_TRUE(findings(graph, "many").empty());
  EXPECT_TRUE(findings(graph, "clip").empty());
}

TEST(CheckNumbers, ACastIsLookedAtAgainWhenItsConstantIsAnother) {
  Graph graph = made({node("c", "constant", {{"value", 1.0}}), node("corner", "reroute"),
                      node("narrow", "cast", {{"to", std::string("f16")}})},
                     {{"c.y", "corner.x"}, {"corner.y", "narrow.x"}});
  FlatGraph flat;
  flat.reset(graph);
  Validator validator;
  validator.reset(flat.graph());
  for (const double value : {1e5, 1.0, 1e-9}) {
    const Edits edits{SetParam{"c", "value", value}};
    ASSERT_TRUE(apply_edits(graph, edits));
    validator.update(flat.graph(), flat.update(graph, edits));
    EXPECT_EQ(validator.of("narrow").empty(), value == 1.0) << value;
  }
}

TEST(InsertCast, SaysWhatItLoses) {
  const Graph g = made({source("x", DType::bf16), computing("layer", "linear", DType::f8e4m3)}, {{"x.y", "layer.x"}});
  Validator v;
  v.reset(g);
  std::vector<std::string> labels;
  for (const Remedy& remedy : v.of("layer").front().remedies) labels.push_back(remedy.label);
  EXPECT_THAT(labels,
              Contains("Insert Lossy Cast bf16 → f8e4m3 (rounds 8 significant bits to 4, the range shrinks to that of "
                       "f8e4m3)"));
  const Graph exact = made({source("x", DType::f16), computing("layer", "linear", DType::f32)}, {{"x.y", "layer.x"}});
  v.reset(exact);
  EXPECT_EQ(v.of("layer").front().remedies.front().label, "Insert Cast f16 → f32");
}

}  // namespace
}  // namespace hw
