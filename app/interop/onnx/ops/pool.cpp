// Pools, and pictures at other sizes.
#include <algorithm>
#include <cmath>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/windows.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

/// ceil_mode: as many windows as begin before the padding at the end; it is widened to hold the last. Of an axis of
/// symbolic size by what holds it at every size: stride - 1 more, but no whole window.
Status widen_for_ceil(Importer& im, const Wire& x, Windows& w) {
  HW_TRY(const Dims dims, im.open_dims(x));
  for (size_t d = 0; d < w.axes(); ++d) {
    const int64_t size = dims[d + 2], padded = size + w.begin[d] + w.end[d];
    if (size < 0) {
      w.end[d] = std::min(w.end[d] + w.stride[d], w.effective_kernel(d)) - 1;
      continue;
    }
    if (padded < w.effective_kernel(d)) return unsupported("its window is larger than the padded input.");
    int64_t out = (padded - w.effective_kernel(d) + w.stride[d] - 1) / w.stride[d] + 1;
    if ((out - 1) * w.stride[d] >= size + w.begin[d]) --out;
    w.end[d] = std::max<int64_t>(0, (out - 1) * w.stride[d] + w.effective_kernel(d) - size - w.begin[d]);
  }
  return ok();
}

bool is_dilated(const Windows& w) {
  return std::ranges::any_of(w.dilation, [](int64_t d) { return d != 1; });
}

/// What `node`, of two inputs, makes of shifted copies, one for each tap of the window; `outside` is around them.
Result<Wire> over_taps(Importer& im, const Wire& x, const Windows& w, double outside, const std::string& node) {
  std::vector<double> axes, before(w.begin.begin(), w.begin.end()), after(w.end.begin(), w.end.end());
  for (size_t d = 0; d < w.axes(); ++d) axes.push_back(static_cast<double>(d + 2));
  HW_TRY(const Wire around,
         im.add("pad", {{"x", x}}, {{"axes", axes}, {"before", before}, {"after", after}, {"value", outside}}));
  HW_TRY(const Dims dims, im.open_dims(around));
  for (size_t d = 0; d < w.axes(); ++d)
    if (dims[d + 2] < 0) return unsupported("dilated windows over a symbolic size.");
  int64_t taps = 1;
  for (const int64_t size : w.kernel) taps = std::min<int64_t>(65, taps * size);
  if (taps > 64) return unsupported("a dilated window of more than 64 elements.");
  Wire all;
  for (int64_t tap = 0; tap < taps; ++tap) {
    Wire part = around;
    int64_t rest = tap;
    for (size_t d = 0; d < w.axes(); ++d) {
      const int64_t at = rest % w.kernel[d] * w.dilation[d];
      rest /= w.kernel[d];
      std::vector<double> rows;
      for (int64_t i = 0; i + w.effective_kernel(d) <= dims[d + 2]; i += w.stride[d])
        rows.push_back(static_cast<double>(i + at));
      HW_TRY(const Wire index,
             im.constant_wire(Tensor::from_f64(DType::i64, {static_cast<int64_t>(rows.size())}, rows)));
      HW_TRY(part, im.add("gather", {{"x", part}, {"index", index}}, {{"axis", static_cast<int64_t>(d + 2)}}));
    }
    if (tap == 0) {
      all = part;
      continue;
    }
    HW_TRY(all, im.add(node, {{"a", all}, {"b", part}}));
  }
  return all;
}

/// More padding than the half of a window that pools take.
bool is_wide(const Windows& w) {
  bool wide = false;
  for (size_t d = 0; d < w.axes(); ++d) wide = wide || 2 * std::max(w.begin[d], w.end[d]) > w.kernel[d];
  return wide;
}

/// Padding beyond half a window is done by a Pad before it.
Result<Wire> padded(Importer& im, const Wire& x, Windows& w, double value) {
  if (!is_wide(w)) return x;
  std::vector<double> axes, before(w.begin.begin(), w.begin.end()), after(w.end.begin(), w.end.end());
  for (size_t d = 0; d < w.axes(); ++d) axes.push_back(static_cast<double>(d + 2));
  std::fill(w.begin.begin(), w.begin.end(), 0);
  std::fill(w.end.begin(), w.end.end(), 0);
  return im.add("pad", {{"x", x}}, {{"axes", axes}, {"before", before}, {"after", after}, {"value", value}});
}

