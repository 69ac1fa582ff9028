// DFT: a product with the matrix of sines and cosines.
#include <cmath>
#include <numbers>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

struct Transform {
  int64_t length;        // of the transform
  int64_t in, out;       // elements along the axis that are read and made
  int64_t parts, makes;  // 2 of complex numbers, 1 of real ones
  bool inverse, onesided;
};

/// [out · makes, in · parts].
std::vector<double> matrix_of(const Transform& t) {
  std::vector<double> all;
  for (int64_t k = 0; k < t.out; ++k)
    for (int64_t made = 0; made < t.makes; ++made)
      for (int64_t i = 0; i < t.in; ++i)
        for (int64_t part = 0; part < t.parts; ++part) {
          const auto turn = static_cast<double>(k * i % t.length) / static_cast<double>(t.length);
          const double angle = 2 * std::numbers::pi * (t.inverse ? turn : -turn);
          double value = made == part ? std::cos(angle) : made == 0 ? -std::sin(angle) : std::sin(angle);
          if (t.inverse) value /= static_cast<double>(t.length);
          // A real signal's spectrum has the conjugates of those that are here as its other half.
          if (t.inverse && t.onesided && i != 0 && 2 * i != t.length) value *= 2;
          all.push_back(value);
        }
  return all;
}

Result<std::vector<OnnxNode>> dft(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, fixed_dims(im, n, 0));
  HW_TRY(const DType given, dtype_of_input(im, n, 0));
  const auto rank = std::ssize(dims);
  if (rank < 2 || dims.back() < 1 || dims.back() > 2 || !info(given).is_float)
    return unsupported("its last axis is not that of real or complex numbers.");
  int64_t axis = n.integer("axis", 1);
  if (im.opset() >= 20) {
    HW_TRY(const auto asked, im.number(n, 2));
    axis = static_cast<int64_t>(asked.value_or(-2));
  }
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank - 1) return unsupported("it transforms an axis that is not there.");
  const int64_t size = dims[static_cast<size_t>(axis)];
  Transform t{};
  t.inverse = n.integer("inverse", 0) != 0;
  t.onesided = n.integer("onesided", 0) != 0;
  t.parts = dims.back();
  if (t.onesided && !t.inverse && t.parts == 2) return unsupported("a one-sided transform of complex numbers.");
  HW_TRY(const auto length, im.number(n, 1));
  t.length = t.inverse && t.onesided ? 2 * (size - 1) : size;
  if (length) t.length = static_cast<int64_t>(*length);
  if (t.length < 1 || t.length > kMost) return unsupported("a transform of " + std::to_string(t.length) + " elements.");
  const int64_t half = t.length / 2 + 1;
  t.in = std::min(size, t.inverse && t.onesided ? half : t.length);
  t.out = t.onesided && !t.inverse ? half : t.length;
  t.makes = t.inverse && t.onesided ? 1 : 2;
  if (size_product({t.in, t.parts, t.out, t.makes}) > kMost / 4)
    return unsupported("its matrix would have more than 2^22 numbers.");
  Steps s(im, n);
  // Sums that cancel keep their digits in f64.
  std::string x = s.cast(input(n, 0), DType::f64);
  if (t.in < size) x = s.add("Slice", {x, s.integers({0}), s.integers({t.in}), s.integers({axis})});
  std::vector<int64_t> order{axis, rank - 1}, back(static_cast<size_t>(rank));
  std::vector<int64_t> sizes{t.out, t.makes};
  for (int64_t d = 0; d + 1 < rank; ++d) {
    if (d == axis) continue;
    order.push_back(d);
    sizes.push_back(dims[static_cast<size_t>(d)]);
  }
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const std::string columns = s.reshape(s.add("Transpose", {x}, {{"perm", order}}), {t.in * t.parts, -1});
  // On the left, where a constant does not become the weight of a layer.
  const std::string matrix = s.constant(Tensor::from_f64(DType::f64, {t.out * t.makes, t.in * t.parts}, matrix_of(t)));
  const std::string made = s.reshape(s.add("MatMul", {matrix, columns}), sizes);
  s.give(0, s.cast(s.add("Transpose", {made}, {{"perm", back}}), given));
  return s.take();
}

}  // namespace

std::span<const StepsRow> dft_steps() {
  static constexpr StepsRow kRows[]{{"", "DFT", dft}};
  return kRows;
}

}  // namespace hw::interop
