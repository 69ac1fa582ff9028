// Weights of a file against the graph: dtypes and sizes are compared before any is taken.
#include "engine/graph/weights/fit_weights.h"

#include <gmock/gmock.h>

#include "engine/graph/lower/lower.h"
#include "engine/graph/precision/fix.h"
#include "engine/graph/precision/remedy.h"
#include "engine/graph/weights/convert_weights.h"
#include "engine/io/asset/assets.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::link;
using test::node;
using test::problems;
using ::testing::Contains;
using ::testing::HasSubstr;

/// bf16 [4, 8] into a Linear layer in bf16 and a Batch Norm.
Graph bf16_layer() {
  Graph g;
  const auto applied = apply_edits(
      g, {AddNode{node("x", "random", {{"shape", std::vector<double>{4, 8}}, {"dtype", std::string("bf16")}})},
          AddNode{node("layer", "linear", {{"out_features", int64_t{5}}, {"dtype", std::string("bf16")}})},
          AddNode{node("norm", "batch_norm", {{"dtype", std::string("bf16")}})}, AddLink{link("x.y", "layer.x")},
          AddLink{link("layer.y", "norm.x")}});
  EXPECT_TRUE(applied);
  return g;
}

Tensor counted(DType dtype, Dims dims) {
  std::vector<double> values;
  for (int64_t i = 0; i < element_count(dims); ++i) values.push_back(static_cast<double>(i % 7) / 4 - 0.75);
  return Tensor::from_f64(dtype, std::move(dims), values);
}

std::map<std::string, Tensor> weights(DType linear, DType statistics = DType::f32) {
  std::map<std::string, Tensor> w;
  w["layer.weight"] = counted(linear, {5, 8});
  w["layer.bias"] = counted(linear, {5});
  w["norm.weight"] = counted(DType::bf16, {5});
  w["norm.bias"] = counted(DType::bf16, {5});
  w["norm.running_mean"] = counted(statistics, {5});
  w["norm.running_var"] = Tensor::from_f64(statistics, {5}, std::vector<double>(5, 1.0));
  return w;
}

FittedWeights fit(const Graph& g, std::map<std::string, Tensor> w) {
  Validator v;
  v.reset(g);
  FittedWeights fitted = fit_weights(g, v, std::move(w));
  fitted.tensors = converted(fitted);
  return fitted;
}

TEST(FitWeights, WhatFitsIsTakenAsItIs) {
  const FittedWeights fitted = fit(bf16_layer(), weights(DType::bf16));
  EXPECT_TRUE(fitted.problems.empty());
  EXPECT_TRUE(fitted.notes.empty());
  EXPECT_EQ(fitted.tensors.size(), 6u);
}

TEST(FitWeights, F8WeightsAndBiasUnderABf16InputAreBothReported) {
  const Graph g = bf16_layer();
  const FittedWeights fitted = fit(g, weights(DType::f8e4m3));
  EXPECT_TRUE(fitted.tensors.empty()) << "nothing is half-loaded";
  ASSERT_EQ(fitted.problems.size(), 2u);
  std::set<std::string> parameters;
  for (const Diagnostic& d : fitted.problems) {
    EXPECT_EQ(d.code, codes::weight_dtype);
    EXPECT_EQ(d.node, "layer");
    parameters.insert(d.socket);
    EXPECT_EQ(d.expected, "bf16");
    EXPECT_EQ(d.got, "f8e4m3");
    EXPECT_THAT(d.reason, HasSubstr("is loaded as f8e4m3, but its input x is bf16"));
    for (const Remedy& remedy : d.remedies) {
      SCOPED_TRACE(remedy.label);
      Graph mended = g;
      const auto undo = apply_edits(mended, remedy_edits(g, remedy));
      ASSERT_TRUE(undo) << undo.error().text();
      for (const Diagnostic& left : fit(mended, weights(DType::f8e4m3)).problems) EXPECT_NE(left.socket, d.socket);
      ASSERT_TRUE(apply_edits(mended, *undo));
      EXPECT_EQ(mended, g);
    }
  }
  EXPECT_EQ(parameters, (std::set<std::string>{"weight", "bias"}));
  const Error error = as_error(fitted.problems);
  EXPECT_EQ(error.code, codes::weight_dtype);
  EXPECT_EQ(error.where, "layer.bias");
  EXPECT_THAT(error.reason, HasSubstr("of other dtypes: layer.bias, layer.weight"));
  EXPECT_THAT(error.remedy, HasSubstr("Negotiate"));
}

