// Where an element of a tensor is, in words for the user.
#pragma once

#include "engine/core/shape.h"

namespace hw {

/// "[2, 0, 5]": the place of an element, counted row after row. "[]" in a scalar.
inline std::string place_text(int64_t element, const Dims& dims) {
  Dims place(dims.size());
  for (size_t d = dims.size(); d-- > 0; element /= dims[d]) place[d] = element % dims[d];
  return to_string(place);
}

}  // namespace hw
