#include "tests/fuzz/onnx_seeds.h"

#include "tests/interop/onnx_parts.h"

namespace hw::fuzz {
namespace {

using namespace test;
using namespace test::parts;

/// Convolution, norm and pool in the scopes of modules, and a product.
OnnxSeed layers() {
  onnx::ModelProto model = model_of({-1, 1, 6, 6});
  model.set_producer_name("pytorch");
  add_floats(model, "layer1.conv.weight", {2, 1, 3, 3}, std::vector<float>(18, 0.5f));
  for (const char* part : {"weight", "bias", "running_mean", "running_var"})
    add_floats(model, std::string("layer1.norm.") + part, {2}, {1, 2});
  add_floats(model, "fc.weight", {3, 8}, std::vector<float>(24, 0.25f));
  add_floats(model, "fc.bias", {3}, {1, 2, 3});
  onnx::NodeProto& conv = add_node(model, "Conv", {"x", "layer1.conv.weight"}, {"c"});
  conv.set_name("/layer1/conv/Conv");
  set_ints(conv, "pads", {1, 1, 1, 1});
  add_node(model, "BatchNormalization",
           {"c", "layer1.norm.weight", "layer1.norm.bias", "layer1.norm.running_mean", "layer1.norm.running_var"},
           {"n"})
      .set_name("/layer1/norm/BatchNormalization");
  add_node(model, "Relu", {"n"}, {"r"}).set_name("/layer1/Relu");
  onnx::NodeProto& pool = add_node(model, "MaxPool", {"r"}, {"p"});
  set_ints(pool, "kernel_shape", {3, 3});
  set_ints(pool, "strides", {2, 2});
  add_node(model, "Flatten", {"p"}, {"f"});
  set_int(add_node(model, "Gemm", {"f", "fc.weight", "fc.bias"}, {"g"}), "transB", 1);
  add_node(model, "Softmax", {"g"}, {"y"});
  return {"layers", model};
}

/// Sizes that are computed, as exporters split the heads of attention.
OnnxSeed shapes() {
  onnx::ModelProto model = model_of({-1, 3, 4});
  add_number(model, "zero", 0);
  add_integers(model, "first", {0});
  add_integers(model, "rest", {3, 2, 2});
  add_node(model, "Shape", {"x"}, {"dims"});
  add_node(model, "Gather", {"dims", "zero"}, {"batch"});
  add_node(model, "Unsqueeze", {"batch", "first"}, {"rows"});
  set_int(add_node(model, "Concat", {"rows", "rest"}, {"sizes"}), "axis", 0);
  add_node(model, "Reshape", {"x", "sizes"}, {"split"});
  set_ints(add_node(model, "Transpose", {"split"}, {"turned"}), "perm", {0, 2, 1, 3});
  add_integers(model, "starts", {1});
  add_integers(model, "ends", {INT64_MAX});
  add_integers(model, "axes", {2});
  add_node(model, "Slice", {"turned", "starts", "ends", "axes"}, {"cut"});
  add_integers(model, "pads", {0, 0, 1, 0, 0, 0, 0, 1});
  add_node(model, "Pad", {"cut", "pads"}, {"padded"});
  add_integers(model, "wide", {1, 2, 3, 3});
  add_node(model, "Expand", {"padded", "wide"}, {"expanded"});
  add_integers(model, "times", {1, 1, 2, 1});
  add_node(model, "Tile", {"expanded", "times"}, {"tiled"});
  add_integers(model, "two", {2});
  add_node(model, "TopK", {"tiled", "two"}, {"top", "places"});
  set_int(add_node(model, "ConstantOfShape", {"wide"}, {"zeros"}), "unused", 1);
  add_node(model, "ReduceMean", {"top"}, {"y"});
  add_value(*model.mutable_graph()->mutable_output(), "zeros", {});
  return {"shapes", model};
}

/// Overloads, defaults of attributes, attributes of calls, and functions that call others.
OnnxSeed functions() {
  onnx::ModelProto model = model_of({2, 3});
  onnx::FunctionProto& inner = add_function(model, "leak", {"a"}, {"b"});
  inner.add_attribute("slope");
  refer(put(*inner.mutable_node(), "LeakyRelu", {"a"}, {"b"}), "alpha", onnx::AttributeProto::FLOAT, "slope");
  onnx::FunctionProto& other = add_function(model, "leak", {"a"}, {"b"});
  put(*other.mutable_node(), "Neg", {"a"}, {"b"});
  add_newer(other, 13, "negative");
  onnx::FunctionProto& outer = add_function(model, "twice", {"a", "w"}, {"b", "unused"});
  onnx::AttributeProto usual;
  usual.set_name("steep");
  usual.set_type(onnx::AttributeProto::FLOAT);
  usual.set_f(0.25f);
  add_newer(outer, 11, usual.SerializeAsString());
  refer(call(*outer.mutable_node(), "leak", {"a"}, {"c"}), "slope", onnx::AttributeProto::FLOAT, "steep");
  add_newer(call(*outer.mutable_node(), "leak", {"c"}, {"d"}), 8, "negative");
  put(*outer.mutable_node(), "MatMul", {"d", "w"}, {"b"});
  put(*outer.mutable_node(), "Exp", {"d"}, {"unused"});
  add_floats(model, "w", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  Nodes& nodes = *model.mutable_graph()->mutable_node();
  call(nodes, "twice", {"x", "w"}, {"h"}).set_name("/model/block1/twice");
  call(nodes, "twice", {"h", "w"}, {"y"}).set_name("/model/block2/twice");
  return {"functions", model};
}

/// Functions that double level by level, inside a branch, where all is as large as what it is made of.
OnnxSeed doubling() {
  onnx::ModelProto model = model_of({2});
  constexpr int kLevels = 5;
  for (int level = 0; level < kLevels; ++level) {
    onnx::FunctionProto& f = add_function(model, "f" + std::to_string(level), {"a"}, {"b"});
    const std::string next = "f" + std::to_string(level + 1);
    if (level + 1 == kLevels) {
      put(*f.mutable_node(), "Abs", {"a"}, {"b"});
      continue;
    }
    call(*f.mutable_node(), next, {"a"}, {"c"});
    call(*f.mutable_node(), next, {"c"}, {"b"});
  }
  add_number(model, "yes", 1, onnx::TensorProto::BOOL);
  onnx::NodeProto& branch = add_node(model, "If", {"yes"}, {"y"});
  call(*add_graph(branch, "then_branch", {}, {"t"}).mutable_node(), "f0", {"x"}, {"t"});
  put(*add_graph(branch, "else_branch", {}, {"e"}).mutable_node(), "Neg", {"x"}, {"e"});
  return {"doubling", model};
}

/// A graph that a call hands to a function, which puts it into its own branches.
OnnxSeed given_graph() {
  onnx::ModelProto model = model_of({2});
  add_number(model, "yes", 1, onnx::TensorProto::BOOL);
  onnx::FunctionProto& f = add_function(model, "choose", {"a", "c"}, {"b"});
  f.add_attribute("body");
  onnx::NodeProto& branch = put(*f.mutable_node(), "If", {"c"}, {"b"});
  refer(branch, "then_branch", onnx::AttributeProto::GRAPH, "body");
  put(*add_graph(branch, "else_branch", {}, {"e"}).mutable_node(), "Neg", {"a"}, {"e"});
  onnx::NodeProto& made = call(*model.mutable_graph()->mutable_node(), "choose", {"x", "yes"}, {"y"});
  put(*add_graph(made, "body", {}, {"t"}).mutable_node(), "Exp", {"x"}, {"t"});
  return {"given graph", model};
}

/// Turns with a state and scanned values, a function and a branch in each.
OnnxSeed loop() {
  onnx::ModelProto model = model_of({2});
  put(*add_function(model, "next", {"a"}, {"b"}).mutable_node(), "Exp", {"a"}, {"b"});
  add_number(model, "three", 3);
  add_number(model, "true", 1, onnx::TensorProto::BOOL);
  onnx::NodeProto& node = add_node(model, "Loop", {"three", "true", "x"}, {"last", "y"});
  onnx::GraphProto& body = add_graph(node, "body", {"turn", "on", "h"}, {"still", "after", "each"});
  body.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
  body.mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::BOOL);
  Nodes& nodes = *body.mutable_node();
  call(nodes, "next", {"h"}, {"n"});
  onnx::NodeProto& branch = put(nodes, "If", {"on"}, {"after"});
  put(*add_graph(branch, "then_branch", {}, {"t"}).mutable_node(), "Neg", {"n"}, {"t"});
  put(*add_graph(branch, "else_branch", {}, {"e"}).mutable_node(), "Abs", {"n"}, {"e"});
  put(nodes, "Identity", {"on"}, {"still"});
  put(nodes, "Identity", {"after"}, {"each"});
  return {"loop", model};
}

OnnxSeed scan() {
  onnx::ModelProto model = model_of({3, 2});
  add_floats(model, "start", {2}, {0, 10});
  onnx::NodeProto& node = add_node(model, "Scan", {"start", "x"}, {"last", "y"});
  set_int(node, "num_scan_inputs", 1);
  set_ints(node, "scan_output_axes", {1});
  set_ints(node, "scan_input_directions", {1});
  onnx::GraphProto& body = add_graph(node, "body", {"sum", "row"}, {"next", "each"});
  onnx::TensorProto& weight = *body.add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(2);
  weight.add_float_data(1);
  weight.add_float_data(2);
  put(*body.mutable_node(), "Mul", {"row", "w"}, {"scaled"});
  put(*body.mutable_node(), "Add", {"sum", "scaled"}, {"next"});
  put(*body.mutable_node(), "Identity", {"next"}, {"each"});
  return {"scan", model};
}

void set_external(onnx::TensorProto& tensor, const std::string& file, int64_t offset, int64_t length) {
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair<std::string, std::string>("location", file),
                                   {"offset", std::to_string(offset)},
                                   {"length", std::to_string(length)}}) {
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
}

/// Weights in two files beside the model, one of them so large that it stays there until it is asked for.
OnnxSeed external() {
  onnx::ModelProto model = model_of({2, 3});
  constexpr int64_t kWide = 6000;
  set_external(add_floats(model, "w", {3, kWide}, {}), "w.data", 0, 3 * kWide * 4);
  set_external(add_floats(model, "b", {kWide}, {}), "w.data", 3 * kWide * 4, kWide * 4);
  set_external(add_packed(model, "q", 22, {kWide, 2}, ""), "q.data", 16, kWide);
  add_floats(model, "scale", {}, {0.5f});
  add_node(model, "MatMul", {"x", "w"}, {"m"});
  add_node(model, "Add", {"m", "b"}, {"s"});
  add_node(model, "DequantizeLinear", {"q", "scale"}, {"p"});
  add_node(model, "MatMul", {"s", "p"}, {"y"});
  std::string bytes;
  for (int64_t i = 0; i < 4 * kWide; ++i) bytes.append("\0\0\x80\x3f", 4);
  return {"external", model, {{"w.data", bytes}, {"q.data", std::string(16 + kWide, '\x21')}}};
}

/// The same bytes in the model itself: its large initializers are not parsed with it.
OnnxSeed large() {
  onnx::ModelProto model = model_of({2, 3});
  add_floats(model, "w", {3, 6000}, std::vector<float>(18000, 0.5f));
  add_packed(model, "b", onnx::TensorProto::FLOAT16, {1, 40000}, std::string(80000, '\x3c'));
  add_integers(model, "places", {0, 2, 5999});
  add_node(model, "MatMul", {"x", "w"}, {"m"});
  set_int(add_node(model, "Gather", {"m", "places"}, {"y"}), "axis", 1);
  set_int(add_node(model, "Cast", {"b"}, {"wide"}), "to", onnx::TensorProto::FLOAT);
  add_value(*model.mutable_graph()->mutable_output(), "wide", {});
  return {"large", model};
}

OnnxSeed sparse() {
  onnx::ModelProto model = model_of({2, 2});
  for (const bool flat : {true, false}) {
    onnx::SparseTensorProto& tensor = *model.mutable_graph()->add_sparse_initializer();
    tensor.mutable_values()->set_name(flat ? "w" : "b");
    tensor.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
    tensor.mutable_values()->add_dims(2);
    for (const float value : {5.0f, 7.0f}) tensor.mutable_values()->add_float_data(value);
    tensor.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
    tensor.mutable_indices()->add_dims(2);
    if (!flat) tensor.mutable_indices()->add_dims(2);
    for (const int64_t place : flat ? Sizes{0, 3} : Sizes{0, 1, 1, 0}) tensor.mutable_indices()->add_int64_data(place);
    for (int i = 0; i < 2; ++i) tensor.add_dims(2);
  }
  add_node(model, "MatMul", {"x", "w"}, {"m"});
  add_node(model, "Add", {"m", "b"}, {"y"});
  return {"sparse", model};
}

/// Whole numbers of four bits in blocks, floats of eight and four.
OnnxSeed narrow() {
  onnx::ModelProto model = model_of({2, 4}, 23);
  add_packed(model, "q", 22, {2, 4}, "\x21\x43\x65\x17");
  add_floats(model, "scales", {2, 2}, {1, 10, 100, 0.5f});
  onnx::NodeProto& blocks = add_node(model, "DequantizeLinear", {"q", "scales"}, {"w"});
  set_int(blocks, "axis", 1);
  set_int(blocks, "block_size", 2);
  add_floats(model, "scale", {}, {2});
  std::string sum = "w";
  int count = 0;
  for (const int type : {17, 18, 19, 20, 21, 23}) {  // FLOAT8E4M3FN … UINT4, FLOAT4E2M1
    const std::string name = "n" + std::to_string(++count);
    add_packed(model, name, type, {2, 4}, std::string(type > 20 ? 4 : 8, '\x31'));
    add_node(model, "DequantizeLinear", {name, "scale"}, {name + "/w"});
    add_node(model, "Add", {sum, name + "/w"}, {name + "/s"});
    sum = name + "/s";
  }
  add_node(model, "Add", {"x", sum}, {"y"});
  return {"narrow", model};
}

/// Pairs of QuantizeLinear and DequantizeLinear around a product, weights with a scale for each column.
OnnxSeed quantised() {
  onnx::ModelProto model = model_of({2, 3});
  add_floats(model, "scale", {}, {0.1f});
  add_packed(model, "zero", onnx::TensorProto::UINT8, {}, "\x80");
  add_packed(model, "weight", onnx::TensorProto::INT8, {3, 2}, "\x01\xff\x7f\x80\x10\x20");
  add_floats(model, "scales", {2}, {0.5f, 0.25f});
  add_packed(model, "zeros", onnx::TensorProto::INT8, {2}, std::string(2, '\0'));
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, {"xq"});
  add_node(model, "DequantizeLinear", {"xq", "scale", "zero"}, {"xd"});
  set_int(add_node(model, "DequantizeLinear", {"weight", "scales", "zeros"}, {"w"}), "axis", 1);
  add_node(model, "MatMul", {"xd", "w"}, {"m"});
  add_node(model, "QuantizeLinear", {"m", "scale", "zero"}, {"mq"});
  add_node(model, "DequantizeLinear", {"mq", "scale", "zero"}, {"y"});
  return {"quantised", model};
}

