// matmul and matmul_tn on tiles: oneDNN in f32 (narrow dtypes are widened tile by tile), own loops in f64.
#include <cstring>
#include <optional>

#include "engine/backend/cpu/block_io.h"
#include "engine/backend/cpu/dnnl_gemm.h"
#include "engine/backend/cpu/widen.h"

namespace hw::cpu {
namespace {

// Row major; every element is a sum in order of k.
void gemm_f64(const GemmShape& s, int64_t n, const double* a, const double* b, double* c) {
  std::fill(c, c + n * s.m, 0.0);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < s.k; ++k) {
      const double x = a[i * s.k + k];
      for (int64_t j = 0; j < s.m; ++j) c[i * s.m + j] += x * (s.transpose_b ? b[j * s.k + k] : b[k * s.m + j]);
    }
}

// The products of full tiles and of the last one.
class TileGemms {
 public:
  TileGemms(const KernelContext& c, const GemmShape& per_row, bool rows_are_inner) : tile_rows_(c.tile_rows) {
    const auto sized = [&](int64_t rows) {
      GemmShape s = per_row;
      (rows_are_inner ? s.k : s.n) *= rows;
      return s;
    };
    if (c.rows >= c.tile_rows) full_.emplace(sized(c.tile_rows));
    if (c.tail_rows() > 0) tail_.emplace(sized(c.tail_rows()));
  }
  const DnnlGemm& of(int64_t rows) const { return rows == tile_rows_ ? *full_ : *tail_; }
  size_t scratch_bytes() const {
    return padded(std::max(full_ ? full_->scratch_bytes() : 0, tail_ ? tail_->scratch_bytes() : 0));
  }
  std::string implementation() const {
    return "oneDNN " + (full_   ? full_->implementation()
                        : tail_ ? tail_->implementation()
                                : std::string("none (empty)"));
  }

 private:
  int64_t tile_rows_;
  std::optional<DnnlGemm> full_, tail_;
};

class Matmul : public TileKernel {
 public:
  Matmul(const KernelContext& c, const GemmShape& shape)
      : gemms_(c, shape, false),
        scratch_(gemms_.scratch_bytes() + wide_bytes(c.in(0).dtype, c.tile_rows * shape.n * shape.k) +
                 wide_bytes(c.in(0).dtype, shape.k * shape.m) +
                 wide_bytes(c.in(0).dtype, c.tile_rows * shape.n * shape.m)) {
    kernel_info = {c.in(0).dtype, DType::f32, DType::f32, gemms_.implementation()};
  }
  size_t scratch_bytes() const override { return scratch_; }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::byte* scratch = tile.scratch + gemms_.scratch_bytes();
    const float* a = widened(in[0], scratch);
    const float* b = widened(in[1], scratch);
    float* c = out[0].dtype == DType::f32 ? out[0].as<float>() : reinterpret_cast<float*>(scratch);
    gemms_.of(tile.rows).run(a, b, c, tile.scratch);
    if (out[0].dtype != DType::f32)
      convert(out[0].dtype, out[0].data, DType::f32, c, static_cast<size_t>(out[0].size()));
  }

 private:
  TileGemms gemms_;
  size_t scratch_;
};

class MatmulF64 : public TileKernel {
 public:
  explicit MatmulF64(const GemmShape& shape) : shape_(shape) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    gemm_f64(shape_, tile.rows * shape_.n, in[0].as<double>(), in[1].as<double>(), out[0].as<double>());
  }

 private:
  GemmShape shape_;
};

class MatmulTn : public ReductionKernel {
 public:
  // shape.k: matrix rows in one row of the segment.
  MatmulTn(const KernelContext& c, const GemmShape& shape)
      : gemms_(c, shape, true),
        size_(shape.n * shape.m),
        scratch_(gemms_.scratch_bytes() + product_bytes() + wide_bytes(c.in(0).dtype, c.tile_rows * shape.k * shape.n) +
                 wide_bytes(c.in(0).dtype, c.tile_rows * shape.k * shape.m)) {
    kernel_info = {c.in(0).dtype, DType::f32, DType::f32, gemms_.implementation()};
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t partial_bytes() const override { return product_bytes(); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<float*>(partial);
    std::byte* scratch = tile.scratch + gemms_.scratch_bytes();
    auto* product = reinterpret_cast<float*>(scratch);
    scratch += product_bytes();
    const float* a = widened(in[0], scratch);
    const float* b = widened(in[1], scratch);
    gemms_.of(tile.rows).run(a, b, first ? sums : product, tile.scratch);
    if (first) return;
    for (int64_t i = 0; i < size_; ++i) sums[i] += product[i];
  }
  void finish(const std::byte* partials, int64_t chunks, const Operand& out) const override {
    finish_sums<float>(partials, partial_bytes(), chunks, out);
  }

 private:
  size_t product_bytes() const { return padded(static_cast<size_t>(size_) * sizeof(float)); }
  TileGemms gemms_;
  int64_t size_;
  size_t scratch_;
};

class MatmulTnF64 : public ReductionKernel {
 public:
  explicit MatmulTnF64(const GemmShape& shape) : shape_(shape) {}
  size_t partial_bytes() const override { return padded(static_cast<size_t>(shape_.n * shape_.m) * sizeof(double)); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<double*>(partial);
    if (first) std::fill(sums, sums + shape_.n * shape_.m, 0.0);
    const double *a = in[0].as<double>(), *b = in[1].as<double>();
    for (int64_t r = 0; r < tile.rows * shape_.k; ++r)
      for (int64_t i = 0; i < shape_.n; ++i)
        for (int64_t j = 0; j < shape_.m; ++j) sums[i * shape_.m + j] += a[r * shape_.n + i] * b[r * shape_.m + j];
  }
  void finish(const std::byte* partials, int64_t chunks, const Operand& out) const override {
    finish_sums<double>(partials, partial_bytes(), chunks, out);
  }

 private:
  GemmShape shape_;
};

// Matrix rows in one row of the segment: the axes between the first and the last. A vector is one matrix row.
int64_t inner_rows(const Dims& dims) {
  int64_t rows = 1;
  for (size_t d = 1; d + 1 < dims.size(); ++d) rows *= dims[d];
  return rows;
}

}  // namespace

std::unique_ptr<TileKernel> make_matmul(const KernelContext& c) {
  const Dims &a = c.in(0).dims, &out = c.out().dims;
  const GemmShape shape{inner_rows(a), a.back(), out.back(), false, c.attr<MatmulAttr>().transpose_b};
  if (c.in(0).dtype != DType::f64) return std::make_unique<Matmul>(c, shape);
  auto kernel = std::make_unique<MatmulF64>(shape);
  kernel->kernel_info = own_kernel_info(c, DType::f64);
  return kernel;
}

std::unique_ptr<ReductionKernel> make_matmul_tn(const KernelContext& c) {
  const Dims& a = c.in(0).dims;
  const GemmShape shape{a.back(), inner_rows(a), c.in(1).dims.back(), true, false};
  if (c.in(0).dtype != DType::f64) return std::make_unique<MatmulTn>(c, shape);
  auto kernel = std::make_unique<MatmulTnF64>(shape);
  kernel->kernel_info = own_kernel_info(c, DType::f64);
  return kernel;
}

}  // namespace hw::cpu
