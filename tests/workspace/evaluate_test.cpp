// Wires of a small graph evaluated: values and notes come back, and nothing is printed.
#include "app/workspace/evaluate.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

using test::texts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WorkspaceEvaluate : public test::Quiet {
 protected:
  OpenGraph opened(const std::string& text) {
    auto open = open_graph({.graph = written("g.halfwire", text)}, notes_);
    EXPECT_TRUE(open) << open.error().text();
    return std::move(*open);
  }
  /// x [2, 3], ones → layer, without bias → root.
  OpenGraph network() {
    return opened(R"({"halfwire": 1, "nodes": [
      {"id": "x", "type": "input", "params": {"shape": [2, 3], "example": "ones"}},
      {"id": "layer", "type": "linear", "params": {"out_features": 1, "bias": false}}, {"id": "root", "type": "sqrt"}],
      "links": [["x.y", "layer.x"], ["layer.y", "root.x"]]})");
  }
  static EvaluationRequest request_of(const OpenGraph& open, float weight) {
    EvaluationRequest request{.graph = open.graph, .assets = open.assets, .wires = {{"layer", "y"}, {"root", "y"}}};
    request.weights = std::make_shared<const Weights>(
        Weights{{"layer.weight", Tensor::from_f32(DType::f32, {1, 3}, std::vector<float>(3, weight))}});
    return request;
  }
};

TEST_F(WorkspaceEvaluate, GivesTheValuesOfItsWires) {
  const OpenGraph open = network();
  const auto wire = find_computable(open.graph, open.document, "root.y", {}, notes_);
  ASSERT_TRUE(wire) << wire.error().text();
  EXPECT_EQ(*wire, (SocketRef{"root", "y"}));

  EvaluationRequest request = request_of(open, 3);
  const auto values = evaluate(request, notes_);
  ASSERT_TRUE(values) << values.error().text();
  ASSERT_EQ(values->size(), 2u);
  EXPECT_EQ((*values)[0].dims(), (Dims{2, 1}));
  EXPECT_EQ((*values)[0].to_f64(), (std::vector<double>{9, 9}));
  EXPECT_EQ((*values)[1].to_f64(), (std::vector<double>{3, 3}));

  request.given[{"layer", "y"}] = Tensor::from_f32(DType::f32, {2, 1}, std::vector<float>{4, 16});
  const auto given = evaluate(request, notes_);
  ASSERT_TRUE(given) << given.error().text();
  EXPECT_EQ((*given)[1].to_f64(), (std::vector<double>{2, 4}));
  EXPECT_NE((*given)[0].data(), request.given.begin()->second.data()) << "the values are the caller's own";
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(WorkspaceEvaluate, RefusesNamesThatAreNotThere) {
  const OpenGraph open = network();
  const auto no_node = find_computable(open.graph, open.document, "rot.y", {.output = "--output"}, notes_);
  ASSERT_FALSE(no_node);
  EXPECT_EQ(no_node.error().code, codes::unknown_node);
  EXPECT_EQ(no_node.error().where, "--output rot.y");
  EvaluationRequest request = request_of(open, 1);
  request.wires = {{"rot", "y"}};
  EXPECT_EQ(evaluate(request, notes_).error().code, codes::unknown_socket);
  request.device = "abacus";
  const auto no_device = evaluate(request, notes_);
  ASSERT_FALSE(no_device);
  EXPECT_EQ(no_device.error().code, codes::bad_usage);
  EXPECT_EQ(no_device.error().where, "abacus");
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(WorkspaceEvaluate, NotesWhatPassesMadeOfNodes) {
  const OpenGraph open = opened(R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "random", "params": {"shape": [4, 2, 9, 8], "axes": "N C H W"}},
    {"id": "conv", "type": "conv2d", "params": {"out_channels": 3}}, {"id": "norm", "type": "batch_norm"},
    {"id": "relu", "type": "relu"}],
    "links": [["x.y", "conv.x"], ["conv.y", "norm.x"], ["norm.y", "relu.x"]]})");
  const EvaluationRequest request{.graph = open.graph, .assets = open.assets, .wires = {{"relu", "y"}}};
  const auto values = evaluate(request, notes_);
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_THAT(texts(notes_), ElementsAre("norm is computed in conv (fold_batch_norm)"));
}

TEST_F(WorkspaceEvaluate, FindsWhereNaNBegins) {
  const OpenGraph open = network();
  const EvaluationRequest request = request_of(open, -1);
  const auto values = evaluate(request, notes_);
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_TRUE(std::isnan((*values)[1].to_f64().front()));
  const auto bad = find_first_nan(request, *values);
  ASSERT_TRUE(bad);
  EXPECT_THAT(to_error(*bad).text(), HasSubstr("root"));
  const EvaluationRequest sound = request_of(open, 1);
  EXPECT_FALSE(find_first_nan(sound, *evaluate(sound, notes_)));
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace
}  // namespace hw::workspace
