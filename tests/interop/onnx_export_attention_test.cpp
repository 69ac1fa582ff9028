// Attention and rotary embeddings as models: operators of their own from opset 23 on, before that their parts, and the
// same values in each.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "tests/interop/exported_node.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Values = std::vector<double>;
using Inputs = std::map<std::string, std::pair<DType, Dims>>;

/// Numbers in [-1, 1) that differ from each other; most bools are true.
Tensor drawn(DType dtype, const Dims& dims, int seed) {
  Values numbers;
  for (int64_t i = 0; i < element_count(dims); ++i) {
    const double x = std::fmod(std::abs(std::sin(static_cast<double>(i * 37 + seed * 101 + 1)) * 43758.5453), 1);
    numbers.push_back(dtype == DType::boolean ? (x < 0.7 ? 1 : 0) : 2 * x - 1);
  }
  return Tensor::from_f64(dtype, dims, numbers);
}

double allowed(DType dtype) {
  const std::map<DType, double> known{{DType::f64, 1e-12}, {DType::f32, 1e-5}, {DType::f16, 4e-3}, {DType::bf16, 3e-2}};
  return known.at(dtype);
}

/// What a node gives, and what its model gives when it is read back, in each opset that changes something.
void comes_back(const Node& tried, const Inputs& inputs, std::map<std::string, Tensor> given = {}) {
  LowerOptions here;
  int seed = 0;
  for (const auto& [socket, type] : inputs) {
    if (!given.contains(socket)) given[socket] = drawn(type.first, type.second, ++seed);
    here.bindings[{socket, "y"}] = given[socket];
  }
  const Values wanted = on_ref(alone(tried, inputs), {tried.id, "y"}, here, nullptr);
  const DType dtype = inputs.contains("x") ? inputs.at("x").first : inputs.at("query").first;
  for (const int64_t opset : {17, 18, 20, 22, 23, 24, 28}) {
    const auto model = exported(tried, inputs, {.opset = opset});
    ASSERT_TRUE(model) << opset << ": " << model.error().text();
    const auto back = interop::import_graph(*model);
    ASSERT_TRUE(back) << opset << ": " << back.error().text();
    ASSERT_TRUE(back->missing.empty()) << opset << ": " << back->missing.front().reason;
    LowerOptions there;
    for (const auto& [socket, tensor] : given)
      if (const auto found = back->inputs.find(socket); found != back->inputs.end())
        there.bindings[{found->second, "y"}] = tensor;
    const Values made = on_ref(back->graph, back->outputs.front().second, there, &back->weights);
    ASSERT_EQ(made.size(), wanted.size()) << opset;
    for (size_t i = 0; i < made.size(); ++i)
      ASSERT_NEAR(made[i], wanted[i], allowed(dtype) * (1 + std::abs(wanted[i]))) << "opset " << opset << " at " << i;
  }
}

Inputs heads(DType dtype, const Dims& q, const Dims& k, const Dims& v) {
  return {{"query", {dtype, q}}, {"key", {dtype, k}}, {"value", {dtype, v}}};
}

Node sdpa(ParamMap params = {}) {
  return node("a", "scaled_dot_product_attention", std::move(params));
}

