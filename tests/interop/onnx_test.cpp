// Models of ONNX as graphs and graphs as models of ONNX: values, names, what is folded, missing, refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "app/interop/onnx/export_graph.h"
#include "app/interop/onnx/group_scopes.h"
#include "app/interop/onnx/import_graph.h"
#include "engine/backend/backend.h"
#include "engine/core/codes.h"
#include "engine/graph/validate.h"
#include "engine/io/assets.h"
#include "engine/plan/write_weights.h"
#include "tests/engine/file_limits.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/io_temp.h"
#include "tests/interop/onnx_files.h"

namespace hw::test {
namespace {

using interop::ImportedModel;
using interop::read_onnx;
using ::testing::HasSubstr;

Result<ImportedModel> imported(const onnx::ModelProto& model) {
  const TempFolder folder;
  write(model, folder / "m.onnx");
  HW_TRY(const interop::OnnxModel read, read_onnx(folder / "m.onnx"));
  return interop::import_graph(read);
}

/// The first output, of these values of the input "x".
std::vector<double> values_of(const ImportedModel& model, const Tensor& x) {
  FileAssets assets("");
  const SocketRef wanted = model.outputs.front().second;
  LowerOptions options;
  options.bindings = {{{model.inputs.at("x"), "y"}, x}};
  const auto lowered = lower(model.graph, std::span(&wanted, 1), options, assets);
  EXPECT_TRUE(lowered) << lowered.error().text();
  const ValueId value = std::get<Val>(lowered->sockets.at(wanted)).id;
  lowered->program->outputs.push_back({"y", value});
  const auto device = *make_device("ref");
  const auto states = *device->prepare_states(*lowered->program, nullptr, 0, nullptr);
  EXPECT_TRUE(write_weights(*lowered->program, *states, model.weights));
  const auto executable = *device->compile(lowered->program, states);
  EXPECT_TRUE(executable->write_input(model.inputs.at("x") + ".y", x));
  EXPECT_TRUE(executable->run({}));
  return executable->read(value)->to_f64();
}

Tensor floats(const Dims& dims, const std::vector<float>& values) {
  return Tensor::from_f32(DType::f32, dims, values);
}

/// x [batch, 1, 3, 3] → Conv 2×2 → Relu → Flatten → Gemm: y [batch, 2].
onnx::ModelProto small_network() {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 1, 3, 3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {-1, 2});
  add_floats(model, "layer1.0.weight", {1, 1, 2, 2}, {1, 0, 0, 1});
  add_floats(model, "layer1.0.bias", {1}, {-10});
  add_floats(model, "fc.weight", {2, 4}, {1, 1, 1, 1, 1, 0, 0, 0});
  add_floats(model, "fc.bias", {2}, {0.5f, 0});
  add_node(model, "Conv", {"x", "layer1.0.weight", "layer1.0.bias"}, {"c"});
  add_node(model, "Relu", {"c"}, {"r"});
  add_node(model, "Flatten", {"r"}, {"f"});
  set_int(add_node(model, "Gemm", {"f", "fc.weight", "fc.bias"}, {"y"}), "transB", 1);
  return model;
}

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

TEST(OnnxImport, WhatIsComputedOfSizesIsFolded) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 3, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {6, 4});
  add_integers(model, "last", {2});
  add_integers(model, "rest", {-1});
  add_node(model, "Shape", {"x"}, {"s"});
  add_node(model, "Gather", {"s", "last"}, {"size"});
  add_node(model, "Concat", {"rest", "size"}, {"shape"});
  set_int(*model.mutable_graph()->mutable_node(2), "axis", 0);
  add_node(model, "Reshape", {"x", "shape"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty()) << made->missing.front().reason;
  EXPECT_EQ(made->graph.nodes().size(), 3u) << "input, reshape, output";
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

TEST(OnnxImport, QuantisedWeightsAreTheFloatsThatTheyStandFor) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 1, 1, 1});
  add_value(*model.mutable_graph()->mutable_output(), "y", {1, 2, 1, 1});
  onnx::TensorProto& weight = *model.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::INT8);
  for (const int64_t size : {2, 1, 1, 1}) weight.add_dims(size);
  for (const int value : {-100, 50}) weight.add_int32_data(value);
  add_floats(model, "scale", {2}, {0.5f, 0.25f});
  add_floats(model, "step", {}, {0.125f});
  onnx::TensorProto& zero = *model.mutable_graph()->add_initializer();
  zero.set_name("zero");
  zero.set_data_type(onnx::TensorProto::UINT8);
  zero.add_int32_data(128);
  add_node(model, "QuantizeLinear", {"x", "step", "zero"}, {"q"});
  add_node(model, "DequantizeLinear", {"q", "step", "zero"}, {"d"});
  set_int(add_node(model, "DequantizeLinear", {"w", "scale"}, {"wide"}), "axis", 0);
  add_node(model, "Conv", {"d", "wide"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty());
  EXPECT_EQ(made->dequantized, 1u);
  Validator validator;
  validator.reset(made->graph);
  const auto is_quantised = [](const auto& entry) { return entry.second.type == "quantize_linear"; };
  const auto quantised = std::ranges::find_if(made->graph.nodes(), is_quantised);
  ASSERT_NE(quantised, made->graph.nodes().end());
  EXPECT_EQ(validator.output_type(quantised->first, "y")->dtype, DType::u8);
  EXPECT_EQ(values_of(*made, floats({1, 1, 1, 1}, {1.05f})), (std::vector<double>{-50, 12.5}));
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

TEST(OnnxImport, OtherOpsetsAreRefused) {
  for (const int64_t opset : {5, 22}) {
    const auto made = imported(onnx_model(opset));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, codes::unsupported);
  }
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
  EXPECT_EQ(read->graph.initializers.at("layer1.0.weight").to_f64(), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_FALSE(at("w.bin", "5")) << "the file ends before";
  for (const char* outside : {"../w.bin", "/etc/passwd", ""}) {
    const auto refused = at(outside, "0");
    ASSERT_FALSE(refused) << outside;
    EXPECT_EQ(refused.error().code, codes::file_unreadable);
    EXPECT_THAT(refused.error().reason, HasSubstr("outside"));
  }
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

std::vector<std::string> types_of(const Graph& graph) {
  std::vector<std::string> types;
  for (const auto& [id, node] : graph.nodes()) types.push_back(node.type);
  std::sort(types.begin(), types.end());
  return types;
}

TEST(OnnxExport, WhatWasImportedComesBackTheSame) {
  const auto first = imported(small_network());
  ASSERT_TRUE(first) << first.error().text();
  FileAssets assets("");
  const auto exported = interop::export_graph(first->graph, first->outputs, &first->weights, assets);
  ASSERT_TRUE(exported) << exported.error().text();
  std::vector<std::string> operators;
  for (const interop::OnnxNode& node : exported->graph.nodes) operators.push_back(node.op);
  EXPECT_EQ(operators, (std::vector<std::string>{"Conv", "Relu", "Reshape", "Gemm"}));
  EXPECT_EQ(exported->graph.inputs.at(0).name, "x");
  EXPECT_EQ(exported->graph.inputs[0].dims->at(0).symbol, "batch");
  EXPECT_EQ(exported->graph.outputs.at(0).name, "y");
  const TempFolder folder;
  ASSERT_TRUE(interop::write_onnx(*exported, folder / "again.onnx"));
  const auto read = read_onnx(folder / "again.onnx");
  ASSERT_TRUE(read) << read.error().text();
  const auto second = interop::import_graph(*read);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_TRUE(second->missing.empty());
  EXPECT_EQ(types_of(second->graph), types_of(first->graph));
  const Tensor x = floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(values_of(*second, x), values_of(*first, x));
}

/// x [batch, 4, 2, 3] → heads of 2 × 2 channels, their mean, a scale → Flatten → Gemm: y [batch, 2].
onnx::ModelProto heads_network() {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 4, 2, 3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {-1, 2});
  add_integers(model, "heads", {0, 2, 2, -1});
  add_integers(model, "shape", {-1, 4, 6});
  add_integers(model, "wide", {1, 4, 6});
  add_floats(model, "scale", {1}, {2});
  add_floats(model, "w", {24, 2}, [] {
    std::vector<float> values(48);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    return values;
  }());
  add_node(model, "Reshape", {"x", "heads"}, {"h"});
  set_ints(add_node(model, "ReduceMean", {"h"}, {"m"}), "axes", {3});
  add_node(model, "Sub", {"h", "m"}, {"d"});
  add_node(model, "Reshape", {"d", "shape"}, {"r"});
  add_node(model, "Expand", {"scale", "wide"}, {"e"});
  add_node(model, "Mul", {"r", "e"}, {"p"});
  add_node(model, "Flatten", {"p"}, {"f"});
  add_node(model, "Gemm", {"f", "w"}, {"y"});
  return model;
}

TEST(OnnxExport, SymbolicAxesStaySo) {
  for (const auto& model : {small_network(), heads_network()}) {
    const auto first = imported(model);
    ASSERT_TRUE(first) << first.error().text();
    ASSERT_TRUE(first->missing.empty()) << first->missing.front().reason;
    FileAssets assets("");
    const auto exported = interop::export_graph(first->graph, first->outputs, &first->weights, assets);
    ASSERT_TRUE(exported) << exported.error().text();
    EXPECT_TRUE(exported->fixed.empty()) << exported->fixed.front().because;
    EXPECT_EQ(exported->graph.outputs.at(0).dims->at(0).symbol, "batch");
    EXPECT_EQ(exported->graph.outputs[0].dims->at(0).size, -1);
    EXPECT_EQ(exported->graph.outputs[0].dims->at(1).size, 2);
    const auto second = interop::import_graph(*exported);
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_TRUE(second->missing.empty());
    EXPECT_EQ(second->fixed_because, "");
    for (const int64_t batch : {1, 2, 5}) {
      Dims dims{batch};
      for (size_t d = 1; d < exported->graph.inputs[0].dims->size(); ++d)
        dims.push_back(exported->graph.inputs[0].dims->at(d).size);
      std::vector<float> numbers(static_cast<size_t>(element_count(dims)));
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 5 % 23);
      const std::vector<double> made = values_of(*second, floats(dims, numbers));
      EXPECT_EQ(made.size(), static_cast<size_t>(2 * batch));
      EXPECT_EQ(made, values_of(*first, floats(dims, numbers)));
    }
  }
}

