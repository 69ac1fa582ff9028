#include "engine/backend/cpu/conv_channels.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <vector>

#include "engine/backend/cpu/conv_kernels.h"
#include "engine/backend/cpu/dnnl_gemm.h"
#include "engine/backend/cpu/factors.h"
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
        parts_(whole_.weight[0] / part_.weight[0]),
        threads_(std::min<int64_t>(parts_, thread_count())) {
    convs_.reserve(2);
    for (const bool bf16 : {true, false}) {
      if (bf16 && !(multiplies_bf16() && is_right_in_bf16(c.instr.op, whole_))) continue;
      PartConvs made(c, part_, piece_, bf16);
      const bool narrow = made.format().operand == DType::bf16;
      if (bf16 && (!narrow || made.any().implementation().starts_with("ref"))) continue;
      convs_.push_back(std::move(made));
    }
    const bool last = whole_.x_channels_last || whole_.y_channels_last;
    kernel_info = convs_.front().format().info("oneDNN " + convs_.front().any().implementation() + ", by channels" +
                                               (last ? ", channels last" : ""));
    size_t x = 0, g = 0;
    for (const PartConvs& convs : convs_) {
      x = std::max(x, factor_bytes(convs.format(), element_count(whole_.x)));
      g = std::max(g, factor_bytes(convs.format(), element_count(whole_.y)));
      at_.product = std::max(at_.product, padded(convs.scratch_bytes()));
      packed_ = std::max(packed_, convs.any().packed_bytes());
    }
    size_ = element_count(part_.weight);
    at_.sums = at_.product + padded(packed_);
    at_.weight = at_.sums + (piece_ < whole_.x[0] ? padded(packed_ * 2) : 0);
    at_.g = at_.weight + padded(static_cast<size_t>(size_) * sizeof(float));
    at_.end = at_.g + padded(static_cast<size_t>(piece_ * element_count(part_.y) / part_.y[0]) * sizeof(float));
    x_ = OwnBuffer(x);
    g_ = OwnBuffer(g);
    scratch_ = OwnBuffer(at_.end * static_cast<size_t>(threads_));
  }

  size_t own_bytes() const override { return x_.bytes() + g_.bytes() + scratch_.bytes(); }
  void take_memory() override {
    for (OwnBuffer* buffer : {&x_, &g_, &scratch_}) buffer->take();
  }

  // With bf16 factors oneDNN 2.6 gives NaN in sums that hold no Inf, where there is one elsewhere in the picture: parts
  // that do not come out finite are computed anew, from f32.
  void run(const StepInputs&, const Operand* in, const Operand* out) override {
    std::vector<int64_t> parts(static_cast<size_t>(parts_));
    std::iota(parts.begin(), parts.end(), 0);
    for (const PartConvs& convs : convs_) {
      parts = multiply(convs, in, out[0], parts);
      if (parts.empty()) return;
    }
  }

 private:
  static ConvShape part_shape(ConvShape s, int64_t channels) {
    s.weight[0] = s.y[1] = channels;
    return s;
  }

  // The pictures as factors: their own memory, or made in the buffer.
  static const std::byte* pictures(const FactorFormat& f, const Operand& x, std::byte* buffer) {
    if (factor_bytes(f, x.row_elems) == 0) return x.data;
    const auto bytes = static_cast<size_t>(x.row_elems) * size_of(f.operand);
    parallel_for(x.rows, [&](int64_t picture) {
      std::byte* at = buffer + static_cast<size_t>(picture) * bytes;
      factor(f, x, picture * x.row_elems, x.row_elems, at);
    });
    return buffer;
  }

  // Makes these parts of the gradient; returns those that are not finite.
  std::vector<int64_t> multiply(const PartConvs& convs, const Operand* in, const Operand& out,
                                const std::vector<int64_t>& parts) {
    const std::byte* x = pictures(convs.format(), in[0], x_.data());
    const std::byte* g = pictures(convs.format(), in[1], g_.data());
    std::vector<char> finite(parts.size(), 0);
    std::atomic<size_t> next{0};
    parallel_for(threads_, [&](int64_t thread) {
      const SingleThreadedDnnl single;
      std::byte* const scratch = scratch_.data() + at_.end * static_cast<size_t>(thread);
      for (size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < parts.size();)
        finite[k] = make_part(convs, x, g, parts[k], out, scratch);
    });
    std::vector<int64_t> others;
    for (size_t k = 0; k < parts.size(); ++k)
      if (!finite[k]) others.push_back(parts[k]);
    return others;
  }

  bool make_part(const PartConvs& convs, const std::byte* x, const std::byte* g, int64_t part, const Operand& out,
                 std::byte* scratch) const {
    const size_t element = size_of(convs.format().operand);
    const int64_t pictures = whole_.x[0], x_bytes = element_count(whole_.x) / pictures * static_cast<int64_t>(element);
    auto* product = reinterpret_cast<float*>(scratch + at_.product);
    auto* sums = reinterpret_cast<double*>(scratch + at_.sums);
    const auto count = static_cast<int64_t>(convs.any().packed_bytes() / sizeof(float));
    for (int64_t first = 0; first < pictures; first += piece_) {
      const int64_t rows = std::min(piece_, pictures - first);
      gather(g, element, part, first, rows, scratch + at_.g);
      convs.of(rows).run(x + first * x_bytes, scratch + at_.g, product, scratch);
      if (piece_ >= pictures) break;
      for (int64_t i = 0; i < count; ++i) sums[i] = (first > 0 ? sums[i] : 0.0) + static_cast<double>(product[i]);
    }
    if (piece_ < pictures)
      for (int64_t i = 0; i < count; ++i) product[i] = static_cast<float>(sums[i]);
    if (out.dtype == DType::f32) {
      convs.any().unpack(product, out.as<float>() + part * size_);
    } else {
      auto* weight = reinterpret_cast<float*>(scratch + at_.weight);
      convs.any().unpack(product, weight);
      store(out, part * size_, size_, DType::f32, weight);
    }
    return are_finite(product, count);
  }

  // The channels of a part, of some pictures of g, side by side as in a picture of their own.
  void gather(const std::byte* g, size_t element, int64_t part, int64_t first, int64_t rows, std::byte* to) const {
    const int64_t pixels = whole_.y[2] * whole_.y[3], channels = part_.y[1], all = whole_.y[1];
    // Runs of one length, so far apart.
    const int64_t run = whole_.y_channels_last ? channels : channels * pixels;
    const int64_t stride = whole_.y_channels_last ? all : all * pixels;
    const int64_t runs = rows * (whole_.y_channels_last ? pixels : 1);
    const size_t bytes = static_cast<size_t>(run) * element, step = static_cast<size_t>(stride) * element;
    const std::byte* from = g + static_cast<size_t>(first * all * pixels + part * run) * element;
    for (int64_t r = 0; r < runs; ++r, from += step, to += bytes) std::memcpy(to, from, bytes);
  }

  ConvShape whole_, part_;
  int64_t piece_, parts_, threads_;
  std::vector<PartConvs> convs_;  // of bf16 factors if there are, then of f32
  size_t packed_ = 0;
  int64_t size_ = 0;  // elements of a part
  struct {
    size_t product = 0, sums = 0, weight = 0, g = 0, end = 0;
  } at_;  // in a thread's scratch, behind that of oneDNN
  OwnBuffer x_{0}, g_{0}, scratch_{0};
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
