// Matrix products, by the kernels of kernels/products.glsl.
#include "engine/backend/vulkan/products.h"

#include "engine/backend/gpu/ops/products.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {
namespace {

/// As gpu::plain_product, with a workgroup for each tile of C; `side`: TILE of the kernel.
template <class T>
Status tiled_product(gpu::Driver& driver, const gpu::Gemm& g, int64_t side) {
  const DType memory = gpu::memory_of(g.operand);
  const gpu::PlainProduct<T> f{g, {memory, g.a}, {memory, g.b}, {g.result, g.c}};
  const int64_t tiles = g.batch * ((g.n + side - 1) / side) * ((g.m + side - 1) / side);
  if (tiles == 0) return ok();
  constexpr int64_t kSlice = 16, kOfTile = 200;  // turns for each slice of k: one; for storing a tile
  const gpu::Constants dtypes = gpu::constants_of(f.a.dtype, f.b.dtype, f.c.dtype, g.result);
  return launch_kernel(driver, "TiledProduct" + gpu::suffix_of<T>(), dtypes, tiles, &f, sizeof f,
                       g.k / kSlice + kOfTile);
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