/// x [N, C] → Reshape to `shape`, exported.
Result<interop::ExportedModel> exported_reshape(const std::string& symbolic, const std::vector<double>& shape) {
  Graph graph;
  const std::vector<double> sizes{2, 6};
  EXPECT_TRUE(apply_edits(
      graph, {AddNode{node("x", "input", {{"shape", sizes}, {"axes", std::string("N C")}, {"symbolic", symbolic}})},
              AddNode{node("flat", "reshape", {{"shape", shape}})}, AddLink{link("x.y", "flat.x")}}));
  FileAssets assets("");
  return interop::export_graph(graph, {{"y", {"flat", "y"}}}, nullptr, assets);
}

TEST(OnnxExport, AnAxisWhoseSizeANodeWantsIsFixedAndSaid) {
  const auto open = exported_reshape("N", {-1, 2, 3});
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_TRUE(open->fixed.empty());
  const auto baked = exported_reshape("N", {2, 2, 3});
  ASSERT_TRUE(baked) << baked.error().text();
  ASSERT_EQ(baked->fixed.size(), 1u);
  EXPECT_EQ(baked->fixed[0].axis, "N");
  EXPECT_THAT(baked->fixed[0].because, HasSubstr("flat"));
  EXPECT_EQ(baked->graph.inputs.at(0).dims->at(0).size, 2);
  const auto one = exported_reshape("N C", {-1, 2, 3});
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_TRUE(one->fixed.empty()) << "12 elements or more follow from N · C";
  const auto half = exported_reshape("N C", {2, 3, -1});
  ASSERT_TRUE(half) << half.error().text();
  EXPECT_EQ(half->graph.inputs.at(0).dims->at(1).symbol, "C");
}

