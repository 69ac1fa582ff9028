// Program: streams, and the hash grid's level table.
#include "engine/program/program.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace hw {
uint32_t stream_of(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

HashGridAttr make_hash_grid(int dims, int levels, int features, int log2_table, double base_resolution,
                            double per_level_scale, bool smoothstep) {
  assert((dims == 2 || dims == 3) && levels >= 1 && features >= 1);
  assert(log2_table >= 4 && log2_table <= 24 && base_resolution >= 1 && per_level_scale > 0);
  HashGridAttr grid{dims, features, smoothstep, {}};
  const uint64_t table = uint64_t{1} << log2_table;
  const float log2_scale = std::log2(static_cast<float>(per_level_scale));
  uint32_t offset = 0;
  for (int level = 0; level < levels; ++level) {
    // f32 throughout, as tiny-cuda-nn computes it: a level at a ceil boundary must come out the same.
    const float scale = std::exp2(static_cast<float>(level) * log2_scale) * static_cast<float>(base_resolution) - 1.0f;
    const auto resolution = static_cast<uint32_t>(std::ceil(scale)) + 1;
    const double cells = std::pow(static_cast<double>(resolution), dims);
    const double rounded = std::ceil(cells / 8) * 8;
    const auto entries = static_cast<uint32_t>(std::min(rounded, static_cast<double>(table)));
    grid.levels.push_back({scale, resolution, offset, entries, cells <= entries});
    offset += entries;
  }
  return grid;
}

}  // namespace hw
