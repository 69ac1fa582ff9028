#include "engine/passes/fold_batch_norm.h"

#include <cassert>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/program/builder.h"
#include "engine/program/product_bias.h"

namespace hw::passes {
namespace {

/// By value: the instruction that makes it, and how many read it.
struct Uses {
  std::unordered_map<ValueId, size_t> maker;
  std::unordered_map<ValueId, size_t> readers;

  Uses(const Program& p, std::span<const ValueId> keep) {
    for (size_t i = 0; i < p.instrs.size(); ++i) {
      for (const ValueId v : p.instrs[i].out) maker[v] = i;
      for (const ValueId v : p.instrs[i].in) ++readers[v];
    }
    for (const Port& output : p.outputs) ++readers[output.value];
    for (const ValueId v : keep) ++readers[v];
  }
};

bool is_fixed(const Instr& instr) {
  return instr.op == Op::batch_norm && !instr.backward && !std::get<BatchNormAttr>(instr.attr).batch;
}

std::string_view device_of(const Program& p, const Instr& instr, const PassTarget& target) {
  const bool pinned = instr.node < p.devices.size() && !p.devices[instr.node].empty();
  return pinned ? std::string_view(p.devices[instr.node]) : target.device;
}

/// The axis of the output channels of a convolution's weight.
size_t channel_axis(const Instr& conv) {
  return conv.op == Op::conv2d ? 0 : 1;
}

/// The convolution that a batch norm folds into.
std::optional<size_t> convolution_of(const Program& p, const Uses& uses, const Instr& norm, const PassTarget& target) {
  const auto maker = uses.maker.find(norm.in[0]);
  if (maker == uses.maker.end() || uses.readers.at(norm.in[0]) > 1) return {};
  const Instr& conv = p.instrs[maker->second];
  if (conv.backward || (conv.op != Op::conv2d && conv.op != Op::conv2d_grad_input)) return {};
  const auto& attr = std::get<ConvAttr>(conv.attr);
  if (attr.compute || (conv.op == Op::conv2d_grad_input && attr.groups > 1)) return {};
  const std::string_view device = device_of(p, norm, target);
  if (device == "ref" || device_of(p, conv, target) != device) return {};
  const DType dtype = p[conv.in[1]].dtype;
  if ((dtype != DType::f32 && dtype != DType::f64) || p[norm.in[1]].dtype != dtype) return {};
  // The cpu keeps the product until a weight is written. Elsewhere multiplying the weights, which is done at each run,
  // must cost less than the norm.
  if (device != "cpu" && element_count(p[conv.in[1]].dims) >= element_count(p[norm.out[0]].dims)) return {};
  return maker->second;
}

/// Appends to `p`, which `b` builds, the convolution with the norm in it, which makes what the norm made. The
/// arithmetic on channels has one row: with as many rows as there are pictures it would cut the tiles of the
/// convolutions around it.
void append_folded(Program& p, OpBuilder& b, const Instr& conv, const Instr& norm) {
  b.set_node(p.nodes[conv.node]);
  const Val moments{norm.in[1]}, weight{conv.in[1]};
  const Dims dims = b[weight].dims;
  const size_t axis = channel_axis(conv);
  const int64_t channels = dims[axis];
  Dims one_row = dims, along(dims.size() + 1, 1);
  one_row.insert(one_row.begin(), 1);
  along[axis + 1] = channels;
  const auto row = [&](ValueId v) { return b.reshape(Val{v}, {1, channels}); };
  const Val mean = b.slice(moments, 0, 0, 1), variance = b.slice(moments, 0, 1, 2);
  const double epsilon = std::get<BatchNormAttr>(norm.attr).epsilon;
  const Val added = b.constant(Tensor::from_f64(b[moments].dtype, {}, {{epsilon}}));
  const Val factor = b.div(row(norm.in[2]), b.unary(UnaryFn::sqrt, b.add(variance, added)));
  const Val weights = b.reshape(b.mul(b.reshape(weight, one_row), b.reshape(factor, along)), dims);
  const Val centred = has_bias(conv) ? b.sub(row(conv.in[2]), mean) : b.scale(mean, -1);
  const Val bias = b.reshape(b.add(b.mul(centred, factor), row(norm.in[3])), {channels});
  const Val y = product_with_bias(b, conv.op, Val{conv.in[0]}, weights, bias, conv.attr);
  assert(b.status() && y.id + 1 == p.values.size() && b[y].dims == p[norm.out[0]].dims);
  (void)y;
  p.values.pop_back();
  p.instrs.back().out[0] = norm.out[0];
  p.values[conv.out[0]].dims = {0};  // no instruction writes it any more
}

}  // namespace

void fold_batch_norm(Program& program, const PassTarget& target, std::vector<PassNote>& notes) {
  const Uses uses(program, target.keep);
  std::unordered_map<size_t, size_t> folded;  // norm → convolution, both by instruction
  std::vector<bool> gone(program.instrs.size(), false);
  for (size_t i = 0; i < program.instrs.size(); ++i) {
    if (!is_fixed(program.instrs[i])) continue;
    const auto conv = convolution_of(program, uses, program.instrs[i], target);
    if (!conv) continue;
    folded[i] = *conv;
    gone[*conv] = true;
    notes.push_back(
        {"fold_batch_norm", program.nodes[program.instrs[i].node], program.nodes[program.instrs[*conv].node]});
  }
  if (folded.empty()) return;
  const std::vector<Instr> before = std::exchange(program.instrs, {});
  OpBuilder b(program);
  for (size_t i = 0; i < before.size(); ++i) {
    if (const auto found = folded.find(i); found != folded.end())
      append_folded(program, b, before[found->second], before[i]);
    else if (!gone[i])
      program.instrs.push_back(before[i]);
  }
}

}  // namespace hw::passes
