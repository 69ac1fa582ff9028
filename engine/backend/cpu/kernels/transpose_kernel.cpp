// transpose on tiles of output rows: bytes are copied as they are, in runs where the last axis stays last, else in
// small square blocks, so that both sides keep to a few cache lines.
#include <algorithm>
#include <cstring>

#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {
namespace {

// An axis of the output: its size, and how many input elements one step along it spans.
struct Axis {
  int64_t size, stride;
};

// The output's axes; those that lie behind one another in the input too become one. Axis 0 stays: tiles cut it.
std::vector<Axis> merged_axes(const Dims& in, const std::vector<int>& order) {
  std::vector<int64_t> strides(in.size(), 1);
  for (size_t d = in.size(); d-- > 1;) strides[d - 1] = strides[d] * in[d];
  std::vector<Axis> axes;
  for (size_t d = 0; d < order.size(); ++d) {
    const auto from = static_cast<size_t>(order[d]);
    const Axis axis{in[from], strides[from]};
    if (d > 1 && axes.back().stride == axis.stride * axis.size)
      axes.back() = {axes.back().size * axis.size, axis.stride};
    else
      axes.push_back(axis);
  }
  if (axes.empty()) axes.push_back({1, 1});
  if (axes.size() == 1) axes.push_back({1, 1});
  return axes;
}

template <class T>
class Transpose : public TileKernel {
 public:
  // by_row: the input follows the output's rows, so that its data begins at the tile's first row.
  Transpose(std::vector<Axis> axes, bool by_row) : axes_(std::move(axes)), by_row_(by_row) {
    // The axis that runs fastest in the input, if it is not the output's last: the other side of the blocks.
    for (size_t d = 0; d + 1 < axes_.size(); ++d)
      if (axes_[d].size > 1 && (axes_[d].stride < axes_[across_].stride || axes_[across_].size == 1)) across_ = d;
  }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::vector<Axis> axes = axes_;
    axes[0].size = tile.rows;
    for (const Axis& axis : axes)
      if (axis.size == 0) return;
    std::vector<int64_t> out_strides(axes.size(), 1);
    for (size_t d = axes.size(); d-- > 1;) out_strides[d - 1] = out_strides[d] * axes[d].size;
    const T* from = in[0].as<T>() + (by_row_ ? 0 : tile.first_row * axes[0].stride);
    const Axis last = axes.back();
    // Every place of the axes outside the block.
    int64_t outside = 1;
    for (size_t d = 0; d + 1 < axes.size(); ++d)
      if (d != across_) outside *= axes[d].size;
    for (int64_t o = 0; o < outside; ++o) {
      int64_t rest = o, read = 0, write = 0;
      for (size_t d = axes.size() - 1; d-- > 0;) {
        if (d == across_) continue;
        read += rest % axes[d].size * axes[d].stride;
        write += rest % axes[d].size * out_strides[d];
        rest /= axes[d].size;
      }
      copy(from + read, out[0].as<T>() + write, axes[across_], out_strides[across_], last);
    }
  }

 private:
  // out[r · out_stride + c] = in[r · rows.stride + c · columns.stride].
  static void copy(const T* in, T* out, Axis rows, int64_t out_stride, Axis columns) {
    if (columns.stride == 1) {
      for (int64_t r = 0; r < rows.size; ++r)
        std::memcpy(out + r * out_stride, in + r * rows.stride, static_cast<size_t>(columns.size) * sizeof(T));
      return;
    }
    constexpr int64_t kSide = 16;
    for (int64_t c0 = 0; c0 < columns.size; c0 += kSide)
      for (int64_t r0 = 0; r0 < rows.size; r0 += kSide) {
        const int64_t c1 = std::min(columns.size, c0 + kSide), r1 = std::min(rows.size, r0 + kSide);
        for (int64_t r = r0; r < r1; ++r)
          for (int64_t c = c0; c < c1; ++c) out[r * out_stride + c] = in[r * rows.stride + c * columns.stride];
      }
  }

  std::vector<Axis> axes_;
  bool by_row_;
  size_t across_ = 0;
};

}  // namespace

std::unique_ptr<TileKernel> make_transpose(const KernelContext& c) {
  const bool by_row = c.by_row(0);
  std::vector<Axis> axes = merged_axes(c.in(0).dims, c.attr<PermuteAttr>().order);
  std::unique_ptr<TileKernel> kernel;
  switch (size_of(c.out().dtype)) {
    case 8:
      kernel = std::make_unique<Transpose<uint64_t>>(std::move(axes), by_row);
      break;
    case 4:
      kernel = std::make_unique<Transpose<uint32_t>>(std::move(axes), by_row);
      break;
    case 2:
      kernel = std::make_unique<Transpose<uint16_t>>(std::move(axes), by_row);
      break;
    default:
      kernel = std::make_unique<Transpose<uint8_t>>(std::move(axes), by_row);
      break;
  }
  kernel->kernel_info = own_kernel_info(c, c.out().dtype);
  return kernel;
}

}  // namespace hw::cpu
