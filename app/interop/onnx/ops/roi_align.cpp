// RoiAlign: regions of pictures at one size. The order of its arithmetic is that of ONNX Runtime.
#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"

namespace hw::interop {
namespace {

/// Where samples lie along one side of a picture, [R, samples]: the elements below and above, what each weighs, and
/// whether the sample counts: no further outside than one element before the first, or at the side's length.
struct Samples {
  std::string low, high, of_low, of_high, inside;
};

struct Side {
  int64_t begin, end;  // columns of the regions
  int64_t size, out;
};

Samples samples_along(Steps& s, const std::string& rois, const Side& side, int64_t ratio, double scale, bool half) {
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
    for (int64_t i = 0; i < ratio; ++i) {
      bins.push_back(static_cast<double>(p));
      within.push_back(static_cast<double>(i) + 0.5);
    }
  const auto row = [&](const std::vector<double>& values) {
    return s.add("CastLike", {s.constant(Tensor::from_f64(DType::f32, {1, std::ssize(values)}, values)), rois});
  };
  const std::string to_bin = s.add("Add", {begin, s.add("Mul", {row(bins), bin})});
  const std::string in_bin = s.add("Div", {s.add("Mul", {row(within), bin}), number(static_cast<double>(ratio))});
  const std::string at = s.add("Add", {to_bin, in_bin});
  Samples made;
  made.inside = s.add("And", {s.add("GreaterOrEqual", {at, number(-1)}),
                              s.add("LessOrEqual", {at, number(static_cast<double>(side.size))})});
  const std::string last = number(static_cast<double>(side.size - 1));
  const std::string place = s.add("Clip", {at, number(0), last});
  made.low = s.add("Floor", {place});
  made.high = s.add("Min", {s.add("Add", {made.low, number(1)}), last});
  made.of_high = s.add("Sub", {place, made.low});
  made.of_low = s.add("Sub", {number(1), made.of_high});
  return made;
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
  if (ratio < 1) return unsupported("how many samples it takes depends on values: sampling_ratio is 0.");
  if (std::min(height, width) < 1 || std::max({height, width, ratio}) > 1024)
    return unsupported("its output sizes or samples are not 1 to 1024.");
  const std::string mode = n.text("mode", "avg");
  if (mode != "avg" && mode != "max") return unsupported("mode " + mode + ".");
  const std::string coordinates =
      n.text("coordinate_transformation_mode", im.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return unsupported("coordinates as " + coordinates + ".");
  const bool half = coordinates == "half_pixel";
  const bool narrow = size_of(of_regions) < size_of(DType::f32);
  const std::string rois = narrow ? s.cast(input(n, 1), DType::f32) : input(n, 1);
  const double scale = n.real("spatial_scale", 1);
  const Samples y = samples_along(s, rois, {1, 3, dims[2], height}, ratio, scale, half);
  const Samples x = samples_along(s, rois, {0, 2, dims[3], width}, ratio, scale, half);
  // A pixel of all channels is a row.
  const DType held = size_of(given) < size_of(DType::f32) ? DType::f32 : given;
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
  const std::string inside = s.unsqueeze(s.add("And", {s.unsqueeze(y.inside, 2), s.unsqueeze(x.inside, 1)}), 3);
  const std::string counted = s.add("Where", {inside, sample, s.number(0, sample)});
  const std::string bins = s.reshape(counted, {-1, height, ratio, width, ratio, dims[1]});
  const std::string pooled =
      s.add(mode == "avg" ? "ReduceMean" : "ReduceMax", {bins, s.integers({2, 4})}, {{"keepdims", int64_t{0}}});
  const std::string pictures = s.add("Transpose", {pooled}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
  s.give(0, s.cast(pictures, given));
  return s.take();
}

}  // namespace

std::span<const StepsRow> roi_steps() {
  static constexpr StepsRow kRows[]{{"", "RoiAlign", roi_align}};
  return kRows;
}

}  // namespace hw::interop
