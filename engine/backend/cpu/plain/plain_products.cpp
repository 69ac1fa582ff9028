// Products and convolutions by plain loops, for builds without oneDNN (HALFWIRE_ONEDNN=OFF): right, and slow.
#include <algorithm>

#include "engine/backend/cpu/dnnl/dnnl_conv.h"
#include "engine/backend/cpu/dnnl/dnnl_gemm.h"

namespace hw::cpu {

struct DnnlGemm::Primitive {};

bool multiplies_bf16() {
  return false;
}

DnnlGemm::DnnlGemm(const GemmShape& shape, DType, bool packs, const DnnlGemm*)
    : shape_(shape),
      packed_bytes_(packs ? static_cast<size_t>(shape.k * shape.m) * sizeof(float) : 0),
      implementation_("plain loops") {}
DnnlGemm::~DnnlGemm() = default;
DnnlGemm::DnnlGemm(DnnlGemm&&) noexcept = default;

void DnnlGemm::pack(const void* b, void* packed) const {
  std::copy_n(static_cast<const float*>(b), packed_bytes_ / sizeof(float), static_cast<float*>(packed));
}

void DnnlGemm::run(const void* a, const void* b, float* c, std::byte*) const {
  const auto *x = static_cast<const float*>(a), *y = static_cast<const float*>(b);
  const GemmShape& s = shape_;
  std::fill(c, c + s.n * s.m, 0.0f);
  for (int64_t i = 0; i < s.n; ++i)
    for (int64_t k = 0; k < s.k; ++k) {
      const float factor = x[s.transpose_a ? k * s.n + i : i * s.k + k];
      for (int64_t j = 0; j < s.m; ++j) c[i * s.m + j] += factor * y[s.transpose_b ? j * s.k + k : k * s.m + j];
    }
}

SingleThreadedDnnl::SingleThreadedDnnl() : before_(0) {}
SingleThreadedDnnl::~SingleThreadedDnnl() {
  (void)before_;
}

namespace {

/// The place of element (n, c, h, w) of a picture.
int64_t place(const Dims& dims, bool channels_last, int64_t n, int64_t c, int64_t h, int64_t w) {
  if (channels_last) return ((n * dims[2] + h) * dims[3] + w) * dims[1] + c;
  return ((n * dims[1] + c) * dims[2] + h) * dims[3] + w;
}

}  // namespace

struct DnnlConv::Primitive {
  Kind kind;
  ConvShape s;
  bool has_bias;

  /// f(element of x, of the weight, of y) for every product.
  template <class F>
  void each_product(F f) const {
    const ConvAttr& a = s.attr;
    const int64_t group_out = s.weight[0] / a.groups;
    for (int64_t n = 0; n < s.y[0]; ++n)
      for (int64_t o = 0; o < s.y[1]; ++o)
        for (int64_t c = 0; c < s.weight[1]; ++c)
          for (int64_t p = 0; p < s.weight[2]; ++p)
            for (int64_t q = 0; q < s.weight[3]; ++q)
              for (int64_t i = 0; i < s.y[2]; ++i)
                for (int64_t j = 0; j < s.y[3]; ++j) {
                  const int64_t h = i * a.stride[0] - a.pad_begin[0] + p * a.dilation[0];
                  const int64_t w = j * a.stride[1] - a.pad_begin[1] + q * a.dilation[1];
                  if (h < 0 || h >= s.x[2] || w < 0 || w >= s.x[3]) continue;
                  f(place(s.x, s.x_channels_last, n, o / group_out * s.weight[1] + c, h, w),
                    ((o * s.weight[1] + c) * s.weight[2] + p) * s.weight[3] + q,
                    place(s.y, s.y_channels_last, n, o, i, j));
                }
  }
};

DnnlConv::DnnlConv(Kind kind, const ConvShape& shape, DType, bool bias, const DnnlConv*)
    : p_(std::make_unique<Primitive>(Primitive{kind, shape, bias})),
      packed_bytes_(static_cast<size_t>(element_count(shape.weight)) * sizeof(float)),
      computes_channels_last_(false),
      implementation_("plain loops") {}
DnnlConv::~DnnlConv() = default;
DnnlConv::DnnlConv(DnnlConv&&) noexcept = default;

bool DnnlConv::packs_as(const DnnlConv&) const {
  return true;
}

void DnnlConv::pack(const void* weight, void* packed) const {
  std::copy_n(static_cast<const float*>(weight), packed_bytes_ / sizeof(float), static_cast<float*>(packed));
}

void DnnlConv::unpack(const float* packed, float* weight) const {
  std::copy_n(packed, packed_bytes_ / sizeof(float), weight);
}

const void* DnnlConv::enter(const void* a, std::byte*) const {
  return a;
}
bool DnnlConv::computes_in_place() const {
  return true;
}

float* DnnlConv::native_out(float* out, std::byte*) const {
  return out;
}
void DnnlConv::leave(const float*, float*) const {}

void DnnlConv::run(const void* a, const void* b, float* out, std::byte* scratch, const float* bias) const {
  compute(a, b, out, scratch, bias);
}

void DnnlConv::compute(const void* first, const void* second, float* out, std::byte*, const float* bias) const {
  const auto *a = static_cast<const float*>(first), *b = static_cast<const float*>(second);
  const ConvShape& s = p_->s;
  const Dims& made = p_->kind == Kind::forward ? s.y : p_->kind == Kind::grad_input ? s.x : s.weight;
  std::fill_n(out, element_count(made), 0.0f);
  p_->each_product([&](int64_t x, int64_t w, int64_t y) {
    if (p_->kind == Kind::forward)
      out[y] += a[x] * b[w];
    else if (p_->kind == Kind::grad_input)
      out[x] += a[y] * b[w];
    else
      out[w] += a[x] * b[y];
  });
  if (!p_->has_bias) return;
  for (int64_t n = 0; n < s.y[0]; ++n)
    for (int64_t c = 0; c < s.y[1]; ++c)
      for (int64_t h = 0; h < s.y[2]; ++h)
        for (int64_t w = 0; w < s.y[3]; ++w) out[place(s.y, s.y_channels_last, n, c, h, w)] += bias[c];
}

}  // namespace hw::cpu
