// Importer: a graph that grows operator by operator, and what the rules of operators ask of it.
#pragma once

#include <functional>
#include <set>
#include <utility>

#include "app/interop/onnx/constants.h"
#include "app/interop/onnx/model.h"
#include "app/interop/onnx/size_formula.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/edit.h"
#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw::interop {

/// An output of a node.
using Wire = SocketRef;

constexpr const char* kParameter = "parameter";  // the node that a large constant or a lone weight becomes
constexpr int64_t kMostBeside = 4096;            // elements of constants that stand beside each reader
constexpr double kMostFilled = 0x1p30;           // bytes of constants of which the file does not have all

/// A value that follows from symbolic sizes alone, such as what Shape gives: what it is in either graph.
struct Sized {
  Tensor here, other;
};

/// Sizes in either graph; where they differ, they are symbolic.
struct SizedDims {
  Dims here, other;
  bool symbolic(size_t d) const { return here[d] != other[d]; }
};

/// What is wired to a node's inputs, by socket.
using Wires = std::vector<std::pair<std::string, Wire>>;

/// A node of the graph, and what its operator lies in.
struct ScopedNode {
  std::string id;
  std::vector<OnnxScope> scopes;
};

/// Two graphs grow side by side, whose Inputs have other sizes along symbolic axes: a size that differs between them is
/// symbolic, and what fits one alone is refused. Values are known by the names that they have in the file. A value is a
/// wire, or a constant, which becomes a node once a wire of it is asked for. Single threaded.
class Importer {
 public:
  Importer(int64_t opset, const std::map<std::string, Tensor>& given, bool of_pytorch = false)
      : opset_(opset), given_(given), of_pytorch_(of_pytorch) {
    validator_.reset(graph_);
    other_validator_.reset(other_);
  }
  int64_t opset() const { return opset_; }
  /// PyTorch has written the model: what a file does not say, such as the rule of running statistics, is PyTorch's.
  bool is_of_pytorch() const { return of_pytorch_; }
  /// That of the operators which follow; returns the one before.
  int64_t use_opset(int64_t opset) { return std::exchange(opset_, opset); }

  // ---- values of an operator's inputs; `i` counts from 0
  bool has(const OnnxNode& n, size_t i) const { return i < n.inputs.size() && !n.inputs[i].empty(); }
  /// A wire that carries input i. Error: it is not there, or what makes it is missing.
  Result<Wire> in(const OnnxNode& n, size_t i);
  /// The value of input i where it does not depend on what the graph is given; else null, and of what is computed of
  /// weights that train.
  const Tensor* constant(const OnnxNode& n, size_t i) const;
  /// The same without its elements, which may not have been read: dtype and sizes.
  const StoredTensor* stored(const OnnxNode& n, size_t i) const;
  /// The elements of a constant.
  Result<Tensor> read(const StoredTensor& constant) const { return constants_.read(constant); }
  /// The same as constant(), for what a node has as a parameter or a weight: also of an input that ImportOptions::given
  /// has, and of what is computed of weights.
  const Tensor* bound(const OnnxNode& n, size_t i) const;
  /// Input i where it follows from symbolic sizes, or is constant in both graphs; else none.
  std::optional<Sized> sized(const OnnxNode& n, size_t i) const;
  /// How the whole numbers of a value follow from symbolic sizes. None: they do not, or not by arithmetic alone.
  std::optional<SizeFormulas> formulas(const std::string& value);
  /// How many steps of arithmetic the widths of the model may still take: see width_behind.
  int64_t& formula_steps() { return formula_steps_; }
  /// Sizes of input i; also of what is no wire. Error: they are not known.
  Result<SizedDims> sized_dims(const OnnxNode& n, size_t i);
  Result<SizedDims> sized_dims(const Wire& wire) const;
  /// Sizes of input i, −1 where symbolic; also of a constant.
  Result<Dims> open_dims(const OnnxNode& n, size_t i);
  /// The elements of input i, as whole numbers. Error: it depends on what the graph is given.
  Result<std::vector<int64_t>> integers(const OnnxNode& n, size_t i);
  /// Attribute `name` where it is there, else input i; none where neither is.
  Result<std::optional<std::vector<int64_t>>> attribute_or_input(const OnnxNode& n, const std::string& name, size_t i);
  /// The same of one constant number.
  Result<std::optional<double>> number(const OnnxNode& n, size_t i);

