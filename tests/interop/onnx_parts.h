// Parts that models of ONNX are made of, beside those of onnx_files.h: graphs, functions, calls.
#pragma once

#include <google/protobuf/unknown_field_set.h>

#include <string>
#include <vector>

#include "tests/interop/onnx_files.h"

namespace hw::test::parts {

using Names = std::vector<std::string>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Sizes = std::vector<int64_t>;

/// x with these sizes, and y.
inline onnx::ModelProto model_of(const Sizes& dims, int64_t opset = 17) {
  onnx::ModelProto model = onnx_model(opset);
  add_value(*model.mutable_graph()->mutable_input(), "x", dims);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  return model;
}

inline onnx::NodeProto& put(Nodes& to, const std::string& op, const Names& inputs, const Names& outputs) {
  onnx::NodeProto& node = *to.Add();
  node.set_op_type(op);
  for (const std::string& name : inputs) node.add_input(name);
  for (const std::string& name : outputs) node.add_output(name);
  return node;
}

inline onnx::AttributeProto& attribute(onnx::NodeProto& node, const std::string& name,
                                       onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& made = *node.add_attribute();
  made.set_name(name);
  made.set_type(type);
  return made;
}

inline onnx::GraphProto& add_graph(onnx::NodeProto& node, const std::string& name, const Names& inputs,
                                   const Names& outputs) {
  onnx::GraphProto& graph = *attribute(node, name, onnx::AttributeProto::GRAPH).mutable_g();
  graph.set_name(name);
  for (const std::string& input : inputs) add_value(*graph.mutable_input(), input, {});
  for (const std::string& output : outputs) add_value(*graph.mutable_output(), output, {});
  return graph;
}

/// In a function: an attribute that is the call's.
inline void refer(onnx::NodeProto& node, const std::string& name, onnx::AttributeProto::AttributeType type,
                  const std::string& of_call) {
  attribute(node, name, type).set_ref_attr_name(of_call);
}

/// A field that the schema here may not have.
template <class Message>
void add_newer(Message& message, int number, const std::string& bytes) {
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number, bytes);
  message.ParseFromString(message.SerializeAsString());
}

inline onnx::FunctionProto& add_function(onnx::ModelProto& model, const std::string& name, const Names& inputs,
                                         const Names& outputs) {
  if (model.functions_size() == 0) {
    onnx::OperatorSetIdProto& own = *model.add_opset_import();
    own.set_domain("own");
    own.set_version(1);
  }
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name(name);
  function.set_domain("own");
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  function.add_opset_import()->set_version(17);
  return function;
}

inline onnx::NodeProto& call(Nodes& to, const std::string& function, const Names& inputs, const Names& outputs) {
  onnx::NodeProto& node = put(to, function, inputs, outputs);
  node.set_domain("own");
  return node;
}

inline onnx::TensorProto& add_packed(onnx::ModelProto& model, const std::string& name, int type, const Sizes& dims,
                                     const std::string& bytes) {
  onnx::TensorProto& tensor = add_floats(model, name, dims, {});
  tensor.set_data_type(type);
  tensor.set_raw_data(bytes);
  return tensor;
}

inline void add_number(onnx::ModelProto& model, const std::string& name, int64_t value,
                       int type = onnx::TensorProto::INT64) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  if (type == onnx::TensorProto::INT64)
    tensor.add_int64_data(value);
  else
    tensor.add_int32_data(static_cast<int32_t>(value));
}

}  // namespace hw::test::parts