TEST(OnnxExportAttention, ItIsAnOperatorFromOpset23On) {
  const Inputs all = heads(DType::f32, {1, 2, 5, 4}, {1, 2, 5, 4}, {1, 2, 5, 6});
  for (const int64_t opset : {17, 22, 23, 28}) {
    const auto made = exported(sdpa({{"causal", true}, {"scale", 0.3}}), all, {.opset = opset});
    ASSERT_TRUE(made) << made.error().text();
    if (opset < 23) {
      EXPECT_THAT(operators_of(*made), Not(Contains("Attention")));
      EXPECT_THAT(operators_of(*made), Contains("Softmax"));
      continue;
    }
    ASSERT_EQ(operators_of(*made), std::vector<std::string>{"Attention"});
    EXPECT_EQ(made->graph.nodes[0].integer("is_causal", 0), 1);
    EXPECT_NEAR(made->graph.nodes[0].real("scale", 0), 0.3, 1e-7);
  }
  // Runtimes do not agree from which end is_causal counts where keys are not as many as queries.
  const auto oblong =
      exported(sdpa({{"causal", true}}), heads(DType::f32, {1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}), {.opset = 23});
  ASSERT_TRUE(oblong) << oblong.error().text();
  EXPECT_EQ(oblong->graph.nodes.back().op, "Attention");
  EXPECT_FALSE(oblong->graph.nodes.back().has("is_causal"));
  EXPECT_EQ(oblong->graph.nodes.back().inputs.size(), 4u);
  const auto turned = exported(node("r", "rotary_embedding"), {{"x", {DType::f32, {1, 2, 5, 4}}}}, {.opset = 23});
  ASSERT_TRUE(turned) << turned.error().text();
  EXPECT_EQ(operators_of(*turned), std::vector<std::string>{"RotaryEmbedding"});
}

TEST(OnnxExportAttention, ScalesCausalAndDtypesGiveTheSame) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    comes_back(sdpa(), heads(dtype, {2, 3, 4, 6}, {2, 3, 5, 6}, {2, 3, 5, 7}));
    comes_back(sdpa({{"causal", true}, {"scale", 0.7}}), heads(dtype, {1, 2, 5, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}));
  }
  comes_back(sdpa({{"causal", true}}), heads(DType::f32, {1, 1, 3, 4}, {1, 1, 7, 4}, {1, 1, 7, 2}));
}

TEST(OnnxExportAttention, MasksOfAllSizesGiveTheSame) {
  for (const bool causal : {false, true})
    for (const Dims& mask :
         std::vector<Dims>{{3, 5}, {2, 3, 5}, {2, 1, 5}, {2, 4, 3, 5}, {1, 1, 3, 5}, {2, 1, 1, 5}, {1, 5}, {3, 1}}) {
      Inputs all = heads(DType::f32, {2, 4, 3, 6}, {2, 4, 5, 6}, {2, 4, 5, 6});
      all["mask"] = {DType::boolean, mask};
      comes_back(sdpa({{"causal", causal}}), all);
    }
}

TEST(OnnxExportAttention, AQueryThatSeesNoKeyGivesZero) {
  Inputs all = heads(DType::f32, {1, 1, 3, 4}, {1, 1, 3, 4}, {1, 1, 3, 4});
  all["mask"] = {DType::boolean, {3, 3}};
  // The second sees none; with `causal` the first does not, as it may see the last alone.
  const Tensor mask = Tensor::from_f64(DType::boolean, {3, 3}, Values{0, 0, 1, 0, 0, 0, 1, 1, 1});
  for (const bool causal : {false, true}) {
    comes_back(sdpa({{"causal", causal}}), all, {{"mask", mask}});
    LowerOptions given;
    int seed = 0;
    for (const auto& [socket, type] : all)
      given.bindings[{socket, "y"}] = socket == "mask" ? mask : drawn(type.first, type.second, ++seed);
    const Values y = on_ref(alone(sdpa({{"causal", causal}}), all), {"a", "y"}, given, nullptr);
    ASSERT_EQ(y.size(), 12u);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i] == 0, i < 8 && (causal || i >= 4)) << causal << " " << i;
  }
  const auto made = exported(sdpa(), all, {.opset = 23});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->graph.nodes.back().op, "Where") << "whatever the runtime makes of such a query";
}

TEST(OnnxExportAttention, PairsAndRanksOfRotationsGiveTheSame) {
  for (const char* pairs : {"halves", "interleaved"})
    for (const Dims& dims : std::vector<Dims>{{5, 4}, {3, 5, 6}, {2, 3, 4, 8}, {1, 2, 3, 2, 4}})
      for (const DType dtype : {DType::f32, DType::f64, DType::f16})
        comes_back(node("r", "rotary_embedding", {{"pairs", std::string(pairs)}, {"base", 100.0}}),
                   {{"x", {dtype, dims}}});
}

