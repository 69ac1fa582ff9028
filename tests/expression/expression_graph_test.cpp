// Expression in a graph: its sockets follow the source, wires keep their places, wrong wires and sources say why; its
// Jacobian at the values that flow.
#include <gmock/gmock.h>

#include "engine/gradient/jacobian.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::link;
using test::node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ParamMap source(const std::string& text) {
  return {{"source", text}};
}
ParamMap random_of(std::vector<double> shape) {
  return {{"shape", std::move(shape)}, {"axes", std::string()}};
}

/// `shape` of a random wire into `socket` of an expression "f".
Graph with_wire(const std::string& text, std::vector<double> shape, const std::string& socket) {
  Graph g;
  const auto applied =
      apply_edits(g, {AddNode{node("r", "random", random_of(std::move(shape)))},
                      AddNode{node("f", "expression", source(text))}, AddLink{link("r.y", "f." + socket)}});
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

Validator checked(const Graph& graph) {
  Validator v;
  v.reset(graph);
  return v;
}

std::string type_of(const Validator& v, const std::string& socket) {
  const auto type = v.output_type("f", socket);
  return type ? to_string(*type) : "none";
}

TEST(ExpressionNode, ItsSocketsAndTypesFollowTheSource) {
  Graph g = with_wire("y.x = 2*x; y.y = 3*x; y.z = 4*x", {5}, "x");
  Validator v = checked(g);
  EXPECT_EQ(v.all().size(), 0u);
  EXPECT_EQ(type_of(v, "y"), "f32 [5, C 3]");
  ASSERT_TRUE(
      apply_edits(g, {SetParam{"f", "source", std::string("in x: vec2; m = mat2(x, x.yx); n = length(x) > 1")}}));
  ASSERT_TRUE(apply_edits(g, {SetParam{"r", "shape", std::vector<double>{7, 5, 2}}}));
  EXPECT_THAT(v.update(g, {.nodes = {"r", "f"}, .rewired = {}}), ::testing::IsSupersetOf({"f"}));
  EXPECT_EQ(v.all().size(), 0u);
  EXPECT_EQ(type_of(v, "m"), "f32 [7, 5, row 2, column 2]");
  EXPECT_EQ(type_of(v, "n"), "bool [7, 5]");
  EXPECT_EQ(type_of(v, "y"), "none");
}

TEST(ExpressionNode, AWrongSourceIsSaidAndKeepsTheWires) {
  Graph g = with_wire("y = 2*x", {5}, "x");
  const auto added = apply_edits(g, {AddNode{node("n", "neg")}, AddLink{link("f.y", "n.x")}});
  ASSERT_TRUE(added) << added.error().text();
  ASSERT_TRUE(apply_edits(g, {SetParam{"f", "source", std::string("let t = 2;\ny = t*sine(x)")}}));
  const Validator v = checked(g);
  ASSERT_EQ(v.all().size(), 1u) << to_string(v.all().back());
  const Diagnostic d = v.all().front();
  EXPECT_EQ(d.code, codes::expression_name);
  EXPECT_EQ(d.node, "f");
  EXPECT_EQ(d.socket, "source");
  EXPECT_THAT(d.reason, StartsWith("line 2, column 7: there is no function \"sine\"."));
  EXPECT_THAT(d.reason, HasSubstr("\"sin\"?"));
}

TEST(ExpressionNode, AWireWhoseSocketIsGoneCanBeRemovedAndComesBackByUndo) {
  Graph g = with_wire("y = 2*x", {5}, "x");
  const auto renamed = apply_edits(g, {SetParam{"f", "source", std::string("y = 2*u")}});
  ASSERT_TRUE(renamed);
  const Validator v = checked(g);
  const auto all = v.all();
  const auto gone = std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.socket == "x"; });
  ASSERT_NE(gone, all.end());
  EXPECT_EQ(gone->code, codes::unknown_socket);
  ASSERT_FALSE(gone->remedies.empty());
  const auto removed = apply_edits(g, gone->remedies.front().edits);
  ASSERT_TRUE(removed);
  EXPECT_TRUE(g.links().empty());
  const auto back = apply_edits(g, *removed);
  ASSERT_TRUE(back) << back.error().text();
  ASSERT_TRUE(apply_edits(g, *renamed));
  EXPECT_EQ(checked(g).all().size(), 0u);
}