  /// The tensors of a sequence, which is no value of the graph. Error: it is not known what is in it.
  Result<std::vector<Wire>> sequence(const OnnxNode& n, size_t i) const;
  void set_sequence(const OnnxNode& n, std::vector<Wire> tensors) { sequences_[n.outputs.at(0)] = std::move(tensors); }

  // ---- what is known of a wire
  /// Error: it is not known.
  Result<WireType> type(const Wire& wire) const;
  /// Error: a size is symbolic.
  Result<Dims> dims(const Wire& wire) const;
  /// The same with −1 for a symbolic size.
  Result<Dims> open_dims(const Wire& wire) const;
  Result<int64_t> rank(const Wire& wire) const;
  /// `axis` counted from the end where it is negative. Error: there is no such axis.
  Result<int64_t> axis(const Wire& wire, int64_t axis) const;

  // ---- nodes
  /// A node of this type, with its first output. Error: the type refuses its inputs or parameters.
  Result<Wire> add(const std::string& type, const Wires& inputs, const ParamMap& params = {});
  /// The same of a type with weights, by parameter. One whose weights are those of an earlier node of the type is tied
  /// to it.
  Result<Wire> add_layer(const std::string& type, const Wires& inputs, const ParamMap& params,
                         const std::map<std::string, Tensor>& weights);
  Result<Wire> constant_wire(const Tensor& value);
  /// A bias that Add puts on a Linear without one, which nothing else reads, becomes the Linear's. False: it is no such
  /// Add.
  bool join_bias(const OnnxNode& n);
  /// The module's name of a Linear whose weight, input 1, has the axes [in, out]: exporters turn PyTorch's. "": the
  /// module has it with these axes, and a file of its weights would not fit.
  std::string name_of_turned(const OnnxNode& n) const;
  /// A Linear whose weight, input 1, a module has with the axes [in, out], and its bias, `bias`: their tensors' names.
  void name_turned(const Wire& linear, const OnnxNode& n, const std::string& bias = "");
  /// Input i is a number everywhere that exporters put where an operator must have a weight: no weight of the model.
  bool is_filler(const OnnxNode& n, size_t i, double number) const;
  /// Input i is a weight that has become a Parameter, for an operator before: a layer that read it would have its own.
  bool is_parameter(const OnnxNode& n, size_t i) const {
    return has(n, i) && wires_.contains(n.inputs[i]) && trains(n.inputs[i]);
  }
  /// The parameter that has these elements and trains: a table that a matrix product shares. None: there is none.
  std::optional<Wire> shared_table(const Tensor& value) const;
  Result<Wire> scalar(DType dtype, double value);
  Result<Wire> cast(const Wire& wire, DType dtype);
  /// A float wire as it is, others in f64, which holds whole numbers below 2^53 exactly. One of unknown dtype as it is.
  Result<Wire> as_float(const Wire& wire);
  /// A float narrower than f32 in f32, as operators compute sums of it; others as they are.
  Result<Wire> widened(const Wire& wire);
  /// Whole numbers of 32 bits or fewer that may have left their range, in f64, as the wrapped ones of `dtype`: ONNX, as
  /// NumPy, drops the higher bits. Others as cast().
  Result<Wire> wrapped(const Wire& wire, DType dtype);
  /// f64 whole numbers brought into [least, least + period) by adding or taking off whole periods.
  Result<Wire> in_period(const Wire& wire, double least, double period);
  /// What follows from symbolic sizes: counts along an axis, one number everywhere, or one size. Error: it is none of
  /// these.
  Result<Wire> wire_of(const Sized& value);
  /// i64 [n], the numbers from 0 on along an axis that has this symbolic size: of an Input, or of what was made of it.
  /// Error: there is none.
  Result<Wire> indices(int64_t here, int64_t other);
  /// A wire with an axis of this symbolic size, and the axis. Error: there is none.
  Result<std::pair<Wire, int64_t>> axis_of_size(int64_t here, int64_t other) const;
  /// A wire whose last axes have these sizes. Error: there is none.
  Result<Wire> wire_with_last_axes(const SizedDims& sizes) const;
  /// Axis `axis` of size 1 repeated to a symbolic size.
  Result<Wire> stretched(const Wire& wire, int64_t axis, int64_t here, int64_t other);
  /// In the dtype of `model`, where that is known.
  Result<Wire> cast_like(const Wire& wire, const Wire& model);

