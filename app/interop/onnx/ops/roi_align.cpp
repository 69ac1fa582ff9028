// RoiAlign: regions of pictures at one size. The order of its arithmetic is that of ONNX Runtime.
#include <algorithm>
#include <cmath>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

/// A side of the pictures, and what is taken along it.
struct Side {
  int64_t begin, end;  // columns of the regions
  int64_t size, out;
  int64_t most;                // samples in a bin
  std::vector<double> counts;  // those of each region; empty: `most`
};

/// Where samples lie along one side of a picture, [R, out · most]: the elements below and above, what each weighs, and
/// whether the sample counts: no further outside than one element before the first, or at the side's length. `taken`:
/// whether it is one of its region's, "" where all have as many; others lie where the region's last one does.
struct Samples {
  Side side;
  std::string low, high, of_low, of_high, inside, taken;
};

/// As many as a bin has pixels, computed in the dtype T of the regions [R, 4].
template <typename T>
std::vector<double> adaptive_counts(const Tensor& rois, const Side& side, double scale, bool half) {
  std::vector<double> counts;
  const std::vector<double> all = rois.to_f64();
  const auto edge = [&](size_t row, int64_t column) {
    const T at = static_cast<T>(all[4 * row + static_cast<size_t>(column)]) * static_cast<T>(scale);
    return half ? at - static_cast<T>(0.5) : at;
  };
  for (size_t row = 0; 4 * row < all.size(); ++row) {
    T extent = edge(row, side.end) - edge(row, side.begin);
    if (!half) extent = std::max(extent, static_cast<T>(1));
    counts.push_back(std::max(0.0, static_cast<double>(std::ceil(extent / static_cast<T>(side.out)))));
  }
  return counts;
}

/// The counts of both sides where sampling_ratio is 0. Error: the regions are computed.
Status count_samples(const Tensor* rois, Side& y, Side& x, double scale, bool half) {
  if (!rois)
    return unsupported(
        "sampling_ratio is 0, as many samples as a bin has pixels, which depends on its regions, and these are "
        "computed. Export it with a ratio of 1 or more.");
  for (Side* side : {&y, &x}) {
    side->counts = rois->dtype() == DType::f64 ? adaptive_counts<double>(*rois, *side, scale, half)
                                               : adaptive_counts<float>(*rois, *side, scale, half);
    const double most = side->counts.empty() ? 1 : std::ranges::max(side->counts);
    if (!(most <= 1024)) return unsupported("a region has more than 1024 samples in a bin.");
    side->most = std::max<int64_t>(1, static_cast<int64_t>(most));
    if (std::ranges::all_of(side->counts, [&](double count) { return count == static_cast<double>(side->most); }))
      side->counts.clear();
  }
  return ok();
}

/// [R, 1, ..], `rank` axes.
std::string of_each(Steps& s, const std::vector<double>& values, size_t rank, const std::string& like) {
  Dims dims(rank, 1);
  dims[0] = std::ssize(values);
  return s.add("CastLike", {s.constant(Tensor::from_f64(DType::f32, dims, values)), like});
}

