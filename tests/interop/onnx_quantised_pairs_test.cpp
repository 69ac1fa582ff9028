// Casts of scaled numbers in exported models: QuantizeLinear and DequantizeLinear where that is the same to the bit.
#include <gmock/gmock.h>

#include "tests/interop/exported_node.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {
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
}  // namespace hw::test
