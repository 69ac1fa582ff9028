// Models of any opset, functions distinguished, and what the file has that Halfwire does not.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "engine/core/codes.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_opsets_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Values = std::vector<double>;
namespace fs = std::filesystem;

/// x → an operator → y.
onnx::ModelProto model_of(const std::string& op, const std::vector<int64_t>& dims, int64_t opset,
                          int type = onnx::TensorProto::FLOAT) {
  onnx::ModelProto model = onnx_model(opset);
  add_value(*model.mutable_graph()->mutable_input(), "x", dims, type);
  add_value(*model.mutable_graph()->mutable_output(), "y", {}, type);
  add_node(model, op, {"x"}, {"y"});
  return model;
}

TEST(OnnxOpsets, NewerOnesAreReadWhereOperatorsAreKnown) {
  for (const int64_t opset : {6, 22, 28}) {
    const auto made = imported(model_of("Relu", {2}, opset));
    ASSERT_TRUE(made) << opset << ": " << made.error().text();
    EXPECT_TRUE(made->missing.empty());
    EXPECT_TRUE(made->notes.empty());
    EXPECT_THAT(values_of(*made, floats({2}, {-1, 2})), ElementsAre(0, 2));
  }
  const auto beyond = imported(model_of("Relu", {2}, 40));
  ASSERT_TRUE(beyond) << beyond.error().text();
  ASSERT_EQ(beyond->notes.size(), 1u);
  EXPECT_THAT(beyond->notes[0], HasSubstr("opset 40 is newer than 28"));
  const auto old = imported(model_of("Relu", {2}, 5));
  ASSERT_FALSE(old);
  EXPECT_THAT(old.error().reason, HasSubstr("6 and newer"));
}

TEST(OnnxOpsets, AnUnknownOperatorLeavesTheRestUsable) {
  onnx::ModelProto model = model_of("Relu", {2}, 28);
  add_node(model, "NotYetInvented", {"x"}, {"z"});
  add_value(*model.mutable_graph()->mutable_output(), "z", {});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->missing.size(), 1u);
  EXPECT_EQ(made->missing[0].op, "NotYetInvented");
  EXPECT_THAT(values_of(*made, floats({2}, {-1, 2})), ElementsAre(0, 2));
}

/// The message with a field that the schema may not know, appended as bytes.
template <class Message>
void append(Message& message, int number, const std::string& bytes) {
  std::string all = message.SerializeAsString();
  all += static_cast<char>(number << 3 | 2);
  all += static_cast<char>(bytes.size());
  all += bytes;
  ASSERT_TRUE(message.ParseFromString(all));
}

onnx::FunctionProto function_of(const std::string& op) {
  onnx::FunctionProto f;
  f.set_name("f");
  f.set_domain("local");
  f.add_input("a");
  f.add_output("b");
  onnx::OperatorSetIdProto& set = *f.add_opset_import();
  set.set_version(13);
  onnx::NodeProto& node = *f.add_node();
  node.set_op_type(op);
  node.add_input("a");
  node.add_output("b");
  return f;
}

TEST(OnnxFunctions, OverloadsAreDistinguished) {
  onnx::ModelProto model = model_of("f", {2}, 17);
  model.mutable_graph()->mutable_node(0)->set_domain("local");
  append(*model.mutable_graph()->mutable_node(0), 8, "negative");
  *model.add_functions() = function_of("Abs");
  onnx::FunctionProto negative = function_of("Neg");
  append(negative, 13, "negative");
  *model.add_functions() = negative;
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty());
  EXPECT_THAT(values_of(*made, floats({2}, {1, -2})), ElementsAre(-1, 2));
}

