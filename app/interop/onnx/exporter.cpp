#include "app/interop/onnx/exporter.h"

#include "app/interop/onnx/opset_dtypes.h"
#include "engine/core/codes.h"
#include "engine/core/tensor_rows.h"
#include "engine/graph/check/check_tie.h"
#include "engine/node/shapes.h"

namespace hw::interop {

Exporter::Exporter(const Graph& graph, const Weights& weights, const std::vector<std::string>& axes, bool looks)
    : graph_(graph), weights_(weights), looks_(looks), other_(graph), symbols_(resize_inputs(other_, axes)) {
  validator_.reset(graph_);
  other_validator_.reset(other_);
}

void Exporter::begin(const Node& node) {
  node_ = &node;
  type_ = Registry::instance().find(node.type);
  params_.emplace(type_->decl, node.params);
  types_.clear();
  const InputTypes there = other_validator_.input_types(other_, node);
  for (const auto& [socket, here] : validator_.input_types(graph_, node))
    if (const auto other = there.find(socket); other != there.end())
      if (const auto type = open_type(here, other->second, symbols_)) types_[socket] = *type;
}

Status Exporter::fits_symbols() const {
  for (const Diagnostic& d : other_validator_.of(node_->id))
    if (d.severity == Severity::error)
      return Error{codes::unsupported, "", "it fits the example's sizes alone: " + d.reason, ""};
  for (const auto& [socket, type] : validator_.input_types(graph_, *node_))
    if (!types_.contains(socket))
      return Error{codes::unsupported, "", "symbolic sizes change the number of axes of " + socket + ".", ""};
  if (type_->decl.weights().empty()) return ok();
  const auto here = parameters_of(*node_, validator_.input_types(graph_, *node_)),
             there = parameters_of(*other_.find(node_->id), other_validator_.input_types(other_, *node_));
  for (const auto& [parameter, value] : here ? *here : std::map<std::string, Value>())
    if (there && there->contains(parameter) && there->at(parameter).dims != value.dims)
      return Error{codes::unsupported, "", "the sizes of its " + parameter + " follow from a symbolic one.", ""};
  return ok();
}

Result<WireType> Exporter::type_out(const std::string& socket) const {
  const auto type =
      open_type(validator_.output_type(node_->id, socket), other_validator_.output_type(node_->id, socket), symbols_);
  if (!type) return Error{codes::unsupported, "", "its sizes are not known.", ""};
  return *type;
}

void Exporter::add_sizes(std::map<std::string, Dims>& sizes) const {
  for (const std::string& output : outputs())
    if (const auto type = type_out(output)) sizes[out(output)] = type->shape.dims();
}

std::vector<std::string> Exporter::outputs() const {
  std::vector<std::string> sockets;
  const Declaration declared = type_->declared(node_->params);
  for (const SocketDecl& output : declared->outputs()) sockets.push_back(output.id);
  return sockets;
}

std::string Exporter::name_of(const std::string& node, const std::string& socket) const {
  const auto found = names_.find({node, socket});
  return found == names_.end() ? node + "." + socket : found->second;
}

bool Exporter::has(const std::string& socket) const {
  return !graph_.links_into(node_->id, socket).empty();
}

std::vector<std::string> Exporter::wired_inputs() const {
  std::vector<std::string> wired;
  const Declaration declared = type_->declared(node_->params);
  for (const SocketDecl& input : declared->inputs())
    if (has(input.id)) wired.push_back(input.id);
  return wired;
}

std::string Exporter::in(const std::string& socket) const {
  const auto links = graph_.links_into(node_->id, socket);
  return links.empty() ? "" : name_of(links.front().from, links.front().from_socket);
}

bool Exporter::wants(const std::string& socket) const {
  return names_.contains({node_->id, socket}) || !graph_.links_from(node_->id, socket).empty();
}

std::string Exporter::index(const std::string& socket) {
  const DType dtype = type_in(socket).dtype;
  if (dtype == DType::i32 || dtype == DType::i64) return in(socket);
  return add("Cast", {in(socket)}, {{"to", number_of(DType::i64)}});
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
  return Error{codes::unsupported, "", "it computes in " + compute + ", which ONNX cannot say.",
               "Set its compute to storage."};
}

const Node& Exporter::owner() const {
  return node_->tie.empty() ? *node_ : *graph_.find(node_->tie);
}

DType Exporter::computed_in(const std::string& parameter) const {
  const WeightFormat* format = weight_format(owner(), parameter);
  if (format && format->cast)
    for (const WeightDecl& decl : type_->decl.weights())
      if (decl.names(parameter)) return decl.computed_in(params_->dtype(decl.dtype_param));
  return stored(parameter).dtype();
}

Tensor Exporter::weight_value(const std::string& parameter) const {
  return stored(parameter).to(computed_in(parameter));
}

std::string Exporter::weight(const std::string& parameter) {
  const std::string name = owner().id + "." + parameter;
  const Tensor& value = stored(parameter);
  const int64_t first = first_opset_of(value.dtype());
  const bool has_dtype = first != 0 && first <= opset();
  if (!model_.graph.initializers.contains(name))
    model_.graph.initializers[name] = has_dtype ? value : weight_value(parameter);
  return has_dtype ? converted(name, value.dtype(), computed_in(parameter)) : name;
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

std::string Exporter::reduce(const std::string& op, const std::string& x, const std::vector<int64_t>& axes, bool keep,
                             const std::string& to) {
  std::vector<std::string> inputs{x};
  Attributes attributes{{"keepdims", int64_t{keep ? 1 : 0}}};
  const bool by_input = op == "ReduceSum" || opset() >= 18;
  if (!axes.empty() && by_input) inputs.push_back(integers_value(axes));
  if (!axes.empty() && !by_input) attributes["axes"] = axes;
  return add(op, inputs, attributes, to);
}

std::string Exporter::dense(const std::string& x, size_t rank, const std::string& weight, const std::string& bias,
                            const std::string& to) {
  if (rank == 2) {
    std::vector<std::string> inputs{x, this->weight(weight)};
    if (!bias.empty()) inputs.push_back(this->weight(bias));
    return add("Gemm", inputs, {{"transB", int64_t{1}}}, to);
  }
  const Tensor value = weight_value(weight);
  const auto matrix = initializer(looks_ ? value.reshaped({value.dims()[1], value.dims()[0]}) : transposed(value),
                                  node_->id + "." + weight + "_transposed");
  if (bias.empty()) return add("MatMul", {x, matrix}, {}, to);
  return add("Add", {add("MatMul", {x, matrix}), this->weight(bias)}, {}, to);
}

std::string Exporter::converted(const std::string& x, DType from, DType to, const std::string& name) {
  return from == to && name.empty() ? x
                                    : add(from == to ? "Identity" : "Cast", {x},
                                          from == to ? Attributes{} : Attributes{{"to", number_of(to)}}, name);
}

std::string Exporter::initializer(Tensor value, const std::string& name) {
  const std::string made = name.empty() ? node_->id + "/constant_" + std::to_string(made_++) : name;
  if (name.empty()) constants_.insert(made);
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

}  // namespace hw::interop
