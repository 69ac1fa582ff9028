// Casts of scaled numbers as QuantizeLinear and DequantizeLinear, which runtimes look for.
#pragma once

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// x ÷ s → Round → Clip → Cast to i8 or u8, and x ÷ s → Cast to a float of 8 bits, become QuantizeLinear; a Cast of
/// that, or of an initializer, to f32 and · s DequantizeLinear. s is one number in f32, or one along an axis of x, and
/// nothing else reads what is between: every result stays the same, to the bit. The zero points join `constants`, the
/// initializers that no weights are. `sizes`: of values; -1: symbolic.
void pair_quantised(OnnxModel& model, std::set<std::string>& constants, const std::map<std::string, Dims>& sizes);

}  // namespace hw::interop
