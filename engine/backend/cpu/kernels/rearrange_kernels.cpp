// Ops that move elements without computing: broadcast_to, reshape, concat, slice, pad. Bytes are copied as they are.
#include <cstring>

#include "engine/backend/cpu/kernels/axis_split.h"
#include "engine/backend/cpu/kernels/block_io.h"

namespace hw::cpu {
namespace {

class BroadcastTo : public TileKernel {
 public:
  explicit BroadcastTo(const KernelContext& c) : map_(c.in(0).dims, c.out().dims, c.by_row(0)) {}
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    if (out[0].dtype == DType::f64 || !info(out[0].dtype).is_float)  // f64 holds whole numbers up to 2^53
      copy<double>(in[0], out[0]);
    else
      copy<float>(in[0], out[0]);
  }

 private:
  template <class T>
  void copy(const Operand& in, const Operand& out) const {
    T buffer[kBlock];
    const int64_t size = out.size();
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i);
      T* target = write_target(out, i, buffer);
      const T* values = map_.read(in, i, n, target);
      if (values != target) std::copy(values, values + n, target);
      write_back(out, i, n, target);
    }
  }
  Broadcast map_;
};

class Reshape : public TileKernel {
 public:
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    if (out[0].data != in[0].data && out[0].size() > 0)
      std::memcpy(out[0].data, in[0].data, byte_count(out[0].dtype, out[0].size()));
  }
};

// Copies a run of every outer slice: elements [from, from + count) of it to [to, to + count), counts of elements.
void copy_runs(const Operand& in, const Operand& out, int64_t outer, int64_t in_slice, int64_t from, int64_t out_slice,
               int64_t to, int64_t count) {
  const auto bytes = static_cast<int64_t>(size_of(out.dtype));
  if (count < 1) return;
  for (int64_t o = 0; o < outer; ++o)
    std::memcpy(out.data + (o * out_slice + to) * bytes, in.data + (o * in_slice + from) * bytes,
                static_cast<size_t>(count * bytes));
}

class AxisCopy : public TileKernel {
 public:
  explicit AxisCopy(const KernelContext& c)
      : op_(c.instr.op),
        attr_(c.attr<AxisAttr>()),
        split_(c.out().dims, attr_.axis),
        out_axis_(c.out().dims[static_cast<size_t>(attr_.axis)]) {
    fill_ = Tensor::from_f64(c.out().dtype, {}, {{attr_.fill}});
    for (size_t k = 0; k < c.instr.in.size(); ++k) in_axis_.push_back(c.in(k).dims[static_cast<size_t>(attr_.axis)]);
  }
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    const int64_t inner = split_.inner, out_slice = out_axis_ * inner;
    const int64_t outer = (attr_.axis == 0 ? 1 : out[0].rows) * split_.outer_in_row;
    if (op_ == Op::slice) {
      copy_runs(in[0], out[0], outer, in_axis_[0] * inner, attr_.begin * inner, out_slice, 0, out_slice);
      return;
    }
    if (op_ == Op::pad) fill(out[0]);
    int64_t to = op_ == Op::pad ? attr_.begin * inner : 0;
    for (size_t k = 0; k < in_axis_.size(); ++k) {
      const int64_t slice = in_axis_[k] * inner;
      copy_runs(in[k], out[0], outer, slice, 0, out_slice, to, slice);
      to += slice;
    }
  }

 private:
  void fill(const Operand& out) const {
    const size_t size = size_of(out.dtype), bytes = byte_count(out.dtype, out.size());
    if (attr_.fill == 0 || bytes == 0) {
      if (bytes > 0) std::memset(out.data, 0, bytes);
      return;
    }
    std::memcpy(out.data, fill_.data(), size);
    for (size_t have = size; have < bytes;) {  // doubles what is filled
      const size_t more = std::min(have, bytes - have);
      std::memcpy(out.data + have, out.data, more);
      have += more;
    }
  }

  Op op_;
  AxisAttr attr_;
  Tensor fill_;  // one element
  AxisSplit split_;
  int64_t out_axis_;
  std::vector<int64_t> in_axis_;
};

}  // namespace

std::unique_ptr<TileKernel> make_rearrange(const KernelContext& c) {
  std::unique_ptr<TileKernel> kernel;
  if (c.instr.op == Op::broadcast_to)
    kernel = std::make_unique<BroadcastTo>(c);
  else if (c.instr.op == Op::reshape)
    kernel = std::make_unique<Reshape>();
  else
    kernel = std::make_unique<AxisCopy>(c);
  kernel->kernel_info = own_kernel_info(c, c.out().dtype);
  return kernel;
}

}  // namespace hw::cpu
