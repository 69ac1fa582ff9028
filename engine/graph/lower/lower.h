// Lowering: the cone of some sockets becomes a Program.
#pragma once

#include "engine/graph/graph.h"
#include "engine/program/adjoint.h"

namespace hw {

/// A socket by name: "mlp.y" is an output; for a sink's input use its source.
struct SocketRef {
  std::string node, socket;
  auto operator<=>(const SocketRef&) const = default;
};

/// Values that take the place of outputs; of the dtypes and sizes that the graph says.
using GivenValues = std::map<SocketRef, Tensor>;

struct LowerOptions {
  bool training = false;
  bool pure = false;  // parameters without masters
  bool pins = false;  // nodes with a device of their own run there; else all where the program runs
  /// Field evaluation: every output that provides one of these domain variables becomes a program input of that name,
  /// f32 [points, 3] (uv, pixel: [points, 2]; x: [points, 1]); sources behind it are not lowered.
  std::map<std::string, int64_t, std::less<>> domains;  // variable → points
  /// Evaluation mode: rows a step that data sets give, instead of their batch size; 0: the batch size.
  int64_t evaluation_rows = 0;
  /// Share of the samples that are computed as one, in parts. See OpBuilder::batch_mean.
  double share = 1;
  /// Outputs replaced by program inputs "node.socket" of this type (CLI --input).
  GivenValues bindings;
};

/// A lowered cone. The builder stays usable: the trainer appends the adjoint and the updates.
struct LoweredGraph {
  std::shared_ptr<Program> program;
  std::map<SocketRef, LowerArgs::Arg> sockets;  // every output socket in the cone
  /// What its nodes asked for, and what they make of all samples: sums, means, and each number that one makes of a
  /// tensor.
  std::vector<OpBuilder::OfBatch> of_batch;
  std::vector<OpBuilder::SamePlaces> same_places;
};

/// Lowers what `wanted` depends on. Assumes the cone validates; still reports failures (assets, sizes) with the node as
/// place.
Result<LoweredGraph> lower(const Graph& graph, std::span<const SocketRef> wanted, const LowerOptions& options,
                           Assets& assets);

/// Program::devices anew, from the nodes' devices: for ops that were appended after lowering.
void pin_nodes(Program& program, const Graph& graph);

}  // namespace hw
