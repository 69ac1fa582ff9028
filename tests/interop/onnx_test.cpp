// Models of ONNX as graphs: values, names, what is missing, refused.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <random>

#include "app/interop/onnx/export_graph.h"
#include "app/interop/onnx/group_scopes.h"
#include "engine/core/codes.h"
#include "engine/io/asset/assets.h"
#include "tests/engine/file_limits.h"
#include "tests/engine/graph_builder.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_test {
namespace {

using interop::ImportedModel;
using interop::read_onnx;
using ::testing::HasSubstr;

TEST(OnnxImport, LayersTakeTheirWeightsAndSymbolsStay) {
  const auto model = imported(small_network());
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_TRUE(model->missing.empty());
  Validator validator;
  validator.reset(model->graph);
  for (const Diagnostic& d : validator.all()) ADD_FAILURE() << to_string(d);
  const Node& input = *model->graph.find(model->inputs.at("x"));
  EXPECT_EQ(input.name, "x");
  EXPECT_EQ(std::get<std::string>(input.params.at("symbolic")), "batch");
  EXPECT_EQ(model->weights.size(), 4u);
  // Windows of 1..9 on the diagonal: 1+5, 2+6, 4+8, 5+9, less 10.
  EXPECT_EQ(values_of(*model, floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})), (std::vector<double>{6.5, 0}));
}

TEST(OnnxImport, ASymbolicSizeThatAnOperatorWantsIsFixedAndSaid) {
  const auto sliced = [](const std::vector<int64_t>& ends) {
    onnx::ModelProto model = onnx_model();
    add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 4});
    add_value(*model.mutable_graph()->mutable_output(), "y", {-1, 4});
    add_integers(model, "starts", {0});
    add_integers(model, "ends", ends);
    add_integers(model, "axes", {0});
    add_node(model, "Slice", {"x", "starts", "ends", "axes"}, {"y"});
    return imported(model);
  };
  const auto fixed = sliced({3});
  ASSERT_TRUE(fixed) << fixed.error().text();
  EXPECT_NE(fixed->fixed_because.find("Slice"), std::string::npos);
  EXPECT_EQ(fixed->graph.find(fixed->inputs.at("x"))->params.count("symbolic") == 0 ||
                std::get<std::string>(fixed->graph.find(fixed->inputs.at("x"))->params.at("symbolic")).empty(),
            true);
  const auto whole = sliced({std::numeric_limits<int64_t>::max()});
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_EQ(whole->fixed_because, "");
  EXPECT_TRUE(whole->missing.empty());
}

TEST(OnnxImport, AttributesOfAFunctionAreThoseOfItsCall) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {2, 2});
  onnx::FunctionProto& f = *model.add_functions();
  f.set_name("Share");
  f.set_domain("own");
  f.add_input("a");
  f.add_output("b");
  f.add_attribute("along");
  f.add_opset_import()->set_version(17);
  onnx::NodeProto& inner = *f.add_node();
  inner.set_op_type("Softmax");
  inner.add_input("a");
  inner.add_output("b");
  onnx::AttributeProto& axis = *inner.add_attribute();
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_ref_attr_name("along");
  model.add_opset_import()->set_domain("own");
  onnx::NodeProto& call = add_node(model, "Share", {"x"}, {"y"});
  call.set_domain("own");
  set_int(call, "along", 0);
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->missing.empty()) << made->missing.front().reason;
  const std::vector<double> y = values_of(*made, floats({2, 2}, {0, 5, 0, 0}));
  EXPECT_NEAR(y[0], 0.5, 1e-6) << "down the columns";
  EXPECT_NEAR(y[2], 0.5, 1e-6);
}

TEST(OnnxImport, WholeNumbersWrapAsInNumPy) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {3}, onnx::TensorProto::UINT8);
  add_value(*model.mutable_graph()->mutable_output(), "y", {3}, onnx::TensorProto::INT8);
  add_node(model, "Add", {"x", "x"}, {"twice"});
  set_int(add_node(model, "Cast", {"twice"}, {"y"}), "to", onnx::TensorProto::INT32);
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  const Tensor x = Tensor::from_f64(DType::u8, {3}, std::vector<double>{3, 127, 200});
  EXPECT_EQ(values_of(*made, x), (std::vector<double>{6, 254, 144}));
}

