// sample_surface on tiles: one Philox block a point; the bodies are those of engine/kernels/surface_sampler.h.
#include <algorithm>
#include <cstring>

#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/kernels/surface_sampler.h"

namespace hw::cpu {
namespace {

// pick_triangle without its search: bucket g of a power of two of buckets starts where u = g ÷ buckets would land, and
// the running sums are walked from there. u, and u · total, never decrease with u, so the triangle is the same.
class TriangleGuide {
 public:
  explicit TriangleGuide(const kernels::SurfaceTable& table) : sums_(table.cumulative), last_(table.last) {
    while ((size_t{1} << bits_) < 2 * sums_.size() && bits_ < 24) ++bits_;
    const size_t buckets = size_t{1} << bits_;
    for (size_t g = 0, at = 0; g < buckets; ++g) {
      const double u = static_cast<double>(g) / static_cast<double>(buckets);
      while (at < last_ && sums_[at] <= u * sums_.back()) ++at;
      start_.push_back(static_cast<uint32_t>(at));
    }
  }
  uint32_t pick(uint32_t r0, uint32_t r1) const {
    const double target = static_cast<double>((uint64_t{r0} << 32 | r1) >> 11) * 0x1p-53 * sums_.back();
    uint32_t at = start_[r0 >> (32 - bits_)];
    while (at < last_ && sums_[at] <= target) ++at;
    return at;
  }

 private:
  const std::vector<double>& sums_;
  uint32_t last_;  // with area
  std::vector<uint32_t> start_;
  int bits_ = 1;
};

class SampleSurface : public TileKernel {
 public:
  SampleSurface(const SampleSurfaceAttr& attr, kernels::SurfaceTable table)
      : attr_(attr), table_(std::move(table)), guide_(table_), arrays_(kernels::arrays_of(*attr_.mesh, table_)) {}
  void run(const Tile& tile, const Operand*, const Operand* out) const override {
    // In groups, so that the searches of many points overlap, and their texels are there when they are mixed.
    constexpr int64_t kGroup = 32;
    Philox4 random[kGroup];
    uint32_t triangle[kGroup];
    kernels::SurfacePoint point[kGroup];
    kernels::PartArrays part[kGroup];
    kernels::Texels texels[kGroup];
    const Draw d = tile.draw(attr_.random, attr_.points, 1);
    for (int64_t at = 0; at < tile.rows; at += kGroup) {
      const int64_t n = std::min(kGroup, tile.rows - at);
      for (int64_t i = 0; i < n; ++i) {
        random[i] = philox_block(d.seed, d.stream, d.step, d.first + static_cast<uint64_t>(at + i));
      }
      for (int64_t i = 0; i < n; ++i) triangle[i] = guide_.pick(random[i][0], random[i][1]);
      for (int64_t i = 0; i < n; ++i) {
        point[i] = kernels::point_of_triangle(arrays_, triangle[i], random[i][2], random[i][3]);
        part[i] = kernels::part_of(*attr_.mesh, table_, triangle[i]);
        if (!part[i].rgba || !arrays_.uvs) continue;
        texels[i] = kernels::texels_about(part[i], point[i].uv[0], point[i].uv[1]);
        for (int j = 0; j < 2; ++j) __builtin_prefetch(part[i].rgba + texels[i].at(j, part[i].width));
      }
      for (int64_t i = 0; i < n; ++i) {
        kernels::SurfacePoint& p = point[i];
        kernels::colour_point(arrays_, part[i], texels[i], p.colour);
        std::memcpy(out[0].as<float>() + 3 * (at + i), p.position, sizeof p.position);
        std::memcpy(out[1].as<float>() + 3 * (at + i), p.normal, sizeof p.normal);
        std::memcpy(out[2].as<float>() + 2 * (at + i), p.uv, sizeof p.uv);
        std::memcpy(out[3].as<float>() + 3 * (at + i), p.colour, sizeof p.colour);
      }
    }
  }

 private:
  SampleSurfaceAttr attr_;
  kernels::SurfaceTable table_;
  TriangleGuide guide_;
  kernels::MeshArrays arrays_;
};

}  // namespace

/// Error HW-A003: the mesh has no area.
Result<Kernel> make_sample_surface(const KernelContext& c) {
  HW_TRY(kernels::SurfaceTable table, kernels::make_surface_table(*c.attr<SampleSurfaceAttr>().mesh));
  Kernel kernel;
  kernel.tile = std::make_unique<SampleSurface>(c.attr<SampleSurfaceAttr>(), std::move(table));
  kernel.tile->kernel_info = own_kernel_info(c, DType::f32);
  kernel.tile->kernel_info.implementation = "cpu scalar";
  return kernel;
}

}  // namespace hw::cpu