TEST(OnnxFunctions, AttributesThatACallLeavesOutHaveTheirDefaults) {
  onnx::FunctionProto f = function_of("LeakyRelu");
  onnx::AttributeProto& refers = *f.mutable_node(0)->add_attribute();
  refers.set_name("alpha");
  refers.set_type(onnx::AttributeProto::FLOAT);
  refers.set_ref_attr_name("slope");
  onnx::AttributeProto usual;
  usual.set_name("slope");
  usual.set_type(onnx::AttributeProto::FLOAT);
  usual.set_f(0.25f);
  append(f, 11, usual.SerializeAsString());
  onnx::ModelProto model = model_of("f", {2}, 17);
  model.mutable_graph()->mutable_node(0)->set_domain("local");
  *model.add_functions() = f;
  const auto usual_made = imported(model);
  ASSERT_TRUE(usual_made) << usual_made.error().text();
  EXPECT_TRUE(usual_made->missing.empty());
  EXPECT_THAT(values_of(*usual_made, floats({2}, {-4, 2})), ElementsAre(-1, 2));
  onnx::AttributeProto& given = *model.mutable_graph()->mutable_node(0)->add_attribute();
  given.set_name("slope");
  given.set_type(onnx::AttributeProto::FLOAT);
  given.set_f(0.5f);
  EXPECT_THAT(values_of(*imported(model), floats({2}, {-4, 2})), ElementsAre(-2, 2));
}

TEST(OnnxFunctions, CallsThatDoubleAtEachLevelAreRefused) {
  onnx::ModelProto model = model_of("f0", {2}, 17);
  model.mutable_graph()->mutable_node(0)->set_domain("local");
  for (int level = 0; level < 30; ++level) {
    onnx::FunctionProto f = function_of("f" + std::to_string(level + 1));
    f.set_name("f" + std::to_string(level));
    f.mutable_node(0)->set_domain("local");
    f.mutable_node(0)->set_output(0, "c");
    *f.add_node() = f.node(0);
    f.mutable_node(1)->set_input(0, "c");
    f.mutable_node(1)->set_output(0, "b");
    *model.add_functions() = f;
  }
  const auto made = imported(model);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, codes::unsupported);
  EXPECT_THAT(made.error().reason, HasSubstr("more than 16384 operators"));
}

TEST(OnnxDtypesNotHere, TheReasonNamesThem) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {}, onnx::TensorProto::COMPLEX64);
  add_floats(model, "scale", {}, {0.5f});
  onnx::TensorProto& zero = *model.mutable_graph()->add_initializer();
  zero.set_name("zero");
  zero.set_data_type(onnx::TensorProto::COMPLEX64);
  zero.add_float_data(7);
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_FALSE(made->missing.empty());
  EXPECT_THAT(made->missing[0].reason, HasSubstr("COMPLEX64"));
}

/// x + w, w in the file "model.onnx_data" beside.
std::string external_model() {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {2});
  onnx::TensorProto& w = *model.mutable_graph()->add_initializer();
  w.set_name("w");
  w.set_data_type(onnx::TensorProto::FLOAT);
  w.add_dims(2);
  w.set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto& entry = *w.add_external_data();
  entry.set_key("location");
  entry.set_value("model.onnx_data");
  add_node(model, "Add", {"x", "w"}, {"y"});
  return model.SerializeAsString();
}

TEST(OnnxExternalData, LinksOfADownloadCacheAreFollowed) {
  const TempFolder folder;
  const float w[] = {10, 20};
  fs::create_directories(folder / "blobs");
  fs::create_directories(folder / "snapshots/r1");
  write_bytes(folder / "blobs/a1", external_model());
  write_bytes(folder / "blobs/b2", std::string(reinterpret_cast<const char*>(w), sizeof w));
  fs::create_symlink("../../blobs/a1", folder / "snapshots/r1/model.onnx");
  fs::create_symlink("../../blobs/b2", folder / "snapshots/r1/model.onnx_data");
  const auto model = interop::read_onnx(folder / "snapshots/r1/model.onnx");
  ASSERT_TRUE(model) << model.error().text();
  const auto made = interop::import_graph(*model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(values_of(*made, floats({2}, {1, 2})), ElementsAre(11, 22));

  // Out of both folders: the one that was opened, and that of the real file.
  fs::create_directories(folder / "secret");
  write_bytes(folder / "secret/b2", std::string(reinterpret_cast<const char*>(w), sizeof w));
  fs::remove(folder / "snapshots/r1/model.onnx_data");
  fs::create_symlink("../../secret/b2", folder / "snapshots/r1/model.onnx_data");
  const auto outside = interop::read_onnx(folder / "snapshots/r1/model.onnx");
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, codes::file_unreadable);
  EXPECT_THAT(outside.error().reason, HasSubstr("secret/b2"));
}

