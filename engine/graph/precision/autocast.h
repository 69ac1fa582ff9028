// Autocast: the dtypes that mixed-precision training usually gives nodes, by visible edits.
#pragma once

#include "engine/graph/precision/precision_plan.h"

namespace hw {

/// PyTorch's autocast lists, as the node types declare them: products, linear layers and convolutions in `low` (f16 or
/// bf16); powers, exponentials, logarithms, softmax, sums, norms and losses in f32; Concat and Stack in the widest
/// dtype of their inputs; everything else follows its inputs, and a node that refuses
/// what it would follow (BCE on narrow probabilities) stays the error it is. Weights stay stored as they are and are
/// cast on use. f64 is left alone, and so are Casts that the user placed and sources. Where several dtypes meet in a
/// node that follows, the widest counts. Source: PyTorch, `torch.amp` (autocast op reference).
PrecisionPlan autocast(const Graph& graph, DType low);

}  // namespace hw
