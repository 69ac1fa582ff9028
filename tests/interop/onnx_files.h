// ONNX files for tests, made with the official schema.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#define ONNX_ML 1
#include <onnx/onnx_pb.h>

namespace hw::test {

/// A model of opset 17 with a graph "g".
inline onnx::ModelProto onnx_model(int64_t opset = 17) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("g");
  return model;
}

inline onnx::NodeProto& add_node(onnx::ModelProto& model, const std::string& op, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type(op);
  node.set_name("/" + op + "_" + std::to_string(model.graph().node_size()));
  for (const std::string& name : inputs) node.add_input(name);
  for (const std::string& name : outputs) node.add_output(name);
  return node;
}

inline void set_ints(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
}

inline void set_int(onnx::NodeProto& node, const std::string& name, int64_t value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

inline void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

/// A size of −1 is symbolic: "batch".
inline void add_value(google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& to, const std::string& name,
                      const std::vector<int64_t>& dims, int type = onnx::TensorProto::FLOAT) {
  onnx::ValueInfoProto& value = *to.Add();
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  for (const int64_t size : dims) {
    auto& dim = *tensor.mutable_shape()->add_dim();
    if (size < 0)
      dim.set_dim_param("batch");
    else
      dim.set_dim_value(size);
  }
}

inline onnx::TensorProto& add_floats(onnx::ModelProto& model, const std::string& name, const std::vector<int64_t>& dims,
                                     const std::vector<float>& values) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const int64_t size : dims) tensor.add_dims(size);
  tensor.set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  return tensor;
}

inline void add_integers(onnx::ModelProto& model, const std::string& name, const std::vector<int64_t>& values) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (const int64_t value : values) tensor.add_int64_data(value);
}

inline void write(const onnx::ModelProto& model, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  model.SerializeToOstream(&out);
}

}  // namespace hw::test
