// Weights for a graph: those beside it, those that are named, those that do not fit.
#include "app/workspace/weights.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "app/workspace/set_aside.h"
#include "engine/io/graph/graph_file.h"
#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

using test::texts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WorkspaceWeights : public test::Quiet {
 protected:
  OpenGraph opened(const std::string& file) {
    auto open =
        open_graph({.graph = file, .option_names = {.weights = "--weights", .convert = "--convert-dtype"}}, notes_);
    EXPECT_TRUE(open) << open.error().text();
    return std::move(*open);
  }
  /// x [1, 2] → linear without bias → + mask → mean → train. The mask is not trained.
  OpenGraph masked() {
    return opened(written("g.halfwire", R"({"halfwire": 1, "nodes": [
      {"id": "x", "type": "input", "params": {"shape": [1, 2], "example": "ones"}},
      {"id": "layer", "type": "linear", "params": {"out_features": 2, "bias": false}},
      {"id": "mask", "type": "parameter", "params": {"shape": [2], "trainable": false}},
      {"id": "sum", "type": "add"}, {"id": "mean", "type": "mean"}, {"id": "train", "type": "train"}],
      "links": [["x.y", "layer.x"], ["layer.y", "sum.a"], ["mask.y", "sum.b"], ["sum.y", "mean.x"],
                ["mean.y", "train.loss"]]})"));
  }
  std::string saved(const std::string& name, std::map<std::string, Tensor> tensors) {
    EXPECT_TRUE(save_weights({std::move(tensors), {}}, folder_ / name));
    return (folder_ / name).string();
  }
};

Tensor numbers(Dims dims, const std::vector<float>& values) {
  return Tensor::from_f32(DType::f32, std::move(dims), values);
}

TEST_F(WorkspaceWeights, ThoseOfAnExampleAreReadAgain) {
  std::filesystem::copy_file(HALFWIRE_EXAMPLES "/sine.halfwire", folder_ / "sine.halfwire");
  const OpenGraph open = opened((folder_ / "sine.halfwire").string());
  Session session(open.assets, nullptr);
  session.start(open.graph, "cpu", 1);
  session.wait();
  ASSERT_TRUE(session.snapshot()->weights);
  const std::string file = saved("sine.safetensors", *session.snapshot()->weights);
  EXPECT_EQ(*weights_beside(open, ""), file);
  EXPECT_EQ(*weights_beside(open, kNoWeights), "");
  const auto read = load_weights_beside(open, {}, notes_);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_TRUE(*read);
  EXPECT_EQ((*read)->size(), session.snapshot()->weights->size());
  EXPECT_THAT(notes_, IsEmpty());
  ASSERT_TRUE(load_weights_to_train(open, {}, notes_));
  EXPECT_THAT(texts(notes_),
              ElementsAre("begins with the weights beside the graph, " + file + "; --weights none: with initial ones"));
}

TEST_F(WorkspaceWeights, WithoutAnyItIsSaid) {
  const OpenGraph open = masked();
  const auto none = load_weights_to_train(open, {}, notes_);
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_FALSE(*none);
  note_without_weights(open.graph, "the picture is noise", notes_);
  EXPECT_THAT(texts(notes_), ElementsAre("no weights are given; mask begins with initial ones and is not trained",
                                         "no weights are given; the picture is noise"));
}

TEST_F(WorkspaceWeights, WhatAFileLacksComesFromBeside) {
  const OpenGraph open = masked();
  saved("g.safetensors", {{"layer.weight", numbers({2, 2}, {1, 2, 3, 4})}, {"mask.value", numbers({2}, {5, 6})}});
  const std::string file = saved("other.safetensors", {{"layer.weight", numbers({2, 2}, {9, 9, 9, 9})}});
  const auto read = load_weights_beside(open, {.file = file, .partial = true}, notes_);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ((*read)->at("layer.weight").to_f64(), (std::vector<double>{9, 9, 9, 9}));
  EXPECT_EQ((*read)->at("mask.value").to_f64(), (std::vector<double>{5, 6}));
}

TEST_F(WorkspaceWeights, ThatDoNotFitAreRefusedOrConverted) {
  const OpenGraph open = masked();
  const Tensor mask = numbers({2}, {5, 6});
  const std::string wide =
      saved("wide.safetensors", {{"layer.weight", numbers({3, 2}, std::vector<float>(6))}, {"mask.value", mask}});
  const auto refused = load_weights_beside(open, {.file = wide}, notes_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::weights_mismatch);
  EXPECT_THAT(notes_, IsEmpty());

  const std::string half = saved(
      "half.safetensors",
      {{"layer.weight", Tensor::from_f32(DType::f16, {2, 2}, std::vector<float>{1, 2, 3, 4})}, {"mask.value", mask}});
  const auto other = load_weights_beside(open, {.file = half}, notes_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, codes::weight_dtype);
  EXPECT_THAT(other.error().remedy, HasSubstr("--convert-dtype"));
  OpenGraph without_options = open;
  without_options.option_names = {};
  const auto unnamed = load_weights_beside(without_options, {.file = half}, notes_);
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().remedy, ::testing::EndsWith("Or convert them."));
  const auto converted = load_weights_beside(open, {.file = half, .convert = true}, notes_);
  ASSERT_TRUE(converted) << converted.error().text();
  EXPECT_EQ((*converted)->at("layer.weight").dtype(), DType::f32);
  EXPECT_FALSE(notes_.empty()) << "a conversion is said";

  const auto unknown = load_weights_beside(open, {.file = half, .map = {"guess"}}, notes_);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, codes::bad_usage);
}

/// What is given comes before the names that the graph keeps; a tensor goes to one parameter.
TEST_F(WorkspaceWeights, AreMappedAsGivenThenByTheGraphsNames) {
  OpenGraph open = masked();
  open.graph.weight_names = {{"layer.weight", "first"}, {"mask.value", "second"}};
  Validator validator;
  validator.reset(open.graph);
  const std::map<std::string, Tensor> tensors{{"first", numbers({2, 2}, {1, 2, 3, 4})},
                                              {"other", numbers({2, 2}, {5, 6, 7, 8})},
                                              {"second", numbers({2}, {1, 2})}};
  const auto tensor_of = [&](const WeightMapping& mapping, const std::string& parameter) {
    const auto found = std::ranges::find(mapping.parameters, parameter, &MappedWeight::parameter);
    return found == mapping.parameters.end() ? "no such parameter" : found->tensor;
  };
  const WeightMapping kept = mapping_of({}, MappedBy::name, open.graph, validator, tensors);
  EXPECT_EQ(tensor_of(kept, "layer.weight"), "first");
  EXPECT_EQ(tensor_of(kept, "mask.value"), "second");
  const WeightMapping given = mapping_of({{"layer.weight", "other"}}, MappedBy::name, open.graph, validator, tensors);
  EXPECT_EQ(tensor_of(given, "layer.weight"), "other");
  EXPECT_EQ(tensor_of(given, "mask.value"), "second");
  EXPECT_THAT(given.unused, ElementsAre("first"));
}

TEST_F(WorkspaceWeights, OfAnotherGraphAreSetAside) {
  const std::string file = saved("g.safetensors", {{"a.value", numbers({1}, {1})}});
  ASSERT_TRUE(set_weights_aside(file, notes_));
  EXPECT_THAT(texts(notes_), ElementsAre("other weights in " + file + " are kept as g.previous.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "g.previous.safetensors"));
  ASSERT_TRUE(set_weights_aside(file, notes_));
  EXPECT_EQ(notes_.size(), 1u) << "there are none";
}

}  // namespace
}  // namespace hw::workspace