/// y = relu(x W + b) W + b, then a norm of ones and a further one of the same ones.
onnx::ModelProto shared_weights() {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {1, 2});
  add_floats(model, "lin.weight", {2, 2}, {1, 2, 3, 4});
  add_floats(model, "lin.bias", {2}, {0.5f, -1});
  add_floats(model, "ones", {2}, {1, 1});
  add_floats(model, "zeros", {2}, {0, 0});
  add_node(model, "Gemm", {"x", "lin.weight", "lin.bias"}, {"a"});
  add_node(model, "Relu", {"a"}, {"b"});
  add_node(model, "Gemm", {"b", "lin.weight", "lin.bias"}, {"c"});
  model.mutable_opset_import(0)->set_version(17);
  add_node(model, "LayerNormalization", {"c", "ones", "zeros"}, {"d"});
  add_node(model, "LayerNormalization", {"d", "ones", "zeros"}, {"y"});
  return model;
}

TEST(OnnxImport, ALayerThatIsUsedTwiceHasItsWeightsOnce) {
  const auto made = imported(shared_weights());
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->graph.find("gemm_3")->tie, "gemm_1");
  EXPECT_TRUE(made->weights.contains("gemm_1.weight"));
  EXPECT_FALSE(made->weights.contains("gemm_3.weight"));
  EXPECT_EQ(made->graph.find("layernormalization_5")->tie, "") << "equal values that an exporter wrote once";
  EXPECT_TRUE(made->untied_weights.empty());
  const auto grouped = interop::with_groups(*made);
  FileAssets assets("");
  const auto exported = interop::export_graph(grouped.graph, grouped.outputs, &grouped.weights, assets);
  ASSERT_TRUE(exported) << exported.error().text();
  const auto wide = [](const auto& entry) { return entry.second.dims() == Dims{2, 2}; };
  EXPECT_EQ(std::ranges::count_if(exported->graph.initializers, wide), 1);
}

TEST(OnnxImport, WeightsThatAreNoMoreTiedAreSaid) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 1, 3, 3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {1, 1, 3, 3});
  add_floats(model, "w", {1, 1, 1, 1}, {2});
  add_floats(model, "k", {1, 1, 2, 2}, {1, 2, 3, 4});
  set_ints(add_node(model, "Conv", {"x", "k"}, {"a"}), "pads", {0, 0, 0, 0});
  add_node(model, "ConvTranspose", {"a", "k"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->untied_weights,
            (std::map<std::string, std::vector<std::string>>{{"k", {"conv_1", "convtranspose_2"}}}));
}

TEST(OnnxImport, AnOperatorThatIsNotHereIsAPlaceholderAndTheRestStays) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {2, 3});
  add_node(model, "Relu", {"x"}, {"a"});
  add_node(model, "Frobnicate", {"a"}, {"b"});
  add_node(model, "Relu", {"b"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->missing.size(), 1u) << made->missing.back().op << ": " << made->missing.back().reason;
  EXPECT_EQ(made->missing[0].op, "Frobnicate");
  size_t placeholders = 0, relus = 0;
  for (const auto& [id, node] : made->graph.nodes()) {
    placeholders += node.type == "onnx:Frobnicate";
    relus += node.type == "relu";
  }
  EXPECT_EQ(placeholders, 1u);
  EXPECT_EQ(relus, 2u);
}

TEST(OnnxImport, LocalFunctionsAreInlinedWithTheirAttributes) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {1, 2});
  onnx::FunctionProto& f = *model.add_functions();
  f.set_name("Twice");
  f.set_domain("own");
  f.add_input("a");
  f.add_output("b");
  onnx::NodeProto& inner = *f.add_node();
  inner.set_op_type("Add");
  inner.add_input("a");
  inner.add_input("a");
  inner.add_output("b");
  model.add_opset_import()->set_domain("own");
  for (const auto& [from, to] : {std::pair("x", "m"), std::pair("m", "y")})
    add_node(model, "Twice", {from}, {to}).set_domain("own");
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty());
  EXPECT_EQ(values_of(*made, floats({1, 2}, {1, -3})), (std::vector<double>{4, -12}));
}

