// gather_elements and its gradient: elements at an index along an axis. Bytes are copied as they are.
#include <cstring>
#include <limits>

#include "engine/backend/cpu/kernels/axis_split.h"
#include "engine/backend/cpu/kernels/block_io.h"

namespace hw::cpu {
namespace {

class GatherElements : public TileKernel {
 public:
  explicit GatherElements(const KernelContext& c)
      : grad_(c.instr.op == Op::gather_elements_grad),
        split_((grad_ ? c.out() : c.in(0)).dims, c.attr<AxisAttr>().axis) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    convert(c.out().dtype, nan_, DType::f64, &nan, 1);
  }
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    const Operand &index = in[1], &wide = grad_ ? out[0] : in[0], &narrow = grad_ ? in[0] : out[0];
    const size_t bytes = size_of(wide.dtype);
    if (grad_ && wide.size() > 0) std::memset(wide.data, 0, byte_count(wide.dtype, wide.size()));
    int64_t places[kBlock];
    for (int64_t first = 0; first < index.size(); first += kBlock) {
      const int64_t n = std::min(kBlock, index.size() - first);
      convert(DType::i64, places, index.dtype, index.data + static_cast<size_t>(first) * size_of(index.dtype),
              static_cast<size_t>(n));
      for (int64_t k = 0; k < n; ++k) {
        const int64_t e = first + k, outer = e / split_.inner, inner = e % split_.inner;
        std::byte* one = narrow.data + static_cast<size_t>(e) * bytes;
        if (places[k] < 0 || places[k] >= split_.length) {
          if (!grad_) std::memcpy(one, nan_, bytes);
          continue;
        }
        std::byte* many =
            wide.data + static_cast<size_t>((outer * split_.length + places[k]) * split_.inner + inner) * bytes;
        std::memcpy(grad_ ? many : one, grad_ ? one : many, bytes);
      }
    }
  }

 private:
  bool grad_;
  AxisSplit split_;
  std::byte nan_[8];  // in the output's dtype
};

}  // namespace

std::unique_ptr<TileKernel> make_gather_elements(const KernelContext& c) {
  auto kernel = std::make_unique<GatherElements>(c);
  kernel->kernel_info = own_kernel_info(c, c.out().dtype);
  return kernel;
}

}  // namespace hw::cpu