TEST(FitWeights, EachFixMakesThemFit) {
  for (const char* how : {"insert-cast", "unify=bf16", "unify=f32", "negotiate"}) {
    SCOPED_TRACE(how);
    Graph g = bf16_layer();
    const auto notes = fix_clashes(g, *parse_fix(how), weights(DType::f8e4m3, DType::f16));
    ASSERT_TRUE(notes) << notes.error().text();
    EXPECT_EQ(problems(g), "");
    const FittedWeights fitted = fit(g, weights(DType::f8e4m3, DType::f16));
    for (const Diagnostic& d : fitted.problems) ADD_FAILURE() << to_string(d);
    const auto text = write_graph(g);
    const auto back = parse_graph(text, "test");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(*back, g);
    EXPECT_EQ(write_graph(*back), text);
  }
}

TEST(FitWeights, NegotiatedF8WeightsStayF8AndAreUsedExactly) {
  Graph g = bf16_layer();
  ASSERT_TRUE(fix_clashes(g, *parse_fix("negotiate"), weights(DType::f8e4m3)));
  const FittedWeights fitted = fit(g, weights(DType::f8e4m3));
  ASSERT_TRUE(fitted.problems.empty());
  EXPECT_EQ(fitted.tensors.at("layer.weight").dtype(), DType::f8e4m3);
  // In the program: a state in f8e4m3, read through a cast to bf16.
  FileAssets assets({});
  const SocketRef wanted[] = {{"layer", "y"}};
  const auto lowered = lower(g, wanted, {}, assets);
  ASSERT_TRUE(lowered) << lowered.error().text();
  size_t casts = 0;
  for (const Instr& instr : lowered->program->instrs) {
    if (instr.op != Op::cast) continue;
    ++casts;
    const Value& from = (*lowered->program)[instr.in[0]];
    EXPECT_EQ(from.storage, Storage::state);
    EXPECT_EQ(from.dtype, DType::f8e4m3);
    EXPECT_EQ((*lowered->program)[instr.out[0]].dtype, DType::bf16);
  }
  EXPECT_EQ(casts, 2u);
}

TEST(FitWeights, AFormatThatConvertsRoundsOnceAndSaysSo) {
  Graph g = bf16_layer();
  for (const char* weight : {"weight", "bias"})
    ASSERT_TRUE(apply_edits(g, {SetWeight{"layer", weight, WeightFormat{DType::bf16, false, true}}}));
  EXPECT_EQ(problems(g), "");
  const FittedWeights fitted = fit(g, weights(DType::f32));
  ASSERT_TRUE(fitted.problems.empty());
  EXPECT_EQ(fitted.tensors.at("layer.weight").dtype(), DType::bf16);
  EXPECT_THAT(fitted.notes, Contains(HasSubstr("layer.weight converted on loading, f32 → bf16: rounds")));
}

TEST(FitWeights, StatisticsAreNeverCastOnUse) {
  const Graph g = bf16_layer();
  const FittedWeights fitted = fit(g, weights(DType::bf16, DType::f16));
  ASSERT_EQ(fitted.problems.size(), 2u);
  EXPECT_THAT(fitted.problems[0].reason, HasSubstr("running statistics are updated in f32"));
  for (const Remedy& remedy : fitted.problems[0].remedies) EXPECT_NE(remedy.kind, Remedy::Kind::cast_weight);
  Graph cast = g;
  ASSERT_TRUE(apply_edits(cast, {SetWeight{"norm", "running_mean", WeightFormat{DType::f16, true, false}}}));
  EXPECT_THAT(problems(cast), HasSubstr("HW-D003 at norm.running_mean"));
}

