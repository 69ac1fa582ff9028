// ref: the multi-resolution hash grid (Müller et al. 2022, tiny-cuda-nn's conventions). The grid coordinate of an f32
// position is one f32 fma, as the format of the grid says; everything after it is f64.
#include <cmath>

#include "engine/backend/ref/ref_ops.h"

namespace hw::ref {
namespace {

struct Corner {
  size_t entry;       // in the whole table
  double weight;      // multilinear
  double slope[3];    // d(weight)/d(x_d), by the position itself
  double bend[3][3];  // d²(weight)/d(x_a)d(x_b)

  /// d(weight) along u.
  double along(const double* u, size_t dims) const {
    double sum = 0;
    for (size_t d = 0; d < dims; ++d) sum += u[d] * slope[d];
    return sum;
  }
};

// A grid coordinate split into cell and fraction. A floor that no int32 holds (NaN too) lands in cell 2^31.
struct Coordinate {
  uint32_t cell;
  double weight, slope, bend;  // of the upper neighbour, and its derivatives by the grid coordinate

  Coordinate(double pos, bool smoothstep) {
    const double floor = std::floor(pos), f = pos - floor;
    const bool fits = floor >= -0x1p31 && floor < 0x1p31;
    cell = fits ? static_cast<uint32_t>(static_cast<int64_t>(floor)) : 0x80000000u;
    weight = smoothstep ? f * f * (3 - 2 * f) : f;
    slope = smoothstep ? 6 * f * (1 - f) : 1;
    bend = smoothstep ? 6 * (1 - 2 * f) : 0;
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
        Corner corner{0, 1, {1, 1, 1}, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}};
        uint32_t cell[3] = {};
        for (size_t d = 0; d < dims; ++d) {
          const bool upper = bits >> d & 1;
          const double w = upper ? at[d].weight : 1 - at[d].weight;
          cell[d] = at[d].cell + upper;
          corner.weight *= w;
          const double sign = upper ? 1 : -1, scale = level.scale;
          const double slope = sign * at[d].slope * scale, bend = sign * at[d].bend * scale * scale;
          for (size_t a = 0; a < dims; ++a) {
            corner.slope[a] *= a != d ? w : slope;
            for (size_t b = 0; b < dims; ++b)
              corner.bend[a][b] *= a == d && b == d ? bend : a == d || b == d ? slope : w;
          }
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

void hash_grid_tangent(Call& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const auto features = static_cast<size_t>(grid.features), width = grid.levels.size() * features;
  const auto dims = static_cast<size_t>(grid.dims);
  each_corner(grid, c.in[0], [&](size_t n, size_t l, const Corner& corner) {
    const double weight = corner.along(&c.in[2][n * dims], dims);
    for (size_t f = 0; f < features; ++f)
      c.out[0][n * width + l * features + f] += weight * c.in[1][corner.entry * features + f];
  });
}

void hash_grid_tangent_grad_table(Call& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const auto features = static_cast<size_t>(grid.features), width = grid.levels.size() * features;
  const auto dims = static_cast<size_t>(grid.dims);
  each_corner(grid, c.in[0], [&](size_t n, size_t l, const Corner& corner) {
    const double weight = corner.along(&c.in[1][n * dims], dims);
    for (size_t f = 0; f < features; ++f)
      c.out[0][corner.entry * features + f] += weight * c.in[2][n * width + l * features + f];
  });
}

void hash_grid_tangent_grad_input(Call& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const auto features = static_cast<size_t>(grid.features), width = grid.levels.size() * features;
  const auto dims = static_cast<size_t>(grid.dims);
  each_corner(grid, c.in[0], [&](size_t n, size_t l, const Corner& corner) {
    double along = 0;
    for (size_t f = 0; f < features; ++f)
      along += c.in[1][corner.entry * features + f] * c.in[3][n * width + l * features + f];
    for (size_t a = 0; a < dims; ++a)
      for (size_t b = 0; b < dims; ++b) c.out[0][n * dims + a] += c.in[2][n * dims + b] * corner.bend[a][b] * along;
  });
}

}  // namespace hw::ref
