// Matrix products and convolutions, by the kernels of kernels/products.glsl, convolution.glsl.
#include "engine/backend/gpu/ops/convolution.h"
#include "engine/backend/gpu/ops/products.h"
#include "engine/backend/vulkan/kernels_of_sums.h"
#include "engine/backend/vulkan/launcher.h"
#include "engine/backend/vulkan/products.h"

namespace hw::vulkan {

template <class T>
struct KernelOf<gpu::PlainProduct<T>> {
  static std::string name() { return "PlainProduct" + suffix_of<T>(); }
  static Constants constants(const gpu::PlainProduct<T>& f) {
    return constants_of(f.g.transpose_a, f.g.transpose_b, f.a.dtype, f.b.dtype, f.c.dtype, f.g.result);
  }
  static int64_t turns(const gpu::PlainProduct<T>& f) { return f.g.k; }
};

template <class T>
struct KernelOf<gpu::AddBias<T>> {
  static std::string name() { return "AddBias" + suffix_of<T>(); }
  static Constants constants(const gpu::AddBias<T>& f) { return constants_of(f.bias.dtype, f.c.dtype); }
};

template <class T>
struct KernelOf<gpu::AddMatrix<T>> {
  static std::string name() { return "AddMatrix" + suffix_of<T>(); }
  static Constants constants(const gpu::AddMatrix<T>& f) { return constants_of(f.matrix.dtype, f.c.dtype); }
};

template <class T>
struct KernelOf<gpu::RoundFactor<T>> {
  static std::string name() { return "RoundFactor" + suffix_of<T>(); }
  static Constants constants(const gpu::RoundFactor<T>& f) { return constants_of(f.x.dtype, f.rounded, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::RoundResult<T>> {
  static std::string name() { return "RoundResult" + suffix_of<T>(); }
  static Constants constants(const gpu::RoundResult<T>& f) { return constants_of(f.y.dtype); }
};

template <>
struct KernelOf<gpu::SpreadBias> {
  static std::string name() { return "SpreadBias"; }
  static Constants constants(const gpu::SpreadBias& f) { return constants_of(f.bias.dtype, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::Im2Col<T>> {
  static std::string name() { return "Im2Col" + suffix_of<T>(); }
  static Constants constants(const gpu::Im2Col<T>& f) {
    return constants_of(f.x.dtype, f.round.rounded, f.round.y.dtype);
  }
};

template <class T>
struct KernelOf<gpu::Col2Im<T>> {
  static std::string name() { return "Col2Im" + suffix_of<T>(); }
  static Constants constants(const gpu::Col2Im<T>& f) { return constants_of(f.x.dtype, f.bias.dtype); }
};

template <class T>
struct KernelOf<gpu::AddPictures<T>> {
  static std::string name() { return "AddPictures" + suffix_of<T>(); }
  static Constants constants(const gpu::AddPictures<T>&) { return {}; }
  static int64_t turns(const gpu::AddPictures<T>& f) { return f.pictures; }
};

template <class T>
struct KernelOf<gpu::AddChannelBias<T>> {
  static std::string name() { return "AddChannelBias" + suffix_of<T>(); }
  static Constants constants(const gpu::AddChannelBias<T>& f) { return constants_of(f.bias.dtype, f.y.dtype); }
};

namespace {

/// As gpu::plain_product, with a workgroup for each tile of C; `side`: TILE of the kernel.
template <class T>
Status tiled_product(gpu::Driver& driver, const gpu::Gemm& g, int64_t side) {
  const DType memory = gpu::memory_of(g.operand);
  const gpu::PlainProduct<T> f{g, {memory, g.a}, {memory, g.b}, {g.result, g.c}};
  const int64_t tiles = g.batch * ((g.n + side - 1) / side) * ((g.m + side - 1) / side);
  if (tiles == 0) return ok();
  constexpr int64_t kSlice = 16, kOfTile = 200;  // turns for each slice of k: one; for storing a tile
  return launch_kernel(driver, "TiledProduct" + suffix_of<T>(), KernelOf<gpu::PlainProduct<T>>::constants(f), tiles, &f,
                       sizeof f, g.k / kSlice + kOfTile);
}

}  // namespace

Status multiply(gpu::Driver& driver, const gpu::Gemm& gemm) {
  constexpr int64_t kLeast = 16;   // rows and columns from which a tile is worth while
  constexpr int64_t kLong = 8192;  // a sum that an item alone takes long for
  if ((gemm.n < kLeast || gemm.m < kLeast) && gemm.k < kLong) return gpu::plain_product<VulkanLauncher>(driver, gemm);
  if (gemm.operand == DType::f64) return tiled_product<double>(driver, gemm, 32);
  return tiled_product<float>(driver, gemm, 64);
}

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_product<VulkanLauncher>(OpContext&, const Driver&);
template void plan_convolution<VulkanLauncher>(OpContext&, const Driver&);

}  // namespace hw::gpu
