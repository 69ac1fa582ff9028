// Scatter of ONNX: elements, rows and grids, of known and of computed indices, with reductions; their gradients.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/interop/onnx_gradients.h"

namespace hw::test {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;

struct Indices {
  std::vector<int64_t> dims;
  std::vector<float> values;
};

void add_whole(onnx::ModelProto& model, const std::string& name, const Indices& index) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  for (const int64_t size : index.dims) tensor.add_dims(size);
  for (const float value : index.values) tensor.add_int64_data(static_cast<int64_t>(value));
}

/// op(x or data, index, updates); `computed`: the indices are the input "x" and the data are in the file, else x is the
/// data.
onnx::ModelProto scattering(const std::string& op, const std::vector<int64_t>& data, const Indices& index,
                            const std::vector<int64_t>& updates, bool computed, const std::string& reduction,
                            int64_t axis = 0) {
  onnx::ModelProto model = onnx_model(18);
  add_value(*model.mutable_graph()->mutable_input(), "x", computed ? index.dims : data);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  const auto counted = [&](const std::string& name, const std::vector<int64_t>& dims, float from) {
    int64_t count = 1;
    for (const int64_t size : dims) count *= size;
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(from + static_cast<float>(i));
    add_floats(model, name, dims, values);
  };
  counted("updates", updates, 10);
  if (computed) {
    counted("data", data, 1);
    set_int(add_node(model, "Cast", {"x"}, {"index"}), "to", onnx::TensorProto::INT64);
  } else {
    add_whole(model, "index", index);
  }
  onnx::NodeProto& node = add_node(model, op, {computed ? "data" : "x", "index", "updates"}, {"y"});
  if (op == "ScatterElements" && axis != 0) set_int(node, "axis", axis);
  if (reduction != "none") set_text(node, "reduction", reduction);
  return model;
}

/// Data 1, 2, .. and updates 10, 11, ..: with indices in the file, and with computed ones.
void expect_scattered(const std::string& op, const std::vector<int64_t>& data, const Indices& index,
                      const std::vector<int64_t>& updates, const std::string& reduction, const Values& expected,
                      int64_t axis = 0) {
  for (const bool computed : {false, true}) {
    const auto made = imported(scattering(op, data, index, updates, computed, reduction, axis));
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_TRUE(made->missing.empty()) << made->missing.front().reason;
    std::vector<float> counted;
    for (size_t i = 0; i < expected.size(); ++i) counted.push_back(static_cast<float>(i + 1));
    const Tensor x = computed ? floats(index.dims, index.values) : floats(data, counted);
    EXPECT_EQ(values_of(*made, x), expected) << op << " " << reduction << (computed ? ", computed" : ", known");
  }
}

TEST(OnnxScatter, ElementsAlongAnAxisTakeTheLastUpdateOrAllOfThem) {
  const Indices index{{2, 3}, {1, -1, 1, 0, 0, 2}};
  const auto check = [&](const std::string& reduction, const Values& expected) {
    expect_scattered("ScatterElements", {2, 4}, index, {2, 3}, reduction, expected, 1);
  };
  check("none", {1, 12, 3, 11, 14, 6, 15, 8});
  check("add", {1, 2 + 10 + 12, 3, 4 + 11, 5 + 13 + 14, 6, 7 + 15, 8});
  check("mul", {1, 2 * 10 * 12, 3, 4 * 11, 5 * 13 * 14, 6, 7 * 15, 8});
  check("max", {1, 12, 3, 11, 14, 6, 15, 8});
  check("min", {1, 2, 3, 4, 5, 6, 7, 8});
}

// onnx-tensorrt asks for no more indices than places: a sum over the edges of a graph has more.
TEST(OnnxScatter, MoreIndicesThanPlacesAndFewerColumns) {
  const Indices index{{4, 1}, {0, 1, 0, 0}};
  expect_scattered("ScatterElements", {2, 2}, index, {4, 1}, "add", {1 + 10 + 12 + 13, 2, 3 + 11, 4});
  expect_scattered("ScatterElements", {2, 2}, index, {4, 1}, "none", {13, 2, 11, 4});
}

TEST(OnnxScatter, RowsByTuples) {
  const Indices twice{{3, 1}, {2, 0, -1}};
  expect_scattered("ScatterND", {3, 2}, twice, {3, 2}, "none", {12, 13, 3, 4, 14, 15});
  expect_scattered("ScatterND", {3, 2}, twice, {3, 2}, "add", {13, 15, 3, 4, 5 + 10 + 14, 6 + 11 + 15});
  expect_scattered("ScatterND", {3, 2}, twice, {3, 2}, "max", {12, 13, 3, 4, 14, 15});
  expect_scattered("ScatterND", {2, 3}, {{2, 2}, {1, 0, 0, -1}}, {2}, "none", {1, 2, 11, 10, 5, 6});
  expect_scattered("ScatterND", {2, 3}, {{2}, {1, 1}}, {}, "mul", {1, 2, 3, 4, 50, 6});
}

// x[::2, 1:] = y, as exporters write it: tuples of all elements.
TEST(OnnxScatter, AGridIsPutAxisByAxis) {
  const Indices grid{{2, 2, 2}, {0, 1, 0, 2, 2, 1, 2, 2}};
  expect_scattered("ScatterND", {3, 3}, grid, {2, 2}, "none", {1, 10, 11, 4, 5, 6, 7, 12, 13});
  expect_scattered("ScatterND", {3, 3}, grid, {2, 2}, "mul", {1, 20, 33, 4, 5, 6, 7, 8 * 12, 9 * 13});
  // Rows before others, and axes of the updates that are not in the order of the data's.
  expect_scattered("ScatterND", {3, 2}, {{2, 2, 2}, {1, 0, 1, 1, 0, 0, 0, 1}}, {2, 2}, "none", {12, 13, 10, 11, 5, 6});
  expect_scattered("ScatterND", {3, 2}, {{2, 2, 2}, {0, 0, 1, 0, 0, 1, 1, 1}}, {2, 2}, "none", {10, 12, 11, 13, 5, 6});
}

