// The size of a part of a memory area.
#pragma once

#include <cstddef>

namespace hw::plan {

/// 64-byte multiples keep the parts of a memory area aligned.
inline size_t padded(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace hw::plan
