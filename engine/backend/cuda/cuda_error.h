// CUDA's errors as Errors.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "engine/core/codes.h"
#include "engine/core/result.h"

namespace hw::cuda {

/// HW-R001 when memory is lacking, else HW-R005, with the statement and CUDA's message; `where`: the device.
inline Status check(cudaError_t status, const char* statement, const std::string& where = "cuda") {
  if (status == cudaSuccess) return ok();
  const std::string said = std::string(cudaGetErrorString(status)) + ".";
  const std::string reason = std::string(statement) + ": " + said;
  if (status == cudaErrorMemoryAllocation)
    return Error{codes::out_of_memory, where, reason, "Make the batch smaller, or choose the cpu device."};
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver)
    return Error{codes::no_gpu, where, said, "Install NVIDIA's driver for this toolkit, or choose the cpu device."};
  return Error{codes::gpu_failed, where, reason, "Choose the cpu device."};
}

/// The same of a call that may fail without ending anything: CUDA would report its error again at the next launch.
inline Status check_alone(cudaError_t status, const char* statement, const std::string& where = "cuda") {
  if (status != cudaSuccess) cudaGetLastError();
  return check(status, statement, where);
}

}  // namespace hw::cuda

#define HW_CUDA(statement) HW_CHECK(::hw::cuda::check((statement), #statement))
