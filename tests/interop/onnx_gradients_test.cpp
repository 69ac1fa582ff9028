// Gradients of operators that others make: what trains before them gets them right.
#include "tests/interop/onnx_gradients.h"

#include <gtest/gtest.h>

namespace hw::test::onnx_gradients_test {
namespace {

using Attributes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// y = op(x · data.weight, [whole numbers]); attributes of one number are INT but for `lists`.
onnx::ModelProto behind_a_weight(const std::string& op, const std::vector<int64_t>& dims,
                                 const std::vector<float>& values, const Attributes& attributes = {},
                                 const Attributes& lists = {}, const std::vector<int64_t>& second = {}) {
  onnx::ModelProto model = onnx_model(20);
  add_value(*model.mutable_graph()->mutable_input(), "x", {1});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "data.weight", dims, values);
  add_node(model, "Mul", {"data.weight", "x"}, {"data"});
  std::vector<std::string> inputs{"data"};
  if (!second.empty()) {
    add_integers(model, "second", second);
    inputs.emplace_back("second");
  }
  onnx::NodeProto& node = add_node(model, op, inputs, {"y"});
  for (const auto& [name, numbers] : attributes) set_int(node, name, numbers.front());
  for (const auto& [name, numbers] : lists) set_ints(node, name, numbers);
  return model;
}

// An element that is 0 leaves the derivatives of those behind it to the others.
TEST(OnnxGradients, CumProd) {
  for (const int64_t exclusive : {0, 1})
    for (const int64_t reverse : {0, 1})
      expect_gradients(behind_a_weight("CumProd", {2, 3}, {0.5f, -1.25f, 2, 0.75f, 0, 1.5f},
                                       {{"exclusive", {exclusive}}, {"reverse", {reverse}}}, {}, {1}),
                       {2, 3}, 1, "exclusive " + std::to_string(exclusive) + ", reverse " + std::to_string(reverse));
}

TEST(OnnxGradients, CenterCropPad) {
  expect_gradients(behind_a_weight("CenterCropPad", {2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {}, {}, {5, 2}), {5, 2}, 1,
                   "both");
}

TEST(OnnxGradients, PoolsByANorm) {
  const std::vector<float> values{0.5f, -1, 2, 1.5f, -0.25f, 0.75f, -2, 1, 3};
  for (const int64_t p : {1, 2, 3}) {
    const std::string order = "order " + std::to_string(p);
    expect_gradients(behind_a_weight("LpPool", {1, 1, 3, 3}, values, {{"p", {p}}},
                                     {{"kernel_shape", {2, 2}}, {"pads", {1, 0, 0, 1}}}),
                     {1, 1, 3, 3}, 1, order);
    expect_gradients(behind_a_weight("GlobalLpPool", {1, 1, 3, 3}, values, {{"p", {p}}}), {1, 1, 1, 1}, 1, order);
  }
}

TEST(OnnxGradients, Dft) {
  const std::vector<float> signal{1, -2, 0.5f, 4, 3, -1.5f, 2, 0.25f, 1, -1};
  expect_gradients(behind_a_weight("DFT", {2, 5, 1}, signal), {2, 5, 2}, 1, "of real numbers");
  expect_gradients(behind_a_weight("DFT", {2, 5, 1}, signal, {{"onesided", {1}}}), {2, 3, 2}, 1, "one-sided");
  expect_gradients(behind_a_weight("DFT", {1, 5, 2}, signal, {{"inverse", {1}}}), {1, 5, 2}, 1, "inverse");
}

/// RoiAlign of two channels; regions of other sizes, of which one reaches beyond the pictures.
onnx::ModelProto regions(const std::string& mode, int64_t ratio, bool trains) {
  std::vector<float> values;
  for (int i = 0; i < 24; ++i) values.push_back(static_cast<float>(i * 7 % 24) - 11.5f);
  onnx::ModelProto model = behind_a_weight(
      "RoiAlign", {1, 2, 3, 4}, values, {{"output_height", {2}}, {"output_width", {2}}, {"sampling_ratio", {ratio}}});
  add_floats(model, trains ? "rois.weight" : "boxes", {2, 4}, {0.1f, 0.2f, 3.3f, 2.4f, 1.15f, 0.35f, 5.6f, 2.2f});
  add_integers(model, "pictures", {0, 0});
  onnx::NodeProto& node = *model.mutable_graph()->mutable_node(1);
  node.add_input(trains ? "rois.weight" : "boxes");
  node.add_input("pictures");
  set_text(node, "mode", mode);
  return model;
}

TEST(OnnxGradients, RoiAlign) {
  for (const std::string mode : {"avg", "max"}) {
    expect_gradients(regions(mode, 2, false), {2, 2, 2, 2}, 1, mode + ", two samples");
    expect_gradients(regions(mode, 2, true), {2, 2, 2, 2}, 2, mode + ", two samples, regions that train");
    expect_gradients(regions(mode, 0, false), {2, 2, 2, 2}, 1, mode + ", as many samples as pixels");
    // How many samples a region has is a number of the graph, and so are the regions.
    expect_gradients(regions(mode, 0, true), {2, 2, 2, 2}, 1, mode + ", as many samples as pixels, fixed regions");
  }
}

}  // namespace
}  // namespace hw::test::onnx_gradients_test