TEST(ExpressionNode, WrongWiresAreRefusedWithBothShapes) {
  struct Refused {
    const char* text;
    std::vector<double> shape;
    const char *code, *reason;
  };
  const Refused cases[] = {
      {"in x: vec3; y = x", {5, 2}, codes::size_mismatch, "takes a vec3, 3 components on its last axis, got [5, 2]."},
      {"in x: mat3; y = x", {3}, codes::rank_mismatch, "takes a mat3, 3 × 3 components on its last axes, got [3]."},
      {"in x: mat2; y = x",
       {4, 2, 3},
       codes::size_mismatch,
       "takes a mat2, 2 × 2 components on its last axes, got [4, 2, 3]."},
      {"in x: bool; y = x ? 1 : 0", {4}, codes::dtype_mismatch, "takes bool"},
  };
  for (const Refused& c : cases) {
    const Graph g = with_wire(c.text, c.shape, "x");
    const auto all = checked(g).all();
    ASSERT_EQ(all.size(), 1u) << c.text;
    EXPECT_EQ(all[0].code, c.code) << c.text;
    EXPECT_EQ(all[0].socket, "x");
    EXPECT_THAT(all[0].reason, HasSubstr(c.reason));
  }
}

// [N] beside [N, 1] would broadcast to [N, N].
TEST(ExpressionNode, BatchesThatOnlyBroadcastingWouldJoinAreRefused) {
  Graph g = with_wire("in p: vec3; in s; y = p*s", {5, 3}, "p");
  ASSERT_TRUE(apply_edits(g, {AddNode{node("t", "random", random_of({5, 1}))}, AddLink{link("t.y", "f.s")}}));
  auto all = checked(g).all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].code, codes::rank_mismatch);
  EXPECT_EQ(all[0].socket, "s");
  EXPECT_THAT(all[0].reason, HasSubstr("p has [5] before its components, this [5, 1]"));
  ASSERT_TRUE(apply_edits(g, {SetParam{"t", "shape", std::vector<double>{4}}}));
  all = checked(g).all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].code, codes::size_mismatch);
  ASSERT_TRUE(apply_edits(g, {SetParam{"t", "shape", std::vector<double>{}}}));
  EXPECT_EQ(checked(g).all().size(), 0u);
}

TEST(ExpressionJacobian, OfTheFieldCaseIsTwoThreeFour) {
  const Graph g = with_wire("y.x = 2*x; y.y = 3*x; y.z = 4*x", {6}, "x");
  test::QuadAssets assets;
  for (const std::string device : {"ref", "cpu"}) {
    for (const int64_t sample : {0, 5}) {
      const auto j = jacobian(g, "f", assets, {.device = device, .sample = sample});
      ASSERT_TRUE(j) << j.error().text();
      EXPECT_EQ(j->samples, 6);
      ASSERT_EQ(j->blocks.size(), 1u);
      EXPECT_EQ(j->blocks[0].rows, (Dims{3}));
      EXPECT_EQ(j->blocks[0].columns, (Dims{}));
      EXPECT_THAT(j->blocks[0].values, ElementsAre(2, 3, 4));
    }
  }
}

TEST(ExpressionJacobian, IsThatOfTheValuesThatFlow) {
  Graph g = with_wire("in p: vec2; in s; y = vec2(p.x*p.y, s*p.x); d = p.y*p.y", {4, 2}, "p");
  ASSERT_TRUE(apply_edits(g, {AddNode{node("t", "random", random_of({}))}, AddLink{link("t.y", "f.s")}}));
  test::QuadAssets assets;
  const auto j = jacobian(g, "f", assets, {.sample = 2, .seed = 3});
  ASSERT_TRUE(j) << j.error().text();
  ASSERT_EQ(j->inputs.size(), 2u);
  const auto& p = j->inputs[0].socket == "p" ? j->inputs[0] : j->inputs[1];
  const auto& s = j->inputs[0].socket == "s" ? j->inputs[0] : j->inputs[1];
  ASSERT_EQ(p.values.size(), 2u);
  ASSERT_EQ(s.values.size(), 1u);
  const double x = p.values[0], y = p.values[1];
  for (const JacobianBlock& block : j->blocks) {
    if (block.output == "y" && block.input == "p") {
      EXPECT_THAT(block.values,
                  testing::Pointwise(testing::DoubleNear(1e-6), std::vector<double>{y, x, s.values[0], 0}));
    } else if (block.output == "y") {
      EXPECT_THAT(block.values, testing::Pointwise(testing::DoubleNear(1e-6), std::vector<double>{0, x}));
    } else if (block.input == "p") {
      EXPECT_THAT(block.values, testing::Pointwise(testing::DoubleNear(1e-6), std::vector<double>{0, 2 * y}));
    } else {
      EXPECT_THAT(block.values, ElementsAre(0));
    }
  }
  EXPECT_EQ(j->blocks.size(), 4u);
}