// Every node type with a rule, on its own examples: what comes back computes the same.
class OnnxExportOfTypes : public ::testing::TestWithParam<bool> {};  // the first axis of each input is symbolic

TEST_P(OnnxExportOfTypes, EveryTypeComesBackWithItsValues) {
  size_t types = 0;
  for (const auto& [id, type] : Registry::instance().all()) {
    if (type.decl.role() != Role::compute || type.decl.is_random()) continue;
    for (const Example& example : type.examples()) {
      Graph graph;
      Edits edits{AddNode{node("tried", id, example.params)}};
      bool tensors = !type.decl.outputs().empty() || type.sockets;
      for (const ExampleInput& input : example.inputs) {
        std::vector<double> shape(input.dims.begin(), input.dims.end());
        if (input.dims.empty() || input.made_of) tensors = false;
        std::string axes;
        for (size_t d = 0; d < shape.size(); ++d) axes += (d == 0 ? "N" : std::string(" ") + "abcdefgh"[d]);
        edits.push_back(AddNode{node("in_" + input.socket, "input",
                                     {{"shape", shape},
                                      {"axes", GetParam() ? axes : ""},
                                      {"symbolic", std::string(GetParam() ? "N" : "")},
                                      {"dtype", std::string(name(input.dtype))}})});
        edits.push_back(AddLink{link("in_" + input.socket + ".y", "tried." + input.socket)});
      }
      if (!tensors || !apply_edits(graph, edits)) continue;
      const Declaration declared = type.declared(graph.find("tried")->params);
      if (declared->outputs().empty()) continue;
      const SocketRef output{"tried", declared->outputs().front().id};
      FileAssets assets("");
      const auto exported = interop::export_graph(graph, {{"result", output}}, nullptr, assets);
      if (!exported) continue;  // no rule, or one that says why
      const auto back = interop::import_graph(*exported);
      ASSERT_TRUE(back) << id << ": " << back.error().text();
      if (GetParam() && !back->missing.empty())
        continue;  // its symbolic size cannot be the 1 that an import begins with
      ASSERT_TRUE(back->missing.empty()) << id << ": " << back->missing.front().reason;
      ++types;
      // Both on the ref device with the same inputs.
      LowerOptions here, there;
      std::map<std::string, Tensor> given;
      for (const ExampleInput& input : example.inputs) {
        std::vector<double> numbers;
        for (int64_t i = 0; i < element_count(input.dims); ++i)
          numbers.push_back(input.lo + (input.hi - input.lo) * static_cast<double>((i * 7 + 3) % 17) / 17);
        given[input.socket] = Tensor::from_f64(input.dtype, input.dims, numbers);
        if (input.dtype == DType::i64 || input.dtype == DType::i32)
          given[input.socket] = Tensor::from_f64(input.dtype, input.dims, numbers).to(DType::i64).to(input.dtype);
        here.bindings[{"in_" + input.socket, "y"}] = given[input.socket];
        if (const auto found = back->inputs.find("in_" + input.socket); found != back->inputs.end())
          there.bindings[{found->second, "y"}] = given[input.socket];
      }
      const auto run = [&](const Graph& g, const SocketRef& wanted, const LowerOptions& options,
                           const Weights* weights) {
        const auto lowered = lower(g, std::span(&wanted, 1), options, assets);
        EXPECT_TRUE(lowered) << id << ": " << lowered.error().text();
        if (!lowered) return std::vector<double>{};
        const ValueId value = std::get<Val>(lowered->sockets.at(wanted)).id;
        lowered->program->outputs.push_back({"y", value});
        const auto device = *make_device("ref");
        const auto states = *device->prepare_states(*lowered->program, nullptr, 0, nullptr);
        EXPECT_TRUE(!weights || write_weights(*lowered->program, *states, *weights));
        const auto executable = *device->compile(lowered->program, states);
        for (const auto& [socket, tensor] : options.bindings)
          EXPECT_TRUE(!lowered->sockets.contains(socket) || executable->write_input(socket.node + ".y", tensor));
        EXPECT_TRUE(executable->run({}));
        return executable->read(value)->to_f64();
      };
      const std::vector<double> a = run(graph, output, here, nullptr),
                                b = run(back->graph, back->outputs.front().second, there, &back->weights);
      ASSERT_EQ(a.size(), b.size()) << id;
      for (size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(a[i]) && std::isnan(b[i])) continue;
        ASSERT_NEAR(a[i], b[i], 1e-5 * (1 + std::abs(a[i]))) << id << " " << example.name << " at " << i;
      }
    }
  }
  EXPECT_GT(types, 100u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OnnxExportOfTypes, ::testing::Bool());