// 40,000 elements: the graph has places along the axes alone.
TEST(OnnxScatter, ALargeGridTakesNoNumberForEachElement) {
  Indices grid{{100, 199, 2}, {}};
  for (int row = 0; row < 200; row += 2)
    for (int column = 1; column < 200; ++column) {
      grid.values.push_back(static_cast<float>(row));
      grid.values.push_back(static_cast<float>(column));
    }
  const auto made = imported(scattering("ScatterND", {200, 200}, grid, {100, 199}, false, "none"));
  ASSERT_TRUE(made && made->missing.empty());
  size_t longest = 0;
  for (const auto& [id, node] : made->graph.nodes()) {
    const auto values = node.params.find("values");
    if (values != node.params.end()) longest = std::max(longest, std::get<std::vector<double>>(values->second).size());
  }
  EXPECT_EQ(longest, 200u);
}

TEST(OnnxScatter, WhatDoesNotFitIsSaid) {
  const auto reason = [](const onnx::ModelProto& model) {
    const auto made = imported(model);
    return !made ? made.error().reason : made->missing.empty() ? "" : made->missing.front().reason;
  };
  EXPECT_THAT(reason(scattering("ScatterElements", {3}, {{1}, {3}}, {1}, false, "none")), HasSubstr("outside"));
  EXPECT_THAT(reason(scattering("ScatterND", {3}, {{1, 1}, {-4}}, {1}, false, "add")), HasSubstr("outside"));
  EXPECT_THAT(reason(scattering("ScatterElements", {3}, {{1}, {0}}, {2}, true, "none")), HasSubstr("do not fit"));
  EXPECT_THAT(reason(scattering("ScatterND", {3}, {{1, 1}, {0}}, {1}, true, "mean")),
              HasSubstr("a reduction \"mean\""));
}

// An index outside is an error of ONNX, which no graph can raise: what becomes of it is said, once.
TEST(OnnxScatter, WhatLiesOutsideIsLeftOutAndSaid) {
  for (const std::string op : {"ScatterElements", "ScatterND"})
    for (const std::string reduction : {"none", "add"}) {
      const Indices outside = op == "ScatterND" ? Indices{{3, 1}, {3, 1, -4}} : Indices{{3}, {3, 1, -4}};
      onnx::ModelProto model = scattering(op, {3}, outside, {3}, true, reduction);
      model.mutable_graph()->mutable_node(1)->set_output(0, "once");
      onnx::NodeProto& twice = add_node(model, op, {"once", "index", "updates"}, {"y"});
      if (reduction != "none") set_text(twice, "reduction", reduction);
      const auto made = imported(model);
      ASSERT_TRUE(made && made->missing.empty());
      EXPECT_EQ(values_of(*made, floats(outside.dims, outside.values)),
                (Values{1, reduction == "add" ? 2.0 + 11 + 11 : 11, 3}));
      EXPECT_THAT(made->notes, testing::ElementsAre(testing::AllOf(HasSubstr(op), HasSubstr("is left out"))));
      const auto known = imported(scattering(op, {3}, {outside.dims, {0, 1, 2}}, {3}, false, reduction));
      ASSERT_TRUE(known && known->missing.empty());
      EXPECT_TRUE(known->notes.empty()) << known->notes.front();
    }
}

/// op(data.weight, index, updates.weight) with duplicates; `computed`: the index has 0 · x added to it.
onnx::ModelProto training(const std::string& op, const std::string& reduction, bool computed) {
  onnx::ModelProto model = onnx_model(18);
  add_value(*model.mutable_graph()->mutable_input(), "x", {1});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "data.weight", {3, 2}, {0.5f, -0.25f, 1, 2, -1.5f, 0.75f});
  add_floats(model, "one", {1}, {1});
  add_node(model, "Mul", {"data.weight", "one"}, {"data"});
  add_floats(model, "updates.weight", {3, 2}, {0.25f, 1.25f, -0.5f, 0.125f, 2, -2});
  add_whole(model, "places", op == "ScatterND" ? Indices{{3, 1}, {0, 2, 2}} : Indices{{3, 2}, {0, 2, 2, 0, 2, 2}});
  if (computed) {
    add_floats(model, "none", {1}, {0});
    add_node(model, "Mul", {"x", "none"}, {"zero"});
    set_int(add_node(model, "Cast", {"zero"}, {"whole"}), "to", onnx::TensorProto::INT64);
    add_node(model, "Add", {"places", "whole"}, {"index"});
  }
  onnx::NodeProto& node = add_node(model, op, {"data", computed ? "index" : "places", "updates.weight"}, {"y"});
  if (reduction != "none") set_text(node, "reduction", reduction);
  return model;
}

// Against central differences, of the data and of the updates.
TEST(OnnxScatter, GradientsReachWhatIsTaken) {
  for (const std::string op : {"ScatterElements", "ScatterND"})
    for (const std::string reduction : {"none", "add", "mul", "max"})
      for (const bool computed : {false, true}) {
        const std::string what = op + " " + reduction + (computed ? ", computed" : ", known");
        expect_gradients(training(op, reduction, computed), {3, 2}, 2, what);
      }
}

}  // namespace
}  // namespace hw::test
