// sample_surface on tiles: one Philox block a point; the bodies are those of engine/kernels/surface_sampler.h.
#include <cstring>
#include <new>

#include "engine/backend/cpu/kernel.h"
#include "engine/kernels/surface_sampler.h"

namespace hw::cpu {
namespace {

class SampleSurface : public TileKernel {
 public:
  SampleSurface(const SampleSurfaceAttr& attr, kernels::SurfaceTable table) : attr_(attr), table_(std::move(table)) {}
  void run(const Tile& tile, const Operand*, const Operand* out) const override {
    for (int64_t i = 0; i < tile.rows; ++i) {
      const auto index = static_cast<uint64_t>(tile.first_row + i);
      const kernels::SurfacePoint p = kernels::sample_point(
          *attr_.mesh, table_, philox_block(tile.step->seed, attr_.stream, tile.step->step, index));
      std::memcpy(out[0].as<float>() + 3 * i, p.position, sizeof p.position);
      std::memcpy(out[1].as<float>() + 3 * i, p.normal, sizeof p.normal);
      std::memcpy(out[2].as<float>() + 2 * i, p.uv, sizeof p.uv);
      std::memcpy(out[3].as<float>() + 3 * i, p.colour, sizeof p.colour);
    }
  }

 private:
  SampleSurfaceAttr attr_;
  kernels::SurfaceTable table_;
};

}  // namespace

Result<std::unique_ptr<TileKernel>> make_sample_surface(const KernelContext& c) {
  HW_TRY(kernels::SurfaceTable table, kernels::make_surface_table(*c.attr<SampleSurfaceAttr>().mesh));
  std::unique_ptr<TileKernel> kernel = std::make_unique<SampleSurface>(c.attr<SampleSurfaceAttr>(), std::move(table));
  kernel->kernel_info = own_kernel_info(c, DType::f32);
  kernel->kernel_info.implementation = "cpu scalar";
  return kernel;
}

}  // namespace hw::cpu
