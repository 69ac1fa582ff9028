// Convolution on tiles of pictures: oneDNN on f32 or bf16 factors (made tile by tile), own loops in f64.
// A tile is a fixed number of pictures and weight gradients add up in fixed pieces: no thread count changes a bit.
#include "engine/backend/cpu/kernels/conv_kernels.h"

#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/backend/cpu/kernels/conv_channels.h"
#include "engine/backend/cpu/kernels/conv_parts.h"
#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/kernels/factors.h"
#include "engine/backend/cpu/kernels/partial_sums.h"
#include "engine/core/convert.h"
#include "engine/program/product_bias.h"

namespace hw::cpu {

ConvShape conv_shape(const KernelContext& c) {
  const auto shape = [&](ValueId x, ValueId weight, ValueId y) {
    return ConvShape{c.program[x].dims,
                     c.program[weight].dims,
                     c.program[y].dims,
                     c.attr<ConvAttr>(),
                     c.channels_last[x],
                     c.channels_last[y],
                     &c.simd};
  };
  const ValueId a = c.instr.in[0], b = c.instr.in[1], out = c.instr.out[0];
  switch (c.instr.op) {
    case Op::conv2d:
      return shape(a, b, out);
    case Op::conv2d_grad_input:
      return shape(out, b, a);
    default:
      return shape(a, out, b);
  }
}

// Looks at exponents as integers, which the compiler vectorises.
bool are_finite(const float* numbers, int64_t count) {
  constexpr uint32_t kExponent = 0x7f800000;
  uint32_t others = 0;
  for (int64_t i = 0; i < count; ++i)
    others |= (std::bit_cast<uint32_t>(numbers[i]) & kExponent) == kExponent ? 1u : 0u;
  return others == 0;
}

bool is_right_in_bf16(Op op, const ConvShape& s) {
  if (op == Op::conv2d_grad_input) return s.weight[2] * s.weight[3] > 1 || s.weight[0] / s.attr.groups % 2 == 0;
  return op == Op::conv2d || (s.x[3] > 2 && s.attr.dilation[0] == 1);
}

namespace {

DnnlConv::Kind kind_of(Op op) {
  return op == Op::conv2d              ? DnnlConv::Kind::forward
         : op == Op::conv2d_grad_input ? DnnlConv::Kind::grad_input
                                       : DnnlConv::Kind::grad_weight;
}

// The convolutions of full tiles and of the last one. Both pack the weight the same way.
class TileConvs {
 public:
  /// `bf16`: factors may be bf16, where the machine multiplies them as it should.
  explicit TileConvs(const KernelContext& c, bool bf16 = true) : tile_rows_(c.tile_rows) {
    convs_.reserve(2);
    make(c, bf16 && multiplies_bf16() && is_right_in_bf16(c.instr.op, conv_shape(c)));
    if (!empty() && any().implementation().starts_with("oneDNN ref")) make(c, false);
  }
  const FactorFormat& format() const { return format_; }
  bool empty() const { return convs_.empty(); }  // no pictures
  const DnnlConv& any() const { return convs_.front(); }
  const DnnlConv& of(int64_t rows) const { return rows == tile_rows_ ? convs_.front() : convs_.back(); }
  size_t scratch_bytes() const { return scratch_; }
  size_t packed_bytes() const { return empty() ? 0 : any().packed_bytes(); }
  KernelInfo info() const {
    const std::string layout = channels_last_ ? ", channels last" : "";
    return format_.info((empty() ? "none (empty)" : any().implementation()) + layout);
  }

 private:
  void make(const KernelContext& c, bool bf16) {
    format_ = factor_format(c.in(0).dtype, c.attr<ConvAttr>().compute, bf16);
    convs_.clear();
    scratch_ = 0;
    for (int64_t pictures : {c.rows >= c.tile_rows ? c.tile_rows : 0, c.tail_rows()}) {
      if (pictures == 0) continue;
      ConvShape s = conv_shape(c);
      s.x[0] = s.y[0] = pictures;
      channels_last_ = s.x_channels_last || s.y_channels_last;
      const bool bias = c.instr.op == Op::conv2d && has_bias(c.instr);
      convs_.emplace_back(kind_of(c.instr.op), s, format_.operand, bias, convs_.empty() ? nullptr : &convs_.front());
      scratch_ = std::max(scratch_, convs_.back().scratch_bytes());
    }
  }