OnnxSeed recurrent() {
  onnx::ModelProto model = model_of({4, 1, 2});
  add_floats(model, "w", {1, 12, 2}, std::vector<float>(24, 0.1f));
  add_floats(model, "r", {1, 12, 3}, std::vector<float>(36, 0.2f));
  add_floats(model, "b", {1, 24}, std::vector<float>(24, 0.3f));
  onnx::NodeProto& lstm = add_node(model, "LSTM", {"x", "w", "r", "b"}, {"h", "last", "cell"});
  set_int(lstm, "hidden_size", 3);
  set_text(lstm, "direction", "forward");
  add_floats(model, "gw", {1, 9, 3}, std::vector<float>(27, 0.1f));
  add_floats(model, "gr", {1, 9, 3}, std::vector<float>(27, 0.2f));
  add_integers(model, "second", {1});
  add_node(model, "Squeeze", {"h", "second"}, {"hs"});
  onnx::NodeProto& gru = add_node(model, "GRU", {"hs", "gw", "gr"}, {"", "y"});
  set_int(gru, "hidden_size", 3);
  set_int(gru, "linear_before_reset", 1);
  return {"recurrent", model};
}

OnnxSeed sequences() {
  onnx::ModelProto model = model_of({4, 2});
  add_number(model, "two", 2);
  add_number(model, "one", 1);
  add_integers(model, "sizes", {1, 3});
  add_node(model, "SplitToSequence", {"x", "two"}, {"parts"});
  add_node(model, "SequenceAt", {"parts", "one"}, {"part"});
  add_node(model, "Split", {"x", "sizes"}, {"a", "b"});
  add_node(model, "SequenceConstruct", {"part", "a", "b"}, {"again"});
  set_int(add_node(model, "ConcatFromSequence", {"again"}, {"y"}), "axis", 0);
  return {"sequences", model};
}

