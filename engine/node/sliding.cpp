#include "engine/node/sliding.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/core/sizes.h"
#include "engine/node/weight_init.h"
#include "engine/node/windows.h"

namespace hw::sliding {
namespace {

constexpr int64_t kLargest = int64_t{1} << 20;

Error bad(std::string_view id, std::string reason, std::string remedy) {
  return {codes::bad_parameter, std::string(id), std::move(reason), std::move(remedy)};
}

std::string text(const std::vector<int64_t>& list) {
  std::string all;
  for (const int64_t n : list) all += (all.empty() ? "" : " x ") + std::to_string(n);
  return all;
}

Status count(Windows& w) {
  for (size_t d = 0; d < w.size.size(); ++d) {
    w.count.push_back(window_count(w.size[d], w.kernel[d], w.stride[d], w.dilation[d], w.begin[d] + w.end[d]));
    if (w.count[d] > 0) continue;
    return bad(
        "kernel_size",
        "the window " + text(w.kernel) + " with its dilation is larger than the padded input " + text(w.size) + ".",
        "Make the kernel or the dilation smaller, or the padding larger.");
  }
  return ok();
}

}  // namespace

Result<std::vector<int64_t>> list_of(const Params& p, std::string_view id, size_t axes, int64_t least) {
  const std::vector<double>& v = p.vector(id);
  const bool whole = std::all_of(v.begin(), v.end(), [&](double x) {
    return x == std::floor(x) && x >= static_cast<double>(least) && x <= static_cast<double>(kLargest);
  });
  if (v.empty() || (v.size() != 1 && v.size() != axes) || !whole)
    return bad(id,
               "expects " + std::string(axes == 1 ? "a whole number" : "one whole number or one for each axis") +
                   " from " + std::to_string(least) + " to " + std::to_string(kLargest) + ", got " +
                   to_string(ParamValue(v)) + ".",
               "[3] means 3 along all axes.");
  std::vector<int64_t> list;
  for (size_t d = 0; d < axes; ++d) list.push_back(static_cast<int64_t>(v[v.size() == 1 ? 0 : d]));
  return list;
}

Status pad(const Params& p, Windows& w) {
  const size_t axes = w.size.size();
  std::string written = p.text("padding");
  for (char& c : written)
    if (c == ',' || c == '[' || c == ']') c = ' ';
  std::istringstream words(written);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  w.begin.assign(axes, 0);
  w.end.assign(axes, 0);
  if (list.size() == 1 && list[0] == "valid") return ok();
  if (list.size() == 1 && list[0] == "same") {
    for (size_t d = 0; d < axes; ++d) {
      const int64_t windows = (w.size[d] + w.stride[d] - 1) / w.stride[d];
      const int64_t reach = (windows - 1) * w.stride[d] + w.dilation[d] * (w.kernel[d] - 1) + 1;
      const int64_t total = std::max<int64_t>(0, reach - w.size[d]);
      w.begin[d] = total / 2;
      w.end[d] = total - total / 2;
    }
    return ok();
  }
  if (list.size() == 1 && list[0] == "causal" && axes == 1) {
    w.begin[0] = w.dilation[0] * (w.kernel[0] - 1);
    return ok();
  }
  std::vector<int64_t> n;
  for (const std::string& word : list)
    if (word.size() <= 6 && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }))
      n.push_back(std::stoll(word));
  const bool fits = n.size() == 1 || (n.size() == axes && axes > 1) || n.size() == 2 * axes;
  if (n.size() != list.size() || !fits)
    return bad("padding",
               "expects same, valid, " + std::string(axes == 1 ? "causal, 1 or 2" : "or 1, 3 or 6") +
                   " whole numbers from 0, got \"" + p.text("padding") + "\".",
               axes == 1 ? "Write 1 for both ends, 2 0 for the begin and the end."
                         : "Write 1 for all sides, 1 2 2 for D, H and W, or three begins and three ends.");
  for (size_t d = 0; d < axes; ++d) {
    w.begin[d] = n.size() == 1 ? n[0] : n[d];
    w.end[d] = n.size() == 1 ? n[0] : n[n.size() == axes ? d : axes + d];
  }
  return ok();
}

Result<std::vector<int64_t>> sizes(const ShapeArgs& a, std::string_view socket, size_t axes) {
  HW_CHECK(shapes::require_axes(a, socket, axes == 1 ? "N C T" : "N C D H W"));
  const Shape& shape = a.shape(socket);
  for (size_t d = 1; d < shape.rank(); ++d)
    if (!shape[d].known() || shape[d].size < 1 || shape[d].size > kLargest * 64)
      return Error{codes::size_mismatch, std::string(socket),
                   "every size but N must be known, not 0 and at most 2^26, got " + to_string(shape) + ".",
                   "Give the source a fixed size."};
  return sizes_behind(shape.dims());
}

std::vector<int64_t> sizes_behind(const Dims& dims) {
  return {dims.begin() + 2, dims.end()};
}

