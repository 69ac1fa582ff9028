// A tensor's statistics as JSON, for commands with --json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/core/tensor.h"

namespace hw::cli {

/// {dtype, shape, count, min, max, mean, std, zeros, subnormal, saturated, nans, infs}, the moments of the finite
/// values and null where there are none. Of floats also histogram {first, counts}: counts[i] values have a magnitude
/// from 2^(first + i) to below twice that. Of short vectors and small matrices also components, each {name, min, max,
/// mean, zeros}.
nlohmann::ordered_json tensor_json(const Tensor& tensor);

}  // namespace hw::cli
