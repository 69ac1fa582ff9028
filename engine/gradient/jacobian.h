// The Jacobian of one node: how each component of an output changes with each component of an input, for one sample.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw {

/// ∂ output / ∂ input for one sample. A tensor without an axis of samples, which all samples share, counts as a whole.
struct JacobianBlock {
  std::string output, input;   // sockets
  Dims rows, columns;          // sizes of one sample of each; empty: a number
  std::vector<double> values;  // row by row, one row an element of the output
};

struct Jacobian {
  std::string node;
  int64_t sample = 0, samples = 1;  // of how many; 1 also where there is no axis of samples
  struct Input {
    std::string socket;
    Dims dims;
    std::vector<double> values;  // of the sample
  };
  std::vector<Input> inputs;
  std::vector<JacobianBlock> blocks;  // float outputs × float inputs
};

/// The place of the error HW-P001 of a sample that is not there.
inline constexpr char kSampleOption[] = "<sample>";

struct JacobianOptions {
  std::string device = "ref";
  int64_t sample = 0;
  uint64_t seed = 0;
  std::shared_ptr<const Weights> weights = {};  // null: initial ones for the seed
  bool partial_weights = false;                 // initial ones for those that `weights` lack; else they are refused
  const std::atomic<bool>* cancel = nullptr;
};

/// "y.x", "m[0][1]", "y": element k of one sample of a socket, row major.
std::string component_name(const std::string& socket, const Dims& dims, int64_t k);

/// The most elements of an output and of an input for one sample.
inline constexpr int64_t kMaxJacobianRows = 64, kMaxJacobianColumns = 256;

/// Inputs are what the graph gives them in evaluation mode; each row is one backward pass of the node alone, in the
/// graph's dtypes. Errors: those of lowering and the device; HW-F005; HW-P001 (no such sample); HW-R001 before memory
/// is taken; HW-R002: the node has a wire that is no tensor, no float input or output, or more elements than the
/// limits; HW-R004. Any thread.
Result<Jacobian> jacobian(const Graph& graph, const std::string& node, Assets& assets, const JacobianOptions& options);

}  // namespace hw
