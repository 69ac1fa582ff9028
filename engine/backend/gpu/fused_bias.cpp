#include "engine/backend/gpu/fused_bias.h"

#include <algorithm>

#include "engine/program/product_bias.h"
#include "engine/shader/body_reader.h"
#include "engine/shader/region/region_shader.h"

namespace hw::gpu {
namespace {

std::optional<FusedBias> bias_after(const Program& p, size_t i, const std::vector<int>& readers) {
  const Instr &product = p.instrs[i], &add = p.instrs[i + 1];
  const bool convolution = product.op == Op::conv2d || product.op == Op::conv2d_grad_input;
  if ((product.op != Op::matmul && !convolution) || has_bias(product) || add.op != Op::add) return std::nullopt;
  const ValueId made = product.out[0];
  if (add.in[0] != made && add.in[1] != made) return std::nullopt;
  const ValueId bias = add.in[add.in[0] == made ? 1 : 0];
  const Value &y = p[made], &b = p[bias], &sum = p[add.out[0]];
  const bool wide = y.dtype == DType::f32 || y.dtype == DType::f64;
  const size_t from_end = convolution ? 3 : 1;  // of the axis that the bias goes along
  const bool along = b.dims.size() >= from_end && element_count(b.dims) == b.dims[b.dims.size() - from_end] &&
                     b.dims[b.dims.size() - from_end] == y.dims[y.dims.size() - from_end];
  const bool same = sum.dims == y.dims && b.dtype == y.dtype && sum.dtype == y.dtype;
  if (readers[made] != 1 || !wide || !along || !same) return std::nullopt;
  return FusedBias{bias, add.out[0]};
}

}  // namespace

std::vector<std::optional<FusedBias>> fused_biases(const Program& program, std::span<const ValueId> keep) {
  std::vector<int> readers(program.values.size(), 0);
  for (const Instr& i : program.instrs)
    for (ValueId v : i.in) ++readers[v];
  for (ValueId v : keep) ++readers[v];
  for (const Port& port : program.outputs) ++readers[port.value];
  std::vector<std::optional<FusedBias>> fused(program.instrs.size());
  for (size_t i = 0; i + 1 < program.instrs.size(); ++i) fused[i] = bias_after(program, i, readers);
  return fused;
}

std::vector<Region> elementwise_regions(const Program& program, std::span<const ValueId> keep,
                                        const std::vector<std::optional<FusedBias>>& fused) {
  const auto bodies = shader::all_bodies();
  if (program.regions == Regions::never || !bodies) return {};
  return regions_of(program, keep, [&](size_t i) {
    return !(i > 0 && fused[i - 1]) && shader::fits_region(program, program.instrs[i], **bodies);
  });
}

std::vector<plan::Step> steps_of(const Program& program, const std::vector<std::optional<FusedBias>>& fused,
                                 const std::vector<Region>& regions) {
  std::vector<plan::Step> steps;
  auto region = regions.begin();
  for (size_t i = 0; i < program.instrs.size(); ++i) {
    if (i == 0 || !fused[i - 1]) steps.emplace_back();
    steps.back().instrs.push_back(i);
    if (region == regions.end() || region->last() != i) continue;
    steps.back().held = region->inputs;
    ++region;
  }
  return steps;
}

}  // namespace hw::gpu
