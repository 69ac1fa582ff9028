#include "engine/backend/cuda/gpus.h"

#include "engine/core/codes.h"

#ifdef HALFWIRE_CUDA
#include "engine/backend/cuda/cuda_error.h"
#endif

namespace hw::cuda {

namespace {

#ifdef HALFWIRE_CUDA

Result<std::vector<Gpu>> find_gpus() {
  int count = 0;
  HW_CUDA(cudaGetDeviceCount(&count));
  std::vector<Gpu> list;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p{};
    HW_CUDA(cudaGetDeviceProperties(&p, i));
    list.push_back({p.name, p.totalGlobalMem, p.major, p.minor, p.multiProcessorCount});
  }
  return list;
}

#else

Result<std::vector<Gpu>> find_gpus() {
  return Error{codes::no_gpu, "cuda", "This build has no CUDA.", "Build with the preset cuda."};
}

#endif

}  // namespace

const Result<std::vector<Gpu>>& gpus() {
  static const Result<std::vector<Gpu>> found = find_gpus();
  return found;
}

#ifndef HALFWIRE_CUDA
Result<std::shared_ptr<Driver>> make_driver(size_t, size_t) {
  return gpus().error();
}
#endif

}  // namespace hw::cuda
