// Inputs of whole numbers that say which elements to take.
#pragma once

#include "engine/node/shapes.h"

namespace hw::shapes {

inline std::vector<DType> index_dtypes() {
  return {DType::i64, DType::i32, DType::u8, DType::i8};
}

}  // namespace hw::shapes
