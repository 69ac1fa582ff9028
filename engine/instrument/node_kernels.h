// What computes each node of a program: the kernels of its heaviest instructions, by work and not by time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace hw {

struct NodeKernels {
  /// The products with one parameter.
  struct Layer {
    std::string param;  // "layer_0"
    KernelInfo forward;
    std::optional<KernelInfo> backward;  // none: no gradient is computed there
  };
  KernelInfo forward;                  // of the heaviest forward instruction (engine/program/work.h)
  std::optional<KernelInfo> backward;  // of the heaviest of the adjoint; none: no gradient passes through the node
  std::vector<Layer> layers;           // of a node with products of several parameters, an MLP say; in forward order
};

/// By node. `gradients`: value → its gradient, as TrainingPlan has them.
std::map<std::string, NodeKernels> node_kernels_of(const Program& program, const Executable& executable,
                                                   const std::unordered_map<ValueId, ValueId>& gradients);

/// "stored f16, computed f16, accumulated f32, oneDNN brg:avx512_core".
std::string text_of(const KernelInfo& kernel);

}  // namespace hw
