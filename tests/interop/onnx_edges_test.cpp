// Imported operators where numbers end, sizes overflow, or weights do not fit.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "engine/io/graph/graph_file.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_edges_test {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();

void set_texts(onnx::NodeProto& node, const std::string& name, const std::vector<std::string>& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& value : values) attribute.add_strings(value);
}

/// A model of x with these sizes; y is still to be made.
onnx::ModelProto model_of(const std::vector<int64_t>& dims, int type = onnx::TensorProto::FLOAT, int64_t opset = 17) {
  onnx::ModelProto model = onnx_model(opset);
  add_value(*model.mutable_graph()->mutable_input(), "x", dims, type);
  add_value(*model.mutable_graph()->mutable_output(), "y", {}, type);
  return model;
}

Values made_by(const onnx::ModelProto& model, const Tensor& x) {
  const auto made = imported(model);
  EXPECT_TRUE(made) << made.error().text();
  if (!made) return {};
  EXPECT_TRUE(made->missing.empty()) << made->missing.front().op << ": " << made->missing.front().reason;
  return made->missing.empty() ? values_of(*made, x) : Values{};
}

/// Why an operator is missing.
std::string why_missing(const onnx::ModelProto& model) {
  const auto made = imported(model);
  EXPECT_TRUE(made) << made.error().text();
  if (!made || made->missing.empty()) return "";
  return made->missing.front().reason;
}

onnx::ModelProto lstm(const std::string& direction, const std::vector<std::string>& activations = {}) {
  onnx::ModelProto model = model_of({3, 1, 1});
  add_floats(model, "w", {1, 4, 1}, {0.5f, -1, 1, 2});
  add_floats(model, "r", {1, 4, 1}, {1, 0.25f, -0.5f, 1});
  onnx::NodeProto& node = add_node(model, "LSTM", {"x", "w", "r"}, {"y"});
  set_int(node, "hidden_size", 1);
  set_text(node, "direction", direction);
  if (!activations.empty()) set_texts(node, "activations", activations);
  return model;
}

TEST(OnnxEdges, OneDirectionBackwardsHasItsWeights) {
  const Values back = made_by(lstm("reverse"), floats({3, 1, 1}, {1, -2, 3})),
               there = made_by(lstm("forward"), floats({3, 1, 1}, {3, -2, 1}));
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back, Values(there.rbegin(), there.rend()));
  EXPECT_THAT(why_missing(lstm("bidirectional")), HasSubstr("do not fit")) << "weights of one direction alone";
}

TEST(OnnxEdges, StepsBeyondAnyAxisTakeOneElement) {
  for (const auto& [step, first] : {std::pair(kLargest, 0), std::pair(kLeast, 2)}) {
    onnx::ModelProto model = model_of({3});
    add_floats(model, "list", {3}, {10, 20, 30});
    add_integers(model, "from", {first});
    add_integers(model, "to", {first == 0 ? kLargest : kLeast});
    add_integers(model, "axes", {0});
    add_integers(model, "steps", {step});
    add_node(model, "Slice", {"list", "from", "to", "axes", "steps"}, {"of_constant"});
    add_node(model, "Slice", {"x", "from", "to", "axes", "steps"}, {"of_wire"});
    add_node(model, "Add", {"of_constant", "of_wire"}, {"y"});
    EXPECT_EQ(made_by(model, floats({3}, {1, 2, 3})), Values{first == 0 ? 11.0 : 33.0}) << step;
  }
}

TEST(OnnxEdges, SizesBeyondAnyMemoryAreRefused) {
  const auto reshaped = [](const std::vector<int64_t>& sizes) {
    onnx::ModelProto model = model_of({2, 3});
    add_integers(model, "sizes", sizes);
    add_node(model, "Reshape", {"x", "sizes"}, {"y"});
    return why_missing(model);
  };
  EXPECT_NE(reshaped({kLargest, 4, -1}), "");
  EXPECT_NE(reshaped({int64_t{1} << 32, int64_t{1} << 32, 6}), "") << "their product wraps to 0";
  EXPECT_THAT(reshaped({-2, 3}), HasSubstr("negative"));
  onnx::ModelProto padded = model_of({2});
  add_integers(padded, "pads", {kLeast, 0});
  add_node(padded, "Pad", {"x", "pads"}, {"y"});
  EXPECT_THAT(why_missing(padded), HasSubstr("very large padding"));
  onnx::ModelProto eye = model_of({2, 2});
  set_int(add_node(eye, "EyeLike", {"x"}, {"e"}), "k", kLargest);
  add_node(eye, "Add", {"x", "e"}, {"y"});
  EXPECT_EQ(made_by(eye, floats({2, 2}, {1, 2, 3, 4})), (Values{1, 2, 3, 4})) << "a diagonal outside";
}

