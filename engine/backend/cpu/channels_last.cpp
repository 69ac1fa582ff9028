#include "engine/backend/cpu/channels_last.h"

#include <algorithm>
#include <numeric>

#include "engine/core/sizes.h"
#include "engine/program/op_sources.h"

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

/// A convolution that oneDNN runs: its input 0 and its output are pictures in any layout, all else is row-major.
bool is_convolution(const Program& p, const Instr& instr) {
  const bool convolves = instr.op == Op::conv2d || instr.op == Op::conv2d_grad_input;
  return convolves && p[instr.in[0]].dtype != DType::f64;
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
  std::vector<int> sides(p.values.size(), 0);  // of convolutions
  for (const Instr& instr : p.instrs) {
    const bool pointwise = is_pointwise(p, instr), convolution = is_convolution(p, instr);
    for (size_t k = 0; k < instr.in.size(); ++k) {
      const ValueId v = instr.in[k];
      if (pointwise && p[v].dims == p[instr.out[0]].dims)
        groups.join(v, instr.out[0]);
      else if (!convolution || k > 0)
        fixed[v] = true;
    }
    for (const ValueId v : instr.out)
      if (!pointwise && !convolution) fixed[v] = true;
    if (!convolution) continue;
    ++sides[instr.in[0]];
    ++sides[instr.out[0]];
  }
  std::vector<bool> group_fixed(p.values.size(), false);
  std::vector<int> group_sides(p.values.size(), 0);
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const ValueId group = groups.of(v);
    group_fixed[group] = group_fixed[group] || fixed[v];
    group_sides[group] += sides[v];
  }
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const ValueId group = groups.of(v);
    last[v] = !group_fixed[group] && group_sides[group] >= 2;
  }
  return last;
}

}  // namespace hw::cpu
