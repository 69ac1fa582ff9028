// gather: rows of a table, copied as they are; and its gradient, summed by threads that each own some columns, rows in
// order: the same bits at any thread count.
#include <cstring>
#include <limits>

#include "engine/backend/cpu/kernels/element.h"
#include "engine/core/parallel.h"

namespace hw::cpu {
namespace {

int64_t place(const Operand& index, int64_t at) {
  int64_t row;
  convert(DType::i64, &row, index.dtype, index.data + static_cast<size_t>(at) * size_of(index.dtype), 1);
  return row;
}

int64_t width_of(const Dims& table) {
  return element_count(Dims(table.begin() + 1, table.end()));
}

class Gather : public TileKernel {
 public:
  explicit Gather(const KernelContext& c)
      : entries_(c.in(0).dims[0]),
        width_(width_of(c.in(0).dims)),
        nan_(Tensor::from_f64(c.out().dtype, {}, {{std::numeric_limits<double>::quiet_NaN()}})) {}
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    const size_t bytes = static_cast<size_t>(width_) * size_of(out[0].dtype);
    if (bytes == 0) return;
    for (int64_t i = 0; i < in[1].size(); ++i) {
      const int64_t row = place(in[1], i);
      std::byte* const to = out[0].data + static_cast<size_t>(i) * bytes;
      if (row >= 0 && row < entries_)
        std::memcpy(to, in[0].data + static_cast<size_t>(row) * bytes, bytes);
      else
        for (size_t at = 0; at < bytes; at += nan_.bytes()) std::memcpy(to + at, nan_.data(), nan_.bytes());
    }
  }

 private:
  int64_t entries_, width_;
  Tensor nan_;  // one element
};

template <class Real>
class GatherGrad : public WholeKernel {
 public:
  explicit GatherGrad(const KernelContext& c) : entries_(c.out().dims[0]), width_(width_of(c.out().dims)) {}
  void run(const WholeRun&, const Operand* in, const Operand* out) override {
    if (out[0].size() == 0) return;
    std::memset(out[0].data, 0, static_cast<size_t>(out[0].size()) * sizeof(Real));
    parallel_for((width_ + kColumns - 1) / kColumns, [&](int64_t piece) {
      const int64_t first = piece * kColumns, last = std::min(width_, first + kColumns);
      for (int64_t i = 0; i < in[1].size(); ++i) {
        const int64_t row = place(in[1], i);
        if (row < 0 || row >= entries_) continue;
        Real* sums = out[0].as<Real>() + row * width_;
        for (int64_t k = first; k < last; ++k) sums[k] += element<Real>(in[0], i * width_ + k);
      }
    });
  }

 private:
  static constexpr int64_t kColumns = 16;  // that one thread sums at a time
  int64_t entries_, width_;
};

}  // namespace

std::unique_ptr<TileKernel> make_gather(const KernelContext& c) {
  auto kernel = std::make_unique<Gather>(c);
  kernel->kernel_info = own_kernel_info(c, c.out().dtype);
  return kernel;
}

std::unique_ptr<WholeKernel> make_gather_grad(const KernelContext& c) {
  std::unique_ptr<WholeKernel> kernel;
  if (c.out().dtype == DType::f64)
    kernel = std::make_unique<GatherGrad<double>>(c);
  else
    kernel = std::make_unique<GatherGrad<float>>(c);
  kernel->kernel_info = own_kernel_info(c, c.in(0).dtype);
  kernel->kernel_info.implementation = "cpu scalar";
  return kernel;
}

}  // namespace hw::cpu