TEST(OnnxImport, WeightsKeepTheirDtype) {
  for (const auto& [type, dtype, size] :
       {std::tuple(10, DType::f16, 2), std::tuple(16, DType::bf16, 2), std::tuple(17, DType::f8e4m3, 1),
        std::tuple(19, DType::f8e5m2, 1), std::tuple(3, DType::i8, 1)}) {
    const TempFolder folder;
    onnx::TensorProto tensor;
    tensor.set_data_type(type);
    tensor.add_dims(3);
    tensor.set_raw_data(std::string(static_cast<size_t>(3 * size), '\0'));
    std::ofstream(folder / "t.pb", std::ios::binary) << tensor.SerializeAsString();
    const auto read = interop::read_onnx_tensor(folder / "t.pb");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->dtype(), dtype);
  }
}

TEST(OnnxImport, ExternalDataLiesBesideTheModelOrIsRefused) {
  const TempFolder folder;
  onnx::ModelProto model = small_network();
  onnx::TensorProto& weight = *model.mutable_graph()->mutable_initializer(0);
  const std::string bytes = weight.raw_data();
  weight.clear_raw_data();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto at = [&](const std::string& location, const char* offset) {
    weight.clear_external_data();
    for (const auto& [key, value] : {std::pair<std::string, std::string>("location", location), {"offset", offset}}) {
      auto& entry = *weight.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    write(model, folder / "m.onnx");
    return read_onnx(folder / "m.onnx");
  };
  std::ofstream(folder / "w.bin", std::ios::binary) << "1234" << bytes;
  const auto read = at("w.bin", "4");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->graph.initializers.at("layer1.0.weight").read()->to_f64(), (std::vector<double>{1, 0, 0, 1}));
  const auto refused_at = [&](const std::string& location, const char* offset) {
    const auto refused = at(location, offset);
    EXPECT_FALSE(refused) << location << " " << offset;
    if (refused) return std::string();
    EXPECT_EQ(refused.error().where, "layer1.0.weight");
    EXPECT_FALSE(refused.error().remedy.empty());
    return refused.error().reason;
  };
  EXPECT_THAT(refused_at("w.bin", "5"), HasSubstr("from byte 5 of \"w.bin\" on, which has 20"));
  EXPECT_THAT(refused_at("w.bin", "18446744073709551615"), HasSubstr("which has 20"));
  EXPECT_THAT(refused_at("w.bin", "-4"), HasSubstr("\"-4\", is no number of bytes"));
  EXPECT_THAT(refused_at("gone.bin", "0"), HasSubstr("\"gone.bin\": there is no such file"));
  std::filesystem::create_directory(folder / "folder");
  EXPECT_THAT(refused_at("folder", "0"), HasSubstr("not a file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refused_at("pipe", "0"), HasSubstr("not a file")) << "reading it would wait for ever";
  for (const char* outside : {"../w.bin", "/etc/passwd", ""}) {
    const auto refused = at(outside, "0");
    ASSERT_FALSE(refused) << outside;
    EXPECT_EQ(refused.error().code, codes::file_unreadable);
    EXPECT_THAT(refused.error().reason, HasSubstr("outside"));
  }
}

/// The mean of each window of 3 of x [1, 1, 4], every 2, with 1 zero before and `pad_end` behind.
std::vector<double> means(int64_t pad_end, bool counts) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 1, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {1, 1, 3});
  onnx::NodeProto& pool = add_node(model, "AveragePool", {"x"}, {"y"});
  set_ints(pool, "kernel_shape", {3});
  set_ints(pool, "strides", {2});
  set_ints(pool, "pads", {1, pad_end});
  set_int(pool, "ceil_mode", 1);
  set_int(pool, "count_include_pad", counts ? 1 : 0);
  const auto made = imported(model);
  EXPECT_TRUE(made && made->missing.empty());
  return made ? values_of(*made, floats({1, 1, 4}, {6, 12, 18, 24})) : std::vector<double>();
}

