// Rewrites: what each makes of a graph and its weights computes the same; one that does not is found out.
#include "engine/rewrite/rewrite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/asset/assets.h"
#include "engine/io/graph/graph_file.h"
#include "engine/rewrite/equivalence.h"
#include "engine/rewrite/proven_rewrite.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;

std::shared_ptr<Device> cpu() {
  return *make_device("cpu");
}

std::vector<Rewrite> places_of(const Graph& document, const char* rule) {
  const Graph flat = flatten(document);
  Validator validator;
  validator.reset(flat);
  return (*find_rewrite_rule(rule))->find(flat, validator);
}

/// Initial weights, but with biases, scales and statistics that are not 0 and 1.
std::shared_ptr<const Weights> worn_weights(const Graph& flat, std::span<const SocketRef> outputs, Assets& assets) {
  auto weights = initial_weights(flat, outputs, assets, *cpu(), 1);
  EXPECT_TRUE(weights) << weights.error().text();
  double at = 0;
  for (auto& [name, tensor] : *weights) {
    std::vector<double> values = tensor.to_f64();
    for (double& v : values) v = (name.ends_with("running_var") ? 1.5 : v) + 0.4 * std::sin(at += 0.7);
    tensor = Tensor::from_f64(tensor.dtype(), tensor.dims(), values);
  }
  return std::make_shared<const Weights>(*std::move(weights));
}

/// Applies a rule everywhere and compares; returns the rewritten document.
Graph check(const Graph& document, const char* rule, size_t places_wanted) {
  const std::vector<Rewrite> places = places_of(document, rule);
  EXPECT_EQ(places.size(), places_wanted);
  const auto made = rewritten(document, places);
  if (!made) {
    ADD_FAILURE() << made.error().text();
    return document;
  }
  const Graph before = flatten(document), after = flatten(made->graph);
  EXPECT_EQ(test::problems(after), test::problems(before));
  std::vector<SocketRef> outputs;
  for (const SameOutput& output : made->same) outputs.push_back(output.before);
  FileAssets assets("");
  const auto weights = worn_weights(before, outputs, assets);
  const auto changed = rewritten_weights(*weights, places);
  if (!changed) {
    ADD_FAILURE() << changed.error().text();
    return document;
  }
  const auto found =
      check_equivalence(before, *weights, after, *changed, places, made->same, assets, *cpu(), {.batches = 2});
  if (!found) {
    ADD_FAILURE() << found.error().text();
    return document;
  }
  EXPECT_TRUE(found->holds()) << rule << ": " << found->worst().output.before.node << " " << found->worst().after
                              << " is more than " << found->worst().allowed();
  EXPECT_GT(found->worst().largest, 0.01) << "compares nothing";
  return made->graph;
}

Node pictures() {
  return test::normal_numbers("x", {2, 3, 8, 6}, "N C H W");
}

TEST(Rewrite, BatchNormFoldsIntoTheLayerBefore) {
  const Graph g =
      built({AddNode{pictures()}, AddNode{node("conv", "conv2d", {{"out_channels", int64_t{4}}, {"bias", false}})},
             AddNode{node("norm", "batch_norm", {{"epsilon", 1e-3}})}, AddNode{node("relu", "relu")},
             AddNode{node("pool", "global_avg_pool")}, AddNode{node("flat", "flatten")},
             AddNode{node("fc", "linear", {{"out_features", int64_t{5}}})},
             AddNode{node("last", "batch_norm", {{"affine", false}})}, AddLink{link("x.y", "conv.x")},
             AddLink{link("conv.y", "norm.x")}, AddLink{link("norm.y", "relu.x")}, AddLink{link("relu.y", "pool.x")},
             AddLink{link("pool.y", "flat.x")}, AddLink{link("flat.y", "fc.x")}, AddLink{link("fc.y", "last.x")}});
  const Graph after = check(g, "fold_batch_norm", 2);
  EXPECT_FALSE(after.find("norm"));
  EXPECT_EQ(after.find("conv")->params.count("bias"), 0u) << "true is the default";
  EXPECT_TRUE(after.has_link(link("conv.y", "relu.x")));
}

