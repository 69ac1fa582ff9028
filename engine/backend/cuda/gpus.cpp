#include "engine/backend/cuda/gpus.h"

#include "engine/core/codes.h"

#ifdef HALFWIRE_CUDA
#include "engine/backend/cuda/cuda_error.h"
#endif

namespace hw::cuda {

#ifdef HALFWIRE_CUDA

Result<std::vector<Gpu>> gpus() {
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

namespace {

Error no_cuda() {
  return {codes::no_gpu, "cuda", "This build has no CUDA.", "Build with the preset cuda."};
}

}  // namespace

Result<std::vector<Gpu>> gpus() {
  return no_cuda();
}
Result<std::shared_ptr<Driver>> make_driver(size_t, size_t) {
  return no_cuda();
}

#endif

}  // namespace hw::cuda
