// What detectors are made of: RoiAlign; NonZero, NonMaxSuppression, Compress and Unique, whose outputs are as long as
// values say.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_regions_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Values = std::vector<double>;

struct Regions {
  std::string mode, coordinates;  // "": the default
  int64_t ratio = 2, opset = 16;
  std::vector<float> boxes{0, 0, 3, 2, 1, 0.5f, 6, 2.5f};
  bool computed = false;
};

/// Two pictures of 3 × 4, 1, 2, .. in all, and a region of the first, others of the second; 2 × 2 bins.
onnx::ModelProto regions(const Regions& r) {
  onnx::ModelProto model = onnx_model(r.opset);
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 1, 3, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  const int64_t count = std::ssize(r.boxes) / 4;
  add_floats(model, "boxes", {count, 4}, r.boxes);
  std::vector<int64_t> pictures(static_cast<size_t>(count), 1);
  pictures[0] = 0;
  add_integers(model, "pictures", pictures);
  if (r.computed) {
    set_int(add_node(model, "ReduceMax", {"x"}, {"largest"}), "keepdims", 0);
    add_node(model, "Add", {"boxes", "largest"}, {"moved"});
  }
  onnx::NodeProto& node = add_node(model, "RoiAlign", {"x", r.computed ? "moved" : "boxes", "pictures"}, {"y"});
  set_int(node, "output_height", 2);
  set_int(node, "output_width", 2);
  if (r.ratio != 0) set_int(node, "sampling_ratio", r.ratio);
  if (!r.mode.empty()) set_text(node, "mode", r.mode);
  if (!r.coordinates.empty()) set_text(node, "coordinate_transformation_mode", r.coordinates);
  return model;
}

Tensor two_pictures() {
  std::vector<float> values;
  for (int i = 1; i <= 24; ++i) values.push_back(static_cast<float>(i));
  return floats({2, 1, 3, 4}, values);
}

// Numbers of ONNX Runtime 1.32. The second region reaches beyond the picture.
TEST(OnnxRegions, RoiAlignIsThatOfOnnxRuntime) {
  const auto check = [](const Regions& r, const Values& expected) {
    const auto made = imported(regions(r));
    ASSERT_EQ(trouble_in(made), "");
    const Values y = values_of(*made, two_pictures());
    ASSERT_EQ(y.size(), expected.size());
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5) << r.mode << r.coordinates << i;
  };
  const Values half{1.8125, 3.25, 5.3125, 6.75, 16.75, 9, 20.75, 11};
  const Values whole{3.75, 5.25, 7.75, 9.25, 19.25, 0, 22.75, 0};
  check({"avg", "half_pixel"}, half);
  check({"", ""}, half);
  check({"avg", "output_half_pixel"}, whole);
  check({"", "", 2, 10}, whole);
  check({"max", "half_pixel"}, {1.25, 2.625, 3.75, 4.59375, 11.8125, 15, 14.4375, 18});
  check({"max", "output_half_pixel"}, {3.9375, 4.59375, 6.5625, 7.21875, 13.125, 0, 21, 0});
}

// openvino#37826: without sampling_ratio it is 0, as many samples as a bin has pixels, and not 1. Numbers of ONNX
// Runtime 1.32; regions with other counts along each side, and one without a sample.
TEST(OnnxRegions, ARatioOf0TakesAsManySamplesAsABinHasPixels) {
  const std::vector<float> boxes{0, 0, 3, 2, 1, 0.5f, 6, 2.5f, 3, 1, 3, 1.5f},
      others{0, 0, 4, 3, 1, 0.5f, 8, 1.5f, 3, 2, 1, 1};
  const auto check = [](const Regions& r, const Values& expected) {
    const auto made = imported(regions(r));
    ASSERT_EQ(trouble_in(made), "");
    const Values y = values_of(*made, two_pictures());
    ASSERT_EQ(y.size(), expected.size());
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5) << r.mode << r.coordinates << i;
  };
  check({"avg", "half_pixel", 0, 16, boxes}, {1.3125, 2.75, 5.3125, 6.75, 16.75, 6, 20.75, 22.0 / 3, 0, 0, 0, 0});
  check({"", "", 0, 16, others}, {2.75, 4.75, 8.25, 10.25, 16.109375, 0, 18.109375, 0, 0, 0, 0, 0});
  check({"avg", "output_half_pixel", 0, 16, boxes},
        {3.75, 5.25, 7.75, 9.25, 173.0 / 9, 20.0 / 3, 209.0 / 9, 8, 21, 21, 23, 23});
  check({"", "", 0, 10, others}, {5, 6.75, 9.75, 11.5, 13.6875, 0, 15.1875, 0, 24, 24, 24, 24});
  check({"max", "half_pixel", 0, 16, boxes}, {1.25, 2.625, 5, 6.125, 8.25, 10, 121.0 / 12, 12, 0, 0, 0, 0});
  check({"max", "half_pixel", 0, 16, others}, {3.75, 5, 10, 12, 12, 0, 15, 0, 0, 0, 0, 0});
  check({"max", "output_half_pixel", 0, 16, boxes}, {2.625, 3.0625, 4.375, 4.8125, 20, 20, 24, 24, 15, 15, 18, 18});
}

