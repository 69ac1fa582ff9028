#include "app/interop/onnx/windows.h"

#include <algorithm>

#include "engine/core/codes.h"

namespace hw::interop {

constexpr int64_t kLargest = 1 << 20;

std::string Windows::padding() const {
  std::string text;
  for (const auto* side : {&begin, &end})
    for (const int64_t size : *side) text += (text.empty() ? "" : " ") + std::to_string(size);
  return text;
}

Result<std::string> Windows::type(const std::string& stem) const {
  if (axes() < 1 || axes() > 3)
    return Error{codes::unsupported, "", "it slides along " + std::to_string(axes()) + " axes.", ""};
  const bool pool = stem.ends_with("pool");
  return stem + (axes() == 2 && pool ? "" : std::to_string(axes()) + "d");
}

Result<Windows> windows_of(Importer& im, const OnnxNode& n, const Wire& x, std::vector<int64_t> kernel) {
  Windows w;
  w.kernel = n.has("kernel_shape") ? n.integers("kernel_shape") : std::move(kernel);
  const size_t axes = w.kernel.size();
  for (const auto& [name, count] :
       {std::pair("strides", axes), std::pair("dilations", axes), std::pair("pads", 2 * axes)})
    if (n.has(name) && n.integers(name).size() != count)
      return unsupported(std::string(name) + " are not as many as its axes want.");
  const auto rank = im.rank(x);
  if (rank && *rank != static_cast<int64_t>(axes) + 2)
    return unsupported("what it slides over has " + std::to_string(*rank) + " axes.");
  const auto list = [&](const char* name) {
    std::vector<int64_t> values = n.integers(name);
    values.resize(axes, 1);
    return values;
  };
  w.stride = list("strides");
  w.dilation = list("dilations");
  for (const auto* sizes : {&w.kernel, &w.stride, &w.dilation})
    for (const int64_t size : *sizes)
      if (size < 1 || size > kLargest)
        return Error{codes::unsupported, "", "a window, stride or dilation of " + std::to_string(size) + ".", ""};
  std::vector<int64_t> pads = n.integers("pads");
  pads.resize(2 * axes, 0);
  for (const int64_t size : pads)
    if (size < 0 || size > kLargest)
      return Error{codes::unsupported, "", "padding of " + std::to_string(size) + ".", ""};
  w.begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  w.end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  const std::string automatic = n.text("auto_pad", "NOTSET");
  if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") return w;
  HW_TRY(const WireType type, im.type(x));
  for (size_t d = 0; d < axes; ++d) {
    const Axis& axis = type.shape[d + 2];
    if (!axis.known() && w.stride[d] != 1)
      return Error{codes::unsupported, "", "its padding depends on a symbolic size.", ""};
    const int64_t steps = w.stride[d] == 1 ? 0 : (axis.size - 1) / w.stride[d] * w.stride[d] - axis.size + 1;
    const int64_t total = std::max<int64_t>(0, steps + w.effective_kernel(d) - 1);
    w.begin[d] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
    w.end[d] = total - w.begin[d];
  }
  return w;
}

}  // namespace hw::interop
