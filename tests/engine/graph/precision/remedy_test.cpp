// Remedies: each is one step that mends what it is for, in the graph as it is when it is used.
#include "engine/graph/precision/remedy.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/graph/precision/negotiate.h"
#include "tests/engine/dtype_graphs.h"

namespace hw::remedy_test {
namespace {

using namespace test;
using ::testing::HasSubstr;

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
    std::set<Remedy::Kind> kinds;
    for (const Remedy& remedy : d.remedies) {
      SCOPED_TRACE(remedy.label);
      kinds.insert(remedy.kind);
      Graph mended = g;
      const auto undo = apply_edits(mended, remedy_edits(g, remedy));
      ASSERT_TRUE(undo);
      Validator then;
      then.reset(mended);
      for (const Diagnostic& left : then.of("layer")) EXPECT_NE(left.socket, d.socket) << to_string(left);
      undo_edits(mended, *undo);
      EXPECT_EQ(mended, g);
    }
    EXPECT_THAT(kinds, ::testing::IsSupersetOf({Remedy::Kind::cast_weight, Remedy::Kind::set_dtype, Remedy::Kind::unify,
                                                Remedy::Kind::negotiate}));
  }
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
}  // namespace hw::remedy_test