// onnxruntime#3156: how many samples a computed region takes, no graph can say before it runs.
TEST(OnnxRegions, ARatioOf0OfComputedRegionsIsRefusedWithThisReason) {
  Regions r{"avg", "half_pixel", 0};
  r.computed = true;
  const auto made = imported(regions(r));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->missing.size(), 1u);
  EXPECT_THAT(made->missing[0].reason, HasSubstr("sampling_ratio is 0"));
  EXPECT_THAT(made->missing[0].reason, HasSubstr("these are computed"));
}

// The regions are one of the model's constants; what is computed of them has no name there.
TEST(OnnxRegions, ConstantsAreSaidToBeFrozenByTheirNamesInTheFile) {
  Regions r{"avg", "half_pixel", 2};
  for (int i = 0; i < 20; ++i) r.boxes.insert(r.boxes.end(), {0, 0, 3, 2});
  const auto made = imported(regions(r));
  ASSERT_TRUE(made && made->missing.empty());
  ASSERT_EQ(made->notes.size(), 1u);
  EXPECT_THAT(made->notes.front(), testing::StartsWith("boxes is frozen"));
}

TEST(OnnxRegions, APixelThatNoSampleReachesDoesNotCount) {
  const auto made = imported(regions({"avg", "output_half_pixel"}));
  ASSERT_TRUE(made && made->missing.empty());
  Tensor x = two_pictures();
  x.as<float>()[12] = std::numeric_limits<float>::quiet_NaN();  // a corner of the second picture
  EXPECT_EQ(values_of(*made, x), values_of(*made, two_pictures()));
}

/// The places of what is not 0 in a mask of the file, as rows of x.
TEST(OnnxRegions, NonZeroOfAConstantIsAConstant) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "mask", {2, 3}, {0, std::numeric_limits<float>::quiet_NaN(), 0, 1, 0, -2});
  add_node(model, "NonZero", {"mask"}, {"places"});
  add_node(model, "Transpose", {"places"}, {"tuples"});
  add_node(model, "GatherND", {"x", "tuples"}, {"y"});
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, floats({2, 3}, {1, 2, 3, 4, 5, 6})), (Values{2, 4, 6}));
}

