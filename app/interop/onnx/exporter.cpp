#include "app/interop/onnx/exporter.h"

#include "engine/core/codes.h"
#include "engine/node/shapes.h"

namespace hw::interop {

void Exporter::begin(const Node& node) {
  node_ = &node;
  type_ = Registry::instance().find(node.type);
  params_.emplace(type_->decl, node.params);
  types_ = validator_.input_types(graph_, node);
}

std::string Exporter::name_of(const std::string& node, const std::string& socket) const {
  const auto found = names_.find({node, socket});
  return found == names_.end() ? node + "." + socket : found->second;
}

bool Exporter::has(const std::string& socket) const {
  return !graph_.links_into(node_->id, socket).empty();
}

std::string Exporter::in(const std::string& socket) const {
  const auto links = graph_.links_into(node_->id, socket);
  return links.empty() ? "" : name_of(links.front().from, links.front().from_socket);
}

int64_t Exporter::axis(const std::string& param, const std::string& socket) const {
  return shapes::wrap_axis(params_->integer(param), rank(socket));
}

std::vector<int64_t> Exporter::integers(const std::string& param) const {
  std::vector<int64_t> whole;
  for (const double value : params_->vector(param)) whole.push_back(static_cast<int64_t>(value));
  return whole;
}

Status Exporter::computes_in_storage() const {
  const std::string& compute = params_->text("compute");
  if (compute == "storage") return ok();
  return Error{codes::unsupported, "", "it computes in " + compute + ", which ONNX cannot say.", ""};
}

const Tensor& Exporter::weight_value(const std::string& parameter) const {
  return weights_.at((node_->tie.empty() ? node_->id : node_->tie) + "." + parameter);
}

std::string Exporter::weight(const std::string& parameter) {
  const std::string owner = node_->tie.empty() ? node_->id : node_->tie;
  const std::string name = owner + "." + parameter;
  if (!model_.graph.initializers.contains(name)) model_.graph.initializers[name] = weight_value(parameter);
  return name;
}

std::string Exporter::add(const std::string& op, std::vector<std::string> inputs, Attributes attributes,
                          const std::string& to) {
  OnnxNode made;
  made.op = op;
  made.name = node_->id + (made_ == 0 ? "" : "/" + op + "_" + std::to_string(made_));
  made.inputs = std::move(inputs);
  made.attributes = std::move(attributes);
  made.outputs = {to.empty() ? node_->id + "/" + std::to_string(made_) : to};
  ++made_;
  model_.graph.nodes.push_back(std::move(made));
  return model_.graph.nodes.back().outputs.front();
}

std::string Exporter::initializer(Tensor value, const std::string& name) {
  const std::string made = name.empty() ? node_->id + "/constant_" + std::to_string(made_++) : name;
  model_.graph.initializers[made] = std::move(value);
  return made;
}

std::string Exporter::integers_value(const std::vector<int64_t>& values) {
  Tensor tensor(DType::i64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<int64_t>());
  return initializer(std::move(tensor));
}

std::string Exporter::scalar(DType dtype, double value) {
  return initializer(Tensor::from_f64(dtype, {}, {{value}}));
}

int64_t Exporter::number_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 1;
    case DType::u8:
      return 2;
    case DType::i8:
      return 3;
    case DType::i32:
      return 6;
    case DType::i64:
      return 7;
    case DType::boolean:
      return 9;
    case DType::f16:
      return 10;
    case DType::f64:
      return 11;
    case DType::bf16:
      return 16;
    case DType::f8e4m3:
      return 17;
    case DType::f8e5m2:
      return 19;
    case DType::tf32:
      return 0;
  }
  return 0;
}

}  // namespace hw::interop