onnx::ModelProto resized(int64_t size, float scale, const std::string& coordinates, const std::string& rounding) {
  onnx::ModelProto model = model_of({1, 1, size, 1});
  add_floats(model, "scales", {4}, {1, 1, scale, 1});
  onnx::NodeProto& node = add_node(model, "Resize", {"x", "", "scales"}, {"y"});
  set_text(node, "mode", "nearest");
  set_text(node, "coordinate_transformation_mode", coordinates);
  set_text(node, "nearest_mode", rounding);
  return model;
}

// What ONNX Runtime 1.32 makes.
TEST(OnnxEdges, ScalesAreMultipliedInSinglePrecision) {
  Values rows;
  for (int i = 0; i < 50; ++i) rows.push_back(i);
  const auto taken = [&](int64_t size, float scale, const std::string& coordinates, const std::string& rounding) {
    const Tensor x = Tensor::from_f64(DType::f32, {1, 1, size, 1}, std::span(rows).first(static_cast<size_t>(size)));
    return made_by(resized(size, scale, coordinates, rounding), x);
  };
  EXPECT_EQ(taken(10, 0.9f, "asymmetric", "floor"), (Values{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(taken(12, 1.7f, "asymmetric", "floor"),
            (Values{0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 7, 7, 8, 8, 9, 10, 10, 11}));
}

TEST(OnnxEdges, WholeNumbersWrapWhenTheyAreCast) {
  onnx::ModelProto model = model_of({2}, onnx::TensorProto::INT32);
  add_integers(model, "large", {4294967295, int64_t{5} << 32});
  set_int(add_node(model, "Cast", {"large"}, {"narrow"}), "to", onnx::TensorProto::INT32);
  add_node(model, "CastLike", {"large", "x"}, {"alike"});
  add_node(model, "Add", {"narrow", "alike"}, {"twice"});
  add_node(model, "Add", {"x", "twice"}, {"y"});
  const Tensor x = Tensor::from_f64(DType::i32, {2}, Values{100, 100});
  EXPECT_EQ(made_by(model, x), (Values{98, 100}));

  onnx::ModelProto bytes = model_of({2}, onnx::TensorProto::INT8);
  set_int(add_node(bytes, "Cast", {"x"}, {"unsigned"}), "to", onnx::TensorProto::UINT8);
  set_int(add_node(bytes, "Cast", {"unsigned"}, {"y"}), "to", onnx::TensorProto::INT32);
  EXPECT_EQ(made_by(bytes, Tensor::from_f64(DType::i8, {2}, Values{-1, 7})), (Values{255, 7}));
}

TEST(OnnxEdges, WeightsFitTheirLayer) {
  onnx::ModelProto norm = model_of({2, 3});
  add_floats(norm, "scale", {1}, {2});
  add_floats(norm, "bias", {1}, {1});
  add_node(norm, "LayerNormalization", {"x", "scale", "bias"}, {"y"});
  const Values y = made_by(norm, floats({2, 3}, {1, 2, 3, 4, 4, 4}));
  ASSERT_EQ(y.size(), 6u);
  EXPECT_NEAR(y[0], 1 - 2 * std::sqrt(1.5), 1e-4);
  EXPECT_NEAR(y[2], 1 + 2 * std::sqrt(1.5), 1e-4);
  EXPECT_NEAR(y[4], 1, 1e-4);
  onnx::ModelProto conv = model_of({1, 1, 3, 3});
  add_floats(conv, "w", {2, 1, 1, 1}, {1, 2});
  add_floats(conv, "b", {3}, {1, 2, 3});
  add_node(conv, "Conv", {"x", "w", "b"}, {"y"});
  EXPECT_THAT(why_missing(conv), HasSubstr("its bias is [3], [2] is wanted"));
}

TEST(OnnxEdges, ActivationsMayBeSpelledOut) {
  const Tensor x = floats({3, 1, 1}, {1, -2, 3});
  EXPECT_EQ(made_by(lstm("forward", {"Sigmoid", "Tanh", "Tanh"}), x), made_by(lstm("forward"), x));
  EXPECT_EQ(made_by(lstm("forward", {"sigmoid", "tanh", "tanh"}), x), made_by(lstm("forward"), x));
  EXPECT_THAT(why_missing(lstm("forward", {"Sigmoid", "Affine", "Tanh"})), HasSubstr("its activation Affine"));
}

TEST(OnnxEdges, ATableThatAProjectionSharesIsNoMoreTied) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2}, onnx::TensorProto::INT64);
  add_value(*model.mutable_graph()->mutable_output(), "y", {2, 20});
  std::vector<float> table(80);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  add_floats(model, "table", {20, 4}, table);
  add_node(model, "Gather", {"table", "x"}, {"vectors"});
  add_node(model, "Transpose", {"table"}, {"projection"});
  add_node(model, "MatMul", {"vectors", "projection"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->untied_weights.contains("table"));
  const std::vector<std::string>& owners = made->untied_weights.at("table");
  ASSERT_EQ(owners.size(), 2u);
  EXPECT_EQ(made->graph.find(owners[0])->type, "parameter");
  EXPECT_EQ(made->graph.find(owners[1])->type, "linear");
}

TEST(OnnxEdges, VectorsAreRowsAndColumns) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
  add_floats(model, "v", {3}, {1, 1, 1});
  add_node(model, "MatMul", {"x", "w"}, {"row"});
  add_node(model, "MatMul", {"row", "v"}, {"y"});
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, floats({2}, {1, 10})), (std::vector<double>{156}));
}

