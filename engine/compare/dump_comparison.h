// A graph's wires held against tensors that another program wrote: which comes apart first.
#pragma once

#include <atomic>
#include <optional>

#include "engine/backend/backend.h"
#include "engine/compare/dump_match.h"
#include "engine/plan/weights.h"

namespace hw {

struct DumpOptions {
  std::shared_ptr<const Weights> weights;     // null: initial ones
  std::map<std::string, std::string> names;   // of tensors of the dump: "node.socket", or a node for its first output
  double relative = 1e-3;                     // of the largest magnitude that the other program has
  std::string where;                          // the dump, in errors
  const std::atomic<bool>* cancel = nullptr;  // set → HW-R004
  int64_t keep_up_to = 0;                     // tensors of at most so many elements are kept
};

/// The element that is furthest from what is allowed.
struct DumpElement {
  int64_t index = 0;  // flat, row major
  double wanted = 0, made = 0, allowed = 0;
};

struct DumpItem {
  SocketRef socket;
  std::string tensor;  // its name in the dump
  DumpMatch match = DumpMatch::name;
  Dims dims;               // of the wire
  double error = 0;        // largest difference ÷ what is allowed; Inf: other sizes, or not finite on one side alone
  bool diverges = false;   // error above 1, and nothing that it is made of diverges
  bool inherited = false;  // error above 1, made of something that does
  int64_t not_finite = 0;  // elements that are NaN, or the same infinity, on both sides: nothing is compared there
  std::string note;        // "sizes [2, 3] beside [3, 2]", "3 of 24 elements are NaN or Inf on both sides"
  std::optional<DumpElement> worst;  // none where all are the same, or sizes differ
  Tensor wanted, made;               // the dump's, the graph's; empty: not kept, or sizes differ
  /// Neither right nor wrong: all of it is NaN or Inf on both sides.
  bool is_compared() const { return not_finite == 0 || not_finite < element_count(dims); }
};

struct DumpReport {
  std::vector<DumpItem> items;                   // in the order in which wires are computed
  std::optional<size_t> first;                   // of items
  std::map<std::string, std::string> unmatched;  // see DumpMatches
  size_t not_compared = 0;                       // items of which nothing is finite
  std::vector<std::string> examples;             // Inputs that the dump lacks: they had the example values of the graph
};

/// Evaluates the graph, flattened, in evaluation mode. Tensors of the graph's Inputs are what it is given; each other
/// that belongs to a wire, as match_dump says, is compared; axes that an Input names symbolic have the size of its
/// tensor. Errors: those of match_dump, of lowering and of the device; HW-S002: a tensor has other sizes than its
/// Input; HW-F003: no tensor belongs to a wire that the graph computes; HW-F005: the weights lack a parameter; HW-R001
/// before memory is taken.
Result<DumpReport> compare_with_dump(const Graph& graph, Assets& assets, const std::shared_ptr<Device>& device,
                                     const Dump& dump, const DumpOptions& options);

}  // namespace hw
