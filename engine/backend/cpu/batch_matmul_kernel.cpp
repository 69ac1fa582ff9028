// batch_matmul on tiles of the first batch axis, one product at a time: oneDNN in f32 (narrow dtypes are widened matrix
// by matrix); own loops in f64, and where a product is too small to be worth a call.
#include <optional>

#include "engine/backend/cpu/dnnl_gemm.h"
#include "engine/backend/cpu/kernel.h"
#include "engine/core/convert.h"

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
    kernel_info = own_kernel_info(c, c.out().dtype);
    if constexpr (sizeof(T) == 4) {
      if (shape.n * shape.k * shape.m > kSmall) {
        gemm_.emplace(shape);
        kernel_info.implementation = "oneDNN " + gemm_->implementation();
      }
      if (c.out().dtype != DType::f32) wide_ = {bytes(a_size()), bytes(b_size()), bytes(c_size())};
    }
  }
  size_t scratch_bytes() const override { return product_bytes() + wide_[0] + wide_[1] + wide_[2]; }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::byte* scratch = tile.scratch + product_bytes();
    for (int64_t i = 0; i < tile.rows * in_row_; ++i) {
      const T* a = read(in[0], i * a_size(), a_size(), scratch);
      const T* b = read(in[1], i * b_size(), b_size(), scratch + wide_[0]);
      const bool narrow = sizeof(T) == 4 && out[0].dtype != DType::f32;
      T* c = narrow ? reinterpret_cast<T*>(scratch + wide_[0] + wide_[1]) : out[0].as<T>() + i * c_size();
      multiply(a, b, c, tile.scratch);
      if (narrow)
        convert(out[0].dtype, out[0].data + static_cast<size_t>(i * c_size()) * size_of(out[0].dtype), DType::f32, c,
                static_cast<size_t>(c_size()));
    }
  }

 private:
  int64_t a_size() const { return shape_.n * shape_.k; }
  int64_t b_size() const { return shape_.k * shape_.m; }
  int64_t c_size() const { return shape_.n * shape_.m; }
  static size_t bytes(int64_t count) { return padded(static_cast<size_t>(count) * sizeof(float)); }
  size_t product_bytes() const { return gemm_ ? padded(gemm_->scratch_bytes()) : 0; }

  // `count` elements from `first` on: the operand's own memory, or widened into `buffer`.
  static const T* read(const Operand& x, int64_t first, int64_t count, std::byte* buffer) {
    if (sizeof(T) == 8 || x.dtype == DType::f32) return x.as<T>() + first;
    convert(DType::f32, buffer, x.dtype, x.data + static_cast<size_t>(first) * size_of(x.dtype),
            static_cast<size_t>(count));
    return reinterpret_cast<const T*>(buffer);
  }
  void multiply(const T* a, const T* b, T* c, std::byte* scratch) const {
    if constexpr (sizeof(T) == 4) {
      if (gemm_) return gemm_->run(a, b, c, scratch);
    }
    plain_gemm(shape_, a, b, c);
  }

  GemmShape shape_;
  int64_t in_row_;  // products in one row of the segment
  std::optional<DnnlGemm> gemm_;
  std::array<size_t, 3> wide_{};  // bytes of a, b, c as f32
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