TEST(OnnxRegions, CompressTakesWhatAConstantConditionSays) {
  for (const bool whole : {false, true}) {
    onnx::ModelProto model = onnx_model();
    add_value(*model.mutable_graph()->mutable_input(), "x", {2, 3});
    add_value(*model.mutable_graph()->mutable_output(), "y", {});
    onnx::TensorProto& condition = *model.mutable_graph()->add_initializer();
    condition.set_name("condition");
    condition.set_data_type(onnx::TensorProto::BOOL);
    condition.add_dims(2);
    condition.add_int32_data(0);
    condition.add_int32_data(1);
    onnx::NodeProto& node = add_node(model, "Compress", {"x", "condition"}, {"y"});
    if (!whole) set_int(node, "axis", 0);
    const auto made = imported(model);
    ASSERT_EQ(trouble_in(made), "");
    const Values all = values_of(*made, floats({2, 3}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(all, whole ? Values{2} : (Values{4, 5, 6}));
  }
}

// Numbers of ONNX Runtime 1.32.
TEST(OnnxRegions, UniqueOfAConstantIsAConstant) {
  const auto unique = [](size_t output, std::optional<int64_t> axis, bool sorted) {
    onnx::ModelProto model = onnx_model();
    add_value(*model.mutable_graph()->mutable_input(), "x", {1});
    add_value(*model.mutable_graph()->mutable_output(), "y", {});
    add_floats(model, "table", {3, 3}, {3, 1, 3, 2, 1, 2, 3, 1, 3});
    const std::vector<std::string> outputs{"values", "first", "which", "counts"};
    onnx::NodeProto& node = add_node(model, "Unique", {"table"}, outputs);
    if (axis) set_int(node, "axis", *axis);
    if (!sorted) set_int(node, "sorted", 0);
    set_int(add_node(model, "Cast", {outputs[output]}, {"numbers"}), "to", onnx::TensorProto::FLOAT);
    add_node(model, "Add", {"numbers", "x"}, {"y"});
    const auto made = imported(model);
    EXPECT_EQ(trouble_in(made), "");
    return values_of(*made, floats({1}, {0}));
  };
  EXPECT_THAT(unique(0, {}, true), ElementsAre(1, 2, 3));
  EXPECT_THAT(unique(1, {}, true), ElementsAre(1, 3, 0));
  EXPECT_THAT(unique(2, {}, true), ElementsAre(2, 0, 2, 1, 0, 1, 2, 0, 2));
  EXPECT_THAT(unique(3, {}, true), ElementsAre(3, 2, 4));
  EXPECT_THAT(unique(0, {}, false), ElementsAre(3, 1, 2));
  EXPECT_THAT(unique(2, {}, false), ElementsAre(0, 1, 0, 2, 1, 2, 0, 1, 0));
  EXPECT_THAT(unique(0, 0, true), ElementsAre(2, 1, 2, 3, 1, 3));
  EXPECT_THAT(unique(3, 0, true), ElementsAre(1, 2));
  EXPECT_THAT(unique(0, -1, false), ElementsAre(3, 1, 2, 1, 3, 1));
  EXPECT_THAT(unique(1, -1, false), ElementsAre(0, 1));
}

// 2^53 and the number behind it are one in f64.
TEST(OnnxRegions, UniqueOfWholeNumbersThatF64RoundsIsRefused) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_output(), "y", {}, onnx::TensorProto::INT64);
  add_integers(model, "table", {int64_t{1} << 53, (int64_t{1} << 53) + 1});
  add_node(model, "Unique", {"table"}, {"y"});
  EXPECT_THAT(trouble_in(imported(model)), HasSubstr("2^53"));
}

/// Four boxes of one class; the second covers most of the first, the third is the first with its corners swapped.
onnx::ModelProto suppressing(const std::vector<float>& scores, int64_t most, float share, bool known) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 1, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "boxes", {1, 4, 4}, {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 1, 1, 0, 0, 2, 2, 3, 3});
  add_floats(model, "scores", {1, 1, 4}, scores);
  add_integers(model, "most", {most});
  add_floats(model, "share", {1}, {share});
  add_floats(model, "least", {1}, {0.2f});
  add_node(model, "NonMaxSuppression", {"boxes", known ? "scores" : "x", "most", "share", "least"}, {"kept"});
  set_int(add_node(model, "Cast", {"kept"}, {"numbers"}), "to", onnx::TensorProto::FLOAT);
  set_int(add_node(model, "ReduceSum", {"x"}, {"sum"}), "keepdims", 0);
  add_node(model, "Add", {"numbers", "sum"}, {"y"});
  return model;
}

TEST(OnnxRegions, NonMaxSuppressionOfConstantsIsComputed) {
  const auto kept = [](const std::vector<float>& scores, int64_t most, float share) {
    const auto made = imported(suppressing(scores, most, share, true));
    EXPECT_TRUE(made && made->missing.empty());
    return values_of(*made, floats({1, 1, 4}, {0, 0, 0, 0}));
  };
  EXPECT_THAT(kept({0.5f, 0.9f, 0.5f, 0.3f}, 4, 0.5f), ElementsAre(0, 0, 1, 0, 0, 3));
  EXPECT_THAT(kept({0.9f, 0.5f, 0.9f, 0.1f}, 4, 0.5f), ElementsAre(0, 0, 0)) << "of equals the first; 0.1 is below";
  EXPECT_THAT(kept({0.9f, 0.8f, 0.1f, 0.3f}, 2, 0.9f), ElementsAre(0, 0, 0, 0, 0, 1)) << "two at most";
}

// One operator is missing, for its true reason; what reads it only follows.
TEST(OnnxRegions, WhatIsAsLongAsValuesSayIsAPlaceholderWithThisReason) {
  const auto made = imported(suppressing({0, 0, 0, 0}, 4, 0.5f, false));
  ASSERT_TRUE(made);
  ASSERT_FALSE(made->missing.empty());
  EXPECT_EQ(made->missing[0].op, "NonMaxSuppression");
  EXPECT_THAT(made->missing[0].reason, HasSubstr("the size of its output depends on values"));
  EXPECT_EQ(std::ranges::count_if(made->missing, [](const auto& missing) { return !missing.follows; }), 1);
}

}  // namespace
}  // namespace hw::test::onnx_regions_test
