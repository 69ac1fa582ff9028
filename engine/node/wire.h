// WireType: what a wire carries.
#pragma once

#include <string>

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

namespace hw {

enum class Kind : uint8_t { tensor, mesh, image, dataset };

std::string_view name(Kind kind);

/// dtype and shape mean something for tensors; a data set's shape is that of one sample. `field`: the wire depends on a
/// domain variable (position, normal, uv, pixel, x) and can be evaluated anew at other positions.
struct WireType {
  Kind kind = Kind::tensor;
  DType dtype = DType::f32;
  Shape shape = {};
  bool field = false;

  bool operator==(const WireType&) const = default;
};

/// "f16 [N 65536, C 32]", "mesh", "data set [C 1, H 28, W 28]".
std::string to_string(const WireType& type);

}  // namespace hw
