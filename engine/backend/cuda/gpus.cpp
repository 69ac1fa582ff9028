#include "engine/backend/cuda/gpus.h"

#include "engine/core/codes.h"

#ifdef HALFWIRE_CUDA
#include <dlfcn.h>

#include "engine/backend/cuda/cuda_error.h"
#include "engine/core/sizes.h"
#endif

namespace hw::cuda {

namespace {

#ifdef HALFWIRE_CUDA

bool has_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);  // what the CUDA runtime asks for, too
  if (library) ::dlclose(library);
  return library != nullptr;
}

/// 13020 is "13.2".
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// CUDA calls both a driver that is too old and none at all an insufficient one.
Error insufficient_driver() {
  if (!has_driver())
    return {codes::no_gpu, "cuda", "No NVIDIA driver is installed.",
            "On a machine with an NVIDIA GPU, install its driver; else choose the cpu device."};
  int driver = 0, runtime = 0;
  std::string versions;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0 && cudaRuntimeGetVersion(&runtime) == cudaSuccess)
    versions = ": the driver knows CUDA " + version_text(driver) + ", this program needs " + version_text(runtime);
  return {codes::no_gpu, "cuda", cudaGetErrorString(cudaErrorInsufficientDriver) + versions + ".",
          "Install a newer NVIDIA driver, or choose the cpu device."};
}

Result<std::vector<Gpu>> find_gpus() {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted == cudaErrorInsufficientDriver) return insufficient_driver();
  HW_CUDA(counted);
  std::vector<Gpu> list;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p{};
    HW_CUDA(cudaGetDeviceProperties(&p, i));
    list.push_back({p.name, p.totalGlobalMem, p.major, p.minor});
    raise_size_limit(p.totalGlobalMem);
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
Result<std::shared_ptr<gpu::Driver>> make_driver(size_t, size_t) {
  return gpus().error();
}
#endif

}  // namespace hw::cuda
