#include "engine/core/sizes.h"

#include "engine/core/codes.h"
#include "engine/core/memory.h"

namespace hw {

size_t byte_count(DType dtype, const Dims& dims) {
  return static_cast<size_t>(element_count(dims)) * size_of(dtype);
}

Status check_size(DType dtype, const Dims& dims) {
  // An empty axis holds nothing, but strides and sizes of parts are products of the others.
  int64_t count = 1;
  for (const int64_t size : dims) count = size_product({count, size < 1 ? 1 : size});
  const size_t bytes = static_cast<size_t>(count) * size_of(dtype);
  if (bytes <= machine_memory()) return ok();
  const std::string size = count == kMostElements ? "more than 2^59 elements" : memory_text(bytes);
  return Error{codes::out_of_memory, "",
               std::string(name(dtype)) + to_string(dims) + " would be " + size + "; this machine has " +
                   memory_text(machine_memory()) + " of memory.",
               "Make its sizes smaller."};
}

}  // namespace hw