Result<Windows> convolution(const Params& p, std::vector<int64_t> size) {
  const size_t axes = size.size();
  Windows w{std::move(size), {}, {}, {}, {}, {}, {}};
  HW_TRY(w.kernel, list_of(p, "kernel_size", axes, 1));
  HW_TRY(w.stride, list_of(p, "stride", axes, 1));
  HW_TRY(w.dilation, list_of(p, "dilation", axes, 1));
  HW_CHECK(pad(p, w));
  HW_CHECK(count(w));
  return w;
}

Result<Windows> pool(const Params& p, std::vector<int64_t> size) {
  const size_t axes = size.size();
  Windows w{std::move(size), {}, {}, std::vector<int64_t>(axes, 1), {}, {}, {}};
  HW_TRY(w.kernel, list_of(p, "kernel_size", axes, 1));
  HW_TRY(w.stride, list_of(p, "stride", axes, 0));
  for (size_t d = 0; d < axes; ++d)
    if (w.stride[d] == 0) w.stride[d] = w.kernel[d];
  HW_CHECK(pad(p, w));
  for (size_t d = 0; d < axes; ++d)
    if (2 * std::max(w.begin[d], w.end[d]) > w.kernel[d])
      return bad("padding",
                 "must be at most half of the window " + text(w.kernel) + ", got " +
                     std::to_string(std::max(w.begin[d], w.end[d])) + ".",
                 "Make the window larger or the padding smaller.");
  HW_CHECK(count(w));
  return w;
}

void declare_convolution(NodeDecl& d, size_t axes) {
  const bool line = axes == 1;
  const char *each = line ? "" : ": one number, or D, H and W", *names = line ? "N C T" : "N C D H W";
  const int size = line ? 1 : 0;
  d.autocast(Autocast::low);
  d.integer("out_channels", 32).docs("Channels of the output.").range(1, 65536).logarithmic();
  shapes::declare_expected(d, "in_channels");
  d.vector("kernel_size", {3}, size).docs(std::string("Taps of a filter") + each + ".");
  d.vector("stride", {1}, size).docs(std::string("Elements from one window to the next") + each + ".");
  d.text("padding", "same")
      .docs(line ? "same, valid, causal, or zeros at the ends: 1 or 2 numbers."
                 : "same, valid, or zeros around: 1, 3 or 6 numbers.");
  d.vector("dilation", {1}, size).docs(std::string("Distance between the taps of a filter") + each + ".");
  d.integer("groups", 1).docs("Must divide both channel counts.").range(1, 65536);
  d.boolean("bias", true).docs("Add a bias to each channel.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  d.weight("weight", "dtype", line ? "[out_channels, C / groups, k]" : "[out_channels, C / groups, kd, kh, kw]");
  d.weight("bias", "dtype", "[out_channels]", "bias");
  shapes::declare_weight_init(d);
  d.input("x").dtype_of("dtype").with_axes(names);
  d.output("y").dtype_of("dtype").with_axes(names);
}

Result<Shapes> convolved(const ShapeArgs& a, size_t axes) {
  HW_TRY(auto size, sizes(a, "x", axes));
  const Shape& x = a.shape("x");
  HW_CHECK(shapes::as_expected(a, "in_channels", x[1].size));
  HW_CHECK(windows::check_groups(a));
  HW_TRY(const Windows w, convolution(a.params(), std::move(size)));
  return Shapes{shapes::tensor(a.params().dtype("dtype"), resized(x, a.params().integer("out_channels"), w.count))};
}

void declare_pool(NodeDecl& d, size_t axes) {
  const bool line = axes == 1;
  const char* names = line ? "N C T" : "N C D H W";
  const int size = line ? 1 : 0;
  d.vector("kernel_size", {2}, size)
      .labelled("Window")
      .docs(line ? "Elements of a window." : "One number, or D, H and W.");
  d.vector("stride", {0}, size)
      .docs(line ? "Elements from one window to the next; 0: as many as the window has."
                 : "One number, or D, H and W; 0: as large as the window.");
  d.text("padding", "valid")
      .docs(line ? "same, valid, or elements at the ends: 1 or 2 numbers."
                 : "same, valid, or elements around: 1, 3 or 6 numbers.");
  d.input("x").dtype_group("T", running_floats()).with_axes(names);
  d.output("y").dtype_group("T").with_axes(names);
}

Result<Shapes> pooled(const ShapeArgs& a, size_t axes) {
  HW_TRY(auto size, sizes(a, "x", axes));
  HW_TRY(const Windows w, pool(a.params(), std::move(size)));
  const Shape& x = a.shape("x");
  return Shapes{shapes::tensor(a.dtype("x"), resized(x, x[1].size, w.count))};
}

Shape resized(const Shape& x, int64_t channels, const std::vector<int64_t>& sizes) {
  Shape y = x;
  y[1].size = channels;
  for (size_t d = 0; d < sizes.size(); ++d) y[d + 2].size = sizes[d];
  return y;
}

Val as_picture(OpBuilder& b, Val line) {
  if (!b.status()) return {};
  const Dims dims = b[line].dims;
  return b.reshape(line, {dims[0], dims[1], 1, dims[2]});
}

Val as_line(OpBuilder& b, Val picture, std::vector<std::string> axes) {
  if (!b.status()) return {};
  const Dims dims = b[picture].dims;
  return b.reshape(picture, {dims[0], dims[1], dims[3]}, std::move(axes));
}

}  // namespace hw::sliding