TEST(FitWeights, WrongSizesAndNoFloats) {
  auto w = weights(DType::bf16);
  w["layer.weight"] = counted(DType::bf16, {8, 5});
  w["layer.bias"] = Tensor::zeros(DType::i32, {5});
  const FittedWeights fitted = fit(bf16_layer(), w);
  EXPECT_TRUE(fitted.tensors.empty());
  ASSERT_EQ(fitted.problems.size(), 2u);
  EXPECT_EQ(fitted.problems[0].socket, "bias");
  EXPECT_EQ(fitted.problems[0].code, codes::weight_dtype);
  EXPECT_EQ(fitted.problems[1].code, codes::weights_mismatch);
  EXPECT_THAT(fitted.problems[1].reason, HasSubstr("[8, 5]"));
}

/// The graph's own, but for one that is missing, one of another size, one superfluous; and what a checkpoint has
/// besides.
std::map<std::string, Tensor> foreign() {
  auto w = weights(DType::bf16);
  w.erase("norm.bias");
  w["layer.weight"] = counted(DType::bf16, {8, 5});
  w["elsewhere.weight"] = Tensor::zeros(DType::f8e5m2, {1});
  w["layer.bias#adam_m"] = Tensor::zeros(DType::f32, {5});
  w["layer.bias.master"] = Tensor::zeros(DType::f32, {5});
  return w;
}

TEST(FitWeights, MissingSuperfluousAndMisshapedOnesAreRefusedTogether) {
  const FittedWeights fitted = fit(bf16_layer(), foreign());
  EXPECT_TRUE(fitted.tensors.empty());
  ASSERT_EQ(fitted.problems.size(), 3u);
  const Error error = as_error(fitted.problems);
  EXPECT_EQ(error.code, codes::weights_mismatch);
  EXPECT_THAT(error.reason,
              HasSubstr("missing: norm.bias; superfluous: elsewhere.weight; of other sizes: layer.weight"));
}

TEST(FitWeights, WhatFitsIsTakenWhereThatIsAskedForAndTheRestIsListed) {
  Validator v;
  const Graph g = bf16_layer();
  v.reset(g);
  const FittedWeights fitted = fit_weights(g, v, foreign(), WeightsTaken::what_fits);
  EXPECT_TRUE(fitted.problems.empty());
  std::set<std::string> taken;
  for (const auto& [name, tensor] : fitted.tensors) taken.insert(name);
  EXPECT_EQ(taken, (std::set<std::string>{"layer.bias", "norm.weight", "norm.running_mean", "norm.running_var"}));
  ASSERT_EQ(fitted.notes.size(), 3u);
  for (const char* name : {"norm.bias", "elsewhere.weight", "layer.weight"})
    EXPECT_THAT(fitted.notes, Contains(HasSubstr(std::string(name) + " is not taken"))) << name;
}

