#include "engine/passes/fold_batch_norm.h"

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

std::string_view device_of(const Program& p, const Instr& instr) {
  return instr.node < p.devices.size() ? std::string_view(p.devices[instr.node]) : std::string_view();
}

/// The convolution that a batch norm folds into.
std::optional<size_t> convolution_of(const Program& p, const Uses& uses, const Instr& norm) {
  const auto maker = uses.maker.find(norm.in[0]);
  if (maker == uses.maker.end() || uses.readers.at(norm.in[0]) > 1) return {};
  const Instr& conv = p.instrs[maker->second];
  if (conv.backward || (conv.op != Op::conv2d && conv.op != Op::conv2d_grad_input)) return {};
  const auto& attr = std::get<ConvAttr>(conv.attr);
  if (attr.compute || (conv.op == Op::conv2d_grad_input && attr.groups > 1)) return {};
  if (device_of(p, conv) != device_of(p, norm)) return {};
  const DType dtype = p[conv.in[1]].dtype;
  if ((dtype != DType::f32 && dtype != DType::f64) || p[norm.in[1]].dtype != dtype) return {};
  return maker->second;
}

/// Appends the convolution with the norm in it, which makes what the norm made.
void append_folded(Program& p, const Instr& conv, const Instr& norm) {
  OpBuilder b(p);
  b.set_node(p.nodes[conv.node]);
  const Val moments{norm.in[1]}, scale{norm.in[2]}, shift{norm.in[3]}, weight{conv.in[1]};
  const Dims dims = b[weight].dims;  // output channels are the first axis, of a transposed convolution the second
  const size_t axis = conv.op == Op::conv2d ? 0 : 1;
  const int64_t channels = dims[axis];
  Dims along(dims.size(), 1);
  along[axis] = channels;
  const auto row = [&](int64_t i) { return b.reshape(b.slice(moments, 0, i, i + 1), {channels}); };
  const Val epsilon =
      b.constant(Tensor::from_f64(b[moments].dtype, {}, {{std::get<BatchNormAttr>(norm.attr).epsilon}}), "");
  const Val deviation = b.unary(UnaryFn::sqrt, b.add(row(1), b.broadcast_to(epsilon, {channels})));
  const Val factor = b.div(scale, deviation);
  const Val weights = b.mul(weight, b.broadcast_to(b.reshape(factor, along), dims));
  Val before = b.scale(row(0), -1);
  if (has_bias(conv)) before = b.add(Val{conv.in[2]}, before);
  const Val bias = b.add(b.mul(before, factor), shift);
  product_with_bias(b, conv.op, Val{conv.in[0]}, weights, bias, conv.attr);
  p.instrs.back().out[0] = norm.out[0];
}

}  // namespace

void fold_batch_norm(Program& program, std::span<const ValueId> keep, std::vector<PassNote>& notes) {
  const Uses uses(program, keep);
  std::unordered_map<size_t, size_t> folded;  // norm → convolution, both by instruction
  std::vector<bool> gone(program.instrs.size(), false);
  for (size_t i = 0; i < program.instrs.size(); ++i) {
    if (!is_fixed(program.instrs[i])) continue;
    const auto conv = convolution_of(program, uses, program.instrs[i]);
    if (!conv) continue;
    folded[i] = *conv;
    gone[*conv] = true;
    notes.push_back(
        {"fold_batch_norm", program.nodes[program.instrs[i].node], program.nodes[program.instrs[*conv].node]});
  }
  if (folded.empty()) return;
  const std::vector<Instr> before = std::exchange(program.instrs, {});
  for (size_t i = 0; i < before.size(); ++i) {
    if (const auto found = folded.find(i); found != folded.end())
      append_folded(program, before[found->second], before[i]);
    else if (!gone[i])
      program.instrs.push_back(before[i]);
  }
}

}  // namespace hw::passes