TEST(Rewrite, BatchNormStaysWhereItsInputIsReadElsewhere) {
  Graph g = built({AddNode{pictures()}, AddNode{node("conv", "conv2d")}, AddNode{node("norm", "batch_norm")},
                   AddNode{node("relu", "relu")}, AddLink{link("x.y", "conv.x")}, AddLink{link("conv.y", "norm.x")},
                   AddLink{link("conv.y", "relu.x")}});
  EXPECT_TRUE(places_of(g, "fold_batch_norm").empty());
  ASSERT_TRUE(apply_edits(g, {RemoveNode{"relu"}, SetParam{"conv", "compute", std::string("bf16")}}));
  EXPECT_TRUE(places_of(g, "fold_batch_norm").empty()) << "the folded weights would be rounded anew";
}

TEST(Rewrite, PointwiseConvolutionsMerge) {
  const Graph g =
      built({AddNode{pictures()},
             AddNode{node("wide", "conv2d", {{"out_channels", int64_t{16}}, {"stride", std::vector<double>{2}}})},
             AddNode{node("narrow", "conv2d", {{"out_channels", int64_t{2}}, {"kernel_size", std::vector<double>{1}}})},
             AddNode{node("sigmoid", "sigmoid")}, AddLink{link("x.y", "wide.x")}, AddLink{link("wide.y", "narrow.x")},
             AddLink{link("narrow.y", "sigmoid.x")}});
  const Graph after = check(g, "merge_convs", 1);
  EXPECT_EQ(std::get<int64_t>(param_value(*after.find("wide"), "out_channels")), 2);
  EXPECT_TRUE(places_of(after, "merge_convs").empty());
}

TEST(Rewrite, LinearsAreConvolutionsAndBack) {
  const Graph g = built({AddNode{test::normal_numbers("x", {7, 6}, "N C")},
                         AddNode{node("one", "linear", {{"out_features", int64_t{5}}})},
                         AddNode{node("two", "linear", {{"out_features", int64_t{3}}, {"bias", false}})},
                         AddNode{node("relu", "relu")}, AddLink{link("x.y", "one.x")}, AddLink{link("one.y", "two.x")},
                         AddLink{link("two.y", "relu.x")}});
  const Graph convs = check(g, "linear_to_conv", 2);
  EXPECT_EQ(convs.find("two")->type, "conv2d");
  const Graph back = check(convs, "conv_to_linear", 2);
  EXPECT_EQ(back.find("two")->type, "linear");
}

TEST(Rewrite, AClassifierBehindAPoolGoesBeforeTheFlatten) {
  const Graph g =
      built({AddNode{pictures()}, AddNode{node("pool", "adaptive_avg_pool")}, AddNode{node("flat", "flatten")},
             AddNode{node("fc", "linear", {{"out_features", int64_t{4}}})}, AddNode{node("softmax", "softmax")},
             AddLink{link("x.y", "pool.x")}, AddLink{link("pool.y", "flat.x")}, AddLink{link("flat.y", "fc.x")},
             AddLink{link("fc.y", "softmax.x")}});
  const Graph conv = check(g, "linear_to_conv", 1);
  EXPECT_TRUE(conv.has_link(link("pool.y", "fc.x")));
  EXPECT_TRUE(conv.has_link(link("flat.y", "softmax.x")));
  EXPECT_EQ(conv.nodes().size(), g.nodes().size());
  const Graph back = check(conv, "conv_to_linear", 1);
  EXPECT_TRUE(back.has_link(link("fc.y", "softmax.x")));
}

TEST(Rewrite, LayersInGroupsAreReplacedInTheDefinition) {
  Group half;
  half.id = "half";
  half.graph = built({AddNode{node("x", "input")}, AddNode{node("fc", "linear", {{"out_features", int64_t{4}}})},
                      AddNode{node("relu", "relu")}, AddNode{node("y", "output")}, AddLink{link("x.y", "fc.x")},
                      AddLink{link("fc.y", "relu.x")}, AddLink{link("relu.y", "y.x")}});
  const Graph g =
      built({SetGroup{half}, AddNode{test::normal_numbers("x", {5, 4}, "N C")}, AddNode{node("a", "group:half")},
             AddNode{node("b", "group:half")}, AddNode{node("end", "sigmoid")}, AddLink{link("x.y", "a.x")},
             AddLink{link("a.y", "b.x")}, AddLink{link("b.y", "end.x")}});
  const Graph convs = check(g, "linear_to_conv", 2);
  EXPECT_EQ(convs.find_group("half")->graph.find("fc")->type, "conv2d");
  const Graph back = check(convs, "conv_to_linear", 2);
  EXPECT_EQ(back.find_group("half")->graph.find("fc")->type, "linear");
}

