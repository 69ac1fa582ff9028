// ForwardProgram: wires of a graph computed forward on a device, with weights that may change.
#pragma once

#include "engine/backend/backend.h"
#include "engine/graph/lower/lower.h"
#include "engine/instrument/node_facts.h"
#include "engine/passes/program_passes.h"
#include "engine/plan/weights.h"

namespace hw {

/// How nodes compute that compute otherwise while they train: dropout, batch norm, samplers. Neither changes a weight
/// or a running statistic.
enum class ForwardMode : uint8_t { evaluation, training };

/// Ops of nodes pinned to devices that this machine lacks run where the others do.
void clear_missing_devices(Program& program);

/// What fields, plots and views of tensors run. One thread at a time, which may be another each time.
class ForwardProgram {
 public:
  using Domains = decltype(LowerOptions::domains);
  /// Nodes with a device of their own run there where this machine has it, all others on `device`, which is used by
  /// nobody else from now on. All passes run but those that are `off`. Errors: HW-K001 for a wire that carries no
  /// tensor, and what lowering reports.
  static Result<ForwardProgram> make(const Graph& graph, std::span<const SocketRef> wires, const Domains& domains,
                                     Assets& assets, std::shared_ptr<Device> device,
                                     ForwardMode mode = ForwardMode::evaluation, const GivenValues& given = {},
                                     const PassesOff& off = {});

  /// Takes over the device and the parameters of `before`, which is not used any more, where it ran on such a device:
  /// what both have is not made again. Before set_weights().
  void continue_from(ForwardProgram& before);

  const Program& program() const { return *program_; }
  const Value& value(size_t wire) const { return (*program_)[wires_[wire]]; }
  /// Comes first. Parameters that `weights` (null: none) lacks have their initial values for `seed`, whatever came
  /// before. What does not fit into the memory that is free is refused before it is taken: HW-R001. Further errors
  /// HW-F005, HW-R002, HW-R007; after one it must be called again.
  Status set_weights(const Weights* weights, uint64_t seed);
  Status write_input(const std::string& name, const Tensor& tensor) { return executable_->write_input(name, tensor); }
  /// Draws the random numbers, and reads the batch of a data set, of this step; the same each time. Errors: HW-R004
  /// when `cancel` (null: never) is set, the device's own.
  Status run(const std::atomic<bool>* cancel, uint64_t step = 0);
  /// The facts of the last run().
  std::map<std::string, NodeFacts> facts() const { return node_facts_of(*program_, *executable_); }
  /// Executable::temp_bytes of the values between its ops.
  size_t temp_bytes() const { return executable_->temp_bytes(); }
  /// Steps until all samples of its data sets were read once; 0: it reads none.
  int64_t batches() const;
  /// A host copy of a wire's value, after run().
  Result<Tensor> read(size_t wire) const { return executable_->read(wires_[wire]); }
  /// A host copy of a parameter of program(), after set_weights().
  Tensor read(const Param& param) const { return states_->read((*program_)[param.view].name); }

 private:
  std::shared_ptr<const Program> program_;
  std::vector<ValueId> wires_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
  std::unique_ptr<Executable> executable_;
  GivenValues given_;
  uint64_t seed_ = 0;
  bool overwritten_ = false;  // states hold weights that were given
};

}  // namespace hw