TEST(OnnxExport, TwoValuesOfOneNameAreRefused) {
  Node a = node("a", "input", {{"shape", std::vector<double>{4, 3}}}), b = a;
  b.id = "b";
  a.name = b.name = "x";
  const Graph graph = built({AddNode{a}, AddNode{b}, AddNode{node("sum", "add")}, AddLink{link("a.y", "sum.a")},
                             AddLink{link("b.y", "sum.b")}});
  FileAssets assets("");
  const auto exported = interop::export_graph(graph, {{"y", {"sum", "y"}}}, nullptr, assets);
  ASSERT_FALSE(exported);
  EXPECT_EQ(exported.error().where, "x");
}

TEST(OnnxExport, ANodeThatOnnxHasNotIsNamed) {
  Graph graph;
  ASSERT_TRUE(
      apply_edits(graph, {AddNode{node("x", "input", {{"shape", std::vector<double>{4, 3}}})},
                          AddNode{node("harmonics", "spherical_harmonics")}, AddLink{link("x.y", "harmonics.x")}}));
  FileAssets assets("");
  const auto exported = interop::export_graph(graph, {{"y", {"harmonics", "features"}}}, nullptr, assets);
  ASSERT_FALSE(exported);
  EXPECT_EQ(exported.error().where, "harmonics");
  EXPECT_EQ(exported.error().code, codes::unsupported);
}

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
}  // namespace hw::test
