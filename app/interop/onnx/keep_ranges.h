// Whole numbers of a dtype that is held in a wider one stay in the range of their own.
#pragma once

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// Behind operators whose results may leave the range of such a dtype puts an operator that brings them back: kWrap
/// drops the higher bits, as ONNX and NumPy do; kSaturate takes the nearest number of the range, as Quantize Linear
/// does. Dtypes follow from those of inputs, initializers and Cast; those of a function's inputs are not known.
void keep_ranges(OnnxModel& model);

constexpr const char *kWrap = "halfwire.Wrap", *kSaturate = "halfwire.Saturate";
constexpr const char* kToNumber = "to";  // their attribute: the number of the dtype

}  // namespace hw::interop
