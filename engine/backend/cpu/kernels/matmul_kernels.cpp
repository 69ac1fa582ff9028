// matmul and matmul_tn on tiles: oneDNN on f32 or bf16 factors (made tile by tile), own loops in f64.
#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/backend/cpu/kernels/factors.h"
#include "engine/backend/cpu/kernels/partial_sums.h"
#include "engine/backend/cpu/kernels/pieces.h"
#include "engine/program/product_bias.h"

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

// The products of full tiles, or pieces, and of the last one.
class TileGemms {
 public:
  // rows_are_inner: of matmul_tn; else b is the same for all tiles, and packed where a copy is not too large.
  TileGemms(const KernelContext& c, const GemmShape& per_row, bool rows_are_inner)
      : format_(factor_format(c.in(0).dtype, c.attr<MatmulAttr>().compute, multiplies_bf16())),
        tile_rows_(c.tile_rows) {
    const auto sized = [&](int64_t rows) {
      GemmShape s = per_row;
      (rows_are_inner ? s.k : s.n) *= rows;
      return s;
    };
    constexpr int64_t kMostPacked = int64_t{1} << 24;  // elements
    const bool packs = !rows_are_inner && per_row.k <= kMostPacked / std::max<int64_t>(per_row.m, 1);
    if (c.rows >= c.tile_rows) full_.emplace(sized(c.tile_rows), format_.operand, packs);
    if (c.tail_rows() > 0) tail_.emplace(sized(c.tail_rows()), format_.operand, packs, full_ ? &*full_ : nullptr);
  }
  const FactorFormat& format() const { return format_; }
  const DnnlGemm& of(int64_t rows) const { return rows == tile_rows_ ? *full_ : *tail_; }
  size_t scratch_bytes() const {
    return padded(std::max(full_ ? full_->scratch_bytes() : 0, tail_ ? tail_->scratch_bytes() : 0));
  }
  size_t packed_bytes() const { return full_ ? full_->packed_bytes() : tail_ ? tail_->packed_bytes() : 0; }
  void pack(const void* b, void* packed) const {
    if (full_)
      full_->pack(b, packed);
    else if (tail_)
      tail_->pack(b, packed);
  }
  KernelInfo info() const {
    return format_.info(full_   ? full_->implementation()
                        : tail_ ? tail_->implementation()
                                : std::string("none (empty)"));
  }

 private:
  FactorFormat format_;
  int64_t tile_rows_;
  std::optional<DnnlGemm> full_, tail_;
};

// The rows of a piece by themselves: a product of other rows would add up in another order.
KernelContext in_pieces(const KernelContext& c) {
  KernelContext pieces = c;
  pieces.tile_rows = std::clamp<int64_t>(c.rows, 1, product_rows(c.program, c.instr));
  return pieces;
}

class Matmul : public TileKernel {
 public:
  Matmul(const KernelContext& c, const GemmShape& shape)
      : gemms_(in_pieces(c), shape, false),
        shape_(shape),
        rows_(c.rows),
        piece_(in_pieces(c).tile_rows),
        tile_rows_(c.tile_rows),
        has_bias_(has_bias(c.instr)),
        scratch_(bias_bytes(has_bias_ ? shape.m : 0) + gemms_.scratch_bytes() + apart_bytes(shape.k, operand_bytes()) +
                 apart_bytes(shape.m, sizeof(float)) + factor_bytes(gemms_.format(), c.tile_rows * shape.n * shape.k) +
                 result_bytes(c.out().dtype, c.tile_rows * shape.n * shape.m)),
        factors_(factor_bytes(gemms_.format(), shape.k * shape.m)),
        packed_(gemms_.packed_bytes()) {
    kernel_info = gemms_.info();
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t own_bytes() const override { return factors_.bytes() + packed_.bytes(); }
  void take_memory() override {
    for (OwnBuffer* buffer : {&factors_, &packed_}) buffer->take();
  }
  void begin(const Operand* in) const override {
    std::byte* scratch = factors_.data();
    const void* b = factor(gemms_.format(), in[1], scratch);
    if (packed_.bytes() > 0) gemms_.pack(b, packed_.data());
  }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::byte* scratch = tile.scratch + gemms_.scratch_bytes();
    Apart apart{scratch, reinterpret_cast<float*>(scratch + apart_bytes(shape_.k, operand_bytes()))};
    scratch += apart_bytes(shape_.k, operand_bytes()) + apart_bytes(shape_.m, sizeof(float));
    const auto* a = static_cast<const std::byte*>(factor(gemms_.format(), in[0], scratch));
    const void* b = packed_.bytes() > 0 ? packed_.data() : factors_.bytes() > 0 ? factors_.data() : in[1].data;
    float* c = result_target(out[0], 0, scratch);
    const int64_t end = tile.first_row + tile.rows;
    for (int64_t row = tile.first_row; row < end;) {
      const int64_t begin = row / piece_ * piece_, piece_end = std::min(begin + piece_, rows_);
      const int64_t part_end = std::min(piece_end, end), at = (row - tile.first_row) * shape_.n;
      const DnnlGemm& gemm = gemms_.of(piece_end - begin);
      const std::byte* part = a + at * shape_.k * operand_bytes();
      if (row == begin && part_end == piece_end)
        gemm.run(part, b, c + at * shape_.m, tile.scratch);
      else
        run_part(gemm, part, b, c + at * shape_.m, (row - begin) * shape_.n, (part_end - row) * shape_.n, apart,
                 tile.scratch);
      row = part_end;
    }
    if (has_bias_) add_bias(in[2], 1, c, out[0].size(), tile.scratch + scratch_ - bias_bytes(in[2].size()));
    store_result(out[0], 0, out[0].size(), c);
  }

