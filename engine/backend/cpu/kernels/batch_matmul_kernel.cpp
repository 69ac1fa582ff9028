// batch_matmul on tiles of the first batch axis, one product at a time: oneDNN on f32 or bf16 factors (made matrix by
// matrix); own loops in f64, and where a product is too small to be worth a call.
#include <optional>

#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/backend/cpu/kernels/factors.h"

namespace hw::cpu {
namespace {

constexpr int64_t kSmall = 4096;  // multiplications: about what a call to oneDNN costs

// Row major; every element is a sum in order of k.
template <class T>
void plain_gemm(const GemmShape& s, const T* a, const T* b, T* c) {
  std::fill(c, c + s.n * s.m, T(0));
  for (int64_t i = 0; i < s.n; ++i)
    for (int64_t k = 0; k < s.k; ++k) {
      const T x = s.transpose_a ? a[k * s.n + i] : a[i * s.k + k];
      for (int64_t j = 0; j < s.m; ++j) c[i * s.m + j] += x * (s.transpose_b ? b[j * s.k + k] : b[k * s.m + j]);
    }
}

// T: of the arithmetic.
template <class T>
class BatchMatmul : public TileKernel {
 public:
  BatchMatmul(const KernelContext& c, const GemmShape& shape, int64_t in_row) : shape_(shape), in_row_(in_row) {
    const bool large = sizeof(T) == 4 && shape.n * shape.k * shape.m > kSmall;
    format_ = factor_format(c.out().dtype, c.attr<MatmulAttr>().compute, large && multiplies_bf16());
    if (large) gemm_.emplace(shape, format_.operand);
    kernel_info = format_.info(large ? gemm_->implementation() : implementation_name(c.simd));
    scratch_ = product_bytes() + factor_bytes(format_, a_size()) + factor_bytes(format_, b_size()) +
               (sizeof(T) == 4 ? result_bytes(c.out().dtype, c_size()) : 0);
  }
  size_t scratch_bytes() const override { return scratch_; }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    for (int64_t i = 0; i < tile.rows * in_row_; ++i) {
      std::byte* scratch = tile.scratch + product_bytes();
      const void* a = factor(format_, in[0], i * a_size(), a_size(), scratch);
      const void* b = factor(format_, in[1], i * b_size(), b_size(), scratch);
      if constexpr (sizeof(T) == 8) {
        plain_gemm(shape_, static_cast<const T*>(a), static_cast<const T*>(b), out[0].as<T>() + i * c_size());
      } else {
        T* c = result_target(out[0], i * c_size(), scratch);
        if (gemm_)
          gemm_->run(a, b, c, tile.scratch);
        else
          plain_gemm(shape_, static_cast<const T*>(a), static_cast<const T*>(b), c);
        store_result(out[0], i * c_size(), c_size(), c);
      }
    }
  }

 private:
  int64_t a_size() const { return shape_.n * shape_.k; }
  int64_t b_size() const { return shape_.k * shape_.m; }
  int64_t c_size() const { return shape_.n * shape_.m; }
  size_t product_bytes() const { return gemm_ ? padded(gemm_->scratch_bytes()) : 0; }

  GemmShape shape_;
  int64_t in_row_;  // products in one row of the segment
  std::optional<DnnlGemm> gemm_;
  FactorFormat format_;
  size_t scratch_ = 0;
};

}  // namespace

std::unique_ptr<TileKernel> make_batch_matmul(const KernelContext& c) {
  const MatmulAttr& attr = c.attr<MatmulAttr>();
  const Dims &a = c.in(0).dims, &out = c.out().dims;
  const size_t rank = out.size();
  int64_t in_row = 1;
  for (size_t d = 1; d + 2 < rank; ++d) in_row *= out[d];
  const GemmShape shape{out[rank - 2], a[rank - (attr.transpose_a ? 2 : 1)], out[rank - 1], attr.transpose_a,
                        attr.transpose_b};
  if (c.out().dtype == DType::f64) return std::make_unique<BatchMatmul<double>>(c, shape, in_row);
  return std::make_unique<BatchMatmul<float>>(c, shape, in_row);
}

}  // namespace hw::cpu
