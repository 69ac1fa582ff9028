// Scales beside weights in 8-bit floats: "x.weight_scale", "x.weight_scale_inv" or "x.scale_weight" of "x.weight".
#pragma once

#include <map>
#include <string>

#include "engine/core/tensor.h"

namespace hw {

/// The f8 tensor that `name` is the scale of; empty: it is none.
std::string tensor_scaled_by(const std::string& name, const std::map<std::string, Tensor>& tensors);

/// Whether it is the scale of what a layer with f8 weights is given, or ComfyUI's mark of such files: no parameter.
bool is_scale_of_values(const std::string& name, const std::map<std::string, Tensor>& tensors);

/// Whether `scale` is one number, one for each row, [rows] or [rows, 1], or one for each block of 128 × 128 of
/// `weight`.
bool fits_scale(const Dims& weight, const Dims& scale);

/// weight · scale in f32. Asserts that they fit.
Tensor scaled(const Tensor& weight, const Tensor& scale);

}  // namespace hw
