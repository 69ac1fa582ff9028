// Convolutions. Weights become parameters, which can be trained.
#include <algorithm>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/windows.h"

namespace hw::interop {
namespace {

Status conv(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *weight = im.bound(n, 1), *bias = im.bound(n, 2);
  if (!weight || (im.has(n, 2) && !bias)) return unsupported("its weights are computed.");
  if (im.is_filler(n, 2, 0)) bias = nullptr;
  const Dims& dims = weight->dims();
  if (dims.size() < 3) return unsupported("its weight has too few axes.");
  HW_TRY(const Windows w, windows_of(im, n, x, {dims.begin() + 2, dims.end()}));
  HW_TRY(const std::string type, w.type("conv"));
  std::map<std::string, Tensor> weights{{"weight", *weight}};
  if (bias) weights["bias"] = *bias;
  HW_TRY(const Wire y, im.add_layer(type, {{"x", x}},
                                    {{"out_channels", dims[0]},
                                     {"kernel_size", w.kernel_size()},
                                     {"stride", w.strides()},
                                     {"padding", w.padding()},
                                     {"dilation", w.dilations()},
                                     {"groups", n.integer("group", 1)},
                                     {"bias", bias != nullptr},
                                     {"dtype", dtype_name(*weight)}},
                                    weights));
  im.set(n, 0, y);
  return ok();
}

Status conv_transpose(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *weight = im.bound(n, 1), *bias = im.bound(n, 2);
  if (!weight || (im.has(n, 2) && !bias)) return unsupported("its weights are computed.");
  const Dims& dims = weight->dims();
  if (dims.size() < 3) return unsupported("its weight has too few axes.");
  const int64_t groups = n.integer("group", 1);
  HW_TRY(Windows w, windows_of(im, n, x, {dims.begin() + 2, dims.end()}));
  HW_TRY(const std::string type, w.type("conv_transpose"));
  if (w.axes() > 2) return unsupported("it slides along three axes.");
  std::vector<int64_t> extra = n.integers("output_padding"), wanted = n.integers("output_shape");
  extra.resize(w.axes(), 0);
  const std::string automatic = n.text("auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (same || !wanted.empty()) {
    HW_TRY(const Dims sizes, im.open_dims(x));
    if (sizes.size() != w.axes() + 2 || std::ranges::count(Dims(sizes.begin() + 2, sizes.end()), -1))
      return unsupported("its padding depends on a symbolic size.");
    if (!wanted.empty() && wanted.size() < w.axes())
      return unsupported("its output has fewer axes than it slides along.");
    if (wanted.size() > w.axes()) wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(w.axes()));
    for (size_t d = 0; d < w.axes(); ++d) {
      const int64_t out = wanted.empty() ? sizes[d + 2] * w.stride[d] : wanted[d];
      const int64_t total = (sizes[d + 2] - 1) * w.stride[d] + extra[d] + (w.kernel[d] - 1) * w.dilation[d] + 1 - out;
      if (total < 0) {
        extra[d] -= total;
        w.begin[d] = w.end[d] = 0;
        continue;
      }
      if (im.opset() < 11 && total % 2 != 0)
        return unsupported("before opset 11 an odd padding lies at the other end.");
      w.begin[d] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      w.end[d] = total - w.begin[d];
    }
  }
  std::map<std::string, Tensor> weights{{"weight", *weight}};
  if (bias) weights["bias"] = *bias;
  HW_TRY(const Wire y, im.add_layer(type, {{"x", x}},
                                    {{"out_channels", dims[1] * groups},
                                     {"kernel_size", w.kernel_size()},
                                     {"stride", w.strides()},
                                     {"padding", w.padding()},
                                     {"output_padding", std::vector<double>(extra.begin(), extra.end())},
                                     {"dilation", w.dilations()},
                                     {"groups", groups},
                                     {"bias", bias != nullptr},
                                     {"dtype", dtype_name(*weight)}},
                                    weights));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> conv_rules() {
  static constexpr RuleRow kRows[]{
      {"Conv", conv},
      {"ConvTranspose", conv_transpose},
  };
  return kRows;
}

}  // namespace hw::interop
