// Casts of scaled numbers in exported models: QuantizeLinear and DequantizeLinear where that is the same to the bit.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/interop/exported_node.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_quantised_pairs_test {
namespace {

using ::testing::ElementsAre;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

/// x [6] ÷ s → (Round) → Cast to `narrow` → Cast to f32 → · s: y. `more`: further edits.
Result<interop::ExportedModel> scaled(const std::string& narrow, bool rounds, int64_t opset, const Edits& more = {},
                                      const SocketRef& y = {"wide", "y"}) {
  Edits edits{AddNode{node("x", "input", {{"shape", Values{6}}, {"axes", std::string()}, {"symbolic", std::string()}})},
              AddNode{node("s", "constant", {{"value", 0.25}})},
              AddNode{node("divided", "div")},
              AddNode{node("narrow", "cast", {{"to", narrow}, {"saturate", true}})},
              AddNode{node("back", "cast")},
              AddNode{node("wide", "mul")},
              AddLink{link("x.y", "divided.a")},
              AddLink{link("s.y", "divided.b")},
              AddLink{link("narrow.y", "back.x")},
              AddLink{link("back.y", "wide.a")},
              AddLink{link("s.y", "wide.b")}};
  if (rounds) {
    edits.push_back(AddNode{node("round", "round")});
    edits.push_back(AddLink{link("divided.y", "round.x")});
    edits.push_back(AddLink{link("round.y", "narrow.x")});
  } else {
    edits.push_back(AddLink{link("divided.y", "narrow.x")});
  }
  edits.insert(edits.end(), more.begin(), more.end());
  FileAssets assets("");
  return interop::export_graph(built(edits), {{"y", y}}, nullptr, assets, {.opset = opset});
}

Values of(const interop::OnnxModel& model) {
  const auto back = interop::import_graph(model);
  EXPECT_TRUE(back) << back.error().text();
  return back ? values_of(*back, Tensor::from_f64(DType::f32, {6}, Values{0.3, 0.375, -0.625, 200, -200, 1e-3}))
              : Values{};
}

TEST(OnnxQuantisedPairs, BytesBehindARound) {
  for (const int64_t opset : {17, 28}) {
    const auto made = scaled("i8", true, opset);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_THAT(operators_of(*made), ElementsAre("QuantizeLinear", "DequantizeLinear"));
    EXPECT_EQ(made->graph.initializers.size(), 2u) << "the scale and its zero point";
    EXPECT_EQ(of(*made), (Values{0.25, 0.5, -0.5, 31.75, -32, 0})) << "ties to even, and the ends";
  }
}

TEST(OnnxQuantisedPairs, FloatsOf8BitsFromOpset19On) {
  const auto made = scaled("f8e4m3", false, 19);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(operators_of(*made), ElementsAre("QuantizeLinear", "DequantizeLinear"));
  EXPECT_EQ(made->graph.nodes[0].integer("saturate", -1), 1);
  EXPECT_EQ(of(*made), (Values{0.3125, 0.375, -0.625, 112, -112, 0.0009765625}));
}

/// x [4, 3] ÷ s → Round → Cast to i8 → Cast to f32 → · s: y, s of these sizes.
Result<interop::ExportedModel> scaled_by_channel(const Values& sizes, int64_t opset = 17) {
  const bool one = element_count({sizes.begin(), sizes.end()}) == 1;
  const Values scales = one ? Values{0.25} : sizes.front() == 4 ? Values{0.25, 0.5, 1, 2} : Values{0.25, 0.5, 1};
  FileAssets assets("");
  return interop::export_graph(
      built(
          {AddNode{node("x", "input", {{"shape", Values{4, 3}}, {"axes", std::string()}, {"symbolic", std::string()}})},
           AddNode{node("s", "tensor_constant", {{"values", scales}, {"shape", sizes}})},
           AddNode{node("divided", "div")}, AddNode{node("round", "round")},
           AddNode{node("narrow", "cast", {{"to", std::string("i8")}, {"saturate", true}})},
           AddNode{node("back", "cast")}, AddNode{node("wide", "mul")}, AddLink{link("x.y", "divided.a")},
           AddLink{link("s.y", "divided.b")}, AddLink{link("divided.y", "round.x")},
           AddLink{link("round.y", "narrow.x")}, AddLink{link("narrow.y", "back.x")}, AddLink{link("back.y", "wide.a")},
           AddLink{link("s.y", "wide.b")}}),
      {{"y", {"wide", "y"}}}, nullptr, assets, {.opset = opset});
}

TEST(OnnxQuantisedPairs, ScalesAlongAnAxisAreAListWithTheAxis) {
  const std::vector<double> x{0.3, 0.375, -0.625, 200, -200, 1e-3, 7.5, -7.5, 3.5, 500, -1, 1};
  const std::vector<std::pair<Values, int64_t>> cases{{{3}, 1}, {{1, 3}, 1}, {{4, 1}, 0}, {{1, 1}, -1}, {{1}, -1}};
  for (const auto& [sizes, axis] : cases) {
    const auto made = scaled_by_channel(sizes);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_THAT(operators_of(*made), ElementsAre("QuantizeLinear", "DequantizeLinear")) << sizes.size();
    EXPECT_EQ(made->graph.initializers.size(), 2u) << "the scales and their zero points";
    Values wanted;
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t at = axis < 0 ? 0 : axis == 0 ? i / 3 : i % 3;
      const double scale = std::vector<double>{0.25, 0.5, 1, 2}[at];
      const double whole = std::nearbyint(static_cast<double>(static_cast<float>(x[i])) / scale);
      wanted.push_back(std::clamp(whole, -128.0, 127.0) * scale);
    }
    for (const interop::OnnxNode& n : made->graph.nodes) {
      EXPECT_EQ(n.integer("axis", -1), axis);
      EXPECT_EQ(made->graph.initializers.at(n.inputs[1]).dims().size(), axis < 0 ? 0u : 1u);
    }
    const auto back = interop::import_graph(*made);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(values_of(*back, Tensor::from_f64(DType::f32, {4, 3}, x)), wanted);
  }
  // A scale that makes x larger is none of a channel.
  const auto larger = scaled_by_channel({4, 1, 1});
  ASSERT_TRUE(larger) << larger.error().text();
  EXPECT_THAT(operators_of(*larger), ::testing::Not(::testing::Contains("QuantizeLinear")));
}

TEST(OnnxQuantisedPairs, WhatIsNotTheSameStays) {
  // A cast to bytes drops fractions.
  const auto cut = scaled("u8", false, 17);
  ASSERT_TRUE(cut) << cut.error().text();
  EXPECT_THAT(operators_of(*cut), ElementsAre("Div", "Clip", "Cast", "Cast", "Mul"));
  // The quotient is read by another, too.
  const auto shared =
      scaled("i8", true, 17,
             {AddNode{node("sum", "add")}, AddLink{link("divided.y", "sum.a")}, AddLink{link("wide.y", "sum.b")}},
             {"sum", "y"});
  ASSERT_TRUE(shared) << shared.error().text();
  EXPECT_THAT(operators_of(*shared), ::testing::Contains("Div"));
  EXPECT_THAT(operators_of(*shared), ::testing::Not(::testing::Contains("QuantizeLinear")));
}

}  // namespace
}  // namespace hw::test::onnx_quantised_pairs_test