  int64_t tile_rows_;
  FactorFormat format_;
  std::vector<DnnlConv> convs_;
  size_t scratch_ = 0;
  bool channels_last_ = false;  // of either picture
};

int64_t per_row(const Value& v, int64_t rows) {
  return rows > 0 ? element_count(v.dims) / rows : 0;
}

int64_t tile_elements(const KernelContext& c, const Value& v) {
  return c.tile_rows * per_row(v, c.rows);
}

// Neighbours in memory that are of one channel of the result, where a bias is added to each; 0: there is none.
int64_t area_of(const KernelContext& c) {
  if (!has_bias(c.instr)) return 0;
  return c.channels_last[c.instr.out[0]] ? 1 : c.out().dims[2] * c.out().dims[3];
}

// The parts of a convolution of one picture alone.
ConvParts parts_of(const KernelContext& c, const TileConvs& whole) {
  if (c.rows != 1 || c.instr.op != Op::conv2d || whole.empty()) return {};
  return {conv_shape(c), whole.format().operand, has_bias(c.instr), whole.any()};
}

// conv2d (x, weight) and conv2d_grad_input (g, weight), and a bias.
class Conv : public TileKernel {
 public:
  explicit Conv(const KernelContext& c)
      : convs_(c),
        parts_(parts_of(c, convs_)),
        reports_(parts_.are_strips() && c.out().dtype == DType::f32 && convs_.any().computes_in_place()),
        area_(c.instr.op == Op::conv2d ? 0 : area_of(c)),
        scratch_(bias_bytes(area_ > 0 ? element_count(c.in(2).dims) : 0) + convs_.scratch_bytes() +
                 parts_.scratch_bytes() + factor_bytes(convs_.format(), tile_elements(c, c.in(0))) +
                 result_bytes(c.out().dtype, tile_elements(c, c.out()))),
        packed_(parts_.empty() ? convs_.packed_bytes() : parts_.packed_bytes()),
        weight_(factor_bytes(convs_.format(), element_count(c.in(1).dims))),
        bias_(c.instr.op == Op::conv2d && has_bias(c.instr)
                  ? static_cast<size_t>(element_count(c.in(2).dims)) * sizeof(float)
                  : 0) {
    kernel_info = convs_.info();
  }
  size_t scratch_bytes() const override { return scratch_; }
  int64_t parts() const override { return reports_ ? parts_.count() : 0; }
  size_t own_bytes() const override { return packed_.bytes() + weight_.bytes() + bias_.bytes(); }
  void take_memory() override {
    for (OwnBuffer* buffer : {&packed_, &weight_, &bias_}) buffer->take();
  }
  void begin(const Operand* in) const override {
    if (convs_.empty()) return;
    auto* scratch = weight_.data();
    const void* weight = factor(convs_.format(), in[1], scratch);
    if (parts_.empty())
      convs_.any().pack(weight, packed_.data());
    else
      parts_.pack(weight, packed_.data());
    if (bias_.bytes() > 0)
      convert(DType::f32, bias_.data(), in[2].dtype, in[2].data, static_cast<size_t>(in[2].size()));
  }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::byte* scratch = tile.scratch + convs_.scratch_bytes();
    std::byte* const parts_scratch = std::exchange(scratch, scratch + parts_.scratch_bytes());
    const void* a = factor(convs_.format(), in[0], scratch);
    float* y = result_target(out[0], 0, scratch);
    const auto* bias = reinterpret_cast<const float*>(bias_.data());
    const DnnlConv& conv = convs_.of(tile.rows);
    if (parts_.empty()) {
      conv.run(a, packed_.data(), y, tile.scratch, bias);
    } else {
      float* native = conv.native_out(y, tile.scratch);
      parts_.run(conv.enter(a, tile.scratch), packed_.data(), native, bias, parts_scratch, tile.made);
      conv.leave(native, y);
    }
    if (area_ > 0) add_bias(in[2], area_, y, out[0].size(), tile.scratch + scratch_ - bias_bytes(in[2].size()));
    store_result(out[0], 0, out[0].size(), y);
  }

