#include "app/interop/onnx/exporter.h"
#include "app/interop/onnx/model.h"
#include "app/interop/onnx/opset_dtypes.h"
#include "app/interop/onnx/proto.h"
#include "engine/core/codes.h"
#include "engine/io/file/atomic_file.h"

namespace hw::interop {
namespace {

void fill(onnx::TensorProto& proto, const std::string& name, const Tensor& tensor) {
  proto.set_name(name);
  proto.set_data_type(static_cast<int>(number_of(tensor.dtype())));
  for (const int64_t size : tensor.dims()) proto.add_dims(size);
  proto.set_raw_data(tensor.data(), tensor.bytes());
}

void fill(onnx::ValueInfoProto& proto, const OnnxValue& value) {
  proto.set_name(value.name);
  auto& type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(number_of(*value.dtype)));
  auto& shape = *type.mutable_shape();
  for (const OnnxDim& dim : *value.dims) {
    auto& d = *shape.add_dim();
    if (dim.size >= 0)
      d.set_dim_value(dim.size);
    else if (!dim.symbol.empty())
      d.set_dim_param(dim.symbol);
  }
}

void fill(onnx::AttributeProto& proto, const std::string& name, const OnnxAttribute& value) {
  proto.set_name(name);
  if (const auto* number = std::get_if<int64_t>(&value)) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(*number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(*real));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(*text);
  } else if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value)) {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const int64_t i : *numbers) proto.add_ints(i);
  } else if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const double f : *reals) proto.add_floats(static_cast<float>(f));
  } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
    proto.set_type(onnx::AttributeProto::TENSOR);
    fill(*proto.mutable_t(), "", *tensor);
  }
}

void fill(onnx::NodeProto& proto, const OnnxNode& node) {
  proto.set_name(node.name);
  proto.set_op_type(node.op);
  proto.set_domain(node.domain);
  for (const std::string& name : node.inputs) proto.add_input(name);
  for (const std::string& name : node.outputs) proto.add_output(name);
  for (const auto& [name, value] : node.attributes) {
    auto& attribute = *proto.add_attribute();
    fill(attribute, name, value);
    const auto reference = node.references.find(name);
    if (reference == node.references.end()) continue;
    const auto type = attribute.type();
    attribute.Clear();
    attribute.set_name(name);
    attribute.set_type(type);
    attribute.set_ref_attr_name(reference->second);
  }
}

void fill(onnx::FunctionProto& proto, const OnnxFunction& function) {
  proto.set_name(function.name);
  proto.set_domain(function.domain);
  for (const std::string& name : function.inputs) proto.add_input(name);
  for (const std::string& name : function.outputs) proto.add_output(name);
  for (const std::string& name : function.attributes) proto.add_attribute(name);
  for (const OnnxNode& node : function.nodes) fill(*proto.add_node(), node);
}

}  // namespace

Status write_onnx(const OnnxModel& model, const std::filesystem::path& file, uint64_t most) {
  onnx::ModelProto proto;
  proto.set_ir_version(ir_version_of(model.opset));
  proto.set_producer_name(model.producer);
  proto.add_opset_import()->set_version(model.opset);
  auto& graph = *proto.mutable_graph();
  graph.set_name(model.graph.name);
  for (const auto& [domain, version] : model.domains) {
    auto& import = *proto.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  for (const OnnxNode& node : model.graph.nodes) fill(*graph.add_node(), node);
  for (const OnnxFunction& function : model.functions) {
    auto& made = *proto.add_functions();
    fill(made, function);
    *made.mutable_opset_import() = proto.opset_import();
  }
  const Error too_large{codes::file_unwritable, file.string(),
                        "it takes more than 2 GiB, which one ONNX file cannot hold.",
                        "Export a part of it, or narrower weights."};
  uint64_t bytes = 0;
  for (const auto& [name, tensor] : model.graph.initializers) bytes += tensor.bytes();
  if (bytes > most) return too_large;
  for (const auto& [name, stored] : model.graph.initializers) {
    HW_TRY(const Tensor tensor, stored.read());
    fill(*graph.add_initializer(), name, tensor);
  }
  for (const OnnxValue& value : model.graph.inputs) fill(*graph.add_input(), value);
  for (const OnnxValue& value : model.graph.outputs) fill(*graph.add_output(), value);
  if (proto.ByteSizeLong() > most) return too_large;
  return write_file_atomically(file, proto.SerializeAsString());
}

}  // namespace hw::interop