TEST(FitWeights, OnlyWhatTheTrainNodeReachesCanBeMissing) {
  Graph g = bf16_layer();
  ASSERT_TRUE(apply_edits(g, {AddNode{node("mean", "mean")}, AddNode{node("train", "train")},
                              AddNode{node("aside", "linear", {{"out_features", int64_t{2}}})},
                              AddLink{link("layer.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}}));
  auto w = weights(DType::bf16);
  w.erase("norm.bias");
  EXPECT_TRUE(fit(g, w).problems.empty()) << "the norm is not trained";
  w.erase("layer.bias");
  EXPECT_EQ(fit(g, w).problems.size(), 1u);
}

TEST(WeightFormats, TheGradientOfACastWeightIsThatOfItsMaster) {
  Graph g = bf16_layer();
  for (const char* weight : {"weight", "bias"})
    ASSERT_TRUE(apply_edits(g, {SetWeight{"layer", weight, WeightFormat{DType::f16, true, false}}}));
  FileAssets assets({});
  const SocketRef wanted[] = {{"layer", "y"}};
  LowerOptions options;
  options.training = true;
  const auto lowered = lower(g, wanted, options, assets);
  ASSERT_TRUE(lowered) << lowered.error().text();
  OpBuilder b(*lowered->program);
  const auto gradients = build_adjoint(b, b.mean(std::get<Val>(lowered->sockets.at(wanted[0]))));
  ASSERT_TRUE(gradients) << gradients.error().text();
  ASSERT_EQ(lowered->program->params.size(), 2u);
  for (const Param& param : lowered->program->params) {
    EXPECT_EQ(b[Val{param.view}].dtype, DType::f16);
    EXPECT_EQ(b[Val{param.master}].dtype, DType::f32);
    ASSERT_TRUE(gradients->of.contains(param.view)) << param.name;
    EXPECT_EQ(b[gradients->of.at(param.view)].dtype, DType::f32);
  }
}

TEST(WeightFormats, AreCheckedLikeWires) {
  Graph g = bf16_layer();
  EXPECT_FALSE(apply_edits(g, {SetWeight{"layer", "scale", WeightFormat{DType::f16, true, false}}}));
  EXPECT_FALSE(apply_edits(g, {SetWeight{"layer", "weight", WeightFormat{DType::tf32, true, false}}}));
  EXPECT_FALSE(apply_edits(g, {SetWeight{"layer", "weight", WeightFormat{DType::i32, true, false}}}));
  ASSERT_TRUE(apply_edits(g, {SetParam{"layer", "bias", false}}));
  ASSERT_TRUE(apply_edits(g, {SetWeight{"layer", "bias", WeightFormat{DType::f16, false, false}}}));
  EXPECT_THAT(problems(g), HasSubstr("HW-P002 at layer.bias"));
}

TEST(WeightFormats, RoundTripAndRefuseWhatTheyCannotBe) {
  Graph g = bf16_layer();
  ASSERT_TRUE(apply_edits(g, {SetWeight{"layer", "weight", WeightFormat{DType::f8e5m2, true, true}},
                              SetPolicy{{Policy::autocast, DType::f16}}}));
  const std::string text = write_graph(g);
  EXPECT_THAT(text, HasSubstr("\"policy\": \"autocast\""));
  const auto back = parse_graph(text, "test");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, g);
  EXPECT_EQ(write_graph(bf16_layer()).find("policy"), std::string::npos) << "strict is not written";
  const std::string head = R"({"halfwire": 1, "nodes": [{"id": "a", "type": "linear", "weights": )";
  for (const char* bad : {"1", "[]", R"({"weight": 1})", R"({"weight": {}})", R"({"weight": {"dtype": "f99"}})",
                          R"({"weight": {"dtype": "tf32"}})", R"({"weight": {"dtype": "i8"}})",
                          R"({"weight": {"dtype": "f16", "cast": 1}})", R"({"": {"dtype": "f16"}})"}) {
    EXPECT_FALSE(parse_graph(head + bad + "}]}", "test")) << bad;
  }
  const std::string later = head + R"({"weight": {"dtype": "f16", "blocks": 32}}}]})";
  const auto kept = parse_graph(later, "test");
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_THAT(write_graph(*kept), HasSubstr("\"blocks\": 32"));
  EXPECT_FALSE(parse_graph(R"({"halfwire": 1, "policy": "loose"})", "test"));
  EXPECT_FALSE(parse_graph(R"({"halfwire": 1, "autocast_dtype": "f64"})", "test"));
}

TEST(FitWeights, NodesOnInputsThatTheyRefuseHaveNoWeightsToFit) {
  for (const auto& [id, type] : Registry::instance().all()) {
    if (type.decl.weights().empty()) continue;
    for (const std::vector<double>& shape : {std::vector<double>{}, {2}, {2, 3}, {1, 1, 1, 1, 1, 1, 1}}) {
      Graph g;
      Edits edits{AddNode{test::node("p", "parameter", {{"shape", shape}})}, AddNode{test::node("n", id)}};
      for (const SocketDecl& input : type.decl.inputs())
        if (input.kind == Kind::tensor) edits.push_back(AddLink{{"p", "y", "n", input.id}});
      ASSERT_TRUE(apply_edits(g, edits)) << id;
      for (const Diagnostic& d : fit(g, {}).problems) EXPECT_EQ(d.got, "nothing") << id;
    }
  }
}

}  // namespace
}  // namespace hw