Samples samples_along(Steps& s, const std::string& rois, Side side, double scale, bool half) {
  const auto number = [&](double value) { return s.number(value, rois); };
  const auto edge = [&](int64_t column) {
    const std::string at =
        s.add("Mul", {s.add("Gather", {rois, s.integers({column})}, {{"axis", int64_t{1}}}), number(scale)});
    return half ? s.add("Sub", {at, number(0.5)}) : at;
  };
  const std::string begin = edge(side.begin), end = edge(side.end);
  std::string extent = s.add("Sub", {end, begin});
  if (!half) extent = s.add("Max", {extent, number(1)});
  const std::string bin = s.add("Div", {extent, number(static_cast<double>(side.out))});
  std::vector<double> bins, within;
  for (int64_t p = 0; p < side.out; ++p)
    for (int64_t i = 0; i < side.most; ++i) {
      bins.push_back(static_cast<double>(p));
      within.push_back(static_cast<double>(i) + 0.5);
    }
  const auto row = [&](const std::vector<double>& values) {
    return s.add("CastLike", {s.constant(Tensor::from_f64(DType::f32, {1, std::ssize(values)}, values)), rois});
  };
  const std::string to_bin = s.add("Add", {begin, s.add("Mul", {row(bins), bin})});
  Samples made;
  std::string count = number(static_cast<double>(side.most)), place_in_bin = row(within);
  if (!side.counts.empty()) {
    made.taken = s.add("Less", {place_in_bin, of_each(s, side.counts, 2, rois)});
    count = s.add("Max", {of_each(s, side.counts, 2, rois), number(1)});
    place_in_bin = s.add("Min", {place_in_bin, s.add("Sub", {count, number(0.5)})});
  }
  const std::string in_bin = s.add("Div", {s.add("Mul", {place_in_bin, bin}), count});
  const std::string at = s.add("Add", {to_bin, in_bin});
  made.inside = s.add("And", {s.add("GreaterOrEqual", {at, number(-1)}),
                              s.add("LessOrEqual", {at, number(static_cast<double>(side.size))})});
  const std::string last = number(static_cast<double>(side.size - 1));
  const std::string place = s.add("Clip", {at, number(0), last});
  made.low = s.add("Floor", {place});
  made.high = s.add("Min", {s.add("Add", {made.low, number(1)}), last});
  made.of_high = s.add("Sub", {place, made.low});
  made.of_low = s.add("Sub", {number(1), made.of_high});
  made.side = std::move(side);
  return made;
}

/// What regions take of their samples [R, height · most, width · most, C]: the mean, or the largest.
std::string pooled(Steps& s, const std::string& sample, const Samples& y, const Samples& x, int64_t channels,
                   bool mean) {
  const auto both = [&](const std::string& row, const std::string& column) {
    return s.unsqueeze(s.add("And", {s.unsqueeze(row, 2), s.unsqueeze(column, 1)}), 3);
  };
  std::string each = s.add("Where", {both(y.inside, x.inside), sample, s.number(0, sample)});
  for (const auto& [taken, axis] : {std::pair(y.taken, 2), std::pair(x.taken, 1)})
    if (mean && !taken.empty())
      each = s.add("Where", {s.unsqueeze(s.unsqueeze(taken, axis), 3), each, s.number(0, each)});
  const std::string bins = s.reshape(each, {-1, y.side.out, y.side.most, x.side.out, x.side.most, channels});
  const auto over_bins = [&](const std::string& reduction) {
    return s.add(reduction, {bins, s.integers({2, 4})}, {{"keepdims", int64_t{0}}});
  };
  const size_t regions = std::max(y.side.counts.size(), x.side.counts.size());
  if (regions == 0) return over_bins(mean ? "ReduceMean" : "ReduceMax");
  std::vector<double> counts, any;
  for (size_t i = 0; i < regions; ++i) {
    double count = 1;
    for (const Side& side : {y.side, x.side})
      count *= side.counts.empty() ? static_cast<double>(side.most) : side.counts[i];
    counts.push_back(std::max(1.0, count));
    any.push_back(count > 0 ? 1 : 0);
  }
  const std::string made = over_bins(mean ? "ReduceSum" : "ReduceMax");
  if (mean) return s.add("Div", {made, of_each(s, counts, 4, made)});
  const std::string flags = s.constant(Tensor::from_f64(DType::boolean, {std::ssize(any), 1, 1, 1}, any));
  return s.add("Where", {flags, made, s.number(0, made)});  // a region without samples is 0
}

