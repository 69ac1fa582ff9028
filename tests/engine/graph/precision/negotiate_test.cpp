// Negotiation, unification and autocast: what is cast where, that nothing is lost where it need not be, and that the
// result is an ordinary valid graph.
#include "engine/graph/precision/negotiate.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/graph/precision/autocast.h"
#include "engine/graph/precision/fix.h"
#include "engine/node/dtype_join.h"
#include "tests/engine/dtype_graphs.h"

namespace hw::negotiate_test {
namespace {

using namespace test;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(DtypeJoin, TheSmallestThatHoldsBoth) {
  EXPECT_TRUE(embeds(DType::f8e4m3, DType::bf16));
  EXPECT_TRUE(embeds(DType::f8e4m3, DType::f16));
  EXPECT_TRUE(embeds(DType::f8e5m2, DType::f16));
  EXPECT_FALSE(embeds(DType::f16, DType::bf16));
  EXPECT_FALSE(embeds(DType::bf16, DType::f16));
  EXPECT_FALSE(embeds(DType::bf16, DType::f8e4m3));
  EXPECT_EQ(join(DType::f16, DType::bf16), DType::f32);
  EXPECT_EQ(join(DType::f8e4m3, DType::bf16), DType::bf16);
  EXPECT_EQ(join(DType::f64, DType::f16), DType::f64);
  const DType only[] = {DType::f16};
  EXPECT_EQ(join(DType::f32, DType::f16, only), std::nullopt);
  EXPECT_EQ(cast_effect(DType::f8e4m3, DType::bf16), "exact");
  EXPECT_THAT(cast_effect(DType::f32, DType::f16), HasSubstr("24 significant bits to 11"));
}

/// embeds() against the conversions themselves: every 8- and 16-bit value there and back.
TEST(DtypeJoin, EmbeddingIsWhatConversionsDo) {
  for (const DType from : {DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16}) {
    for (const DType to : {DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const int64_t count = int64_t{1} << info(from).bits;
      Tensor all(from, {count});
      for (int64_t i = 0; i < count; ++i) {
        if (info(from).bits == 8)
          all.as<uint8_t>()[i] = static_cast<uint8_t>(i);
        else
          all.as<uint16_t>()[i] = static_cast<uint16_t>(i);
      }
      const Tensor before = all.to(DType::f64), back = all.to(to).to(DType::f64);
      bool same = true;
      for (int64_t i = 0; i < count; ++i) {
        const double v = before.as<double>()[i];
        if (std::isfinite(v)) same = same && back.as<double>()[i] == v;
      }
      EXPECT_EQ(embeds(from, to), same) << name(from) << " in " << name(to);
    }
  }
}

TEST(Negotiate, AnF16EncoderBeforeAnF32MlpIsWidenedOnce) {
  const Graph g = test::neural_texture(false);
  const PrecisionPlan plan = negotiate(g);
  const Graph mended = after(g, plan);
  ASSERT_EQ(casts(mended).size(), 1u);
  EXPECT_TRUE(mended.has_link(link(casts(mended)[0]->id + ".y", "mlp.x")));
  EXPECT_EQ(dtype_of(mended, "hash_grid"), "f16");
  EXPECT_EQ(dtype_of(mended, "mlp"), "f32");
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_THAT(plan.notes[0], HasSubstr("f16 → f32: exact"));
  EXPECT_TRUE(negotiate(mended).edits.empty()) << "what is settled stays";
}

TEST(Negotiate, WeightsInF8UnderABf16InputAreCastOnUse) {
  const Graph g = f8_weights_under_bf16();
  const PrecisionPlan plan = negotiate(g);
  const Graph mended = after(g, plan);
  EXPECT_TRUE(casts(mended).empty()) << "the activations are not narrowed to f8";
  EXPECT_EQ(dtype_of(mended, "layer"), "bf16");
  for (const char* weight : {"weight", "bias"})
    EXPECT_EQ(*weight_format(*mended.find("layer"), weight), (WeightFormat{DType::f8e4m3, true, false}));
  EXPECT_THAT(plan.notes,
              Contains(HasSubstr("layer.bias stays stored in f8e4m3 and is cast on use, f8e4m3 → bf16: exact")));
}

TEST(Negotiate, ANarrowLayerUnderAWideInputComputesWideAndStoresNarrow) {
  const Graph g = made({source("x", DType::f32), computing("layer", "linear", DType::bf16)}, {{"x.y", "layer.x"}});
  const Graph mended = after(g, negotiate(g));
  EXPECT_TRUE(casts(mended).empty());
  EXPECT_EQ(dtype_of(mended, "layer"), "f32");
  EXPECT_EQ(weight_format(*mended.find("layer"), "weight")->dtype, DType::bf16);
}

TEST(Negotiate, WeightsThatNoInputHoldsRaiseTheLayer) {
  Graph g = made({source("x", DType::bf16), computing("layer", "linear", DType::bf16)}, {{"x.y", "layer.x"}});
  ASSERT_TRUE(apply_edits(g, {SetWeight{"layer", "weight", WeightFormat{DType::f16, false, false}}}));
  const Graph mended = after(g, negotiate(g));
  EXPECT_EQ(dtype_of(mended, "layer"), "f32") << "neither f16 nor bf16 holds the other";
  EXPECT_EQ(casts(mended).size(), 1u);
  EXPECT_EQ(carried(mended, "layer", "y"), DType::f32);
}

TEST(Negotiate, OneCastServesSeveralWires) {
  // x feeds two activations, each of which feeds an f32 layer: one Cast before both, not one behind each.
  const Graph g = made({source("x", DType::f16), node("relu", "relu"), node("sigmoid", "sigmoid"),
                        computing("a", "linear", DType::f32), computing("b", "linear", DType::f32)},
                       {{"x.y", "relu.x"}, {"x.y", "sigmoid.x"}, {"relu.y", "a.x"}, {"sigmoid.y", "b.x"}});
  const Graph mended = after(g, negotiate(g));
  ASSERT_EQ(casts(mended).size(), 1u);
  EXPECT_EQ(carried(mended, "relu", "y"), DType::f32);
  // And where one wire is enough, it is as late as can be.
  const Graph late = made({source("x", DType::f16), node("relu", "relu"), computing("a", "linear", DType::f32),
                           computing("b", "linear", DType::f32)},
                          {{"x.y", "relu.x"}, {"relu.y", "a.x"}, {"relu.y", "b.x"}});
  const Graph mended_late = after(late, negotiate(late));
  ASSERT_EQ(casts(mended_late).size(), 1u);
  EXPECT_EQ(carried(mended_late, "relu", "y"), DType::f16);
}

TEST(Negotiate, NothingIsNarrowedExceptWhereANodeTakesOneDtypeAlone) {
  const Graph g =
      made({source("x", DType::f64), node("grid", "hash_grid", {{"levels", int64_t{2}}}), source("p", DType::f16),
            node("slice", "slice", {{"end", int64_t{3}}}), node("add", "add"), source("q", DType::bf16)},
           {{"x.y", "slice.x"}, {"slice.y", "grid.x"}, {"p.y", "add.a"}, {"q.y", "add.b"}});
  Graph mended = g;
  const PrecisionPlan plan = negotiate(g);
  ASSERT_TRUE(apply_edits(mended, plan.edits));
  EXPECT_EQ(carried(mended, "add", "y"), DType::f32);
  size_t rounding = 0;
  for (const std::string& note : plan.notes) {
    if (note.find("rounds") == std::string::npos) continue;
    ++rounding;
    EXPECT_THAT(note, HasSubstr("grid.x"));
  }
  EXPECT_EQ(rounding, 1u);
}

TEST(Negotiate, TiedLayersStayAlike) {
  Graph g = made({source("x", DType::f32), computing("a", "linear", DType::f16, {{"out_features", int64_t{8}}}),
                  source("z", DType::f16), computing("b", "linear", DType::f16, {{"out_features", int64_t{8}}})},
                 {{"x.y", "a.x"}, {"z.y", "b.x"}});
  ASSERT_TRUE(apply_edits(g, {SetTie{"b", "a"}}));
  const Graph mended = after(g, negotiate(g));
  EXPECT_EQ(dtype_of(mended, "a"), "f32");
  EXPECT_EQ(dtype_of(mended, "b"), "f32");
}

TEST(Unify, EverythingInOneDtypeAndIdleCastsGo) {
  const Graph g = test::neural_texture(true);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    SCOPED_TRACE(name(dtype));
    const Graph mended = after(g, unify(g, dtype));
    EXPECT_EQ(carried(mended, "hash_grid", "features"), dtype);
    EXPECT_EQ(carried(mended, "mlp", "y"), dtype);
    EXPECT_EQ(carried(mended, "mse", "loss"), dtype);
    EXPECT_EQ(mended.find("cast"), nullptr) << "it would change nothing";
    EXPECT_TRUE(unify(mended, dtype).edits.empty());
  }
}

TEST(Unify, AnInputsExampleIsInThatDtype) {
  Graph g = built({AddNode{node("in", "input")}, AddNode{node("linear", "linear")}, AddLink{link("in.y", "linear.x")}});
  ASSERT_TRUE(apply_edits(g, unify(g, DType::f64).edits));
  EXPECT_EQ(problems(g), "");
  EXPECT_EQ(g.nodes().size(), 2u) << "no Cast";
}

TEST(Unify, WeightsGoWithTheirLayer) {
  const Graph g = f8_weights_under_bf16();
  const Graph mended = after(g, unify(g, DType::f32));
  EXPECT_EQ(dtype_of(mended, "layer"), "f32");
  EXPECT_EQ(*weight_format(*mended.find("layer"), "bias"), (WeightFormat{DType::f32, false, true}));
}

TEST(Autocast, FollowsTheLists) {
  const Graph g = made({source("x", DType::f32), computing("layer", "linear", DType::f32), node("relu", "relu"),
                        node("exp", "exp"), node("concat", "concat"), node("norm", "layer_norm"),
                        source("t", DType::f32), node("mse", "mse"), node("batch", "batch_norm")},
                       {{"x.y", "layer.x"},
                        {"layer.y", "relu.x"},
                        {"relu.y", "exp.x"},
                        {"relu.y", "concat.a"},
                        {"exp.y", "concat.b"},
                        {"relu.y", "norm.x"},
                        {"layer.y", "batch.x"},
                        {"batch.y", "mse.prediction"},
                        {"norm.y", "mse.target"}});
  for (const DType low : {DType::bf16, DType::f16}) {
    SCOPED_TRACE(name(low));
    const Graph mended = after(g, autocast(g, low));
    EXPECT_EQ(carried(mended, "layer", "y"), low);
    EXPECT_EQ(carried(mended, "relu", "y"), low) << "follows";
    EXPECT_EQ(carried(mended, "exp", "y"), DType::f32);
    EXPECT_EQ(carried(mended, "concat", "y"), DType::f32) << "the widest of low and f32";
    EXPECT_EQ(carried(mended, "norm", "y"), DType::f32);
    EXPECT_EQ(carried(mended, "mse", "loss"), DType::f32);
    EXPECT_EQ(carried(mended, "batch", "y"), low) << "follows; its statistics stay f32";
    EXPECT_EQ(*weight_format(*mended.find("layer"), "weight"), (WeightFormat{DType::f32, true, false}));
    EXPECT_EQ(weight_format(*mended.find("batch"), "running_mean"), nullptr);
    EXPECT_TRUE(autocast(mended, low).edits.empty()) << "what is settled stays";
  }
}

/// Whoever reads the graph's result reads what it read before; All in One Dtype changes it and says so.
TEST(Autocast, OutputsKeepTheirDtype) {
  const Graph g = made({source("x", DType::f32), computing("fc", "linear", DType::f32), node("y", "output")},
                       {{"x.y", "fc.x"}, {"fc.y", "y.x"}});
  const Graph mixed = after(g, autocast(g, DType::bf16));
  EXPECT_EQ(carried(mixed, "fc", "y"), DType::bf16);
  EXPECT_EQ(carried(mixed, "y", "y"), DType::f32);
  EXPECT_TRUE(autocast(mixed, DType::bf16).edits.empty());
  const PrecisionPlan all = unify(g, DType::f16);
  EXPECT_EQ(carried(after(g, all), "y", "y"), DType::f16);
  EXPECT_THAT(all.notes, Contains(HasSubstr("y gives f16, before f32.")));
}

TEST(Autocast, CrossEntropyOnNarrowProbabilitiesStaysRefused) {
  const Graph g = made(
      {source("x", DType::f32), computing("layer", "linear", DType::f32), node("sigmoid", "sigmoid"),
       node("bce", "bce")},
      {{"x.y", "layer.x"}, {"layer.y", "sigmoid.x"}, {"sigmoid.y", "bce.prediction"}, {"sigmoid.y", "bce.target"}});
  Graph narrow = g;
  const PrecisionPlan plan = autocast(g, DType::f16);
  ASSERT_TRUE(apply_edits(narrow, plan.edits));
  EXPECT_THAT(plan.notes, Contains(HasSubstr("bce is left as it is: BCE refuses f16")));
  EXPECT_THAT(problems(narrow), HasSubstr("HW-D001 at bce.prediction"));
}

TEST(Autocast, LeavesF64Alone) {
  const Graph g = made({source("x", DType::f64), computing("layer", "linear", DType::f64), node("exp", "exp")},
                       {{"x.y", "layer.x"}, {"layer.y", "exp.x"}});
  EXPECT_TRUE(autocast(g, DType::bf16).edits.empty());
}

TEST(Autocast, TheNeuralTextureTrainsInBf16) {
  const Graph g = test::neural_texture(false);
  const Graph mended = after(g, autocast(g, DType::bf16));
  EXPECT_EQ(carried(mended, "mlp", "y"), DType::bf16);
  EXPECT_EQ(carried(mended, "mse", "loss"), DType::f32);
  EXPECT_EQ(dtype_of(mended, "hash_grid"), "f16") << "a source of features keeps its dtype";
  EXPECT_EQ(mended.find("mlp")->weights.size(), 1u) << "it has no bias";
}

TEST(Policy, IsAFieldThatOneEditSetsAndUndoes) {
  Graph g = test::neural_texture(false);
  const auto undo = apply_edits(g, {SetPolicy{{Policy::negotiate, DType::bf16}}});
  ASSERT_TRUE(undo);
  EXPECT_EQ(policy_plan(g).edits.size(), negotiate(g).edits.size());
  EXPECT_FALSE(policy_plan(g).edits.empty());
  ASSERT_TRUE(apply_edits(g, *undo));
  EXPECT_EQ(g, test::neural_texture(false));
  EXPECT_TRUE(policy_plan(g).edits.empty()) << "strict does nothing by itself";
  EXPECT_FALSE(apply_edits(g, {SetPolicy{{Policy::autocast, DType::f64}}}));
}

TEST(Fix, EachKindMendsTheClash) {
  for (const char* how : {"insert-cast", "unify=f32", "unify=bf16", "negotiate"}) {
    SCOPED_TRACE(how);
    const auto fix = parse_fix(how);
    ASSERT_TRUE(fix);
    for (Graph g : {test::neural_texture(false), f8_weights_under_bf16()}) {
      EXPECT_NE(problems(g), "");
      const auto notes = fix_clashes(g, *fix, {});
      ASSERT_TRUE(notes) << notes.error().text();
      EXPECT_FALSE(notes->empty());
      EXPECT_EQ(problems(g), "");
    }
  }
  for (const char* bad : {"", "unify", "unify=f99", "unify=i32", "cast"}) EXPECT_FALSE(parse_fix(bad)) << bad;
}

/// A weight with a format of its own beside its family's: taking it away would hand it the family's, narrower one.
TEST(Autocast, AWeightThatFitsAgainIsNotHandedItsFamilysFormat) {
  Node mlp = computing("mlp", "mlp", DType::f32);
  mlp.weights["layer_*"] = {DType::f8e4m3, true, false};
  mlp.weights["layer_0"] = {DType::bf16, true, false};
  const Graph g = made({source("x", DType::f32), mlp}, {{"x.y", "mlp.x"}});
  ASSERT_EQ(problems(g), "");
  const Graph mended = after(g, autocast(g, DType::bf16));
  EXPECT_EQ(dtype_of(mended, "mlp"), "bf16");
  const WeightFormat *first = weight_format(*mended.find("mlp"), "layer_0"),
                     *second = weight_format(*mended.find("mlp"), "layer_1");
  EXPECT_TRUE(!first || *first == (WeightFormat{DType::bf16, false, false})) << name(first->dtype);
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, (WeightFormat{DType::f8e4m3, true, false}));
}

/// Remedies are made when a wire is checked and used later: the graph may have got other Casts meanwhile, and moved.
/// New Casts lie under what stands in their way, one below the other.

}  // namespace
}  // namespace hw::negotiate_test
