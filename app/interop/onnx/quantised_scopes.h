// Pairs of QuantizeLinear and DequantizeLinear (QDQ) as scopes, which with_groups makes one node of.
#pragma once

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// A QuantizeLinear and the DequantizeLinears that read it, where nothing else does and all lie in the same scopes, are
/// in a scope of their own, "QDQ uint8".
void scope_quantised_pairs(OnnxModel& model);

bool is_quantised_pair(const OnnxScope& scope);

}  // namespace hw::interop
