#include "engine/backend/cpu/runtime/channels_last.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/backend/cpu/kernels/row_major.h"
#include "engine/core/sizes.h"
#include "engine/program/op_sources.h"
#include "engine/program/tiling.h"

namespace hw::cpu {
namespace {

/// Values that can only change their layout together.
class Groups {
 public:
  explicit Groups(size_t values) : parent_(values) { std::iota(parent_.begin(), parent_.end(), ValueId{0}); }
  ValueId of(ValueId v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(ValueId a, ValueId b) { parent_[of(a)] = of(b); }

 private:
  std::vector<ValueId> parent_;
};

bool is_convolution(Op op) {
  return op == Op::conv2d || op == Op::conv2d_grad_input || op == Op::conv2d_grad_weight;
}

/// How many inputs of `instr` may be pictures in any layout: a convolution's weight is none.
size_t pictures(const Instr& instr) {
  return instr.op == Op::conv2d || instr.op == Op::conv2d_grad_input ? 1 : instr.in.size();
}

}  // namespace

std::vector<bool> channels_last(const Program& p, std::span<const ValueId> keep) {
  std::vector<bool> last(p.values.size(), false);
  if (!p.any_layout) return last;
  std::vector<bool> fixed(p.values.size(), false);  // by value
  for (ValueId v = 0; v < p.values.size(); ++v) fixed[v] = p[v].storage != Storage::temp || p[v].dims.size() != 4;
  for (const ValueId v : keep) fixed[v] = true;
  for (const Port& port : p.outputs) fixed[port.value] = true;
  Groups groups(p.values.size());
  // By value, how often it is reordered: by convolutions and pools where it is row-major, by others where it is not.
  std::vector<int> gains(p.values.size(), 0), costs(p.values.size(), 0);
  const auto is_picture = [&](ValueId v) { return p[v].dims.size() == 4; };
  for (const Instr& instr : p.instrs) {
    const bool takes = takes_channels_last(p, instr);
    const TileRule rule = tile_rule(p, instr);
    const bool convolution = is_convolution(instr.op), pointwise = is_pointwise(p, instr);
    std::optional<ValueId> alike;  // all pictures of an op that is no convolution have one layout
    const auto meet = [&](ValueId v, bool follows) {
      if (!is_picture(v)) return;
      // A tile of what as_row_major reorders is a number of pictures, and not of other rows.
      if (!follows || (!takes && p[v].dims[0] != rule.rows)) {
        fixed[v] = true;
      } else if (!takes) {
        ++costs[v];
      } else {
        gains[v] += pointwise ? 0 : 1;
        if (!convolution && alike) groups.join(v, *alike);
        alike = v;
      }
    };
    for (size_t k = 0; k < instr.in.size(); ++k) {
      const ValueId v = instr.in[k];
      const bool spread = pointwise && p[v].dims != p[instr.out[0]].dims;  // one number
      meet(v, rule.tiling != Tiling::none && follows_rows(p, instr, k) && k < pictures(instr) && !spread);
    }
    for (const ValueId v : instr.out) meet(v, rule.tiling == Tiling::rows);  // those of reductions are made at once
  }
  std::vector<bool> group_fixed(p.values.size(), false);
  std::vector<int> group_gains(p.values.size(), 0), group_costs(p.values.size(), 0);
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const ValueId group = groups.of(v);
    group_fixed[group] = group_fixed[group] || fixed[v];
    group_gains[group] += gains[v];
    group_costs[group] += costs[v];
  }
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const ValueId group = groups.of(v);
    last[v] = !group_fixed[group] && group_gains[group] >= 2 && group_gains[group] > group_costs[group];
  }
  return last;
}

}  // namespace hw::cpu
