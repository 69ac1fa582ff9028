// The dtypes that can be stored.
#pragma once

#include <vector>

#include "engine/core/dtype.h"

namespace hw::shapes {

inline std::vector<DType> every_dtype() {
  std::vector<DType> list;
  for (const DTypeInfo& row : dtype_table())
    if (row.storable) list.push_back(row.dtype);
  return list;
}

}  // namespace hw::shapes
