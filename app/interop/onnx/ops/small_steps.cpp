// Operators that a few others make: CumProd, CenterCropPad, pools by a norm, windows of signals.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

/// The product over those of its axis that come before, in their order: nothing overflows that would not one by one.
Result<std::vector<OnnxNode>> cum_prod(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, fixed_dims(im, n, 0));
  HW_TRY(const auto asked, im.number(n, 1));
  const auto rank = std::ssize(dims);
  auto axis = static_cast<int64_t>(asked.value_or(0));
  if (axis < 0) axis += rank;
  if (!asked || axis < 0 || axis >= rank) return unsupported("its axis is not known, or not there.");
  const int64_t size = dims[static_cast<size_t>(axis)];
  if (size_product({element_count(dims), size}) > kMost)
    return unsupported("a product of each element's predecessors would read more than 2^24 numbers.");
  const bool exclusive = n.integer("exclusive", 0) != 0, reverse = n.integer("reverse", 0) != 0;
  std::vector<double> counts;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j) {
      const int64_t ahead = reverse ? j - i : i - j;
      counts.push_back(ahead > 0 || (ahead == 0 && !exclusive) ? 1 : 0);
    }
  Dims square(static_cast<size_t>(rank + 1), 1);
  square[static_cast<size_t>(axis)] = square[static_cast<size_t>(axis + 1)] = size;
  Steps s(im, n);
  const std::string mask = s.constant(Tensor::from_f64(DType::boolean, square, counts));
  const std::string each = s.add("Where", {mask, s.unsqueeze(input(n, 0), axis), s.number(1, input(n, 0))});
  s.give(0, s.add("ReduceProd", {each, s.integers({axis + 1})}, {{"keepdims", int64_t{0}}}));
  return s.take();
}

/// The middle of longer axes, zeros around shorter ones; what is odd is at the end.
Result<std::vector<OnnxNode>> center_crop_pad(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  HW_TRY(const std::vector<int64_t> sizes, im.integers(n, 1));
  const auto rank = std::ssize(dims);
  std::vector<int64_t> axes = n.integers("axes"), starts, ends, before, after;
  if (!n.has("axes"))
    for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
  if (axes.size() != sizes.size()) return unsupported("its sizes are not one an axis.");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0) axes[i] += rank;
    if (axes[i] < 0 || axes[i] >= rank) return unsupported("an axis is not there.");
    const int64_t size = dims[static_cast<size_t>(axes[i])], less = std::max<int64_t>(size - sizes[i], 0),
                  more = std::max<int64_t>(sizes[i] - size, 0);
    if (size < 0) return unsupported("the size of its axis is symbolic.");
    starts.push_back(less / 2);
    ends.push_back(less / 2 + size - less);
    before.push_back(more / 2);
    after.push_back(more - more / 2);
  }
  Steps s(im, n);
  const std::string all = s.integers(axes);
  const std::string middle = s.add("Slice", {input(n, 0), s.integers(starts), s.integers(ends), all});
  before.insert(before.end(), after.begin(), after.end());
  s.give(0, s.add("Pad", {middle, s.integers(before), s.number(0, middle), all}));
  return s.take();
}

std::string to_power(Steps& s, const std::string& x, int64_t p) {
  const std::string size = s.add("Abs", {x});
  return p == 1 ? size : p == 2 ? s.add("Mul", {x, x}) : s.add("Pow", {size, s.number(static_cast<double>(p), x)});
}

std::string root(Steps& s, const std::string& sum, int64_t p) {
  return p == 1   ? sum
         : p == 2 ? s.add("Sqrt", {sum})
                  : s.add("Pow", {sum, s.number(1.0 / static_cast<double>(p), sum)});
}

/// (Σ |x|^p)^(1/p) over a window: a mean times the number of its elements, zeros of the padding among them.
Result<std::vector<OnnxNode>> lp_pool(Importer& im, const OnnxNode& n) {
  const int64_t p = n.integer("p", 2);
  if (p < 1) return unsupported("a norm of order " + std::to_string(p) + ".");
  if (n.integer("ceil_mode", 0) != 0) return unsupported("ceil_mode.");
  Steps s(im, n);
  Steps::Attributes attributes = n.attributes;
  attributes.erase("p");
  attributes["count_include_pad"] = int64_t{1};
  double count = 1;
  for (const int64_t size : n.integers("kernel_shape")) count *= static_cast<double>(size);
  const std::string mean = s.add("AveragePool", {to_power(s, input(n, 0), p)}, attributes);
  s.give(0, root(s, s.add("Mul", {mean, s.number(count, mean)}), p));
  return s.take();
}

Result<std::vector<OnnxNode>> global_lp_pool(Importer& im, const OnnxNode& n) {
  const int64_t p = n.integer("p", 2);
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  if (p < 1 || dims.size() < 3) return unsupported("a norm of order below 1, or nothing to pool over.");
  std::vector<int64_t> axes;
  for (int64_t d = 2; d < std::ssize(dims); ++d) axes.push_back(d);
  Steps s(im, n);
  s.give(0, root(s, s.add("ReduceSum", {to_power(s, input(n, 0), p), s.integers(axes)}), p));
  return s.take();
}

/// a0 − a1 · cos(2πi / size) + a2 · cos(4πi / size); not periodic: size − 1.
Result<std::vector<OnnxNode>> signal_window(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto asked, im.number(n, 0));
  if (!asked || *asked < 1 || *asked > static_cast<double>(kMost))
    return unsupported("its size is not known, or not 1 to 2^24.");
  const double size = n.integer("periodic", 1) != 0 ? *asked : std::max(*asked - 1, 1.0);
  const double a0 = n.op == "HannWindow" ? 0.5 : n.op == "HammingWindow" ? 25.0 / 46 : 0.42;
  const double a2 = n.op == "BlackmanWindow" ? 0.08 : 0;
  const double a1 = n.op == "BlackmanWindow" ? 0.5 : 1 - a0;
  std::vector<double> values;
  for (double i = 0; i < *asked; ++i) {
    const double angle = 2 * std::numbers::pi * i / size;
    values.push_back(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  Steps s(im, n);
  const std::string window = s.constant(Tensor::from_f64(DType::f64, {std::ssize(values)}, values));
  s.give(0, s.add("Cast", {window}, {{"to", n.integer("output_datatype", 1)}}));
  return s.take();
}

}  // namespace

std::span<const StepsRow> small_steps() {
  static constexpr StepsRow kRows[]{{"", "BlackmanWindow", signal_window},
                                    {"", "CenterCropPad", center_crop_pad},
                                    {"", "CumProd", cum_prod},
                                    {"", "GlobalLpPool", global_lp_pool},
                                    {"", "HammingWindow", signal_window},
                                    {"", "HannWindow", signal_window},
                                    {"", "LpPool", lp_pool}};
  return kRows;
}

}  // namespace hw::interop
