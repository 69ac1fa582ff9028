#include "engine/backend/cpu/dnnl/dnnl_conv.h"

#include <new>
#include <string_view>

#include "engine/backend/cpu/dnnl/dnnl_arguments.h"
#include "engine/backend/cpu/dnnl/dnnl_descs.h"
#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/backend/cpu/dnnl/dnnl_reorder.h"
#include "engine/backend/cpu/simd/transposed.h"
#include "engine/backend/plan/padded.h"

namespace hw::cpu {
namespace {

using Desc = dnnl::memory::desc;

Desc row_major(const dnnl::memory::dims& dims, DType dtype) {
  dnnl::memory::dims strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * dims[d + 1];
  return {dims, dnnl_type(dtype), strides};
}

/// `d`: N C H W.
Desc channels_last(const dnnl::memory::dims& d, DType dtype) {
  return {d, dnnl_type(dtype), {d[1] * d[2] * d[3], 1, d[1] * d[3], d[1]}};
}

Desc picture(const dnnl::memory::dims& dims, DType dtype, bool last) {
  return last ? channels_last(dims, dtype) : row_major(dims, dtype);
}

Desc any(const dnnl::memory::dims& dims, DType dtype) {
  return {dims, dnnl_type(dtype), dnnl::memory::format_tag::any};
}

dnnl::memory::dims weight_dims(const ConvShape& s) {
  if (s.attr.groups == 1) return s.weight;
  dnnl::memory::dims dims = s.weight;
  dims[0] /= s.attr.groups;
  dims.insert(dims.begin(), s.attr.groups);
  return dims;
}

dnnl::memory::dims list(const Pair& p, int64_t less = 0) {
  return {p[0] - less, p[1] - less};
}

// The first implementation that is not for AMX. With those of oneDNN 2.6 an Inf in a picture gives NaN in outputs whose
// windows do not hold it (PlantedValues).
template <class PrimitiveDesc>
void skip_amx(PrimitiveDesc& desc) {
  while (std::string_view(desc.impl_info_str()).find("amx") != std::string_view::npos && desc.next_impl()) {
  }
}

void reorder(const dnnl::reorder& r, const Desc& from_desc, const void* from, const Desc& to_desc, void* to) {
  dnnl::reorder(r).execute(dnnl_stream(),
                           {{DNNL_ARG_FROM, dnnl_memory(from_desc, from)}, {DNNL_ARG_TO, dnnl_memory(to_desc, to)}});
}

// An operand in its own layout and in the primitive's.
struct Side {
  Desc plain, native;
  dnnl::reorder in, out;                           // empty where the layouts agree, or transpose() does it
  int64_t pictures = 0, channels = 0, pixels = 0;  // of f32 that transpose() exchanges; 0: none
  const SimdTable* simd = nullptr;                 // of transpose()
  int argument = 0;
  size_t scratch_at = 0;

  bool same() const { return plain == native; }
  void make(int arg, const Desc& plain_desc, const Desc& native_desc, bool reads, bool writes) {
    argument = arg;
    plain = plain_desc;
    native = native_desc;
    if (same()) return;
    const dnnl::memory::dims d = dims_of(plain);
    if (d.size() == 4 && plain == row_major(d, DType::f32) && native == channels_last(d, DType::f32) &&
        transposes_in_vectors(*simd, sizeof(float), d[1], d[2] * d[3])) {
      pictures = d[0];
      channels = d[1];
      pixels = d[2] * d[3];
      return;
    }
    const dnnl::engine& e = dnnl_engine();
    if (reads) in = dnnl::reorder({e, plain, e, native, user_scratchpad()});
    if (writes) out = dnnl::reorder({e, native, e, plain, user_scratchpad()});
  }
  void to_native(const void* from, void* to) const {
    if (pictures > 0) return transpose_each(from, to, channels, pixels);
    reorder(in, plain, from, native, to);
  }
  void to_plain(const void* from, void* to) const {
    if (pictures > 0) return transpose_each(from, to, pixels, channels);
    reorder(out, native, from, plain, to);
  }

