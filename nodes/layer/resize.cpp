// Resize: lines, pictures and volumes at other sizes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/sizes.h"
#include "engine/node/sliding.h"

namespace hw::nodes::resize {

// Along one axis: element i of the output is element (i + shift) · step − shift of the input, or between. `scale`:
// what the place of the nearest is divided by instead, in f32; 0: nothing.
struct Line {
  int64_t in, out;
  double step, shift;
  float scale = 0;
};

// `like`: the sizes of the tensor that the output is to be as large as; null: parameters say.
static Result<std::vector<Line>> lines_of(const Params& p, const std::vector<int64_t>& in, const Dims* like) {
  const bool by_size = like || !p.vector("size").empty();
  std::vector<int64_t> sizes;
  if (like) {
    if (like->size() < in.size())
      return Error{codes::rank_mismatch, "like",
                   "expects at least " + std::to_string(in.size()) + " axes, got " + to_string(*like) + ".",
                   "Wire a tensor whose last axes have the sizes."};
    sizes.assign(like->end() - static_cast<std::ptrdiff_t>(in.size()), like->end());
  } else if (by_size) {
    HW_TRY(sizes, sliding::list_of(p, "size", in.size(), 1));
  }
  const std::vector<double>& scales = p.vector("scale");
  if (!by_size && scales.size() != 1 && scales.size() != in.size())
    return Error{codes::bad_parameter, "scale",
                 "expects one factor or one for each of the " + std::to_string(in.size()) +
                     " axes behind N and C, got " + to_string(ParamValue(scales)) + ".",
                 "[2] doubles all of them."};
  std::vector<Line> lines;
  for (size_t d = 0; d < in.size(); ++d) {
    const double scale = by_size ? 0 : scales[scales.size() == 1 ? 0 : d], size = static_cast<double>(in[d]);
    // Factors of ONNX are f32, and ONNX Runtime computes with them so: 10 · 0.9 are 9.
    const auto narrow = static_cast<float>(scale);
    const bool is_narrow = static_cast<double>(narrow) == scale;
    const double scaled =
        std::floor(is_narrow ? static_cast<double>(static_cast<float>(in[d]) * narrow) : size * scale);
    if (!by_size && !(scale > 0 && scaled >= 1 && scaled <= 0x1p20))
      return Error{codes::bad_parameter, "scale",
                   "must leave from 1 to 2^20 elements of " + std::to_string(in[d]) + ", got " +
                       to_string(ParamValue(scales)) + ".",
                   "Give a size instead."};
    Line line{in[d], by_size ? sizes[d] : static_cast<int64_t>(scaled), 1, 0};
    const auto out = static_cast<double>(line.out);
    const bool is_exact = by_size || size * scale == out;
    line.step = is_exact ? size / out : 1 / scale;
    if (p.text("coordinates") == "half_pixel") line.shift = 0.5;
    if (p.text("coordinates") == "align_corners")
      line.step = line.out > 1 ? (size - 1) / (out - 1) : 0;
    else if (!is_exact && is_narrow)
      line.scale = narrow;
    lines.push_back(line);
  }
  return lines;
}

static void declare(NodeDecl& d) {
  d.title("Resize").category("Layer").summary("Makes lines, pictures or volumes larger or smaller, by any factor.");
  d.doc(
      "[N, C, ..] to the same with other sizes behind N and C, one to three of them: `size`, or, where it is empty, "
      "⌊size · scale⌋; where `like` is wired, the sizes of its last axes. `nearest` takes one element, `linear` mixes "
      "two along each axis, `cubic` four (Keys, with "
      "`cubic_a`). Element i of the output lies at `(i + ½) / scale - ½` of the input (`half_pixel`), at `i / scale` "
      "(`asymmetric`), or, with `align_corners`, at `i · (in - 1) / (out - 1)`; beyond the ends the end counts. "
      "`rounding` "
      "says how `nearest` rounds that: PyTorch's nearest is asymmetric with floor, its nearest-exact half_pixel with "
      "prefer_ceil, ONNX's default half_pixel with prefer_floor. Nothing is smoothed before it is made smaller. Mixing "
      "is "
      "f32 (f64 for f64), rounded once.");
  d.source("ONNX, Resize; PyTorch, `torch.nn.functional.interpolate`; Keys 1981 (cubic convolution)");
  d.keywords(
      "interpolate upsample downsample scale enlarge shrink nearest bilinear trilinear bicubic picture image volume "
      "line Resize Upsample interpolate Resizing");
  d.vector("size", {}).docs("Sizes of the output: one number or one for each axis; empty: by scale.").range(1, 1 << 20);
  d.vector("scale", {2})
      .docs("Factors, where there is no size: one or one for each axis. Those that f32 holds are multiplied in f32.")
      .range(0, 1 << 20);
  d.choice("mode", "linear", {"nearest", "linear", "cubic"}).docs("How new elements are made.");
  d.choice("coordinates", "half_pixel", {"half_pixel", "align_corners", "asymmetric"})
      .docs("Where an element of the output lies in the input.");
  d.choice("rounding", "prefer_floor", {"prefer_floor", "prefer_ceil", "floor", "ceil"})
      .docs("nearest: to which element; prefer_floor and prefer_ceil to the nearest, ties down or up.");
  d.real("cubic_a", -0.75).docs("cubic: -0.75 is PyTorch's and OpenCV's, -0.5 that of Pillow.").range(-2, 0);
  d.input("x").dtype_group("T", running_floats()).with_axes("N C ..");
  d.input("like").dtype_group("U").may_be_open().docs("Its last axes have the sizes; open: the parameters say.");
  d.output("y").dtype_group("T").with_axes("N C ..");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::channels_of(a, "x"));
  const Shape& x = a.shape("x");
  if (x.rank() < 3 || x.rank() > 5)
    return Error{codes::rank_mismatch, "x", "expects one to three axes behind N and C, got " + to_string(x) + ".",
                 "Reshape to the expected axes."};
  const Dims like = a.in("like") ? a.shape("like").dims() : Dims();
  HW_TRY(const std::vector<Line> lines,
         lines_of(a.params(), sliding::sizes_behind(x.dims()), a.in("like") ? &like : nullptr));
  std::vector<int64_t> sizes;
  for (const Line& line : lines) sizes.push_back(line.out);
  return Shapes{shapes::tensor(a.dtype("x"), sliding::resized(x, x[1].size, sizes))};
}