TEST(OnnxImport, MeansOfCeilModeCountWhatTheirWindowsReach) {
  EXPECT_EQ(means(0, false), (std::vector<double>{9, 18})) << "a window that begins in the padding is none";
  EXPECT_EQ(means(0, true), (std::vector<double>{6, 18}));
  EXPECT_EQ(means(1, false), (std::vector<double>{9, 18, 24}));
  EXPECT_EQ(means(1, true), (std::vector<double>{6, 18, 12}))
      << "what ceil_mode adds behind the padding does not count";
}

TEST(OnnxImport, DamageIsNamed) {
  onnx::ModelProto model = small_network();
  model.mutable_graph()->mutable_initializer(2)->set_raw_data("abc");
  const auto short_one = imported(model);
  ASSERT_FALSE(short_one);
  EXPECT_EQ(short_one.error().where, "fc.weight");
  model = small_network();
  model.mutable_graph()->mutable_initializer(2)->set_dims(0, int64_t{1} << 60);
  EXPECT_FALSE(imported(model));
  model.mutable_graph()->mutable_initializer(2)->set_dims(0, -2);
  EXPECT_FALSE(imported(model));
  const TempFolder folder;
  std::ofstream(folder / "t.onnx") << "{\"not\": \"onnx\"}";
  const auto no_onnx = read_onnx(folder / "t.onnx");
  ASSERT_FALSE(no_onnx);
  EXPECT_EQ(no_onnx.error().code, codes::file_syntax);
  EXPECT_THAT(no_onnx.error().where, HasSubstr("t.onnx"));
}

// ---- and back

// Bytes and fields at random: an error or a graph, never a crash.
TEST(OnnxImport, MutatedModelsAreReadOrRefused) {
  const TempFolder folder;
  const std::string whole = small_network().SerializeAsString();
  std::mt19937 random(1);
  const auto upto = [&](size_t n) { return static_cast<size_t>(random() % n); };
  int read = 0;
  FileLimits limits;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    if (round % 2 == 0) {
      for (size_t k = 0; k <= upto(4); ++k) bytes[upto(bytes.size())] = static_cast<char>(random());
      if (upto(8) == 0) bytes.resize(upto(bytes.size()));
    } else {
      onnx::ModelProto model = small_network();
      auto& graph = *model.mutable_graph();
      auto& node = *graph.mutable_node(static_cast<int>(upto(4)));
      auto& tensor = *graph.mutable_initializer(static_cast<int>(upto(4)));
      static const char* kOps[] = {"Conv",   "Gemm",  "Reshape", "Slice",        "Concat", "Gather",
                                   "Pad",    "Split", "LSTM",    "MaxPool",      "Expand", "Tile",
                                   "OneHot", "TopK",  "Squeeze", "ConvTranspose"};
      const int64_t sizes[] = {-1, 0, 1, 2, 7, 1 << 20, int64_t{1} << 40};
      switch (upto(6)) {
        case 0:
          node.set_op_type(kOps[upto(16)]);
          break;
        case 1:
          node.set_input(static_cast<int>(upto(static_cast<size_t>(node.input_size()))), upto(2) ? "y" : "nothing");
          break;
        case 2:
          tensor.set_dims(0, sizes[upto(7)]);
          break;
        case 3:
          tensor.set_data_type(static_cast<int>(upto(20)));
          break;
        case 4:
          set_ints(node, upto(2) ? "strides" : "pads", {sizes[upto(7)], sizes[upto(7)], 1, 1});
          break;
        default:
          set_int(node, upto(2) ? "axis" : "group", sizes[upto(7)]);
      }
      bytes = model.SerializeAsString();
    }
    std::ofstream(folder / "m.onnx", std::ios::binary) << bytes;
    limits.begin();
    const auto model = read_onnx(folder / "m.onnx");
    const auto made = model ? interop::import_graph(*model) : Result<ImportedModel>(model.error());
    limits.end();
    if (model) ++read;
    EXPECT_TRUE(made || !made.error().reason.empty());
  }
  EXPECT_GT(read, 500);
  limits.check();
}

}  // namespace
}  // namespace hw::test::onnx_test