/// What is put at, taken from and chosen by places, and pictures that are resized.
OnnxSeed places() {
  onnx::ModelProto model = model_of({1, 1, 3, 4});
  add_integers(model, "at", {1, 0});
  onnx::NodeProto& gather = add_node(model, "Gather", {"x", "at"}, {"rows"});
  set_int(gather, "axis", 2);
  onnx::TensorProto& tuples = add_packed(model, "tuples", onnx::TensorProto::INT64, {1, 4}, std::string(32, '\0'));
  tuples.set_raw_data(std::string(32, '\0'));
  add_floats(model, "updates", {1}, {7});
  add_node(model, "ScatterND", {"rows", "tuples", "updates"}, {"put"});
  add_floats(model, "roi", {}, {});
  model.mutable_graph()->mutable_initializer()->rbegin()->add_dims(0);
  add_floats(model, "scales", {4}, {1, 1, 2, 1.5f});
  set_text(add_node(model, "Resize", {"put", "roi", "scales"}, {"large"}), "mode", "linear");
  add_floats(model, "zero", {}, {0});
  add_node(model, "Greater", {"large", "zero"}, {"above"});
  add_node(model, "Where", {"above", "large", "zero"}, {"chosen"});
  set_text(add_node(model, "Einsum", {"chosen", "chosen"}, {"y"}), "equation", "abij,abkj->abik");
  return {"places", model};
}