TEST(OnnxExportAttention, LayersWithTheirWeightsGiveTheSame) {
  const Inputs self{{"x", {DType::f32, {2, 5, 8}}}};
  for (const bool flag : {false, true})
    comes_back(node("a", "attention", {{"heads", int64_t{2}}, {"rotary", flag}, {"causal", !flag}, {"bias", flag}}),
               self);
  comes_back(
      node("a", "attention", {{"heads", int64_t{2}}, {"rotary", true}, {"rotary_base", 50.0}, {"causal", true}}),
      {{"x", {DType::f32, {2, 4, 8}}}, {"context", {DType::f32, {2, 6, 5}}}, {"mask", {DType::boolean, {2, 1, 6}}}});
  comes_back(node("a", "attention", {{"heads", int64_t{2}}, {"dtype", std::string("f16")}}),
             {{"x", {DType::f16, {1, 5, 8}}}});
}

TEST(OnnxExportAttention, AProductThatRoundsFirstIsRefused) {
  for (const Node& tried : {sdpa({{"compute", std::string("bf16")}}),
                            node("a", "attention", {{"compute", std::string("bf16")}, {"heads", int64_t{2}}})}) {
    const bool layer = tried.type == "attention";
    const auto made = exported(tried, layer ? Inputs{{"x", {DType::f32, {1, 3, 4}}}}
                                            : heads(DType::f32, {1, 1, 3, 4}, {1, 1, 3, 4}, {1, 1, 3, 4}));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, codes::unsupported);
    EXPECT_EQ(made.error().where, "a");
    EXPECT_THAT(made.error().reason, HasSubstr("it computes in bf16, which ONNX cannot say"));
    EXPECT_THAT(made.error().remedy, HasSubstr("compute to storage"));
  }
}

TEST(OnnxExportAttention, SymbolicAxesStaySoButForPlaces) {
  for (const bool rotary : {false, true})
    for (const int64_t opset : {17, 23}) {
      const Graph graph =
          built({AddNode{node(
                     "x", "input",
                     {{"shape", Values{2, 5, 8}}, {"axes", std::string("N T C")}, {"symbolic", std::string("N T")}})},
                 AddNode{node("a", "attention", {{"heads", int64_t{2}}, {"causal", true}, {"rotary", rotary}})},
                 AddLink{link("x.y", "a.x")}});
      FileAssets assets("");
      const auto made = interop::export_graph(graph, {{"y", {"a", "y"}}}, nullptr, assets, {.opset = opset});
      ASSERT_TRUE(made) << made.error().text();
      EXPECT_EQ(made->graph.inputs.at(0).dims->at(0).symbol, "N");
      EXPECT_EQ(made->graph.inputs[0].dims->at(1).size, rotary ? 5 : -1);
      ASSERT_EQ(made->fixed.size(), rotary ? 1u : 0u);
      if (rotary) {
        EXPECT_EQ(made->fixed[0].axis, "T");
        EXPECT_THAT(made->fixed[0].because, HasSubstr("angles"));
      }
    }
}

TEST(OnnxExportAttention, EachNodeInTheWayIsNamed) {
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", Values{4, 3}}})}, AddNode{node("harmonics", "spherical_harmonics")},
             AddNode{node("wide", "linear")}, AddNode{node("half", "linear", {{"compute", std::string("bf16")}})},
             AddLink{link("x.y", "harmonics.x")}, AddLink{link("harmonics.features", "wide.x")},
             AddLink{link("wide.y", "half.x")}});
  FileAssets assets("");
  const auto refused = interop::export_refusals(graph, {{"y", {"half", "y"}}}, nullptr, assets);
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].where, "harmonics");
  EXPECT_EQ(refused[1].where, "half");
  for (const Error& error : refused) EXPECT_FALSE(error.remedy.empty());
  EXPECT_TRUE(interop::export_refusals(graph, {{"y", {"x", "y"}}}, nullptr, assets).empty());
}

}  // namespace
}  // namespace hw::test