TEST(OnnxEdges, ALeakyReluMayFallBelowZero) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  onnx::AttributeProto& alpha = *add_node(model, "LeakyRelu", {"x"}, {"y"}).add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_f(-0.5f);
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, floats({3}, {-2, 0, 3})), (std::vector<double>{1, 0, 3}));
}

/// y = x + w, x [2, 2]; w is sparse: `values` at `places`, indices of these dims, in a tensor of `sizes`.
onnx::ModelProto sparse(const std::vector<int64_t>& sizes, const std::vector<float>& values,
                        const std::vector<int64_t>& places, const std::vector<int64_t>& dims_of_places) {
  onnx::ModelProto model = model_of({2, 2});
  onnx::SparseTensorProto& w = *model.mutable_graph()->add_sparse_initializer();
  w.mutable_values()->set_name("w");
  w.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  w.mutable_values()->add_dims(static_cast<int64_t>(values.size()));
  for (const float value : values) w.mutable_values()->add_float_data(value);
  w.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  for (const int64_t size : dims_of_places) w.mutable_indices()->add_dims(size);
  for (const int64_t place : places) w.mutable_indices()->add_int64_data(place);
  for (const int64_t size : sizes) w.add_dims(size);
  add_node(model, "Add", {"x", "w"}, {"y"});
  return model;
}

TEST(OnnxEdges, SparseWeightsAreReadWhole) {
  EXPECT_EQ(made_by(sparse({2, 2}, {5, 7}, {1, 2}, {2}), floats({2, 2}, {0, 0, 0, 0})), (Values{0, 5, 7, 0}));
  EXPECT_FALSE(imported(sparse({2, 2}, {5, 7}, {1, 4}, {2}))) << "a place that is not there";
}

TEST(OnnxEdges, SparseWeightsOfImpossibleSizesAreNamed) {
  const int64_t far = int64_t{1} << 62;
  const auto refused = [&](const std::vector<int64_t>& sizes) {
    const auto made = imported(sparse(sizes, {5}, {far - 1, far - 1, 0}, {1, 3}));
    return made ? "" : made.error().code + " at " + made.error().where + ": " + made.error().reason;
  };
  EXPECT_EQ(refused({-1, -far, 1}), "HW-F003 at w: a size is negative.");
  EXPECT_EQ(refused({far, far, 0}), "HW-F003 at w: a place is outside.");
}

TEST(OnnxEdges, AnOperatorOfALongNameLeavesAGraphThatOpens) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  std::string name = "a";
  for (int i = 0; i < 2000; ++i) name += "\u00e9";
  add_node(model, name.c_str(), {"x"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->missing.size(), 1u);
  const auto read = parse_graph(write_graph(made->graph), "test");
  EXPECT_TRUE(read) << read.error().text();
}

TEST(OnnxEdges, WholeNumbersThatAreRoundedAreSaid) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1}, onnx::TensorProto::INT64);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_integers(model, "w", {(int64_t{1} << 53) + 1});
  add_node(model, "Equal", {"x", "w"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->notes.size(), 1u);
  EXPECT_NE(made->notes.front().find("2^53"), std::string::npos);
}

}  // namespace
}  // namespace hw::test::onnx_edges_test