TEST(Rewrite, DropoutGoesFromChains) {
  const Graph g = built({AddNode{pictures()}, AddNode{node("b", "dropout")}, AddNode{node("a", "drop_path")},
                         AddNode{node("relu", "relu")}, AddLink{link("x.y", "b.x")}, AddLink{link("b.y", "a.x")},
                         AddLink{link("a.y", "relu.x")}});
  const Graph after = check(g, "remove_dropout", 2);
  EXPECT_TRUE(after.has_link(link("x.y", "relu.x")));
}

TEST(Rewrite, MixedPrecisionStaysWithinItsFormat) {
  const Graph g =
      built({AddNode{test::normal_numbers("x", {32, 6}, "N C")}, AddNode{node("mlp", "mlp")},
             AddNode{node("softmax", "softmax")}, AddLink{link("x.y", "mlp.x")}, AddLink{link("mlp.y", "softmax.x")},
             AddNode{node("out", "output")}, AddLink{link("softmax.y", "out.x")}});
  check(g, "mixed_precision", 1);
}

// The exact graph looks up the same tokens and has the same mask, so that its distance is rounding.
TEST(Rewrite, TokensAndMasksAreThoseOfTheGraphInTheExactResult) {
  const std::vector<double> sizes{4, 8};
  const Graph g = built(
      {AddNode{node("ids", "input", {{"shape", sizes}, {"dtype", std::string("i64")}, {"axes", std::string()}})},
       AddNode{
           node("mask", "input",
                {{"shape", std::vector<double>{4, 8, 6}}, {"dtype", std::string("bool")}, {"axes", std::string()}})},
       AddNode{node("table", "parameter", {{"shape", std::vector<double>{50, 16}}})}, AddNode{node("gather", "gather")},
       AddNode{node("linear", "linear", {{"out_features", int64_t{6}}})},
       AddNode{node("other", "parameter", {{"shape", std::vector<double>{4, 8, 6}}})}, AddNode{node("where", "where")},
       AddNode{node("out", "output")}, AddLink{link("ids.y", "gather.index")}, AddLink{link("table.y", "gather.x")},
       AddLink{link("gather.y", "linear.x")}, AddLink{link("mask.y", "where.condition")},
       AddLink{link("linear.y", "where.a")}, AddLink{link("other.y", "where.b")}, AddLink{link("where.y", "out.x")}});
  check(g, "mixed_precision", 1);
  FileAssets assets("");
  const auto proven = prove_rewrite(g, **find_rewrite_rule("mixed_precision"), nullptr, assets, *cpu(), {.batches = 2});
  ASSERT_TRUE(proven) << proven.error().text();
  EXPECT_LT(proven->proof.worst().before, 1e-5 * proven->proof.worst().largest);
  EXPECT_TRUE(proven->proof.proves());
}

/// An Embedding makes NaN of an index that it has no entry for, before and after alike.
TEST(Rewrite, WhatIsNanOnAllSidesIsNotCompared) {
  const ParamMap ids{{"shape", std::vector<double>{4, 8}}, {"dtype", std::string("i64")}, {"axes", std::string()}};
  const Graph g =
      built({AddNode{node("ids", "input", ids)},
             AddNode{node("table", "embedding", {{"entries", int64_t{1}}, {"features", int64_t{8}}})},
             AddNode{node("fc", "linear", {{"out_features", int64_t{6}}})}, AddNode{node("out", "output")},
             AddLink{link("ids.y", "table.index")}, AddLink{link("table.y", "fc.x")}, AddLink{link("fc.y", "out.x")}});
  FileAssets assets("");
  const auto proven = prove_rewrite(g, **find_rewrite_rule("mixed_precision"), nullptr, assets, *cpu(), {});
  ASSERT_TRUE(proven) << proven.error().text();
  const OutputEquivalence& output = proven->proof.worst();
  EXPECT_TRUE(output.holds());
  EXPECT_TRUE(output.proves());
  EXPECT_GT(output.nans, 0);
  EXPECT_LT(output.nans, output.elements);
  EXPECT_FALSE((OutputEquivalence{.output = {}, .elements = 4, .nans = 4}.proves()));
}

OutputEquivalence beside_itself(const Graph& g, const SocketRef& output) {
  FileAssets assets("");
  const SameOutput same[]{{output, output}};
  const auto found = check_equivalence(g, {}, g, {}, {}, same, assets, *cpu(), {});
  EXPECT_TRUE(found) << (found ? "" : found.error().text());
  return found ? found->worst() : OutputEquivalence{};
}

