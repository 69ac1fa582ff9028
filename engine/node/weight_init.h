// How the weights of a layer start: a choice that layers with a matrix or kernels share.
#pragma once

#include "engine/node/node_type.h"

namespace hw::shapes {

/// Declares the parameters `weight_init` and `init_scale`, below a heading of their own; called last.
void declare_weight_init(NodeDecl& d);

/// How the weight, [out, in, kernel..] or [in, out, kernel..] as PyTorch lays it out, and the bias beside it start.
/// fan_in is the size of a row of the weight, fan_out that of a column times the kernel, as torch.nn.init counts.
struct LayerInit {
  Init weight, bias;
};
LayerInit layer_init(const Params& params, const Dims& weight);

}  // namespace hw::shapes