/// A symbolic size that is padded to a multiple, as attention in windows does, and cut to the size again.
OnnxSeed padded_to_multiple() {
  onnx::ModelProto model = model_of({1, 2, -1});
  for (const auto& [name, value] : {std::pair("n0", 0), {"n2", 2}, {"four", 4}}) add_integers(model, name, {value});
  add_integers(model, "no_pads", {0, 0, 0, 0, 0});
  add_integers(model, "windows", {1, 2, -1, 4});
  add_integers(model, "rows", {1, 2, -1});
  add_node(model, "Shape", {"x"}, {"shape"});
  add_node(model, "Gather", {"shape", "n2"}, {"n"});
  add_node(model, "Mod", {"n", "four"}, {"rest"});
  add_node(model, "Sub", {"four", "rest"}, {"more"});
  add_node(model, "Mod", {"more", "four"}, {"width"});
  set_int(add_node(model, "Concat", {"no_pads", "width"}, {"pads"}), "axis", 0);
  add_node(model, "Pad", {"x", "pads"}, {"padded"});
  add_node(model, "Reshape", {"padded", "windows"}, {"split"});
  add_node(model, "Softmax", {"split"}, {"soft"});
  add_node(model, "Reshape", {"soft", "rows"}, {"joined"});
  add_node(model, "Slice", {"joined", "n0", "n", "n2"}, {"y"});
  return {"padded to a multiple", model};
}

