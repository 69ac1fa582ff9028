// oneDNN's primitive descriptors, made alike with oneDNN 2 (Debian 12) and 3 (Debian 13), whose C++ interfaces differ:
// nothing else depends on the version. Include in the .cpp files that wrap oneDNN alone. Errors: dnnl::error.
#pragma once

#include <dnnl.hpp>

namespace hw::cpu {

/// A scratchpad of the caller's: else threads would share one.
dnnl::primitive_attr user_scratchpad();

dnnl::memory::dims dims_of(const dnnl::memory::desc& desc);

/// y [n, m] = a [n, k] · b [k, m].
dnnl::matmul::primitive_desc matmul_desc(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                         const dnnl::memory::desc& y, const dnnl::primitive_attr& attr);

/// Steps, dilations (0: none) and zeros around, each by height and width.
struct ConvSteps {
  dnnl::memory::dims stride, dilation, begin, end;
};

/// Pictures N C H W, weights [groups,] O I H W, `bias` [O] or empty. `training`: the hint for the gradients.
dnnl::convolution_forward::primitive_desc conv_desc(bool training, const dnnl::memory::desc& x,
                                                    const dnnl::memory::desc& w, const dnnl::memory::desc& bias,
                                                    const dnnl::memory::desc& y, const ConvSteps& steps,
                                                    const dnnl::primitive_attr& attr);
dnnl::convolution_backward_data::primitive_desc conv_grad_input_desc(
    const dnnl::memory::desc& x, const dnnl::memory::desc& w, const dnnl::memory::desc& y, const ConvSteps& steps,
    const dnnl::primitive_attr& attr, const dnnl::convolution_forward::primitive_desc& forward);
dnnl::convolution_backward_weights::primitive_desc conv_grad_weight_desc(
    const dnnl::memory::desc& x, const dnnl::memory::desc& w, const dnnl::memory::desc& y, const ConvSteps& steps,
    const dnnl::primitive_attr& attr, const dnnl::convolution_forward::primitive_desc& forward);

}  // namespace hw::cpu