/// Statistics in f32: the variance of the first row, 350,000, is beyond f16.
TEST(OnnxNorms, InHalfPrecisionTheSumsAreWide) {
  onnx::ModelProto model = model_of("LayerNormalization", {2, 4}, 17, onnx::TensorProto::FLOAT16);
  onnx::TensorProto& scale = *model.mutable_graph()->add_initializer();
  scale.set_name("s");
  scale.set_data_type(onnx::TensorProto::FLOAT16);
  scale.add_dims(4);
  for (int i = 0; i < 4; ++i) scale.add_int32_data(0x3C00);
  model.mutable_graph()->mutable_node(0)->add_input("s");
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  const Values y = values_of(*made, Tensor::from_f64(DType::f16, {2, 4}, {{900, -900, 300, -300, 7, 7, 7, 7}}));
  const double deviation = std::sqrt(450000.0);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], Values({900, -900, 300, -300})[i] / deviation, 1e-3) << i;
  for (size_t i = 4; i < 8; ++i) EXPECT_EQ(y[i], 0) << i;
}

TEST(OnnxNorms, RootMeanSquareOverTheLastAxisIsALayer) {
  onnx::ModelProto model = model_of("RMSNormalization", {1, 2}, 23);
  add_floats(model, "weight", {2}, {2, 3});
  model.mutable_graph()->mutable_node(0)->add_input("weight");
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->graph.find(made->outputs[0].second.node)->type, "rms_norm");
  const double root = std::sqrt(12.5 + 1e-5);
  const Values y = values_of(*made, floats({1, 2}, {3, 4}));
  EXPECT_NEAR(y[0], 6 / root, 1e-6);
  EXPECT_NEAR(y[1], 12 / root, 1e-6);
  set_int(*model.mutable_graph()->mutable_node(0), "axis", 0);
  const auto over_all = imported(model);
  ASSERT_TRUE(over_all) << over_all.error().text();
  EXPECT_TRUE(over_all->missing.empty());
  EXPECT_NEAR(values_of(*over_all, floats({1, 2}, {3, 4}))[0], 6 / root, 1e-6);
}

TEST(OnnxNorms, ARowOfZerosStaysOne) {
  const auto made = imported(model_of("LpNormalization", {2, 2}, 17));
  ASSERT_TRUE(made) << made.error().text();
  const Values y = values_of(*made, floats({2, 2}, {0, 0, 3, 4}));
  EXPECT_EQ(y[0], 0);
  EXPECT_NEAR(y[3], 0.8, 1e-7);
}

TEST(OnnxEdges, NeitherInfIsAskedFor) {
  onnx::ModelProto model = model_of("IsInf", {3}, 20);
  set_int(*model.mutable_graph()->mutable_node(0), "detect_positive", 0);
  set_int(*model.mutable_graph()->mutable_node(0), "detect_negative", 0);
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(values_of(*made, floats({3}, {inf, -inf, 1})), ElementsAre(0, 0, 0));
}

TEST(OnnxEdges, TheRestOfADivisionByInf) {
  onnx::ModelProto model = model_of("Mod", {4}, 13);
  const float inf = std::numeric_limits<float>::infinity();
  add_floats(model, "by", {4}, {inf, inf, -inf, 2});
  model.mutable_graph()->mutable_node(0)->add_input("by");
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(values_of(*made, floats({4}, {-3, 3, -1, -3})), ElementsAre(inf, 3, -1, 1));
}

/// 5 to 3: the next element upwards, as ONNX Runtime has it, at 0, 1.67 and 3.33.
TEST(OnnxEdges, NearestOfOpset10TakesTheNextElementUpwardsWhereItMakesSmaller) {
  onnx::ModelProto model = model_of("Resize", {1, 1, 1, 5}, 10);
  add_floats(model, "scales", {4}, {1, 1, 1, 0.6f});
  model.mutable_graph()->mutable_node(0)->add_input("scales");
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty());
  EXPECT_THAT(values_of(*made, floats({1, 1, 1, 5}, {1, 2, 3, 4, 5})), ElementsAre(1, 3, 5));
}

}  // namespace
}  // namespace hw::test::onnx_opsets_test
