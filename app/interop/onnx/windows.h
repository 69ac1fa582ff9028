// What convolutions and pools of ONNX share: kernels, strides and padding.
#pragma once

#include "app/interop/onnx/importer.h"

namespace hw::interop {

/// Along each axis behind N and C.
struct Windows {
  std::vector<int64_t> kernel, stride, dilation, begin, end;
  size_t axes() const { return kernel.size(); }
  int64_t effective_kernel(size_t axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
  std::vector<double> kernel_size() const { return {kernel.begin(), kernel.end()}; }
  std::vector<double> strides() const { return {stride.begin(), stride.end()}; }
  std::vector<double> dilations() const { return {dilation.begin(), dilation.end()}; }
  /// As the parameter `padding` of the nodes has it.
  std::string padding() const;
  /// "conv2d": the type for this number of axes. Error: there is none.
  Result<std::string> type(const std::string& stem) const;
};

/// `kernel`: of the weight, where the attribute may be left out. `x`: what slides. Errors: sizes that are not known
/// where auto_pad wants them.
Result<Windows> windows_of(Importer& im, const OnnxNode& n, const Wire& x, std::vector<int64_t> kernel = {});

}  // namespace hw::interop
