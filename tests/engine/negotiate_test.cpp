// Negotiation, unification and autocast: what is cast where, that nothing is lost where it need not be, and that the
// result is an ordinary valid graph.
#include "engine/graph/negotiate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "engine/graph/autocast.h"
#include "engine/graph/dtype_join.h"
#include "engine/graph/fix.h"
#include "engine/graph/remedy.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::link;
using test::node;
using ::testing::Contains;
using ::testing::HasSubstr;

using Wires = std::vector<std::pair<std::string, std::string>>;

Graph made(const std::vector<Node>& nodes, const Wires& wires) {
  Graph g;
  Edits e;
  for (const Node& n : nodes) e.push_back(AddNode{n});
  for (const auto& [from, to] : wires) e.push_back(AddLink{link(from, to)});
  const auto applied = apply_edits(g, e);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

/// A source [4, 8] of this dtype.
Node source(const std::string& id, DType dtype) {
  return node(id, "random", {{"shape", std::vector<double>{4, 8}}, {"dtype", std::string(name(dtype))}});
}

Node computing(const std::string& id, const std::string& type, DType dtype, ParamMap params = {}) {
  params["dtype"] = std::string(name(dtype));
  return node(id, type, std::move(params));
}

std::string problems(const Graph& g) {
  Validator v;
  v.reset(g);
  std::string text;
  for (const Diagnostic& d : v.all()) text += to_string(d) + "\n";
  return text;
}

/// Without parameters that are written out though they are the default, as every edit leaves them.
Graph plain(Graph g) {
  Edits edits;
  for (const auto& [id, n] : g.nodes()) {
    for (const auto& [param, value] : n.params) edits.push_back(SetParam{id, param, value});
  }
  EXPECT_TRUE(apply_edits(g, edits));
  return g;
}

Graph after(const Graph& g, const PrecisionPlan& plan) {
  Graph mended = g;
  const auto undo = apply_edits(mended, plan.edits);
  EXPECT_TRUE(undo) << undo.error().text();
  if (!undo) return mended;
  Graph back = mended;
  EXPECT_TRUE(apply_edits(back, *undo));
  EXPECT_EQ(plain(back), plain(g)) << "one undo takes it all back";
  EXPECT_EQ(problems(mended), "");
  return mended;
}

std::vector<const Node*> casts(const Graph& g) {
  std::vector<const Node*> found;
  for (const auto& [id, n] : g.nodes()) {
    if (n.type == "cast") found.push_back(&n);
  }
  return found;
}

std::string dtype_of(const Graph& g, const std::string& node_id) {
  return std::get<std::string>(param_value(*g.find(node_id), "dtype"));
}

std::optional<DType> carried(const Graph& g, const std::string& node_id, const std::string& socket) {
  Validator v;
  v.reset(g);
  const auto type = v.output_type(node_id, socket);
  return type ? std::optional(type->dtype) : std::nullopt;
}

/// A bf16 picture into a Linear layer that computes in bf16, whose weight and bias are stored as f8e4m3.
Graph f8_weights_under_bf16() {
  Graph g = made({source("pixels", DType::bf16), computing("layer", "linear", DType::bf16), node("relu", "relu"),
                  computing("head", "linear", DType::bf16)},
                 {{"pixels.y", "layer.x"}, {"layer.y", "relu.x"}, {"relu.y", "head.x"}});
  for (const char* weight : {"weight", "bias"})
    EXPECT_TRUE(apply_edits(g, {SetWeight{"layer", weight, WeightFormat{DType::f8e4m3, false, false}}}));
  return g;
}

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
      const int64_t count = int64_t{1} << (8 * size_of(from));
      Tensor all(from, {count});
      for (int64_t i = 0; i < count; ++i) {
        if (size_of(from) == 1)
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

TEST(Remedies, EachMendsTheWeightClashInOneStep) {
  const Graph g = f8_weights_under_bf16();
  Validator v;
  v.reset(g);
  const auto of_layer = v.of("layer");
  ASSERT_EQ(of_layer.size(), 2u) << problems(g);
  for (const Diagnostic& d : of_layer) {
    EXPECT_EQ(d.code, codes::weight_dtype);
    EXPECT_EQ(d.expected, "bf16");
    EXPECT_EQ(d.got, "f8e4m3");
    EXPECT_THAT(d.reason, HasSubstr("its input x is bf16"));
    std::set<std::string_view> kinds;
    for (const Remedy& remedy : d.remedies) {
      SCOPED_TRACE(remedy.label);
      kinds.insert(name(remedy.kind));
      Graph mended = g;
      const auto undo = apply_edits(mended, remedy_edits(g, remedy));
      ASSERT_TRUE(undo);
      Validator then;
      then.reset(mended);
      for (const Diagnostic& left : then.of("layer")) EXPECT_NE(left.socket, d.socket) << to_string(left);
      ASSERT_TRUE(apply_edits(mended, *undo));
      EXPECT_EQ(mended, g);
    }
    EXPECT_THAT(kinds, ::testing::IsSupersetOf({"cast-weight", "set-dtype", "unify", "negotiate"}));
  }
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

TEST(Remedies, ACastOfTheWiresLeavesAWeightInItsOwnFormat) {
  Node mlp = computing("mlp", "mlp", DType::bf16);
  mlp.weights["layer_*"] = {DType::f8e4m3, true, false};
  mlp.weights["layer_0"] = {DType::f16, false, false};
  const Graph g = made({source("x", DType::bf16), mlp}, {{"x.y", "mlp.x"}});
  Validator v;
  v.reset(g);
  ASSERT_EQ(v.of("mlp").size(), 1u) << problems(g);
  for (const Remedy& remedy : v.of("mlp").front().remedies) {
    if (remedy.kind != Remedy::Kind::insert_cast) continue;
    Graph mended = g;
    ASSERT_TRUE(apply_edits(mended, remedy_edits(g, remedy)));
    EXPECT_EQ(dtype_of(mended, "mlp"), "f16");
    const WeightFormat* format = weight_format(*mended.find("mlp"), "layer_0");
    EXPECT_TRUE(!format || format->dtype == DType::f16) << name(format->dtype);
    EXPECT_EQ(problems(mended), "");
    return;
  }
  ADD_FAILURE() << "no such remedy";
}

/// Remedies are made when a wire is checked and used later: the graph may have got other Casts meanwhile, and moved.
TEST(Remedies, AreMadeForTheGraphAsItIsWhenTheyAreUsed) {
  Graph g = made({source("x", DType::f16), computing("a", "mlp", DType::f32), computing("b", "mlp", DType::f32)},
                 {{"x.y", "a.x"}, {"x.y", "b.x"}});
  Validator v;
  v.reset(g);
  ASSERT_EQ(v.all().size(), 2u) << problems(g);
  std::vector<Remedy> casts;
  for (const Diagnostic& d : v.all()) casts.push_back(d.remedies.front());
  ASSERT_TRUE(apply_edits(g, {MoveNode{"a", 400, 300}, MoveNode{"b", 600, 100}}));
  for (const Remedy& remedy : casts) {
    ASSERT_EQ(remedy.kind, Remedy::Kind::insert_cast) << remedy.label;
    const auto applied = apply_edits(g, remedy_edits(g, remedy));
    ASSERT_TRUE(applied) << applied.error().text();
  }
  EXPECT_EQ(problems(g), "");
  ASSERT_TRUE(g.find("cast") && g.find("cast_2"));
  EXPECT_EQ(std::set({g.find("cast")->x, g.find("cast_2")->x}), (std::set{200.0, 300.0}));
}

/// New Casts lie under what stands in their way, one below the other.
TEST(Remedies, NewCastsCoverNoNode) {
  const auto clear = [](const Graph& g) {
    for (const auto& [id, a] : g.nodes()) {
      for (const auto& [other, b] : g.nodes())
        EXPECT_TRUE(id == other || std::abs(a.x - b.x) >= 216 || std::abs(a.y - b.y) >= 88) << id << " on " << other;
    }
  };
  Graph g = made({source("x", DType::f16), computing("a", "mlp", DType::f32), computing("b", "mlp", DType::f32)},
                 {{"x.y", "a.x"}, {"x.y", "b.x"}});
  ASSERT_TRUE(apply_edits(g, {MoveNode{"a", 260, 0}, MoveNode{"b", 260, 400}}));
  Validator v;
  v.reset(g);
  Graph mended = g;
  for (const Diagnostic& d : v.all()) ASSERT_TRUE(apply_edits(mended, remedy_edits(mended, d.remedies.front())));
  ASSERT_EQ(casts(mended).size(), 2u);
  clear(mended);
  ASSERT_TRUE(apply_edits(g, {SetParam{"b", "dtype", std::string("f64")}}));
  mended = after(g, negotiate(g));
  ASSERT_EQ(casts(mended).size(), 2u);
  clear(mended);
}

}  // namespace
}  // namespace hw
