#include "engine/backend/cpu/kernels/conv_channels.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/backend/cpu/kernels/conv_kernels.h"
#include "engine/backend/cpu/kernels/factors.h"
#include "engine/core/parallel.h"

namespace hw::cpu {
namespace {

// Pictures that one convolution sums over in f32; their sums are added in f64.
int64_t piece_of(const ConvShape& s) {
  constexpr int64_t kMostTerms = 4096;
  const int64_t terms = s.y[2] * s.y[3];
  int64_t pictures = 1;
  while (pictures < s.x[0] && 2 * pictures * terms <= kMostTerms) pictures *= 2;
  return pictures;
}

// The convolutions of a full piece and of the last one, for one part of the channels.
class PartConvs {
 public:
  PartConvs(const KernelContext& c, ConvShape s, int64_t piece, bool bf16)
      : format_(factor_format(c.in(0).dtype, c.attr<ConvAttr>().compute, bf16)), piece_(piece) {
    const int64_t pictures = s.x[0];
    convs_.reserve(2);
    for (const int64_t rows : {pictures >= piece ? piece : 0, pictures % piece}) {
      if (rows == 0) continue;
      s.x[0] = s.y[0] = rows;
      convs_.emplace_back(DnnlConv::Kind::grad_weight, s, format_.operand, false,
                          convs_.empty() ? nullptr : &convs_.front());
      scratch_ = std::max(scratch_, convs_.back().scratch_bytes());
    }
  }
  const FactorFormat& format() const { return format_; }
  const DnnlConv& any() const { return convs_.front(); }
  const DnnlConv& of(int64_t rows) const { return rows == piece_ ? convs_.front() : convs_.back(); }
  size_t scratch_bytes() const { return scratch_; }

 private:
  FactorFormat format_;
  int64_t piece_;
  std::vector<DnnlConv> convs_;
  size_t scratch_ = 0;
};

class ConvGradWeightByChannels : public WholeKernel {
 public:
  explicit ConvGradWeightByChannels(const KernelContext& c)
      : whole_(conv_shape(c)),
        part_(part_shape(whole_, grad_weight_channels(c.program, c.instr))),
        piece_(piece_of(whole_)),
        parts_(whole_.weight[0] / part_.weight[0]) {
    convs_.reserve(2);
    for (const bool bf16 : {true, false}) {
      if (bf16 && !(multiplies_bf16() && is_right_in_bf16(c.instr.op, whole_))) continue;
      PartConvs made(c, part_, piece_, bf16);
      const bool narrow = made.format().operand == DType::bf16;
      if (bf16 && (!narrow || made.any().implementation().starts_with("oneDNN ref"))) continue;
      convs_.push_back(std::move(made));
    }
    const bool last = whole_.x_channels_last || whole_.y_channels_last;
    kernel_info = convs_.front().format().info(convs_.front().any().implementation() + ", by channels" +
                                               (last ? ", channels last" : ""));
    const int64_t rows = std::min(piece_, whole_.x[0]), g_elements = rows * element_count(part_.y) / part_.y[0];
    size_t packed = 0, factors = 0;
    for (const PartConvs& convs : convs_) {
      const FactorFormat& format = convs.format();
      at_.product = std::max(at_.product, padded(convs.scratch_bytes()));
      packed = std::max(packed, padded(convs.any().packed_bytes()));
      factors =
          std::max(factors, factor_bytes(format, rows * row_elements(whole_.x)) + factor_bytes(format, g_elements));
    }
    at_.sums = at_.product + packed;
    at_.weight = at_.sums + (piece_ < whole_.x[0] ? packed * 2 : 0);
    at_.g = at_.weight + result_bytes(c.out().dtype, element_count(part_.weight));
    at_.factors = at_.g + padded(byte_count(c.in(1).dtype, g_elements));
    at_.end = at_.factors + factors;
  }

  size_t scratch_bytes() const override { return at_.end; }

  void run(const WholeRun& run, const Operand* in, const Operand* out) override {
    std::vector<RoundingLosses> losses(out[0].losses ? static_cast<size_t>(parts_) : 0);
    std::atomic<int64_t> next{0};
    parallel_for(std::min(parts_, static_cast<int64_t>(run.scratch.size())), [&](int64_t thread) {
      const SingleThreadedDnnl single;
      for (int64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts_;) {
        if (run.step.cancelled()) return;
        Operand weight = out[0];
        if (weight.losses) weight.losses = &losses[static_cast<size_t>(part)];
        make_part(in, part, weight, run.scratch[static_cast<size_t>(thread)]);
      }
    });
    for (const RoundingLosses& part : losses) *out[0].losses += part;
  }