TEST(Rewrite, WhichResultIsNotFiniteIsKnown) {
  const auto constant = [](const char* id, double value, const char* dtype) {
    return AddNode{node(id, "constant", {{"value", value}, {"dtype", std::string(dtype)}})};
  };
  // 60000² is more than f16 has.
  const OutputEquivalence own =
      beside_itself(built({constant("x", 60000, "f16"), AddNode{node("square", "mul")},
                           AddLink{link("x.y", "square.a")}, AddLink{link("x.y", "square.b")}}),
                    {"square", "y"});
  EXPECT_FALSE(own.holds());
  EXPECT_TRUE(own.is_lost());
  EXPECT_GT(own.lost, 0);
  EXPECT_EQ(own.lost_exact, 0);
  // 1 / (1 / 41 · 41 − 1): the product is 1 in f64, and not in f32.
  const OutputEquivalence exact = beside_itself(
      built({constant("one", 1, "f32"), constant("n", 41, "f32"), AddNode{node("part", "div")},
             AddNode{node("whole", "mul")}, AddNode{node("rest", "sub")}, AddNode{node("y", "div")},
             AddLink{link("one.y", "part.a")}, AddLink{link("n.y", "part.b")}, AddLink{link("part.y", "whole.a")},
             AddLink{link("n.y", "whole.b")}, AddLink{link("whole.y", "rest.a")}, AddLink{link("one.y", "rest.b")},
             AddLink{link("one.y", "y.a")}, AddLink{link("rest.y", "y.b")}}),
      {"y", "y"});
  EXPECT_FALSE(exact.holds());
  EXPECT_TRUE(exact.is_lost());
  EXPECT_EQ(exact.lost, 0);
  EXPECT_GT(exact.lost_exact, 0);
}

TEST(Rewrite, ALimitAsLargeAsTheValuesProvesNothing) {
  OutputEquivalence output{.output = {}, .dtype = DType::f32, .largest = 7.6, .before = 7.1, .after = 7.1};
  EXPECT_TRUE(output.holds());
  EXPECT_FALSE(output.proves());
  output.before = output.after = 1e-6;
  EXPECT_TRUE(output.proves());
  OutputEquivalence loose = output;
  loose.before = 4;
  EXPECT_FALSE((Equivalence{{output, loose}, 1}.proves()));
}

TEST(Rewrite, WhatIsNotTheSameIsFoundOut) {
  const Graph g = built({AddNode{pictures()}, AddNode{node("conv", "conv2d")}, AddNode{node("norm", "batch_norm")},
                         AddNode{node("relu", "relu")}, AddLink{link("x.y", "conv.x")},
                         AddLink{link("conv.y", "norm.x")}, AddLink{link("norm.y", "relu.x")}});
  std::vector<Rewrite> places = places_of(g, "fold_batch_norm");
  ASSERT_EQ(places.size(), 1u);
  const auto right = places[0].weights;
  double wrong = 0;
  places[0].weights = [right, &wrong](Weights& weights) -> Status {
    HW_CHECK(right(weights));
    Tensor& bias = weights.at("conv.bias");
    std::vector<double> values = bias.to_f64();
    values[0] += wrong;
    bias = Tensor::from_f64(bias.dtype(), bias.dims(), values);
    return ok();
  };
  const auto made = rewritten(g, places);
  ASSERT_TRUE(made) << made.error().text();
  FileAssets assets("");
  const std::vector<SocketRef> outputs{{"norm", "y"}};
  const auto weights = worn_weights(g, outputs, assets);
  for (const double off : {1e-3, std::nan(""), HUGE_VAL}) {
    wrong = off;
    const auto changed = rewritten_weights(*weights, places);
    ASSERT_TRUE(changed) << changed.error().text();
    const auto found = check_equivalence(g, *weights, made->graph, *changed, places, made->same, assets, *cpu(), {});
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_FALSE(found->holds()) << off;
  }
}

TEST(Rewrite, AnUnknownRuleIsNamed) {
  const auto unknown = find_rewrite_rule("fold");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, codes::bad_usage);
}