 private:
  struct Apart {
    std::byte* factors;
    float* results;
  };
  int64_t operand_bytes() const { return static_cast<int64_t>(size_of(gemms_.format().operand)); }
  // A whole piece, where tiles are smaller.
  size_t apart_bytes(int64_t columns, int64_t element) const {
    return tile_rows_ < piece_ ? padded(static_cast<size_t>(piece_ * shape_.n * columns * element)) : 0;
  }
  // `rows` matrix rows of a piece, from `first` on, at their places in it; the other rows' products are discarded.
  void run_part(const DnnlGemm& gemm, const std::byte* a, const void* b, float* c, int64_t first, int64_t rows,
                const Apart& apart, std::byte* scratch) const {
    const int64_t row_bytes = shape_.k * operand_bytes();
    std::memset(apart.factors, 0, static_cast<size_t>(piece_ * shape_.n * row_bytes));
    std::memcpy(apart.factors + first * row_bytes, a, static_cast<size_t>(rows * row_bytes));
    gemm.run(apart.factors, b, apart.results, scratch);
    std::memcpy(c, apart.results + first * shape_.m, static_cast<size_t>(rows * shape_.m) * sizeof(float));
  }

  TileGemms gemms_;
  GemmShape shape_;
  int64_t rows_, piece_, tile_rows_;
  bool has_bias_;
  size_t scratch_;
  OwnBuffer factors_, packed_;  // of b; written by begin alone
};

class MatmulF64 : public TileKernel {
 public:
  MatmulF64(const KernelContext& c, const GemmShape& shape)
      : shape_(shape),
        format_(factor_format(DType::f64, c.attr<MatmulAttr>().compute, false)),
        has_bias_(has_bias(c.instr)) {
    scratch_ = factor_bytes(format_, c.tile_rows * shape.n * shape.k) + factor_bytes(format_, shape.k * shape.m);
    kernel_info = format_.info(implementation_name(c.simd));
  }
  size_t scratch_bytes() const override { return scratch_; }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::byte* scratch = tile.scratch;
    const auto* a = static_cast<const double*>(factor(format_, in[0], scratch));
    const auto* b = static_cast<const double*>(factor(format_, in[1], scratch));
    gemm_f64(shape_, tile.rows * shape_.n, a, b, out[0].as<double>());
    if (has_bias_) add_bias(in[2], 1, out[0].as<double>(), out[0].size(), nullptr);
  }

 private:
  GemmShape shape_;
  FactorFormat format_;
  bool has_bias_;
  size_t scratch_;
};

class MatmulTn : public ReductionKernel {
 public:
  // shape.k: matrix rows in one row of the segment.
  MatmulTn(const KernelContext& c, const GemmShape& shape)
      : gemms_(c, shape, true),
        size_(shape.n * shape.m),
        scratch_(gemms_.scratch_bytes() + product_bytes() +
                 factor_bytes(gemms_.format(), c.tile_rows * shape.k * shape.n) +
                 factor_bytes(gemms_.format(), c.tile_rows * shape.k * shape.m)) {
    kernel_info = gemms_.info();
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t partial_bytes() const override { return product_bytes(); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<float*>(partial);
    std::byte* scratch = tile.scratch + gemms_.scratch_bytes();
    auto* product = reinterpret_cast<float*>(scratch);
    scratch += product_bytes();
    const void* a = factor(gemms_.format(), in[0], scratch);
    const void* b = factor(gemms_.format(), in[1], scratch);
    gemms_.of(tile.rows).run(a, b, first ? sums : product, tile.scratch);
    if (first) return;
    for (int64_t i = 0; i < size_; ++i) sums[i] += product[i];
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    finish_sums<float>(partials, partial_bytes(), groups, out);
  }

 private:
  size_t product_bytes() const { return padded(static_cast<size_t>(size_) * sizeof(float)); }
  TileGemms gemms_;
  int64_t size_;
  size_t scratch_;
};

class MatmulTnF64 : public ReductionKernel {
 public:
  MatmulTnF64(const KernelContext& c, const GemmShape& shape)
      : shape_(shape), format_(factor_format(DType::f64, c.attr<MatmulAttr>().compute, false)) {
    scratch_ =
        factor_bytes(format_, c.tile_rows * shape.k * shape.n) + factor_bytes(format_, c.tile_rows * shape.k * shape.m);
    kernel_info = format_.info(implementation_name(c.simd));
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t partial_bytes() const override { return padded(static_cast<size_t>(shape_.n * shape_.m) * sizeof(double)); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<double*>(partial);
    if (first) std::fill(sums, sums + shape_.n * shape_.m, 0.0);
    std::byte* scratch = tile.scratch;
    const auto* a = static_cast<const double*>(factor(format_, in[0], scratch));
    const auto* b = static_cast<const double*>(factor(format_, in[1], scratch));
    for (int64_t r = 0; r < tile.rows * shape_.k; ++r)
      for (int64_t i = 0; i < shape_.n; ++i)
        for (int64_t j = 0; j < shape_.m; ++j) sums[i * shape_.m + j] += a[r * shape_.n + i] * b[r * shape_.m + j];
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    finish_sums<double>(partials, partial_bytes(), groups, out);
  }

 private:
  GemmShape shape_;
  FactorFormat format_;
  size_t scratch_;
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
  return std::make_unique<MatmulF64>(c, shape);
}

std::unique_ptr<ReductionKernel> make_matmul_tn(const KernelContext& c) {
  const Dims& a = c.in(0).dims;
  const GemmShape shape{a.back(), inner_rows(a), c.in(1).dims.back(), true, false};
  if (c.in(0).dtype != DType::f64) return std::make_unique<MatmulTn>(c, shape);
  return std::make_unique<MatmulTnF64>(c, shape);
}

}  // namespace hw::cpu