Status max_pool(Importer& im, const OnnxNode& n) {
  if (im.wants(n, 1)) return unsupported("places of the largest elements are asked for.");
  HW_TRY(Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(x, im.as_float(x));
  HW_TRY(Windows w, windows_of(im, n, x));
  if (n.integer("ceil_mode", 0) != 0) HW_CHECK(widen_for_ceil(im, x, w));
  if (is_dilated(w)) {
    HW_TRY(const WireType held, im.type(x));
    HW_TRY(const Wire y, over_taps(im, x, w, -info(held.dtype).max, "max"));
    HW_TRY(const Wire back, im.cast(y, given.dtype));
    im.set(n, 0, back);
    return ok();
  }
  HW_TRY(const std::string type, w.type("max_pool"));
  HW_TRY(const WireType wide, im.type(x));
  HW_TRY(x, padded(im, x, w, -info(wide.dtype).max));
  HW_TRY(const Wire y, im.add(type, {{"x", x}},
                              {{"kernel_size", w.kernel_size()}, {"stride", w.strides()}, {"padding", w.padding()}}));
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

/// How many of the taps at `start`, `start` + `step`, … lie in [low, high).
int64_t taps_in(int64_t low, int64_t high, int64_t start, int64_t step, int64_t taps) {
  const auto first_at = [&](int64_t place) {  // the first tap that lies there or behind
    const int64_t away = place - start;
    return away <= 0 ? int64_t{0} : std::min(taps, (away + step - 1) / step);
  };
  return std::max<int64_t>(0, first_at(high) - first_at(low));
}

/// `times` ÷ the elements that count in each window: [1, 1, ..]. `asked`: padding before it was widened, which counts
/// where `counts`.
Result<Tensor> shares_of(const WireType& type, const Windows& w, const Windows& asked, bool counts, double times) {
  std::vector<double> shares{times};
  Dims dims{1, 1};
  for (size_t d = 0; d < w.axes(); ++d) {
    const int64_t size = type.shape[d + 2].size;
    if (size < 0) return unsupported("its padding depends on a symbolic size.");
    const int64_t low = counts ? -asked.begin[d] : 0, high = size + (counts ? asked.end[d] : 0);
    const int64_t room = size + w.begin[d] + w.end[d] - w.effective_kernel(d);
    if (room < 0) return unsupported("its window is larger than the padded input.");
    dims.push_back(room / w.stride[d] + 1);
    if (static_cast<double>(shares.size()) * static_cast<double>(dims.back()) > kMost)
      return unsupported("it is very large.");
    std::vector<double> along(static_cast<size_t>(dims.back()), 0);
    for (int64_t i = 0; i < dims.back(); ++i) {
      const int64_t count = taps_in(low, high, i * w.stride[d] - w.begin[d], w.dilation[d], w.kernel[d]);
      if (count == 0) return unsupported("a window lies in its padding alone.");
      along[static_cast<size_t>(i)] = static_cast<double>(count);
    }
    const std::vector<double> outer = std::move(shares);
    shares.clear();
    for (const double share : outer)
      for (const double count : along) shares.push_back(share / count);
  }
  return Tensor::from_f64(type.dtype, dims, shares);
}

/// A mean over dilated windows: the sum of their taps, zeros around, times the share of each.
Result<Wire> dilated_mean(Importer& im, const Wire& x, const Windows& w, const Windows& asked, bool counts) {
  HW_TRY(const Wire wide, im.widened(x));
  HW_TRY(const WireType type, im.type(wide));
  HW_TRY(const Wire sum, over_taps(im, wide, w, 0, "add"));
  HW_TRY(const Tensor shares, shares_of(type, w, asked, counts, 1));
  HW_TRY(const Wire factors, im.constant_wire(shares));
  HW_TRY(const Wire mean, im.add("mul", {{"a", sum}, {"b", factors}}));
  return im.cast_like(mean, x);
}

/// A mean whose windows reach further than half their size over what they are divided by: the mean with zeros around,
/// times kernel ÷ elements that count.
Result<Wire> mean_by_counts(Importer& im, const Wire& x, const Windows& w, const Windows& asked, bool counts) {
  HW_TRY(const WireType type, im.type(x));
  double taps = 1;
  for (const int64_t size : w.kernel) taps *= static_cast<double>(size);
  HW_TRY(const Tensor shares, shares_of(type, w, asked, counts, taps));
  std::vector<double> axes;
  for (size_t d = 0; d < w.axes(); ++d) axes.push_back(static_cast<double>(d + 2));
  HW_TRY(const std::string node, w.type("avg_pool"));
  const std::vector<double> before(w.begin.begin(), w.begin.end()), after(w.end.begin(), w.end.end());
  HW_TRY(const Wire around,
         im.add("pad", {{"x", x}}, {{"axes", axes}, {"before", before}, {"after", after}, {"value", 0.0}}));
  HW_TRY(const Wire mean, im.add(node, {{"x", around}}, {{"kernel_size", w.kernel_size()}, {"stride", w.strides()}}));
  HW_TRY(const Wire factors, im.constant_wire(shares));
  return im.add("mul", {{"a", mean}, {"b", factors}});
}

/// The mean over windows that ceil_mode has widened along axes of symbolic size, where padding counts as far as it was
/// asked for. Error: the node does not take as much padding.
Result<Wire> mean_of_any_size(Importer& im, Wire x, Windows w, const Windows& asked, bool counts) {
  if (counts) {
    std::vector<double> axes;
    for (size_t d = 0; d < w.axes(); ++d) axes.push_back(static_cast<double>(d + 2));
    const std::vector<double> before(asked.begin.begin(), asked.begin.end()), after(asked.end.begin(), asked.end.end());
    HW_TRY(x, im.add("pad", {{"x", x}}, {{"axes", axes}, {"before", before}, {"after", after}, {"value", 0.0}}));
    for (size_t d = 0; d < w.axes(); ++d) w.end[d] -= asked.end[d];
    w.begin.assign(w.axes(), 0);
  }
  if (is_wide(w)) return unsupported("its padding depends on a symbolic size.");
  HW_TRY(const std::string type, w.type("avg_pool"));
  return im.add(type, {{"x", x}},
                {{"kernel_size", w.kernel_size()},
                 {"stride", w.strides()},
                 {"padding", w.padding()},
                 {"count_include_pad", false}});
}

/// Whether an axis that windows slide along has a symbolic size.
Result<bool> is_of_any_size(Importer& im, const Wire& x) {
  HW_TRY(const Dims dims, im.open_dims(x));
  return std::ranges::count(dims.begin() + std::min<std::ptrdiff_t>(2, std::ssize(dims)), dims.end(), -1) > 0;
}

Status average_pool(Importer& im, const OnnxNode& n) {
  HW_TRY(Wire x, im.in(n, 0));
  HW_TRY(Windows w, windows_of(im, n, x));
  const bool counts = n.integer("count_include_pad", 0) != 0;
  const Windows asked = w;
  if (n.integer("ceil_mode", 0) != 0) HW_CHECK(widen_for_ceil(im, x, w));
  if (is_dilated(w)) {
    HW_TRY(const Wire y, dilated_mean(im, x, w, asked, counts));
    im.set(n, 0, y);
    return ok();
  }
  if (counts ? w.end != asked.end : is_wide(w)) {
    HW_TRY(const bool any, is_of_any_size(im, x));
    HW_TRY(const Wire y, any ? mean_of_any_size(im, x, w, asked, counts) : mean_by_counts(im, x, w, asked, counts));
    im.set(n, 0, y);
    return ok();
  }
  HW_TRY(const std::string type, w.type("avg_pool"));
  if (counts) {
    HW_TRY(x, padded(im, x, w, 0));
  }
  HW_TRY(const Wire y, im.add(type, {{"x", x}},
                              {{"kernel_size", w.kernel_size()},
                               {"stride", w.strides()},
                               {"padding", w.padding()},
                               {"count_include_pad", counts}}));
  im.set(n, 0, y);
  return ok();
}

Status global_pool(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const int64_t rank, im.rank(x));
  if (rank < 3) return unsupported("there is nothing to pool over.");
  std::vector<double> axes;
  for (int64_t d = 2; d < rank; ++d) axes.push_back(static_cast<double>(d));
  HW_TRY(const Wire y,
         im.add(n.op == "GlobalMaxPool" ? "reduce_max" : "mean", {{"x", x}}, {{"axes", axes}, {"keep", true}}));
  im.set(n, 0, y);
  return ok();
}

/// What sizes that follow from symbolic ones are of x's, axis by axis. Error: no factor, the same in both graphs.
Result<std::vector<double>> factors_of(Importer& im, const Wire& x, const Sized& sizes) {
  HW_TRY(const SizedDims dims, im.sized_dims(x));
  const std::vector<double> here = sizes.here.to_f64(), other = sizes.other.to_f64();
  if (here.size() != dims.here.size()) return unsupported("its sizes are not one an axis.");
  std::vector<double> factors;
  for (size_t d = 0; d < here.size(); ++d) {
    factors.push_back(here[d] / static_cast<double>(dims.here[d]));
    if (factors.back() != other[d] / static_cast<double>(dims.other[d]))
      return unsupported("its sizes are no multiple of its input's, whose sizes are symbolic.");
  }
  return factors;
}

/// A wire whose last axes have these sizes, those of N and C left out. Error: there is none, or N or C is resized.
Result<Wire> as_large_as(Importer& im, const Wire& x, const Sized& sizes) {
  HW_TRY(const SizedDims dims, im.sized_dims(x));
  const Tensor here = sizes.here.to(DType::i64), other = sizes.other.to(DType::i64);
  const SizedDims wanted{{here.as<int64_t>(), here.as<int64_t>() + here.size()},
                         {other.as<int64_t>(), other.as<int64_t>() + other.size()}};
  for (const size_t d : {0, 1})
    if (wanted.here[d] != dims.here[d] || wanted.other[d] != dims.other[d]) return unsupported("N or C is resized.");
  return im.wire_with_last_axes(
      {{wanted.here.begin() + 2, wanted.here.end()}, {wanted.other.begin() + 2, wanted.other.end()}});
}

/// Sizes or factors of some axes as those of all: the others stay.
Result<std::vector<double>> of_all_axes(const OnnxNode& n, const Dims& dims, const std::vector<double>& given,
                                        bool are_sizes) {
  std::vector<double> all;
  for (const int64_t size : dims) all.push_back(are_sizes ? static_cast<double>(size) : 1);
  const std::vector<int64_t> axes = n.integers("axes");
  if (axes.size() != given.size()) return unsupported("its sizes are not one an axis.");
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + std::ssize(dims) : axes[i];
    if (axis < 0 || axis >= std::ssize(dims)) return unsupported("an axis is not there.");
    all[static_cast<size_t>(axis)] = given[i];
  }
  if (std::ranges::any_of(all.begin() + std::min<std::ptrdiff_t>(2, std::ssize(all)), all.end(),
                          [](double size) { return size < 0; }))
    return unsupported("the size of an axis that stays is symbolic.");
  return all;
}

