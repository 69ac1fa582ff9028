// The device "cuda:N": programs on one GPU. Needs a driver; where there is no GPU make_cuda_device says why.
#pragma once

#include "engine/backend/backend.h"

namespace hw::cuda {

/// The GPU that `id` names: "cuda:N". Errors: HW-R006 no GPU, no driver, a build without CUDA,
/// no cuBLASLt; HW-C001 there are fewer GPUs, or it names none.
Result<std::shared_ptr<Device>> make_cuda_device(const std::string& id);

/// Data sets of more bytes stay on the host when the GPU of this id runs; without that GPU: none does.
size_t resident_bytes(const std::string& id);

}  // namespace hw::cuda
