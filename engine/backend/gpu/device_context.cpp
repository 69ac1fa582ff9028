#include "engine/backend/gpu/device_context.h"

#include "engine/core/codes.h"

namespace hw::gpu {

std::string mebibytes(size_t bytes) {
  return std::to_string((bytes >> 20) + 1) + " MiB";
}

Status DeviceContext::at(Status status, const std::string& where) {
  if (status) return status;
  Error error = status.error();
  if (!where.empty()) error.where = where;
  if (error.code == codes::gpu_failed && !failure) failure = error;
  return error;
}

Status DeviceContext::usable() const {
  if (!failure) return ok();
  return Error{failure->code, failure->where, "The GPU failed before: " + failure->reason,
               "Start the program again, or choose the cpu device."};
}

Result<Buffer> DeviceContext::take(size_t bytes, const std::string& where, const std::string& what) {
  HW_CHECK(usable());
  auto buffer = pool->take(bytes);
  if (buffer) return buffer;
  if (buffer.error().code != codes::out_of_memory) return at(buffer.error(), where).error();
  return Error{codes::out_of_memory, where,
               "There is no memory on " + driver->id() + " for " + mebibytes(bytes) + " of " + what + ".",
               "Make the batch smaller, use a smaller model, or choose the cpu device."};
}

size_t DeviceContext::take_marks(size_t count) {
  size_t first = 0;
  for (const auto& [begin, end] : marks) {
    if (begin - first >= count) break;
    first = end;
  }
  marks[first] = first + count;
  return first;
}

}  // namespace hw::gpu
