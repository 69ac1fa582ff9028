// Window parameters, their messages, and the arithmetic of padding.
#include "engine/node/windows.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace hw::windows {
namespace {

constexpr int64_t kLargest = int64_t{1} << 20;

Error bad(std::string_view id, std::string reason, std::string remedy) {
  return {codes::bad_parameter, std::string(id), std::move(reason), std::move(remedy)};
}

}  // namespace

std::string to_string(Pair p) {
  return std::to_string(p[0]) + " x " + std::to_string(p[1]);
}

Result<Pair> pair_of(const Params& p, std::string_view id, int64_t least) {
  const std::vector<double>& v = p.vector(id);
  const bool whole = std::all_of(v.begin(), v.end(), [&](double x) {
    return x == std::floor(x) && x >= static_cast<double>(least) && x <= static_cast<double>(kLargest);
  });
  if (v.empty() || v.size() > 2 || !whole)
    return bad(id,
               "expects one or two whole numbers from " + std::to_string(least) + " to " + std::to_string(kLargest) +
                   ", got " + hw::to_string(ParamValue(v)) + ".",
               "[3] means 3 along both axes, [3, 5] means H 3 and W 5.");
  return Pair{static_cast<int64_t>(v.front()), static_cast<int64_t>(v.back())};
}

Result<Padding> padding_of(const Params& p, std::string_view id) {
  std::string text = p.text(id);
  for (char& c : text)
    if (c == ',' || c == '[' || c == ']') c = ' ';
  std::istringstream words(text);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  if (list.size() == 1 && list[0] == "same") return Padding{true};
  if (list.size() == 1 && list[0] == "valid") return Padding{};
  std::vector<int64_t> n;
  for (const std::string& word : list)
    if (word.size() <= 6 && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }))
      n.push_back(std::stoll(word));
  if (n.size() == list.size() && n.size() == 1) return Padding{false, {n[0], n[0]}, {n[0], n[0]}};
  if (n.size() == list.size() && n.size() == 2) return Padding{false, {n[0], n[1]}, {n[0], n[1]}};
  if (n.size() == list.size() && n.size() == 4) return Padding{false, {n[0], n[1]}, {n[2], n[3]}};
  return bad(id, "expects same, valid, or 1, 2 or 4 whole numbers from 0, got \"" + p.text(id) + "\".",
             "Write 1 for all sides, 1 2 for H and W, 1 1 2 0 for top, left, bottom and right.");
}

Padding Padding::around(Pair size, Pair kernel, Pair stride, Pair dilation) const {
  if (!same) return *this;
  Padding padding;
  for (size_t d : {0, 1}) {
    const int64_t windows = (size[d] + stride[d] - 1) / stride[d];
    const int64_t total = std::max<int64_t>(0, (windows - 1) * stride[d] + dilation[d] * (kernel[d] - 1) + 1 - size[d]);
    padding.begin[d] = total / 2;
    padding.end[d] = total - total / 2;
  }
  return padding;
}

Result<Pair> picture_size(const ShapeArgs& a, std::string_view socket) {
  HW_CHECK(shapes::require_axes(a, socket, "N C H W"));
  const Shape& shape = a.shape(socket);
  for (size_t d : {1, 2, 3})
    if (!shape[d].known() || shape[d].size < 1)
      return Error{codes::size_mismatch, std::string(socket),
                   "channels, height and width must be known and not 0, got " + hw::to_string(shape) + ".",
                   "Give the source a fixed size."};
  return Pair{shape[2].size, shape[3].size};
}

Result<Pair> count_windows(Pair size, Pair kernel, Pair stride, Pair dilation, const Padding& padding,
                           std::string_view kernel_param) {
  Pair count;
  for (size_t d : {0, 1}) {
    count[d] = window_count(size[d], kernel[d], stride[d], dilation[d], padding.begin[d] + padding.end[d]);
    if (count[d] > 0) continue;
    const Pair reach{dilation[0] * (kernel[0] - 1) + 1, dilation[1] * (kernel[1] - 1) + 1};
    const Pair padded{size[0] + padding.begin[0] + padding.end[0], size[1] + padding.begin[1] + padding.end[1]};
    return bad(kernel_param,
               "the window reaches over " + to_string(reach) + " elements, the picture with its padding has " +
                   to_string(padded) + ".",
               "Make the kernel or the dilation smaller, or the padding larger.");
  }
  return count;
}

Status padding_within_half(Pair kernel, const Padding& padding, std::string_view param) {
  for (size_t d : {0, 1})
    if (2 * std::max(padding.begin[d], padding.end[d]) > kernel[d])
      return bad(param,
                 "must be at most half of the window " + to_string(kernel) + ", got " +
                     std::to_string(std::max(padding.begin[d], padding.end[d])) + ".",
                 "Make the window larger or the padding smaller.");
  return ok();
}

Result<PoolAttr> pool_of(const Params& p, Pair size) {
  PoolAttr a;
  HW_TRY(a.kernel, pair_of(p, "kernel_size", 1));
  HW_TRY(const Pair stride, pair_of(p, "stride", 0));
  for (size_t d : {0, 1}) a.stride[d] = stride[d] ? stride[d] : a.kernel[d];
  HW_TRY(Padding padding, padding_of(p, "padding"));
  padding = padding.around(size, a.kernel, a.stride, {1, 1});
  a.pad_begin = padding.begin;
  a.pad_end = padding.end;
  return a;
}

Result<Shapes> pooled(const ShapeArgs& a) {
  HW_TRY(const Pair size, picture_size(a, "x"));
  HW_TRY(const PoolAttr p, pool_of(a.params(), size));
  const Padding padding{false, p.pad_begin, p.pad_end};
  HW_CHECK(padding_within_half(p.kernel, padding, "padding"));
  HW_TRY(const Pair count, count_windows(size, p.kernel, p.stride, {1, 1}, padding, "kernel_size"));
  return Shapes{shapes::tensor(a.dtype("x"), resized(a.shape("x"), a.shape("x")[1].size, count))};
}

Status check_groups(const ShapeArgs& a) {
  const Shape& x = a.shape("x");
  const int64_t channels = x[1].size, out = a.params().integer("out_channels"), groups = a.params().integer("groups");
  if (channels % groups == 0 && out % groups == 0) return ok();
  return bad("groups",
             "must divide the " + std::to_string(channels) + " channels of " + hw::to_string(x) + " and the " +
                 std::to_string(out) + " output channels, got " + std::to_string(groups) + ".",
             "1 is an ordinary convolution.");
}

Shape resized(const Shape& x, int64_t channels, Pair size) {
  Shape y = x;
  y[1].size = channels;
  y[2].size = size[0];
  y[3].size = size[1];
  return y;
}

}  // namespace hw::windows
