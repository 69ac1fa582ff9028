// The memory that temporaries take on a device.
#pragma once

#include <cstddef>

namespace hw {

/// Bytes of temporaries.
struct TempBytes {
  size_t values = 0;  // whole tensors, by the device's liveness plan
  size_t tiles = 0;   // parts of tensors that as many threads as there are now work on
  size_t total() const { return values + tiles; }
};

}  // namespace hw