// For each element of the output `count` elements of the input and their weights.
struct Taps {
  int64_t count = 1;
  std::vector<double> index, weight;

  void add(double at, double by, int64_t in) {
    index.push_back(std::clamp(at, 0.0, static_cast<double>(in - 1)));
    weight.push_back(by);
  }
};

// Rounding decides which of two elements is the nearest to a place between them.
static double nearest_place(const Line& line, int64_t i) {
  const auto shift = static_cast<float>(line.shift);
  return static_cast<double>((static_cast<float>(i) + shift) / line.scale - shift);
}

static Taps taps_of(const Line& line, const Params& p) {
  const std::string &mode = p.text("mode"), &rounding = p.text("rounding");
  Taps taps;
  taps.count = mode == "nearest" ? 1 : mode == "linear" ? 2 : 4;
  for (int64_t i = 0; i < line.out; ++i) {
    const double at = mode == "nearest" && line.scale > 0
                          ? nearest_place(line, i)
                          : (static_cast<double>(i) + line.shift) * line.step - line.shift;
    const double low = std::floor(at), t = at - low;
    if (mode == "nearest") {
      const double nearest = rounding == "floor"          ? low
                             : rounding == "ceil"         ? std::ceil(at)
                             : rounding == "prefer_floor" ? std::ceil(at - 0.5)
                                                          : std::floor(at + 0.5);
      taps.add(nearest, 1, line.in);
    } else if (mode == "linear") {
      taps.add(low, 1 - t, line.in);
      taps.add(low + 1, t, line.in);
    } else {
      const double a = p.real("cubic_a");
      const auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
      const auto far = [&](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
      const double weights[] = {far(1 + t), near(t), near(1 - t), far(2 - t)};
      for (int k = 0; k < 4; ++k) taps.add(low + k - 1, weights[k], line.in);
    }
  }
  return taps;
}

static Val along(OpBuilder& b, Val x, int axis, const Line& line, const Params& p) {
  if (!b.status()) return {};
  const Taps taps = taps_of(line, p);
  std::vector<int> to_front(b[x].dims.size()), back(b[x].dims.size());
  std::iota(to_front.begin(), to_front.end(), 0);
  std::rotate(to_front.begin(), to_front.begin() + axis, to_front.begin() + axis + 1);
  for (size_t d = 0; d < back.size(); ++d) back[static_cast<size_t>(to_front[d])] = static_cast<int>(d);
  const Val rows = b.transpose(x, to_front);
  if (taps.count == 1)
    return b.transpose(b.gather(rows, b.constant(Tensor::from_f64(DType::i64, {line.out}, taps.index))), back);
  const Val taken = b.gather(rows, b.constant(Tensor::from_f64(DType::i64, {line.out, taps.count}, taps.index)));
  Dims weights(b[x].dims.size() + 1, 1);
  weights[0] = line.out;
  weights[1] = taps.count;
  const Val weight = b.constant(Tensor::from_f64(b[x].dtype, weights, taps.weight));
  return b.transpose(b.sum(b.mul(taken, weight), {1}), back);
}

// What Op::resize does: pictures by the rules of torch.nn.functional.interpolate.
static std::optional<ResizeAttr> picture_op(const std::vector<Line>& lines, const Params& p) {
  const std::string &mode = p.text("mode"), &coordinates = p.text("coordinates");
  const bool nearest = mode == "nearest" && coordinates == "asymmetric" && p.text("rounding") == "floor";
  const bool linear = mode == "linear" && coordinates != "asymmetric";
  if (lines.size() != 2 || (!nearest && !linear)) return std::nullopt;
  for (const Line& line : lines)
    if (coordinates != "align_corners" && line.step != static_cast<double>(line.in) / static_cast<double>(line.out))
      return std::nullopt;
  ResizeAttr attr{nearest ? ResizeAttr::Kind::nearest : ResizeAttr::Kind::bilinear, coordinates == "align_corners"};
  attr.size = {lines[0].out, lines[1].out};
  return attr;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const std::vector<std::string> axes = b[x].axes;
  const bool is_like = a.has("like");
  const Dims like = is_like ? b[a.in("like")].dims : Dims();
  const auto lines = lines_of(a.params(), sliding::sizes_behind(b[x].dims), is_like ? &like : nullptr);
  if (!lines) return b.fail(lines.error()), Lowered{Val{}};
  if (const auto attr = picture_op(*lines, a.params())) return {b.emit(Op::resize, {x}, *attr)[0]};
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  Val y = a.params().text("mode") == "nearest" ? x : b.cast(x, wide);
  for (size_t d = 0; d < lines->size(); ++d)
    if ((*lines)[d].in != (*lines)[d].out || (*lines)[d].step != 1)
      y = along(b, y, static_cast<int>(d) + 2, (*lines)[d], a.params());
  if (!b.status()) return {Val{}};
  y = b.cast(y, dtype);
  if (b.status() && y.id != x.id) b.set_axes(y, axes);
  return {y};
}

static Examples examples() {
  const auto with = [](std::string name, Dims dims, ParamMap params) {
    return Example{.name = std::move(name),
                   .inputs = {{"x", DType::f32, std::move(dims), {}}},
                   .params = std::move(params),
                   .tolerance_factor = 3};
  };
  using List = std::vector<double>;
  const std::string nearest = "nearest", cubic = "cubic", asymmetric = "asymmetric", corners = "align_corners";
  return {
      with("bilinear", {1, 2, 3, 4}, {}),
      with("line", {2, 2, 5}, {{"size", List{8}}}),
      with("volume", {1, 2, 2, 3, 2}, {{"size", List{3, 2, 4}}}),
      with("nearest", {1, 2, 4, 5}, {{"mode", nearest}, {"scale", List{1.5, 0.75}}}),
      with("nearest_of_pytorch", {1, 2, 3, 5},
           {{"mode", nearest}, {"coordinates", asymmetric}, {"rounding", std::string("floor")}, {"size", List{7, 3}}}),
      with("nearest_up", {1, 1, 5},
           {{"mode", nearest}, {"rounding", std::string("prefer_ceil")}, {"scale", List{2.4}}}),
      with("nearest_ceil", {1, 1, 5},
           {{"mode", nearest}, {"rounding", std::string("ceil")}, {"size", List{5}}, {"coordinates", asymmetric}}),
      {.name = "as_large_as_another",
       .inputs = {{"x", DType::f32, {1, 2, 3, 4}, {}}, {"like", DType::i64, {7, 5, 2}, {}, 0, 9}},
       .tolerance_factor = 3},
      with("cubic", {1, 2, 4, 3}, {{"mode", cubic}, {"scale", List{2.5}}}),
      with("cubic_corners", {1, 1, 5, 4}, {{"mode", cubic}, {"coordinates", corners}, {"size", List{3, 7}}}),
      with("linear_asymmetric", {1, 2, 3, 4}, {{"coordinates", asymmetric}, {"scale", List{1.7}}}),
  };
}

}  // namespace hw::nodes::resize

HW_NODE(resize)