 private:
  static ConvShape part_shape(ConvShape s, int64_t channels) {
    s.weight[0] = s.y[1] = channels;
    return s;
  }
  static int64_t row_elements(const Dims& dims) { return element_count(dims) / dims[0]; }

  // With bf16 factors oneDNN 2.6 gives NaN in sums that hold no Inf, where there is one elsewhere in the picture: what
  // does not come out finite is computed anew, from f32.
  void make_part(const Operand* in, int64_t part, const Operand& out, std::byte* scratch) const {
    const PartConvs* convs = &convs_.front();
    if (!multiply(*convs, in, part, scratch) && convs_.size() > 1) {
      convs = &convs_.back();
      multiply(*convs, in, part, scratch);
    }
    const int64_t size = element_count(part_.weight);
    float* weight = result_target(out, part * size, scratch + at_.weight);
    convs->any().unpack(reinterpret_cast<const float*>(scratch + at_.product), weight);
    store_result(out, part * size, size, weight);
  }

  // The sums over all pictures, in oneDNN's layout; returns whether they are finite.
  bool multiply(const PartConvs& convs, const Operand* in, int64_t part, std::byte* scratch) const {
    const int64_t pictures = whole_.x[0], x_elements = row_elements(whole_.x);
    auto* product = reinterpret_cast<float*>(scratch + at_.product);
    auto* sums = reinterpret_cast<double*>(scratch + at_.sums);
    const auto count = static_cast<int64_t>(convs.any().packed_bytes() / sizeof(float));
    for (int64_t first = 0; first < pictures; first += piece_) {
      const int64_t rows = std::min(piece_, pictures - first);
      std::byte* factors = scratch + at_.factors;
      const void* x = factor(convs.format(), in[0], first * x_elements, rows * x_elements, factors);
      const void* g = factor(convs.format(), gather(in[1], part, first, rows, scratch + at_.g), factors);
      convs.of(rows).run(x, g, product, scratch);
      if (piece_ >= pictures) break;
      for (int64_t i = 0; i < count; ++i) sums[i] = (first > 0 ? sums[i] : 0.0) + static_cast<double>(product[i]);
    }
    if (piece_ < pictures)
      for (int64_t i = 0; i < count; ++i) product[i] = static_cast<float>(sums[i]);
    return are_finite(product, count);
  }

  // The channels of a part, of some pictures of g, side by side as in pictures of their own.
  Operand gather(const Operand& g, int64_t part, int64_t first, int64_t rows, std::byte* to) const {
    const int64_t pixels = whole_.y[2] * whole_.y[3], channels = part_.y[1], all = whole_.y[1];
    // Runs of one length, so far apart.
    const int64_t run = whole_.y_channels_last ? channels : channels * pixels;
    const int64_t stride = whole_.y_channels_last ? all : all * pixels;
    const int64_t runs = rows * (whole_.y_channels_last ? pixels : 1);
    const size_t element = size_of(g.dtype), bytes = static_cast<size_t>(run) * element;
    const std::byte* from = g.data + static_cast<size_t>(first * all * pixels + part * run) * element;
    for (int64_t r = 0; r < runs; ++r, from += static_cast<size_t>(stride) * element)
      std::memcpy(to + static_cast<size_t>(r) * bytes, from, bytes);
    return {g.dtype, to, rows, channels * pixels, nullptr};
  }

  ConvShape whole_, part_;
  int64_t piece_, parts_;
  std::vector<PartConvs> convs_;  // of bf16 factors if there are, then of f32
  struct {
    size_t product = 0, sums = 0, weight = 0, g = 0, factors = 0, end = 0;
  } at_;  // in a thread's scratch, behind that of oneDNN
};

}  // namespace

int64_t grad_weight_channels(const Program& program, const Instr& instr) {
  constexpr int64_t kLeastElements = int64_t{128} << 10, kMostPartElements = int64_t{304} << 10;
  const Dims& weight = program[instr.out[0]].dims;
  const int64_t size = element_count(weight), channels = weight[0];
  const Value& x = program[instr.in[0]];
  if (x.dtype == DType::f64 || x.dims[0] == 0 || std::get<ConvAttr>(instr.attr).groups != 1 || size < kLeastElements)
    return 0;
  for (const int64_t part : {64, 32, 16})
    if (channels % part == 0 && channels > part && part * (size / channels) <= kMostPartElements) return part;
  return 0;
}

std::unique_ptr<WholeKernel> make_conv_grad_weight_by_channels(const KernelContext& c) {
  return std::make_unique<ConvGradWeightByChannels>(c);
}

}  // namespace hw::cpu
