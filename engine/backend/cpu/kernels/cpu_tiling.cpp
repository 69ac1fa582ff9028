#include "engine/backend/cpu/kernels/cpu_tiling.h"

#include "engine/backend/cpu/kernels/conv_channels.h"

namespace hw::cpu {
namespace {

/// Many points read a table that outgrows the caches. What is encoded as a whole is in memory as a whole: not of more
/// than kMostPoints.
bool runs_by_level(const Program& p, const Instr& instr) {
  constexpr int64_t kMostPoints = 1 << 18, kLargeTable = int64_t{8} << 20, kLine = 64;  // the last two in bytes
  const HashGridAttr& grid = *std::get_if<HashGridAttr>(&instr.attr);
  const Value& table = p[instr.in[1]];
  if (grid.features != 2 || info(table.dtype).bits == 8 || table.dtype == DType::f64) return false;
  const int64_t points = p[instr.in[0]].dims[0];
  const int64_t bytes = static_cast<int64_t>(byte_count(table.dtype, element_count(table.dims)));
  const int64_t lookups = points * static_cast<int64_t>(grid.levels.size()) * 4;  // lines, at least
  return bytes > kLargeTable && lookups > bytes / kLine && points <= kMostPoints;
}

}  // namespace

TileRule cpu_tile_rule(const Program& p, const Instr& instr) {
  if (instr.op == Op::hash_grid && runs_by_level(p, instr)) return {};
  if (instr.op == Op::conv2d_grad_weight && grad_weight_channels(p, instr) > 0) return {};
  return tile_rule(p, instr);
}

}  // namespace hw::cpu