/// Every network among the examples: how often each rule finds a place, and that the document takes the edits.
TEST(Rewrite, BlocksOfNetworksAreRewrittenInTheirDefinitions) {
  struct Case {
    const char* name;
    size_t norms;
  };
  for (const auto& [name, norms] : {Case{"ResNet-18", 20}, Case{"Darknet-53", 52}, Case{"MobileNetV2", 52}}) {
    const auto document =
        read_graph(std::filesystem::path(HALFWIRE_EXAMPLES) / "networks" / (std::string(name) + ".halfwire"));
    ASSERT_TRUE(document) << document.error().text();
    const std::vector<Rewrite> places = places_of(*document, "fold_batch_norm");
    EXPECT_EQ(places.size(), norms) << name;
    const auto made = rewritten(*document, places);
    ASSERT_TRUE(made) << name << ": " << made.error().text();
    EXPECT_EQ(test::problems(flatten(made->graph)), "") << name;
    EXPECT_TRUE(places_of(made->graph, "fold_batch_norm").empty()) << name;
  }
}

// In f64 there is no such Cast.
TEST(Rewrite, AGraphThatEndsInACastIsProven) {
  const Graph g =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{4, 6}}})},
             AddNode{node("fc", "linear", {{"out_features", int64_t{3}}})},
             AddNode{node("narrow", "cast", {{"to", std::string("f16")}})}, AddNode{node("y", "output")},
             AddLink{link("x.y", "fc.x")}, AddLink{link("fc.y", "narrow.x")}, AddLink{link("narrow.y", "y.x")}});
  FileAssets assets("");
  const auto proven = prove_rewrite(g, **find_rewrite_rule("mixed_precision"), nullptr, assets, *cpu(), {});
  ASSERT_TRUE(proven) << proven.error().text();
  ASSERT_EQ(proven->places.size(), 1u);
  EXPECT_TRUE(proven->proof.holds());
}

/// In groups, too, each node gets what the flattened graph's gets, whatever an instance gives to several of its nodes
/// and however instances differ; those that change alike stay of one definition.
TEST(Rewrite, MixedPrecisionInGroupsIsThatOfTheirNodes) {
  const std::filesystem::path examples(HALFWIRE_EXAMPLES);
  for (const auto& [file, groups] :
       {std::pair{"networks/ConvNeXt-T.halfwire", 6u}, std::pair{"networks/ResNet-18.halfwire", 2u},
        std::pair{"language_model.halfwire", 1u}}) {
    const auto document = read_graph(examples / file);
    ASSERT_TRUE(document) << document.error().text();
    const std::vector<Rewrite> places = places_of(*document, "mixed_precision");
    ASSERT_EQ(places.size(), 1u) << file;
    const auto made = rewritten(*document, places);
    ASSERT_TRUE(made) << file << ": " << made.error().text();
    EXPECT_EQ(made->graph.groups().size(), groups) << file;
    const Graph flat = flatten(made->graph);
    EXPECT_EQ(test::problems(flat), "") << file;
    Graph expected = flatten(*document);
    ASSERT_TRUE(apply_edits(expected, places.front().edits));
    EXPECT_EQ(flat.nodes().size(), expected.nodes().size()) << file;
    for (const auto& [id, node] : expected.nodes()) {
      const Node* own = flat.find(id);
      if (!own || node.type == "cast") continue;
      EXPECT_EQ(own->params, node.params) << file << ": " << id;
    }
  }
}

// The weights of both instances are those of the first, whose edits alone say how they are stored.
TEST(Rewrite, MixedPrecisionOfABlockThatIsUsedTwice) {
  Group block{"block", "Block", {}, {}, ""};
  block.graph = built({AddNode{node("x", "input")}, AddNode{node("fc", "linear", {{"out_features", int64_t{6}}})},
                       AddNode{node("act", "gelu")}, AddNode{node("norm", "layer_norm")}, AddNode{node("sum", "add")},
                       AddNode{node("y", "output")}, AddLink{link("x.y", "norm.x")}, AddLink{link("norm.y", "fc.x")},
                       AddLink{link("fc.y", "act.x")}, AddLink{link("x.y", "sum.a")}, AddLink{link("act.y", "sum.b")},
                       AddLink{link("sum.y", "y.x")}});
  Node again = node("again", "group:block");
  again.tie = "first";
  const Graph document =
      built({SetGroup{block}, AddNode{node("x", "input", {{"shape", std::vector<double>{4, 6}}})},
             AddNode{node("first", "group:block")}, AddNode{again}, AddNode{node("y", "output")},
             AddLink{link("x.y", "first.x")}, AddLink{link("first.y", "again.x")}, AddLink{link("again.y", "y.x")}});
  const Graph made = check(document, "mixed_precision", 1);
  EXPECT_EQ(made.groups().size(), 1u);
  EXPECT_EQ(made.find("again")->tie, "first");
}

}  // namespace
}  // namespace hw