/// Grouped heads behind past keys, as ONNX Runtime fuses them.
OnnxSeed grouped_attention() {
  onnx::ModelProto model = model_of({2, 1, 8}, 21);
  add_integers(model, "lengths", {3, 1});
  add_integers(model, "total", {4});
  for (const char* name : {"keys", "values"}) add_floats(model, name, {2, 1, 3, 2}, std::vector<float>(12, 0.5f));
  for (const char* name : {"cosine", "sine"}) add_floats(model, name, {4, 1}, {1, 0.5f, -0.5f, 0.25f});
  onnx::NodeProto& node =
      add_node(model, "GroupQueryAttention", {"x", "", "", "keys", "values", "lengths", "total", "cosine", "sine"},
               {"y", "all_keys", ""});
  node.set_domain("com.microsoft");
  set_int(node, "num_heads", 2);
  set_int(node, "kv_num_heads", 1);
  set_int(node, "local_window_size", 2);
  set_int(node, "do_rotary", 1);
  add_value(*model.mutable_graph()->mutable_output(), "all_keys", {});
  return {"grouped attention", model};
}

/// Empty names: an output that nobody reads, an input that is left out.
OnnxSeed empty_names() {
  onnx::ModelProto model = model_of({2, 3});
  add_floats(model, "most", {}, {2});
  add_node(model, "Dropout", {"x"}, {"c", ""});
  add_node(model, "Clip", {"c", "", "most"}, {"y"});
  return {"empty names", model};
}

}  // namespace

std::vector<OnnxSeed> onnx_seeds() {
  return {layers(),
          shapes(),
          functions(),
          doubling(),
          given_graph(),
          loop(),
          scan(),
          external(),
          large(),
          sparse(),
          narrow(),
          quantised(),
          recurrent(),
          sequences(),
          places(),
          padded_to_multiple(),
          grouped_attention(),
          empty_names()};
}

}  // namespace hw::fuzz