 private:
  void transpose_each(const void* from, void* to, int64_t rows, int64_t columns) const {
    const size_t bytes = static_cast<size_t>(rows * columns) * sizeof(float);
    for (size_t n = 0; n < static_cast<size_t>(pictures); ++n)
      transpose(*simd, sizeof(float), static_cast<const std::byte*>(from) + n * bytes,
                static_cast<std::byte*>(to) + n * bytes, rows, columns);
  }
};

}  // namespace

struct DnnlConv::Primitive {
  dnnl::primitive primitive;
  Desc scratchpad, bias;
  Side a, b, out;  // as run() has them
  std::unique_ptr<DnnlArguments> arguments;
  bool makes_weight;
  DnnlReorder weight_reorder;  // packs, or unpacks a gradient

  const Side& weight() const { return makes_weight ? out : b; }
};

DnnlConv::DnnlConv(Kind kind, const ConvShape& shape, DType factors, bool bias, const DnnlConv* like) {
  const SingleThreadedDnnl single;
  const auto tried = [&](bool last) {
    computes_channels_last_ = last;
    try {
      make(kind, shape, factors, bias, like);
    } catch (const dnnl::error&) {
      return false;
    }
    return !last || !implementation_.starts_with("oneDNN ref");
  };
  const bool last = like ? like->computes_channels_last_ : true;
  if (!tried(last) && (!last || !tried(false))) throw std::bad_alloc();
  scratch_bytes_ = plan::padded(p_->scratchpad.get_size());
  const Side& weight = p_->weight();
  packed_bytes_ = weight.native.get_size();
  for (Side* side : {&p_->a, &p_->b, &p_->out}) {
    if (side == &weight || side->same()) continue;
    side->scratch_at = scratch_bytes_;
    scratch_bytes_ += plan::padded(side->native.get_size());
  }
}

void DnnlConv::make(Kind kind, const ConvShape& s, DType factors, bool bias, const DnnlConv* like) {
  p_ = std::make_unique<Primitive>();
  p_->makes_weight = kind == Kind::grad_weight;
  for (Side* side : {&p_->a, &p_->b, &p_->out}) side->simd = s.simd;
  const auto type = [&](Kind made_by) { return kind == made_by ? DType::f32 : factors; };
  const DType of_x = type(Kind::grad_input), of_w = type(Kind::grad_weight), of_y = type(Kind::forward);
  const Desc x = picture(s.x, of_x, s.x_channels_last), y = picture(s.y, of_y, s.y_channels_last),
             w = row_major(weight_dims(s), of_w);
  const ConvSteps steps{list(s.attr.stride), list(s.attr.dilation, 1), list(s.attr.pad_begin), list(s.attr.pad_end)};
  const auto computed = [&](const dnnl::memory::dims& dims, DType dtype) {
    return computes_channels_last_ ? channels_last(dims, dtype) : any(dims, dtype);
  };
  const Desc any_x = computed(s.x, of_x), any_y = computed(s.y, of_y),
             any_w = like ? like->p_->weight().native : any(weight_dims(s), of_w);
  const dnnl::primitive_attr attr = user_scratchpad();
  dnnl::convolution_forward::primitive_desc forward = conv_desc(
      kind != Kind::forward, computed(s.x, factors), kind == Kind::grad_weight ? any(weight_dims(s), factors) : any_w,
      bias ? row_major({s.y[1]}, DType::f32) : Desc(), computed(s.y, DType::f32), steps, attr);
  skip_amx(forward);
  if (kind == Kind::forward) {
    p_->primitive = dnnl::convolution_forward(forward);
    p_->scratchpad = forward.scratchpad_desc();
    implementation_ = std::string("oneDNN ") + forward.impl_info_str();
    p_->a.make(DNNL_ARG_SRC, x, forward.src_desc(), true, false);
    p_->b.make(DNNL_ARG_WEIGHTS, w, forward.weights_desc(), true, false);
    p_->out.make(DNNL_ARG_DST, y, forward.dst_desc(), false, true);
    if (bias) p_->bias = forward.bias_desc();
  } else if (kind == Kind::grad_input) {
    dnnl::convolution_backward_data::primitive_desc desc =
        conv_grad_input_desc(any_x, any_w, any_y, steps, attr, forward);
    skip_amx(desc);
    p_->primitive = dnnl::convolution_backward_data(desc);
    p_->scratchpad = desc.scratchpad_desc();
    implementation_ = std::string("oneDNN ") + desc.impl_info_str();
    p_->a.make(DNNL_ARG_DIFF_DST, y, desc.diff_dst_desc(), true, false);
    p_->b.make(DNNL_ARG_WEIGHTS, w, desc.weights_desc(), true, false);
    p_->out.make(DNNL_ARG_DIFF_SRC, x, desc.diff_src_desc(), false, true);
  } else {
    dnnl::convolution_backward_weights::primitive_desc desc =
        conv_grad_weight_desc(any_x, any_w, any_y, steps, attr, forward);
    skip_amx(desc);
    p_->primitive = dnnl::convolution_backward_weights(desc);
    p_->scratchpad = desc.scratchpad_desc();
    implementation_ = std::string("oneDNN ") + desc.impl_info_str();
    p_->a.make(DNNL_ARG_SRC, x, desc.src_desc(), true, false);
    p_->b.make(DNNL_ARG_DIFF_DST, y, desc.diff_dst_desc(), true, false);
    p_->out.make(DNNL_ARG_DIFF_WEIGHTS, w, desc.diff_weights_desc(), false, true);
  }
  std::vector<DnnlArguments::Argument> arguments{{p_->a.argument, p_->a.native},
                                                 {p_->b.argument, p_->b.native},
                                                 {p_->out.argument, p_->out.native},
                                                 {DNNL_ARG_SCRATCHPAD, p_->scratchpad}};
  if (bias) arguments.push_back({DNNL_ARG_BIAS, p_->bias});
  p_->arguments = std::make_unique<DnnlArguments>(std::move(arguments));
  const Side& weight = p_->weight();
  p_->weight_reorder =
      p_->makes_weight ? DnnlReorder(weight.native, weight.plain) : DnnlReorder(weight.plain, weight.native);
}

DnnlConv::~DnnlConv() = default;
DnnlConv::DnnlConv(DnnlConv&&) noexcept = default;

bool DnnlConv::packs_as(const DnnlConv& other) const {
  return p_->weight().native == other.p_->weight().native;
}

void DnnlConv::pack(const void* weight, void* packed) const {
  p_->weight_reorder.run(weight, packed);
}

void DnnlConv::unpack(const float* packed, float* weight) const {
  p_->weight_reorder.run(packed, weight);
}

const void* DnnlConv::enter(const void* a, std::byte* scratch) const {
  if (p_->a.same()) return a;
  p_->a.to_native(a, scratch + p_->a.scratch_at);
  return scratch + p_->a.scratch_at;
}

float* DnnlConv::native_out(float* out, std::byte* scratch) const {
  return p_->out.same() ? out : reinterpret_cast<float*>(scratch + p_->out.scratch_at);
}

bool DnnlConv::computes_in_place() const {
  return p_->out.same();
}

void DnnlConv::compute(const void* a, const void* b, float* out, std::byte* scratch, const float* bias) const {
  const void* const data[] = {a, b, out, scratch, bias};
  p_->arguments->run(p_->primitive, data);
}

void DnnlConv::leave(const float* native_out, float* out) const {
  if (native_out != out) p_->out.to_plain(native_out, out);
}

void DnnlConv::run(const void* a, const void* b, float* out, std::byte* scratch, const float* bias) const {
  const void* native_a = enter(a, scratch);
  if (p_->makes_weight) {
    const Side& g = p_->b;
    if (!g.same()) {
      g.to_native(b, scratch + g.scratch_at);
      b = scratch + g.scratch_at;
    }
    return compute(native_a, b, out, scratch, nullptr);
  }
  float* native = native_out(out, scratch);
  compute(native_a, b, native, scratch, bias);
  leave(native, out);
}

}  // namespace hw::cpu
