// NodeInspection: the tensors of one node at one moment, as an inspector shows them.
#pragma once

#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/instrument/node_kernels.h"

namespace hw {

/// The results of the passes of a training step, and the parameters as these passes read them, before its update; for
/// an evaluation, values alone. Immutable.
struct NodeInspection {
  std::string node;
  bool evaluated = false;  // without training: there is no step, and there are no gradients
  bool training = false;   // of an evaluation: in training mode
  uint64_t step = 0;       // 0-based
  struct Item {
    std::string name;  // socket or parameter id
    bool is_param = false;
    Tensor value;     // empty: not available
    Tensor gradient;  // empty: no gradient flows here
    std::string no_gradient_because;
    double gradient_scale = 1;  // the stored gradient is this many times the true one
  };
  int64_t batches = 0;      // of an evaluation: Evaluation::batches
  std::vector<Item> items;  // inputs' sources are not repeated: outputs first, then parameters
  NodeKernels kernels;
};

}  // namespace hw
