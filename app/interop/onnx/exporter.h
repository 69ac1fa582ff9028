// Exporter: a model of ONNX that grows node by node, with the interface that the rules of node types use.
#pragma once

#include <set>
#include <span>

#include "app/interop/onnx/dtypes.h"
#include "app/interop/onnx/model.h"
#include "app/interop/onnx/symbolic_axes.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw::interop {

/// A size is symbolic where it differs in a second graph, whose Inputs are larger along `axes`.
class Exporter {
 public:
  /// `axes`: names of symbolic axes of Inputs; those of others have the example's sizes. `looks`: a dry run that
  /// writes no model, so that the weights' values do not matter.
  Exporter(const Graph& graph, const Weights& weights, const std::vector<std::string>& axes, bool looks);

  // ---- the node that is exported
  void begin(const Node& node);
  /// Error: the node fits the example's sizes alone.
  Status fits_symbols() const;
  const Node& node() const { return *node_; }
  const Params& params() const { return *params_; }
  bool has(const std::string& socket) const;
  /// The inputs of a node of any number of them that something is wired to, in order.
  std::vector<std::string> wired_inputs() const;
  /// The value on an input.
  std::string in(const std::string& socket) const;
  /// The same of whole numbers that are indices: ONNX has them in i32 and i64 alone.
  std::string index(const std::string& socket);
  /// The output sockets.
  std::vector<std::string> outputs() const;
  /// The name of an output's value.
  std::string out(const std::string& socket) const { return name_of(node_->id, socket); }
  /// Something reads the output, or it is one of the model.
  bool wants(const std::string& socket) const;
  const WireType& type_in(const std::string& socket) const { return types_.at(socket); }
  /// Error: it is not known, or symbolic sizes change the number of its axes.
  Result<WireType> type_out(const std::string& socket) const;
  /// The sizes of what it gives, by the names of the values; -1: symbolic.
  void add_sizes(std::map<std::string, Dims>& sizes) const;
  size_t rank(const std::string& socket) const { return type_in(socket).shape.rank(); }
  /// `axis` from 0.
  int64_t axis(const std::string& param, const std::string& socket) const;
  std::vector<int64_t> integers(const std::string& param) const;
  /// Error: products round to a dtype of their own first, which ONNX cannot say.
  Status computes_in_storage() const;
  /// A parameter as the node computes with it: an initializer in the dtype that it is stored in, and a Cast where that
  /// is another.
  std::string weight(const std::string& parameter);
  /// The same as numbers.
  Tensor weight_value(const std::string& parameter) const;

  // ---- what is made
  using Attributes = std::map<std::string, OnnxAttribute>;
  /// An operator; its first output is `to`, or a value of a name of its own. Returns that.
  std::string add(const std::string& op, std::vector<std::string> inputs, Attributes attributes = {},
                  const std::string& to = {});
  /// Without a name it is a constant of the operators, no weight.
  std::string initializer(Tensor value, const std::string& name = {});
  const std::set<std::string>& constants() const { return constants_; }
  std::string integers_value(const std::vector<int64_t>& values);
  std::string scalar(DType dtype, double value);

  /// ReduceMean and the like; no axes: all. The axes are an input from opset 18 on, before that an attribute.
  std::string reduce(const std::string& op, const std::string& x, const std::vector<int64_t>& axes, bool keep,
                     const std::string& to = {});
  /// x [.., in] · weightᵀ + bias, both names of parameters; bias "": none.
  std::string dense(const std::string& x, size_t rank, const std::string& weight, const std::string& bias,
                    const std::string& to = {});
  /// x in another dtype; x itself where it has that.
  std::string converted(const std::string& x, DType from, DType to, const std::string& name = {});

  int64_t opset() const { return model_.opset; }
  OnnxModel& model() { return model_; }
  const OnnxModel& model() const { return model_; }
  void name(const SocketRef& socket, const std::string& value) { names_[{socket.node, socket.socket}] = value; }
  std::string named(const SocketRef& socket) const { return name_of(socket.node, socket.socket); }

 private:
  /// The node that has the parameters: itself, or the one that it is tied to.
  const Node& owner() const;
  const Tensor& stored(const std::string& parameter) const { return weights_.at(owner().id + "." + parameter); }
  DType computed_in(const std::string& parameter) const;
  std::string name_of(const std::string& node, const std::string& socket) const;
  const Graph& graph_;
  const Weights& weights_;
  bool looks_;
  Graph other_;
  std::vector<SymbolicSizes> symbols_;
  Validator validator_, other_validator_;
  OnnxModel model_;
  const Node* node_ = nullptr;
  const NodeType* type_ = nullptr;
  std::optional<Params> params_;
  InputTypes types_;
  std::map<std::pair<std::string, std::string>, std::string> names_;
  std::set<std::string> constants_;
  size_t made_ = 0;
};

/// The dtype in which narrow floats are computed; results are rounded once.
inline DType wide_of(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

/// Makes the operators of a node type. Error: it cannot, with the reason.
using ExportRule = Status (*)(Exporter&);

struct ExportRow {
  const char* type;
  ExportRule rule;
};

std::span<const ExportRow> export_attention_rules();
std::span<const ExportRow> export_function_rules();
std::span<const ExportRow> export_layer_rules();
std::span<const ExportRow> export_norm_rules();
std::span<const ExportRow> export_picture_rules();
std::span<const ExportRow> export_quantized_rules();
std::span<const ExportRow> export_recurrent_rules();
std::span<const ExportRow> export_shape_rules();
std::span<const ExportRow> export_vector_rules();

}  // namespace hw::interop
