// A graph's wires held against tensors that another program wrote: which comes apart first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/graph/lower.h"
#include "engine/plan/weights.h"

namespace hw {

/// A tensor of the other program, by the name that it has there.
using Dump = std::map<std::string, Tensor>;

struct DumpOptions {
  std::shared_ptr<const Weights> weights;    // null: initial ones
  std::map<std::string, std::string> names;  // of tensors of the dump: "node.socket", or a node for its first output
  double relative = 1e-3;                    // of the largest magnitude that the other program has
};

/// How a tensor found its wire.
enum class DumpMatch : uint8_t { map, name, shape };
std::string_view name(DumpMatch match);

struct DumpItem {
  SocketRef socket;
  std::string tensor;  // its name in the dump
  DumpMatch match = DumpMatch::name;
  double error = 0;        // largest difference ÷ what is allowed; Inf: other sizes, or not finite on one side alone
  bool diverges = false;   // error above 1, and nothing that it is made of diverges
  bool inherited = false;  // error above 1, made of something that does
  std::string note;        // "sizes [2, 3] beside [3, 2]"
};

struct DumpReport {
  std::vector<DumpItem> items;         // in the order in which wires are computed
  std::optional<size_t> first;         // of items
  std::vector<std::string> unmatched;  // tensors without a wire
};

/// Evaluates the graph, flattened, in evaluation mode. Tensors that are named as an Input are what it is given. A
/// tensor belongs to the wire that `names` says; else to that of a node whose name in its tool of origin, or whose id,
/// is the same but for case, separators and a leading "module."; else to the only wire of its sizes, where it is the
/// only tensor of them. Errors: those of lowering and of the device; HW-G004, `names` has a wire that is not there;
/// HW-C001, it has one for two tensors.
Result<DumpReport> compare_with_dump(const Graph& graph, Assets& assets, const std::shared_ptr<Device>& device,
                                     const Dump& dump, const DumpOptions& options);

}  // namespace hw
