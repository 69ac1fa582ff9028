#include "engine/precision/precision_matrix.h"

#include <algorithm>

#include "engine/graph/check/check_node.h"
#include "engine/node/dtype_join.h"
#include "engine/node/lower_example.h"

namespace hw {
namespace {

using Verdict = PrecisionCell::Verdict;

/// Nodes with float inputs and weights load no files.
class NoAssets : public Assets {
  static Error none() { return {codes::asset_missing, "", "the matrix is made without files.", ""}; }

 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Image>> image(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Dataset>> dataset(const std::string&, const DatasetSpec&) override { return none(); }
};

std::string text(DType dtype) {
  return std::string(name(dtype));
}

/// One way to run a pair: what the sockets and the weights are cast to.
struct Way {
  DType compute = DType::f32;
  std::vector<std::string> casts;
  size_t rounding = 0;
};

class Matrix {
 public:
  Matrix(const Device& device, const NodeType& type, ParamMap params, std::vector<ExampleInput> inputs)
      : device_(device),
        type_(type),
        params_(std::move(params)),
        inputs_(std::move(inputs)),
        declared_(type.declared(params_)) {
    for (const WeightDecl& weight : type.decl.weights()) {
      if (!weight.statistics && weight_param_.empty()) weight_param_ = weight.dtype_param;
    }
    for (const ExampleInput& input : inputs_) {
      if (info(input.dtype).is_float) floats_.push_back(declared_->find_input(input.socket));
    }
  }

  Result<PrecisionMatrix> run() {
    if (floats_.empty())
      return Error{codes::unsupported, type_.id, "it has no input that carries floats.",
                   "Ask for a node such as linear, conv2d or add."};
    PrecisionMatrix m{type_.id, floats_[0]->id, "", {}, {}, {}};
    for (const DTypeInfo& row : dtype_table()) {
      if (row.is_float) m.inputs.push_back(row.dtype);
    }
    const bool two = !weight_param_.empty() || floats_.size() > 1;
    if (two) {
      m.columns = weight_param_.empty() ? floats_[1]->id : "weights";
      m.weights = m.inputs;
    }
    for (const DType row : m.inputs) {
      std::vector<PrecisionCell>& cells = m.cells.emplace_back();
      for (const DType column : two ? m.weights : std::vector<DType>{row}) cells.push_back(cell(row, column));
    }
    return m;
  }

 private:
  PrecisionCell cell(DType row, DType column) {
    for (const DType dtype : {row, column}) {
      if (!info(dtype).storable)
        return refused(text(dtype) +
                       " is a way to compute with f32 storage: no wire carries it and no weight is stored in it.");
    }
    std::optional<Way> best;
    std::string why;
    for (const DType compute : candidates()) {
      const Way way = way_of(compute, row, column);
      const auto rank = [](const Way& w) { return std::make_tuple(w.rounding, w.casts.size(), info(w.compute).bits); };
      if (best && rank(*best) <= rank(way)) continue;
      if (std::string reason = runs(compute, column); reason.empty()) {
        best = way;
      } else if (why.empty() || compute == row) {
        why = std::move(reason);
      }
    }
    if (!best) return refused(why.empty() ? "the node takes no float dtype." : why);
    PrecisionCell c;
    c.verdict = best->casts.empty() ? Verdict::native : Verdict::via_cast;
    c.exact = best->rounding == 0;
    c.compute = best->compute;
    for (const std::string& cast : best->casts) c.why += (c.why.empty() ? "" : "; ") + cast;
    return c;
  }

  static PrecisionCell refused(std::string why) { return {Verdict::refused, false, DType::f32, std::move(why)}; }

  /// The dtypes that the node's parameter, or its group, can have.
  std::vector<DType> candidates() const {
    std::vector<DType> list;
    const SocketDecl& first = *floats_[0];
    const std::string param = !weight_param_.empty()                           ? weight_param_
                              : first.dtype.kind == DTypeRule::Kind::parameter ? first.dtype.name
                                                                               : "";
    if (const ParamDecl* decl = param.empty() ? nullptr : type_.decl.find_param(param)) {
      for (const std::string& choice : decl->choices) {
        if (const auto dtype = dtype_from_name(choice); dtype && info(*dtype).storable) list.push_back(*dtype);
      }
    } else if (!first.dtype.dtypes.empty()) {
      list = first.dtype.dtypes;
    } else {
      for (const DTypeInfo& row : dtype_table()) {
        if (row.is_float && row.storable) list.push_back(row.dtype);
      }
    }
    return list;
  }

  /// What a socket carries when the node computes in `compute` and would be given `given`.
  DType carried(const SocketDecl& socket, DType compute, DType given) const {
    switch (socket.dtype.kind) {
      case DTypeRule::Kind::any:
        return given;
      case DTypeRule::Kind::one_of:
        return contains(socket.dtype.dtypes, given) ? given : socket.dtype.dtypes.front();
      default:
        return compute;
    }
  }

  static void cast(Way& way, const std::string& what, DType from, DType to) {
    if (from == to) return;
    way.casts.push_back(what + " " + text(from) + " → " + text(to) + ": " + cast_effect(from, to));
    way.rounding += !embeds(from, to);
  }