 private:
  TileConvs convs_;
  ConvParts parts_;
  bool reports_;  // parts_ make the result where it is to be
  int64_t area_;  // of a bias that oneDNN does not add: see area_of
  size_t scratch_;
  OwnBuffer packed_, weight_, bias_;  // written by begin alone
};

// Partial sums stay in oneDNN's layout until the end. With bf16 factors oneDNN 2.6 gives NaN in sums that hold no Inf,
// where there is one elsewhere in the picture: pieces that do not come out finite are computed anew, from f32.
class ConvGradWeight : public ReductionKernel {
 public:
  explicit ConvGradWeight(const KernelContext& c)
      : convs_(c, false),
        narrow_(in_bf16(c, convs_)),
        size_(static_cast<int64_t>(convs_.packed_bytes() / sizeof(float))),
        scratch_(std::max(narrow_ ? scratch_of(c, *narrow_) : 0, scratch_of(c, convs_)) + partial_bytes()),
        sums_(convs_.packed_bytes()),
        weight_(result_bytes(c.out().dtype, element_count(c.out().dims))) {
    kernel_info = narrow_ ? narrow_->info() : convs_.info();
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t own_bytes() const override { return sums_.bytes() + weight_.bytes(); }
  void take_memory() override {
    for (OwnBuffer* buffer : {&sums_, &weight_}) buffer->take();
  }
  size_t partial_bytes() const override { return padded(convs_.packed_bytes()); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<float*>(partial);
    auto* product = first ? sums : reinterpret_cast<float*>(tile.scratch);
    std::byte* const scratch = tile.scratch + partial_bytes();
    if (narrow_) multiply(*narrow_, tile.rows, in, product, scratch);
    if (!narrow_ || !are_finite(product, size_)) multiply(convs_, tile.rows, in, product, scratch);
    if (first) return;
    for (int64_t i = 0; i < size_; ++i) sums[i] += product[i];
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    if (convs_.empty()) return finish_sums<float>(partials, 0, 0, out);
    const auto* packed = reinterpret_cast<const float*>(partials);
    if (groups != 1) {
      auto* sums = reinterpret_cast<float*>(sums_.data());
      each_sum<float>(partials, partial_bytes(), groups, size_, false,
                      [&](int64_t first, int64_t count, const double* sum) {
                        for (int64_t i = 0; i < count; ++i) sums[first + i] = static_cast<float>(sum[i]);
                      });
      packed = sums;
    }
    if (out.dtype == DType::f32) return convs_.any().unpack(packed, out.as<float>());
    auto* weight = reinterpret_cast<float*>(weight_.data());
    convs_.any().unpack(packed, weight);
    store(out, 0, out.size(), DType::f32, weight);
  }

 private:
  /// None where the factors are no bf16, or oneDNN lays out the gradient otherwise for them.
  static std::optional<TileConvs> in_bf16(const KernelContext& c, const TileConvs& wide) {
    const bool has = multiplies_bf16() && !wide.empty() &&
                     factor_format(c.in(0).dtype, c.attr<ConvAttr>().compute, true).operand == DType::bf16;
    if (!has) return std::nullopt;
    TileConvs narrow(c);
    if (narrow.format().operand != DType::bf16 || !narrow.any().packs_as(wide.any())) return std::nullopt;
    return narrow;
  }
  static size_t scratch_of(const KernelContext& c, const TileConvs& convs) {
    return convs.scratch_bytes() + factor_bytes(convs.format(), tile_elements(c, c.in(0))) +
           factor_bytes(convs.format(), tile_elements(c, c.in(1)));
  }
  static void multiply(const TileConvs& convs, int64_t rows, const Operand* in, float* product, std::byte* scratch) {
    std::byte* factors = scratch + convs.scratch_bytes();
    const void* x = factor(convs.format(), in[0], factors);
    const void* g = factor(convs.format(), in[1], factors);
    convs.of(rows).run(x, g, product, scratch);
  }

  TileConvs convs_;
  std::optional<TileConvs> narrow_;  // of bf16 factors
  int64_t size_;
  size_t scratch_;
  OwnBuffer sums_, weight_;  // written by finish alone
};

// ---- f64: one tap of the kernel along one row of the picture at a time

// The outputs [begin, end) along one axis whose tap `k` falls inside the picture.
struct Span {
  int64_t begin, end, first;  // first: where the tap of `begin` falls
};
Span inside(const ConvShape& s, size_t axis, int64_t k) {
  const int64_t stride = s.attr.stride[axis], at = k * s.attr.dilation[axis] - s.attr.pad_begin[axis];
  const int64_t size = s.x[axis + 2], count = s.y[axis + 2];
  const int64_t begin = at >= 0 ? 0 : (-at + stride - 1) / stride;
  const int64_t end = size - at <= 0 ? 0 : std::min(count, (size - at - 1) / stride + 1);
  return {begin, end, begin * stride + at};
}

// f(elements of x, weight, elements of y, how many) for every run; x elements are `stride` apart.
template <class F>
void each_run(const ConvShape& s, int64_t pictures, F f) {
  const int64_t group_in = s.weight[1], group_out = s.weight[0] / s.attr.groups;
  for (int64_t n = 0; n < pictures; ++n)
    for (int64_t o = 0; o < s.weight[0]; ++o)
      for (int64_t c = 0; c < group_in; ++c)
        for (int64_t p = 0; p < s.weight[2]; ++p)
          for (int64_t q = 0; q < s.weight[3]; ++q) {
            const Span rows = inside(s, 0, p), columns = inside(s, 1, q);
            const int64_t channel = n * s.x[1] + o / group_out * group_in + c;
            for (int64_t i = rows.begin; i < rows.end; ++i) {
              const int64_t row = rows.first + (i - rows.begin) * s.attr.stride[0];
              f((channel * s.x[2] + row) * s.x[3] + columns.first,
                ((o * group_in + c) * s.weight[2] + p) * s.weight[3] + q,
                ((n * s.y[1] + o) * s.y[2] + i) * s.y[3] + columns.begin, columns.end - columns.begin);
            }
          }
}

FactorFormat f64_factors(const KernelContext& c) {
  return factor_format(DType::f64, c.attr<ConvAttr>().compute, false);
}

class ConvF64 : public TileKernel {
 public:
  explicit ConvF64(const KernelContext& c)
      : shape_(conv_shape(c)), format_(f64_factors(c)), forward_(c.instr.op == Op::conv2d), area_(area_of(c)) {
    scratch_ = factor_bytes(format_, tile_elements(c, c.in(0))) + factor_bytes(format_, element_count(c.in(1).dims));
    kernel_info = format_.info(implementation_name(c.simd));
  }
  size_t scratch_bytes() const override { return scratch_; }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::byte* scratch = tile.scratch;
    const auto* a = static_cast<const double*>(factor(format_, in[0], scratch));
    const auto* w = static_cast<const double*>(factor(format_, in[1], scratch));
    auto* result = out[0].as<double>();
    const int64_t stride = shape_.attr.stride[1];
    std::fill(result, result + out[0].size(), 0.0);
    if (forward_)
      each_run(shape_, tile.rows, [&](int64_t x, int64_t k, int64_t y, int64_t count) {
        for (int64_t j = 0; j < count; ++j) result[y + j] += a[x + j * stride] * w[k];
      });
    else
      each_run(shape_, tile.rows, [&](int64_t x, int64_t k, int64_t y, int64_t count) {
        for (int64_t j = 0; j < count; ++j) result[x + j * stride] += a[y + j] * w[k];
      });
    if (area_ > 0) add_bias(in[2], area_, result, out[0].size(), nullptr);
  }