TEST(ExpressionJacobian, StopsBeforeItCostsWhatCannotBeShown) {
  test::QuadAssets assets;
  const Graph wide = with_wire("y = 2*x", {4, 300}, "x");
  const auto large = jacobian(wide, "f", assets, {});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, codes::unsupported);
  EXPECT_NE(large.error().reason.find("300 elements"), std::string::npos) << large.error().reason;
  const auto source = jacobian(wide, "r", assets, {});
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().reason.find("no wired input"), std::string::npos) << source.error().reason;
  const std::atomic<bool> cancelled{true};
  const auto stopped = jacobian(with_wire("y = 2*x", {4}, "x"), "f", assets, {.cancel = &cancelled});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, codes::cancelled);
}

TEST(ExpressionJacobian, ThereIsNoneAtNaN) {
  test::QuadAssets assets;
  const auto j = jacobian(with_wire("y = max(log(x - 2), x)", {4}, "x"), "f", assets, {.sample = 1});
  ASSERT_FALSE(j);
  EXPECT_EQ(j.error().code, codes::not_finite);
  EXPECT_EQ(j.error().where, "f.y");
  EXPECT_NE(j.error().reason.find("at sample 1"), std::string::npos) << j.error().reason;
}

// One wire into two inputs: each input has a derivative of its own.
TEST(ExpressionJacobian, DistinguishesTwoInputsOfOneWire) {
  Graph g = with_wire("in a: vec3; in b: vec3; y = dot(a, 2*b)", {3, 3}, "a");
  ASSERT_TRUE(apply_edits(g, {AddLink{link("r.y", "f.b")}}));
  test::QuadAssets assets;
  const auto j = jacobian(g, "f", assets, {.sample = 1});
  ASSERT_TRUE(j) << j.error().text();
  ASSERT_EQ(j->blocks.size(), 2u);
  ASSERT_EQ(j->inputs[0].values.size(), 3u);
  for (const JacobianBlock& block : j->blocks) {
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(block.values[k], 2 * j->inputs[0].values[k], 1e-6) << block.input;
  }
}

// A matrix for all samples may have as many rows as there are samples.
TEST(ExpressionJacobian, ShowsAllOfAnInputThatSamplesShare) {
  Graph g = with_wire("in m: mat3; in v: vec3; y = m*v", {3, 3}, "m");
  ASSERT_TRUE(apply_edits(g, {AddNode{node("t", "random", random_of({3, 3}))}, AddLink{link("t.y", "f.v")}}));
  test::QuadAssets assets;
  const auto j = jacobian(g, "f", assets, {.sample = 1});
  ASSERT_TRUE(j) << j.error().text();
  for (const JacobianBlock& block : j->blocks)
    EXPECT_EQ(block.columns, block.input == "m" ? (Dims{3, 3}) : (Dims{3})) << block.input;
}

TEST(ExpressionJacobian, RefusesWhatItCannotShow) {
  const Graph g = with_wire("y = 2*x", {6}, "x");
  test::QuadAssets assets;
  EXPECT_EQ(jacobian(g, "nobody", assets, {}).error().code, codes::unknown_node);
  EXPECT_EQ(jacobian(g, "f", assets, {.sample = 6}).error().code, codes::bad_parameter);
  EXPECT_EQ(jacobian(with_wire("y = x > 0", {6}, "x"), "f", assets, {}).error().code, codes::unsupported);
}

}  // namespace
}  // namespace hw