  Way way_of(DType compute, DType row, DType column) const {
    Way way;
    way.compute = compute;
    cast(way, floats_[0]->id, row, carried(*floats_[0], compute, row));
    if (weight_param_.empty()) {
      if (floats_.size() > 1) cast(way, floats_[1]->id, column, carried(*floats_[1], compute, column));
    } else {
      cast(way, "weights", column, compute);
    }
    return way;
  }

  /// Empty: the node checks, lowers, and the device has a kernel for each op. Else why not.
  const std::string& runs(DType compute, DType column) {
    const DType stored = weight_param_.empty() ? compute : column;
    const auto [entry, fresh] = known_.try_emplace({compute, stored});
    if (fresh) entry->second = try_it(compute, stored);
    return entry->second;
  }

  std::string try_it(DType compute, DType stored) const {
    Node node;
    node.id = type_.id;
    node.type = type_.id;
    node.params = params_;
    for (const ParamDecl& param : type_.decl.params()) {
      const bool sets = param.id == weight_param_ ||
                        (floats_[0]->dtype.kind == DTypeRule::Kind::parameter && floats_[0]->dtype.name == param.id);
      if (sets) node.params[param.id] = text(compute);
    }
    InputWires wires;
    for (const ExampleInput& input : inputs_) {
      WireType wire;
      wire.dtype = typed(input, compute);
      for (size_t i = 0; i < input.dims.size(); ++i)
        wire.shape.push_back({i < input.axes.size() ? input.axes[i] : "", input.dims[i], ""});
      wires[input.socket].push_back({{"", "", node.id, input.socket}, wire});
    }
    for (const Diagnostic& d : check_node(Graph(), node, wires).diagnostics) {
      if (d.severity == Severity::error) return d.reason;
    }
    return lower_and_ask(node, compute, stored);
  }

  DType typed(const ExampleInput& input, DType compute) const {
    return info(input.dtype).is_float ? carried(*declared_->find_input(input.socket), compute, compute) : input.dtype;
  }

  std::string lower_and_ask(const Node& node, DType compute, DType stored) const {
    Program program;
    OpBuilder builder(program);
    builder.set_node(node.id);
    if (!weight_param_.empty()) {
      builder.set_params_of(node.id, false, [&](const std::string& weight) -> std::optional<OpBuilder::Stored> {
        const WeightDecl* decl = type_.decl.find_weight(weight);
        if (!decl || decl->statistics) return std::nullopt;
        return OpBuilder::Stored{stored, true};
      });
    }
    LowerArgs::In in;
    for (const ExampleInput& input : inputs_)
      in[input.socket] = example_value(builder, input, typed(input, compute), input.socket, in);
    NoAssets assets;
    const Params params(type_.decl, node.params);
    (void)type_.lower(builder, LowerArgs(params, std::move(in), assets));
    if (!builder.status()) return builder.status().error().reason;
    for (const Instr& instr : program.instrs) {
      std::vector<DType> dtypes;
      for (const ValueId id : instr.in) dtypes.push_back(program[id].dtype);
      for (const ValueId id : instr.out) dtypes.push_back(program[id].dtype);
      if (device_.supports(instr.op, dtypes)) continue;
      std::string list;
      for (const DType dtype : dtypes) list += (list.empty() ? "" : ", ") + text(dtype);
      return device_.id() + " has no kernel for " + std::string(info(instr.op).name) + " of " + list + ".";
    }
    return {};
  }

  const Device& device_;
  const NodeType& type_;
  const ParamMap params_;
  const std::vector<ExampleInput> inputs_;
  const Declaration declared_;
  std::string weight_param_;                              // the dtype parameter of the weights, or empty
  std::vector<const SocketDecl*> floats_;                 // inputs of the example that carry floats
  std::map<std::pair<DType, DType>, std::string> known_;  // compute, stored → why not
};

}  // namespace

std::string_view name(PrecisionCell::Verdict verdict) {
  constexpr std::string_view names[] = {"native", "via cast", "refused"};
  return names[static_cast<size_t>(verdict)];
}

Result<PrecisionMatrix> precision_matrix(const Device& device, const std::string& type_id, const ParamMap& params) {
  const NodeType* type = Registry::instance().find(type_id);
  if (!type)
    return Error{codes::unknown_node, type_id, "there is no node type of this name.", "See halfwire-cli nodes."};
  const Examples examples = type->examples();
  ParamMap all = examples.empty() ? ParamMap{} : examples.front().params;
  for (const auto& [id, value] : params) {
    const ParamDecl* decl = type->decl.find_param(id);
    if (!decl)
      return Error{codes::unknown_parameter, type_id + "." + id, type->decl.title() + " has no such parameter.",
                   "See halfwire-cli nodes --json."};
    HW_TRY(all[id], check_param(*decl, value));
  }
  return Matrix(device, *type, std::move(all), examples.empty() ? std::vector<ExampleInput>{} : examples.front().inputs)
      .run();
}

}  // namespace hw
