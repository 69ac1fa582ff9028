#include "engine/program/tiling.h"

#include "engine/program/op_spec.h"

namespace hw {
namespace {

int64_t leading(const Dims& dims) {
  return dims.empty() ? 1 : dims[0];
}

TileRule whole_as_one_row() {
  return {Tiling::rows, 1};
}

/// A tile is all there is. What an op needs whole must be made before its tile even so: kernels read it at their begin.
bool is_one_row(const TileRule& rule) {
  return rule.rows == 1;
}

}  // namespace

namespace tiling {

TileRule rows(const Program& p, const Instr& instr) {
  return {Tiling::rows, leading(p[instr.out[0]].dims)};
}

TileRule matrix_rows(const Program& p, const Instr& instr) {
  return p[instr.in[0]].dims.size() < 2 ? whole_as_one_row() : rows(p, instr);
}

TileRule index_rows(const Program& p, const Instr& instr) {
  return p[instr.in[1]].dims.empty() ? whole_as_one_row() : rows(p, instr);
}

TileRule reshaped_rows(const Program& p, const Instr& instr) {
  // A parameter is reshaped before the rows that use it, not in a segment of its own that parts them.
  const Value& from = p[instr.in[0]];
  if (from.storage == Storage::state || leading(from.dims) != leading(p[instr.out[0]].dims)) return whole_as_one_row();
  return rows(p, instr);
}

TileRule rows_unless_axis(const Program& p, const Instr& instr) {
  return std::get_if<AxisAttr>(&instr.attr)->axis == 0 ? whole_as_one_row() : rows(p, instr);
}

TileRule rows_unless_softmax_axis(const Program& p, const Instr& instr) {
  return std::get_if<SoftmaxAttr>(&instr.attr)->axis == 0 ? whole_as_one_row() : rows(p, instr);
}

TileRule reduction(const Program& p, const Instr& instr) {
  const Dims& dims = p[instr.in[0]].dims;
  return {Tiling::reduction, dims.size() < 2 ? 1 : leading(dims)};
}

TileRule fold(const Program& p, const Instr& instr) {
  const Dims &from = p[instr.in[0]].dims, &to = p[instr.out[0]].dims;
  const bool keeps_rows = !from.empty() && from.size() == to.size() && from[0] == to[0] && from[0] != 1;
  return {keeps_rows ? Tiling::rows : Tiling::reduction, leading(from)};
}

}  // namespace tiling

namespace follows {

bool any_rank(const Program& p, const Instr& instr, size_t k, const TileRule& rule) {
  const Dims& dims = p[instr.in[k]].dims;
  return is_one_row(rule) || (!dims.empty() && dims[0] == rule.rows);
}

bool rows(const Program& p, const Instr& instr, size_t k, const TileRule& rule) {
  if (is_one_row(rule)) return true;
  if (!any_rank(p, instr, k, rule)) return false;
  return rule.tiling == Tiling::reduction || p[instr.in[k]].dims.size() == p[instr.out[0]].dims.size();
}

bool index_alone(const Program& p, const Instr& instr, size_t k, const TileRule& rule) {
  return k != 0 && any_rank(p, instr, k, rule);
}

bool all_but_second(const Program& p, const Instr& instr, size_t k, const TileRule& rule) {
  return k != 1 && rows(p, instr, k, rule);
}

bool first_alone(const Program& p, const Instr& instr, size_t k, const TileRule& rule) {
  return k < 1 && rows(p, instr, k, rule);
}

bool first_two(const Program& p, const Instr& instr, size_t k, const TileRule& rule) {
  return k < 2 && rows(p, instr, k, rule);
}

bool first_axis_kept(const Program&, const Instr& instr, size_t, const TileRule& rule) {
  return is_one_row(rule) || std::get_if<PermuteAttr>(&instr.attr)->order[0] == 0;
}

}  // namespace follows

TileRule tile_rule(const Program& p, const Instr& instr) {
  const auto& rules = spec(instr.op).tiling;
  return rules->tile ? rules->tile(p, instr) : TileRule{};
}

bool follows_rows(const Program& p, const Instr& instr, size_t k) {
  const TileRule rule = tile_rule(p, instr);
  if (rule.tiling == Tiling::none) return false;
  return spec(instr.op).tiling->follows(p, instr, k, rule);
}

}  // namespace hw