Result<std::vector<OnnxNode>> roi_align(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  HW_TRY(const Dims of_rois, im.open_dims(n, 1));
  if (dims.size() != 4 || dims[1] < 1 || dims[2] < 1 || dims[3] < 1)
    return unsupported("a size of its pictures is symbolic, or they are not [N, C, H, W].");
  if (of_rois.size() != 2 || of_rois[1] != 4 || input(n, 2).empty())
    return unsupported("its regions are not [R, 4], with the number of a picture each.");
  HW_TRY(const DType given, dtype_of_input(im, n, 0));
  HW_TRY(const DType of_regions, dtype_of_input(im, n, 1));
  const int64_t height = n.integer("output_height", 1), width = n.integer("output_width", 1);
  const int64_t ratio = n.integer("sampling_ratio", 0);
  if (std::min(height, width) < 1 || std::max({height, width, ratio}) > 1024)
    return unsupported("its output sizes or samples are not 1 to 1024.");
  const std::string mode = n.text("mode", "avg");
  if (mode != "avg" && mode != "max") return unsupported("mode " + mode + ".");
  const std::string coordinates =
      n.text("coordinate_transformation_mode", im.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return unsupported("coordinates as " + coordinates + ".");
  const bool half = coordinates == "half_pixel";
  const bool narrow = info(of_regions).bits < info(DType::f32).bits;
  const double scale = n.real("spatial_scale", 1);
  Side rows{1, 3, dims[2], height, ratio, {}}, columns{0, 2, dims[3], width, ratio, {}};
  std::string given_rois = input(n, 1);
  if (ratio < 1) {
    const Tensor* known = im.constant(n, 1);
    HW_CHECK(count_samples(known, rows, columns, scale, half));
    given_rois = s.constant(*known);  // also what trains: its counts are these
  }
  if (of_rois[0] >= 0 && size_product({of_rois[0], height, width, rows.most, columns.most}) > kMost)
    return unsupported("its regions have more than 2^24 samples.");
  const std::string rois = narrow ? s.cast(given_rois, DType::f32) : given_rois;
  const Samples y = samples_along(s, rois, rows, scale, half);
  const Samples x = samples_along(s, rois, columns, scale, half);
  // A pixel of all channels is a row.
  const DType held = info(given).bits < info(DType::f32).bits ? DType::f32 : given;
  const std::string pixels = s.reshape(
      s.add("Transpose", {s.cast(input(n, 0), held)}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}}), {-1, dims[1]});
  const auto whole = [&](const std::string& value) { return s.cast(value, DType::f64); };
  const std::string picture =
      s.reshape(s.add("Mul", {whole(input(n, 2)), whole(s.integers({dims[2] * dims[3]}))}), {-1, 1, 1});
  const auto corner = [&](const std::string& row, const std::string& column, const std::string& of_row,
                          const std::string& of_column) {
    const std::string line = s.add("Mul", {whole(s.unsqueeze(row, 2)), whole(s.integers({dims[3]}))});
    const std::string place = s.add("Add", {s.add("Add", {picture, line}), whole(s.unsqueeze(column, 1))});
    const std::string pixel = s.add("Gather", {pixels, s.cast(place, DType::i64)}, {{"axis", int64_t{0}}});
    const std::string weight = s.add("Mul", {s.unsqueeze(of_row, 2), s.unsqueeze(of_column, 1)});
    return s.add("Mul", {pixel, s.cast(s.unsqueeze(weight, 3), held)});
  };
  const std::vector<std::string> corners{
      corner(y.low, x.low, y.of_low, x.of_low), corner(y.low, x.high, y.of_low, x.of_high),
      corner(y.high, x.low, y.of_high, x.of_low), corner(y.high, x.high, y.of_high, x.of_high)};
  // The mode max takes the largest weighted corner, not the largest of what is between them: so do ONNX's reference
  // and ONNX Runtime.
  const std::string sample = s.add(mode == "avg" ? "Sum" : "Max", corners);
  const std::string all = pooled(s, sample, y, x, dims[1], mode == "avg");
  const std::string pictures = s.add("Transpose", {all}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
  s.give(0, s.cast(pictures, given));
  return s.take();
}

}  // namespace

std::span<const StepsRow> roi_steps() {
  static constexpr StepsRow kRows[]{{"", "RoiAlign", roi_align}};
  return kRows;
}

}  // namespace hw::interop
