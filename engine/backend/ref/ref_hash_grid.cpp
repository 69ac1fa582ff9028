// ref: the multi-resolution hash grid (Müller et al. 2022, tiny-cuda-nn's conventions). The grid coordinate of an f32
// position is one f32 fma, as the format of the grid says; everything after it is f64.
#include <cmath>

#include "engine/backend/ref/ref_ops.h"

namespace hw::ref {
namespace {

struct Corner {
  size_t entry;     // in the whole table
  double weight;    // multilinear
  double slope[3];  // d(weight)/d(x_d), by the position itself
};

// A grid coordinate split into cell and fraction. A floor that no int32 holds (NaN too) lands in cell 2^31.
struct Coordinate {
  uint32_t cell;
  double weight, slope;  // of the upper neighbour, and its derivative by the grid coordinate

  Coordinate(double pos, bool smoothstep) {
    const double floor = std::floor(pos), f = pos - floor;
    const bool fits = floor >= -0x1p31 && floor < 0x1p31;
    cell = fits ? static_cast<uint32_t>(static_cast<int64_t>(floor)) : 0x80000000u;
    weight = smoothstep ? f * f * (3 - 2 * f) : f;
    slope = smoothstep ? 6 * f * (1 - f) : 1;
  }
};

size_t entry_of(const HashGridLevel& level, const uint32_t* cell, int dims) {
  static constexpr uint32_t kPrimes[] = {1u, 2654435761u, 805459861u};
  uint32_t index = 0, stride = 1;
  for (int d = 0; d < dims; ++d) {
    index = level.dense ? index + cell[d] * stride : index ^ (cell[d] * kPrimes[d]);
    stride *= level.resolution;
  }
  return level.offset + index % level.entries;
}

// Calls f(point, level index, corner) for every corner of every point.
template <class F>
void each_corner(const HashGridAttr& grid, const Wide& x, F f) {
  const auto dims = static_cast<size_t>(grid.dims);
  for (size_t n = 0; n < x.size() / dims; ++n) {
    for (size_t l = 0; l < grid.levels.size(); ++l) {
      const HashGridLevel& level = grid.levels[l];
      std::vector<Coordinate> at;
      for (size_t d = 0; d < dims; ++d) {
        const double v = x[n * dims + d];
        const double pos = x.dtype == DType::f32 ? double{std::fma(level.scale, static_cast<float>(v), 0.5f)}
                                                 : std::fma(double{level.scale}, v, 0.5);
        at.emplace_back(pos, grid.smoothstep);
      }
      for (uint32_t bits = 0; bits < 1u << dims; ++bits) {
        Corner corner{0, 1, {1, 1, 1}};
        uint32_t cell[3] = {};
        for (size_t d = 0; d < dims; ++d) {
          const bool upper = bits >> d & 1;
          const double w = upper ? at[d].weight : 1 - at[d].weight;
          cell[d] = at[d].cell + upper;
          corner.weight *= w;
          for (size_t k = 0; k < dims; ++k)
            corner.slope[k] *= k != d ? w : (upper ? 1 : -1) * at[d].slope * double{level.scale};
        }
        corner.entry = entry_of(level, cell, grid.dims);
        f(n, l, corner);
      }
    }
  }
}

}  // namespace

void hash_grid(Call& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const auto features = static_cast<size_t>(grid.features), width = grid.levels.size() * features;
  each_corner(grid, c.in[0], [&](size_t n, size_t l, const Corner& corner) {
    for (size_t f = 0; f < features; ++f)
      c.out[0][n * width + l * features + f] += corner.weight * c.in[1][corner.entry * features + f];
  });
}

void hash_grid_grad_table(Call& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const auto features = static_cast<size_t>(grid.features), width = grid.levels.size() * features;
  each_corner(grid, c.in[0], [&](size_t n, size_t l, const Corner& corner) {
    for (size_t f = 0; f < features; ++f) {
      const size_t element = corner.entry * features + f;
      c.out[0][element] += corner.weight * c.in[1][n * width + l * features + f];
      c.out[1][element / 16] = 1;
    }
  });
}

void hash_grid_grad_input(Call& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const auto features = static_cast<size_t>(grid.features), width = grid.levels.size() * features;
  const auto dims = static_cast<size_t>(grid.dims);
  each_corner(grid, c.in[0], [&](size_t n, size_t l, const Corner& corner) {
    double along = 0;
    for (size_t f = 0; f < features; ++f)
      along += c.in[1][corner.entry * features + f] * c.in[2][n * width + l * features + f];
    for (size_t d = 0; d < dims; ++d) c.out[0][n * dims + d] += corner.slope[d] * along;
  });
}

}  // namespace hw::ref