 private:
  ConvShape shape_;
  FactorFormat format_;
  bool forward_;
  int64_t area_;
  size_t scratch_;
};

class ConvGradWeightF64 : public ReductionKernel {
 public:
  explicit ConvGradWeightF64(const KernelContext& c)
      : shape_(conv_shape(c)), format_(f64_factors(c)), size_(element_count(c.out().dims)) {
    scratch_ = factor_bytes(format_, tile_elements(c, c.in(0))) + factor_bytes(format_, tile_elements(c, c.in(1)));
    kernel_info = format_.info(implementation_name(c.simd));
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t partial_bytes() const override { return padded(static_cast<size_t>(size_) * sizeof(double)); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<double*>(partial);
    if (first) std::fill(sums, sums + size_, 0.0);
    std::byte* scratch = tile.scratch;
    const auto* a = static_cast<const double*>(factor(format_, in[0], scratch));
    const auto* g = static_cast<const double*>(factor(format_, in[1], scratch));
    const int64_t stride = shape_.attr.stride[1];
    each_run(shape_, tile.rows, [&](int64_t x, int64_t k, int64_t y, int64_t count) {
      for (int64_t j = 0; j < count; ++j) sums[k] += a[x + j * stride] * g[y + j];
    });
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    finish_sums<double>(partials, partial_bytes(), groups, out);
  }

 private:
  ConvShape shape_;
  FactorFormat format_;
  int64_t size_;
  size_t scratch_;
};

template <class Interface, class F32, class F64>
std::unique_ptr<Interface> made(const KernelContext& c) {
  if (c.in(0).dtype != DType::f64) return std::make_unique<F32>(c);
  return std::make_unique<F64>(c);
}

}  // namespace

std::unique_ptr<TileKernel> make_conv(const KernelContext& c) {
  return made<TileKernel, Conv, ConvF64>(c);
}
Result<Kernel> make_conv_grad_weight(const KernelContext& c) {
  Kernel kernel;
  if (cpu_tile_rule(c.program, c.instr).tiling == Tiling::none)
    kernel.whole = make_conv_grad_weight_by_channels(c);
  else
    kernel.reduction = made<ReductionKernel, ConvGradWeight, ConvGradWeightF64>(c);
  return kernel;
}

}  // namespace hw::cpu
