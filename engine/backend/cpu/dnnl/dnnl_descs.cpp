#include "engine/backend/cpu/dnnl/dnnl_descs.h"

#include "engine/backend/cpu/dnnl/dnnl_engine.h"

namespace hw::cpu {
namespace {

constexpr dnnl::algorithm kDirect = dnnl::algorithm::convolution_direct;

/// oneDNN 2 describes an operation first, then looks for a primitive; oneDNN 3 does both at once.
template <class PrimitiveDesc, class... What>
PrimitiveDesc described(const dnnl::primitive_attr& attr, const What&... what) {
#if DNNL_VERSION_MAJOR >= 3
  return PrimitiveDesc(dnnl_engine(), what..., attr);
#else
  return PrimitiveDesc({what...}, attr, dnnl_engine());
#endif
}

template <class PrimitiveDesc>
PrimitiveDesc described_gradient(const dnnl::memory::desc& x, const dnnl::memory::desc& w, const dnnl::memory::desc& y,
                                 const ConvSteps& s, const dnnl::primitive_attr& attr,
                                 const dnnl::convolution_forward::primitive_desc& forward) {
#if DNNL_VERSION_MAJOR >= 3
  return PrimitiveDesc(dnnl_engine(), kDirect, x, w, y, s.stride, s.dilation, s.begin, s.end, forward, attr);
#else
  return PrimitiveDesc({kDirect, x, w, y, s.stride, s.dilation, s.begin, s.end}, attr, dnnl_engine(), forward);
#endif
}

}  // namespace

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::memory::dims dims_of(const dnnl::memory::desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return desc.get_dims();
#else
  return desc.dims();
#endif
}

dnnl::matmul::primitive_desc matmul_desc(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                         const dnnl::memory::desc& y, const dnnl::primitive_attr& attr) {
  return described<dnnl::matmul::primitive_desc>(attr, a, b, y);
}

dnnl::convolution_forward::primitive_desc conv_desc(bool training, const dnnl::memory::desc& x,
                                                    const dnnl::memory::desc& w, const dnnl::memory::desc& bias,
                                                    const dnnl::memory::desc& y, const ConvSteps& s,
                                                    const dnnl::primitive_attr& attr) {
  const auto kind = training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  return described<dnnl::convolution_forward::primitive_desc>(attr, kind, kDirect, x, w, bias, y, s.stride, s.dilation,
                                                              s.begin, s.end);
}

dnnl::convolution_backward_data::primitive_desc conv_grad_input_desc(
    const dnnl::memory::desc& x, const dnnl::memory::desc& w, const dnnl::memory::desc& y, const ConvSteps& steps,
    const dnnl::primitive_attr& attr, const dnnl::convolution_forward::primitive_desc& forward) {
  return described_gradient<dnnl::convolution_backward_data::primitive_desc>(x, w, y, steps, attr, forward);
}

dnnl::convolution_backward_weights::primitive_desc conv_grad_weight_desc(
    const dnnl::memory::desc& x, const dnnl::memory::desc& w, const dnnl::memory::desc& y, const ConvSteps& steps,
    const dnnl::primitive_attr& attr, const dnnl::convolution_forward::primitive_desc& forward) {
  return described_gradient<dnnl::convolution_backward_weights::primitive_desc>(x, w, y, steps, attr, forward);
}

}  // namespace hw::cpu
