#include "engine/backend/cpu/kernels/row_major.h"

#include <algorithm>

#include "engine/backend/cpu/simd/transposed.h"
#include "engine/core/sizes.h"
#include "engine/program/op_sources.h"

namespace hw::cpu {
namespace {

/// Operands of an instruction that are channels last, and a row-major copy of each in scratch.
class Reordered {
 public:
  Reordered(const KernelContext& c, std::span<const ValueId> values, size_t& scratch) : simd_(c.simd) {
    for (size_t k = 0; k < values.size(); ++k) {
      if (!c.channels_last[values[k]]) continue;
      const Value& v = c.program[values[k]];
      const int64_t pixels = v.dims[2] * v.dims[3];
      sides_.push_back({k, v.dims[1], pixels, size_of(v.dtype), scratch});
      scratch += padded(byte_count(v.dtype, c.tile_rows * v.dims[1] * pixels));
    }
  }
  bool empty() const { return sides_.empty(); }
  /// The operands with row-major copies where they are channels last; `read`: filled.
  std::vector<Operand> copies(const Operand* operands, size_t count, std::byte* scratch, bool read) const {
    std::vector<Operand> all(operands, operands + count);
    for (const Side& s : sides_) {
      Operand& o = all[s.operand];
      const std::byte* from = o.data;
      o.data = scratch + s.offset;
      for (int64_t r = 0; read && r < o.rows; ++r)
        transpose(simd_, s.element, from + r * s.bytes(), o.data + r * s.bytes(), s.pixels, s.channels);
    }
    return all;
  }
  void write(const std::vector<Operand>& copies, const Operand* operands) const {
    for (const Side& s : sides_)
      for (int64_t r = 0; r < operands[s.operand].rows; ++r)
        transpose(simd_, s.element, copies[s.operand].data + r * s.bytes(), operands[s.operand].data + r * s.bytes(),
                  s.channels, s.pixels);
  }

 private:
  struct Side {
    size_t operand;
    int64_t channels, pixels;
    size_t element, offset;
    int64_t bytes() const { return channels * pixels * static_cast<int64_t>(element); }
  };
  const SimdTable& simd_;
  std::vector<Side> sides_;
};

class RowMajorTile : public TileKernel {
 public:
  RowMajorTile(std::unique_ptr<TileKernel> kernel, const KernelContext& c)
      : kernel_(std::move(kernel)),
        scratch_(padded(kernel_->scratch_bytes())),
        ins_(c.instr.in.size()),
        outs_(c.instr.out.size()),
        in_(c, c.instr.in, scratch_),
        out_(c, c.instr.out, scratch_) {
    kernel_info = kernel_->kernel_info;
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t own_bytes() const override { return kernel_->own_bytes(); }
  void take_memory() override { kernel_->take_memory(); }
  bool begins_each_run() const override { return kernel_->begins_each_run(); }
  void begin(const Operand* in) const override { kernel_->begin(in); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const std::vector<Operand> from = in_.copies(in, ins_, tile.scratch, true);
    const std::vector<Operand> to = out_.copies(out, outs_, tile.scratch, false);
    kernel_->run(tile, from.data(), to.data());
    out_.write(to, out);
  }

 private:
  std::unique_ptr<TileKernel> kernel_;
  size_t scratch_, ins_, outs_;
  Reordered in_, out_;
};

class RowMajorReduction : public ReductionKernel {
 public:
  RowMajorReduction(std::unique_ptr<ReductionKernel> kernel, const KernelContext& c)
      : kernel_(std::move(kernel)),
        scratch_(padded(kernel_->scratch_bytes())),
        ins_(c.instr.in.size()),
        in_(c, c.instr.in, scratch_) {
    kernel_info = kernel_->kernel_info;
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t own_bytes() const override { return kernel_->own_bytes(); }
  void take_memory() override { kernel_->take_memory(); }
  size_t partial_bytes() const override { return kernel_->partial_bytes(); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    kernel_->run(tile, in_.copies(in, ins_, tile.scratch, true).data(), partial, first);
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    kernel_->finish(partials, groups, out);
  }

 private:
  std::unique_ptr<ReductionKernel> kernel_;
  size_t scratch_, ins_;
  Reordered in_;
};

}  // namespace

bool takes_channels_last(const Program& program, const Instr& instr) {
  switch (instr.op) {
    case Op::conv2d:
    case Op::conv2d_grad_input:
    case Op::conv2d_grad_weight:
      return program[instr.in[0]].dtype != DType::f64;  // what oneDNN runs
    case Op::max_pool:
    case Op::max_pool_grad:
    case Op::avg_pool:
    case Op::avg_pool_grad:
    case Op::channel_moments:
    case Op::batch_norm:
    case Op::batch_norm_grad_sums:
    case Op::batch_norm_grad_input:
      return true;
    default:
      return is_pointwise(program, instr);
  }
}

Kernel as_row_major(Kernel kernel, const KernelContext& c) {
  if (takes_channels_last(c.program, c.instr)) return kernel;
  const auto is_last = [&](ValueId v) { return c.channels_last[v]; };
  if (std::ranges::none_of(c.instr.in, is_last) && std::ranges::none_of(c.instr.out, is_last)) return kernel;
  if (kernel.tile) kernel.tile = std::make_unique<RowMajorTile>(std::move(kernel.tile), c);
  if (kernel.reduction) kernel.reduction = std::make_unique<RowMajorReduction>(std::move(kernel.reduction), c);
  return kernel;
}

}  // namespace hw::cpu