Status resize(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Dims dims, im.open_dims(x));
  const bool old = n.op == "Upsample" || im.opset() < 11;
  const std::string mode = n.text("mode", "nearest");
  const std::string coordinates = old ? "asymmetric" : n.text("coordinate_transformation_mode", "half_pixel");
  std::string rounding = old ? "floor" : n.text("nearest_mode", "round_prefer_floor");
  if (coordinates != "half_pixel" && coordinates != "align_corners" && coordinates != "asymmetric")
    return unsupported("coordinates as " + coordinates + ".");
  if (n.integer("exclude_outside", 0) != 0) return unsupported("exclude_outside.");
  if (n.integer("antialias", 0) != 0) return unsupported("antialias.");
  if (n.text("keep_aspect_ratio_policy", "stretch") != "stretch") return unsupported("it keeps the aspect ratio.");
  if (dims.size() < 3) return unsupported("fewer than three axes.");
  const Tensor *scales = im.bound(n, old ? 1 : 2), *sizes = im.bound(n, 3);
  std::vector<double> factors = n.has("scales") ? n.reals("scales") : std::vector<double>{};
  if (scales && scales->size() > 0) factors = scales->to_f64();
  Wires inputs{{"x", x}};
  if (const auto asked = im.sized(n, 3); factors.empty() && !sizes && asked && !n.has("axes")) {
    // The sizes of another tensor first: a factor may fit those at hand by chance.
    if (const auto like = as_large_as(im, x, *asked)) {
      inputs.emplace_back("like", *like);
      factors.assign(dims.size(), 1);
    } else {
      HW_TRY(factors, factors_of(im, x, *asked));
    }
  }
  const bool by_size = factors.empty();
  if (by_size && (!sizes || sizes->size() == 0)) return unsupported("its sizes are computed.");
  std::vector<double> wanted = by_size ? sizes->to_f64() : factors;
  if (n.has("axes")) {
    HW_TRY(wanted, of_all_axes(n, dims, wanted, by_size));
  }
  if (wanted.size() != dims.size()) return unsupported("its sizes are not one an axis.");
  for (size_t d = 0; d < 2; ++d)
    if (wanted[d] != (by_size ? static_cast<double>(dims[d]) : 1)) return unsupported("N or C is resized.");
  const std::vector<double> spatial(wanted.begin() + 2, wanted.end());
  // ONNX Runtime's Resize of opset 10 takes the next element upwards where it makes an axis smaller.
  const auto smaller = std::ranges::count_if(spatial, [](double factor) { return factor < 1; });
  if (n.op == "Resize" && old && mode == "nearest" && smaller > 0) {
    if (std::ranges::any_of(spatial, [](double factor) { return factor > 1; }))
      return unsupported("it makes one axis smaller and another larger, in opset 10.");
    rounding = "ceil";
  }
  for (size_t d = 2; !by_size && coordinates == "align_corners" && d < dims.size(); ++d)
    if (const float size = static_cast<float>(dims[d]) * static_cast<float>(wanted[d]); size != std::floor(size))
      return unsupported("align_corners by a factor that leaves no whole size.");
  static const std::map<std::string, std::string> kRounding{{"round_prefer_floor", "prefer_floor"},
                                                            {"round_prefer_ceil", "prefer_ceil"},
                                                            {"floor", "floor"},
                                                            {"ceil", "ceil"}};
  if (!kRounding.contains(rounding)) return unsupported("rounding as " + rounding + ".");
  HW_TRY(const Wire y, im.add("resize", inputs,
                              {{"size", by_size ? spatial : std::vector<double>{}},
                               {"scale", by_size ? std::vector<double>{1} : spatial},
                               {"mode", mode},
                               {"coordinates", coordinates},
                               {"rounding", kRounding.at(rounding)},
                               {"cubic_a", n.real("cubic_coeff_a", -0.75)}}));
  im.set(n, 0, y);
  return ok();
}

Status grid_sample(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire grid, im.in(n, 1));
  std::string mode = n.text("mode", "bilinear");
  if (mode == "linear") mode = "bilinear";
  if (mode == "bicubic" || mode == "cubic") return unsupported("cubic sampling.");
  HW_TRY(const Wire y, im.add("grid_sample", {{"x", x}, {"grid", grid}},
                              {{"mode", mode},
                               {"padding", n.text("padding_mode", "zeros")},
                               {"align_corners", n.integer("align_corners", 0) != 0}}));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> pool_rules() {
  static constexpr RuleRow kRows[]{
      {"AveragePool", average_pool}, {"GlobalAveragePool", global_pool}, {"GlobalMaxPool", global_pool},
      {"MaxPool", max_pool},         {"GridSample", grid_sample},        {"Resize", resize},
      {"Upsample", resize},
  };
  return kRows;
}

}  // namespace hw::interop
