// Evaluation: wires of a graph computed forward on a device, with weights that may change.
#pragma once

#include <set>

#include "engine/evaluate/compile_evaluation.h"
#include "engine/instrument/node_facts.h"

namespace hw {

/// How nodes compute that compute otherwise while they train: dropout, batch norm, samplers. Neither changes a weight
/// or a running statistic.
enum class ForwardMode : uint8_t { evaluation, training };

/// Where nodes with a device of their own run.
enum class PinnedNodes : uint8_t {
  where_present,  // there, where this machine has it; else where all others do
  required,       // there; HW-R007 where this machine lacks it
  ignored,        // where all others do
};

struct EvaluationOptions {
  using Domains = decltype(LowerOptions::domains);
  ForwardMode mode = ForwardMode::evaluation;
  GivenValues given = {};     // in the place of outputs
  PassesOff passes_off = {};  // all others run; every_pass(): what is lowered runs as it is
  PinnedNodes pinned = PinnedNodes::where_present;
  Domains domains = {};  // of a field
};

/// Ops of nodes pinned to devices that this machine lacks run where the others do.
void clear_missing_devices(Program& program);

/// A graph whose cone of some wires is lowered once, and run as often as wanted. One thread at a time, which may be
/// another each time.
class Evaluation {
 public:
  /// Takes no memory for values and weights yet. `device` runs all nodes without one of their own; from now on nobody
  /// uses it on another thread at the same time. Errors: HW-K001 for a wire that carries no tensor, and what lowering
  /// reports.
  static Result<Evaluation> make(const Graph& graph, std::span<const SocketRef> wires, Assets& assets,
                                 std::shared_ptr<Device> device, const EvaluationOptions& options = {});

  /// Takes over the device and the parameters of `before`, which is not used any more, where it ran on such a device:
  /// what both have is not made again. Before set_weights().
  void continue_from(Evaluation& before);

  const Program& program() const { return *evaluated_.program; }
  const Value& value(size_t wire) const { return program()[evaluated_.wires[wire]]; }
  /// What passes made of nodes.
  const std::vector<PassNote>& notes() const { return evaluated_.notes; }
  /// Whether the wires depend on this output, which may be given.
  bool depends_on(const SocketRef& output) const { return cone_.contains(output); }

  /// Values of program() that stay readable after a run, beside the wires. Before set_weights().
  void keep(std::vector<ValueId> values) { kept_ = std::move(values); }
  /// Comes first; the values that are given are written, too. Parameters that `weights` (null: none) lacks have their
  /// initial values for `seed`, whatever came before, or are refused: HW-F005. What does not fit into the memory that
  /// is free is refused before it is taken: HW-R001. Further errors HW-F005, HW-R002, HW-R007; after one it must be
  /// called again.
  Status set_weights(const Weights* weights, uint64_t seed, Lacking lacking = Lacking::initial);
  Status write_input(const std::string& name, const Tensor& tensor) { return executable_->write_input(name, tensor); }
  /// Other values for outputs that were given, of the same dtypes and sizes; those that the wires do not depend on are
  /// left out. After set_weights().
  Status give(const GivenValues& given);
  /// Draws the random numbers, and reads the batch of a data set, of this step; the same each time. Errors: HW-R004
  /// when `cancel` (null: never) is set, the device's own.
  Status run(const std::atomic<bool>* cancel = nullptr, uint64_t step = 0);
  /// The facts of the last run().
  std::map<std::string, NodeFacts> facts() const { return node_facts_of(program(), *executable_); }
  /// Executable::temp_bytes of the values between its ops.
  size_t temp_bytes() const { return executable_->temp_bytes(); }
  /// Executable::device_work of a run.
  std::optional<DeviceWork> device_work() const { return executable_->device_work(); }
  /// Steps until all samples of its data sets were read once; 0: it reads none.
  int64_t batches() const;
  /// A host copy of a wire's value, after run().
  Result<Tensor> read(size_t wire) const { return executable_->read(evaluated_.wires[wire]); }
  /// Likewise of a value that is kept.
  Result<Tensor> read_kept(ValueId value) const { return executable_->read(value); }
  /// Those of all wires, in order.
  Result<std::vector<Tensor>> read_all() const;
  /// A host copy of a parameter of program(), after set_weights().
  Tensor read(const Param& param) const { return states_->read(program()[param.view].name); }

 private:
  EvaluatedProgram evaluated_;
  std::set<SocketRef> cone_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
  std::unique_ptr<Executable> executable_;
  GivenValues given_;
  std::vector<ValueId> kept_;
  uint64_t seed_ = 0;
  bool overwritten_ = false;  // states hold weights that were given
};

}  // namespace hw