  // ---- results
  void set(const OnnxNode& n, size_t i, const Wire& wire);
  void set(const OnnxNode& n, size_t i, Tensor constant);
  /// A constant where both are the same.
  void set(const OnnxNode& n, size_t i, Sized value);
  /// For a constant that the file does not hold, only its sizes. Error: all of them would be very large.
  Status reserve_bytes(double bytes);
  /// What a constant of few bits stands for.
  void set_dequantized(const OnnxNode& n, Tensor constant);
  bool wants(const OnnxNode& n, size_t i) const { return i < n.outputs.size() && !n.outputs[i].empty(); }

  /// A name that no value of the file has.
  std::string own_name(const std::string& name) const { return own_prefix_ + name; }

  /// A sentence on what an operator does otherwise than the file may want; said once. Nothing of it is left of an
  /// operator that is taken back.
  void add_note(std::string sentence) { notes_.push_back(std::move(sentence)); }

  // ---- for import_graph
  void set_own_prefix(std::string prefix) { own_prefix_ = std::move(prefix); }
  /// `value` is in the file, but not read; why.
  void define_unread(const std::string& value, const std::string& reason) { unread_[value] = reason; }
  void define(const std::string& value, StoredTensor constant) { constants_.define(value, std::move(constant)); }
  /// What was read for the last operator is used no more. Error: a constant could not be read, or its file has changed.
  Status release();
  /// Initializers: those that the file calls parameters train, or where it does not say those whose names are such.
  void define_weights(const OnnxGraph& graph);
  /// What the operators read, and the graphs in them.
  void count_reads(const std::vector<OnnxNode>& nodes);
  void count_read(const std::string& value) { ++reads_[value]; }
  /// Takes away what was kept of weights for wires that nothing reads.
  void remove_unread();
  /// Names of the file's tensors that are parameters, but do not train.
  std::vector<std::string> frozen() const;
  Result<Wire> wire_of(const std::string& value);
  /// The outputs of an operator all of whose inputs are sized() by its rule, in each graph by itself. False: it has
  /// others, its rule wants to know more, or what it makes can be no wire; nothing has changed then.
  bool follow_sizes(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&));
  /// What an operator refuses may be for the sizes that are tried alone: they are tried with others.
  Error unsuited(const std::string& reason);
  bool are_sizes_unsuited() const { return are_sizes_unsuited_; }
  /// The operator that nodes which follow are made for: they are named after it.
  void begin(const OnnxNode& n);
  /// Where all inputs of the operator are constants, so are its outputs, unless they are large.
  void fold(const OnnxNode& n);
  /// Takes back what was added since begin().
  void take_back() { take_back_to(nodes_.size() - added_.size()); }
  /// The same since there were as many nodes().
  void take_back_to(size_t nodes);
  /// A node of a type that Halfwire does not have, in the place of an operator.
  void add_placeholder(const OnnxNode& n, const std::string& reason);
  /// An Input with these parameters and the value's name and dtype; in the other graph its shape is `other`. Its id.
  /// Error: it cannot be made, and why.
  Result<std::string> add_input(const OnnxValue& value, ParamMap params, const std::vector<double>& other);
  std::string id_for(const std::string& name);
  Graph& graph() { return graph_; }
  Weights& weights() { return weights_; }
  /// Weights that several nodes have, each its own from here on: by their name in the file, the nodes.
  std::map<std::string, std::vector<std::string>> untied_weights() const;
  /// The sentences of add_note(), each once.
  std::vector<std::string> notes() const;
  size_t note_count() const { return notes_.size(); }
  void take_back_notes_to(size_t count) { notes_.resize(count); }
  size_t dequantized() const { return dequantized_; }
  /// Whole numbers written into the graph that are not those of the file: they lie beyond 2^53.
  size_t rounded() const { return rounded_; }
  /// All nodes, as they were added: each behind what it reads.
  std::vector<ScopedNode>& nodes() { return nodes_; }

 private:
  void note(const std::string& id);
  /// Calls `visit` with the first outputs of nodes that are tensors of known sizes, and these, until it returns true.
  void find_tensor(const std::function<bool(const Wire&, const SizedDims&)>& visit) const;
  const Tensor* value_of(const OnnxNode& n, size_t i) const;
  /// Input i is computed of weights that train, and is a wire as well as a constant.
  bool is_computed_of_weights(const OnnxNode& n, size_t i) const { return has(n, i) && kept_.contains(n.inputs[i]); }
  /// A weight of the file that trains, or one under other sizes.
  bool trains(const std::string& value) const;
  /// A Linear that has the weight and bias of an earlier one is tied to it.
  void tie_to_equal(const std::string& id);
  /// The parameter that such a weight becomes.
  Result<Wire> weight_wire(const std::string& value);
  /// Sizes beside numbers that no size is, as −1.
  bool compares_with_no_size(const OnnxNode& n) const;
  /// follow_sizes() where values in two graphs are known, and where only their formulas are.
  bool follow_in_both(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&));
  bool follow_by_formula(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&));
  std::optional<SizeFormulas> formulas_of(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&));
  std::optional<SizeFormulas> moved_formulas(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&));
  /// What follows from symbolic sizes as a wire; where its values alone do not say how, its operator runs on wires.
  Result<Wire> wire_of_sized(const std::string& value);
  /// The weights that the operator reads, as the file has them.
  std::vector<std::string> sources() const;
  /// The weight of the file that a constant was computed of, or the constant itself.
  std::string source_of(const std::string& constant) const;
  /// The module of a scope: PyTorch's exporter numbers its uses, "norm_1".
  std::string module_of(const std::string& scope) const;
  /// Whether the operator and the node `id`, which both read `source`, have one weight: a module that is used twice, or
  /// two that share it. Equal weights of different modules, such as fresh copies, exporters write once.
  bool shares_weights(const std::string& source, const std::string& id) const;
  /// "layer1.0.conv1": of the module that the operator is, where the file says that it has parameters; else after the
  /// weight.
  std::string layer_name(const OnnxNode& n) const;
  /// The node whose weights these are; "": there is none.
  std::string owner_of(const std::string& type, const std::map<std::string, Tensor>& weights) const;
  /// Error: these are not the parameters that the node has, or have other sizes.
  Status check_weights(const std::string& id, const std::map<std::string, Tensor>& weights) const;
  /// `other_input`: the Input of the other graph, where it has other sizes.
  Result<std::string> put(Node node, const Wires& inputs, const Node* other_input = nullptr);
  std::string own_prefix_;
  int64_t opset_;
  const std::map<std::string, Tensor>& given_;
  bool of_pytorch_;
  Graph graph_, other_;
  Validator validator_, other_validator_;
  Weights weights_;
  std::map<std::string, Wire> wires_;
  Constants constants_;
  std::map<std::string, std::vector<Wire>> sequences_;
  std::map<std::string, Sized> sized_;
  struct Maker {
    std::shared_ptr<const OnnxNode> node;
    Status (*rule)(Importer&, const OnnxNode&);
  };
  std::map<std::string, Maker> makers_;  // of what is in sized_, but for what Shape and the like say, and in formulas_
  std::set<std::string> without_formulas_;  // what has a maker and no formulas
  int64_t formula_steps_ = kMostFormulaSteps;
  std::map<std::string, SizeFormulas> formulas_;  // of what is known by them alone, or was asked for them
  std::map<std::string, std::string> unread_;
  std::optional<std::set<std::string>> parameters_;  // see OnnxGraph::parameters
  std::set<std::string> weights_of_file_;            // those that train
  std::set<std::string> kept_;                       // constants computed of them that are wires, too
  std::vector<std::string> kept_nodes_;              // the nodes of these
  std::map<std::string, size_t> reads_;              // how many operators read a value
  std::map<std::string, std::string> source_;        // of a constant that was computed of a weight of the file alone
  std::map<std::string, std::vector<std::string>> readers_;  // nodes with weights, by their sources
  std::set<std::string> ids_;
  std::map<std::string, int> numbers_;  // the last that was given to nodes of one name
  size_t dequantized_ = 0, rounded_ = 0;
  bool are_sizes_unsuited_ = false;  // something was refused for them, perhaps for them alone
  std::vector<std::string> notes_;
  double filled_ = 0;                            // bytes of constants that the file does not have
  std::map<std::string, std::string> scope_of_;  // of these nodes: the path of the module
  const OnnxNode* current_ = nullptr;
  std::vector<std::string> added_;
  bool is_named_ = false;  // a node has the name of the current operator
  std::vector<ScopedNode> nodes_;
};

}  // namespace hw::interop
