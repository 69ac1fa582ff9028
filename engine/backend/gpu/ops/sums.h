// Sums of many elements, the same bits whatever the launch shape: a sum is cut into parts by its length alone, a part
// adds every `parts`th element in order, and the parts are added in order. In f64.
#pragma once

#include <algorithm>
#include <limits>

#include "engine/backend/gpu/ops/map.h"

namespace hw::gpu {

struct AddUp {
  static constexpr int32_t kInKernels = 0;  // JOIN of sums.glsl
  HW_BODY static double start() { return 0; }
  HW_BODY static double join(double a, double b) { return a + b; }
};
/// NaN wins.
struct KeepLargest {
  static constexpr int32_t kInKernels = 1;
  HW_BODY static double start() { return -std::numeric_limits<double>::infinity(); }
  HW_BODY static double join(double a, double b) { return b > a || b != b ? b : a; }
};
struct KeepSmallest {
  static constexpr int32_t kInKernels = 2;
  HW_BODY static double start() { return std::numeric_limits<double>::infinity(); }
  HW_BODY static double join(double a, double b) { return b < a || b != b ? b : a; }
};

/// Part i: one of the `parts` of one of the `outputs`. F: double operator()(output, element), and HW_KERNEL.
template <class Join, class F>
struct SumParts {
  F f;
  int64_t outputs, length, parts;
  bool along;  // neighbouring items take neighbouring elements, else neighbouring outputs
  double* made;
  HW_BODY void operator()(int64_t i) const {
    const int64_t output = along ? i / parts : i % outputs, part = along ? i % parts : i / outputs;
    double sum = Join::start();
    for (int64_t k = part; k < length; k += parts) sum = Join::join(sum, f(output, k));
    made[part * outputs + output] = sum;
  }

  static std::string kernel() { return "SumParts_" + F::kernel(); }
  Constants constants() const {
    Constants made_of = constants_of(Join::kInKernels, along);
    for (const int32_t value : f.constants()) made_of.push_back(value);
    return made_of;
  }
  int64_t turns() const { return length / parts + 1; }
};

template <class Join>
struct JoinParts {
  const double* parts;
  int64_t outputs, count;
  double* result;
  HW_BODY void operator()(int64_t i) const {
    double sum = Join::start();
    for (int64_t k = 0; k < count; ++k) sum = Join::join(sum, parts[k * outputs + i]);
    result[i] = sum;
  }

  HW_KERNEL(JoinParts, Join::kInKernels)
};

/// Parts of one sum: by its length and the number of sums, never by the device.
inline int64_t sum_parts(int64_t outputs, int64_t length) {
  constexpr int64_t kElements = 256, kMost = 1024, kMostItems = 1 << 20;
  const int64_t by_items = std::max<int64_t>(1, kMostItems / std::max<int64_t>(outputs, 1));
  return std::clamp<int64_t>((length + kElements - 1) / kElements, 1, std::min(kMost, by_items));
}

/// result[o] = Σ f(o, k) over k in [0, length), for each of the outputs. `along`: neighbours in k are neighbours in
/// memory.
template <class Launcher, class Join = AddUp, class F>
void sum_into(OpContext& c, double* result, const F& f, int64_t outputs, int64_t length, bool along) {
  const int64_t parts = sum_parts(outputs, length);
  double* made = parts == 1 ? result : c.scratch<double>(parts * outputs);
  map<Launcher>(c, outputs * parts, SumParts<Join, F>{f, outputs, length, parts, along, made});
  if (parts > 1) map<Launcher>(c, outputs, JoinParts<Join>{made, outputs, parts, result});
}
template <class Launcher, class Join = AddUp, class F>
double* sums(OpContext& c, const F& f, int64_t outputs, int64_t length, bool along) {
  auto* result = c.scratch<double>(outputs);
  sum_into<Launcher, Join>(c, result, f, outputs, length, along);
  return result;
}

struct StoreSums {
  const double* sums;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const { y.put(i, sums[i]); }

  HW_KERNEL(StoreSums, y.dtype)
};

/// Element k of what output o is made of.
struct Element {
  kernels::Source x;
  kernels::StridedIndex base, along;
  HW_BODY double operator()(int64_t o, int64_t k) const { return x.at<double>(base(o) + along(k)); }

  HW_KERNEL(Element, x.dtype, base.axes, along.axes)
};

struct Square {
  kernels::Source x;
  HW_BODY double operator()(int64_t, int64_t k) const {
    const double v = x.at<double>(k);
    return v * v;
  }

  HW_KERNEL(Square, x.dtype)
};

/// 1 where it is not finite.
struct Bad {
  kernels::Source x;
  HW_BODY double operator()(int64_t, int64_t k) const {
    const double v = x.at<double>(k);
    return v - v == 0 ? 0.0 : 1.0;
  }

  HW_KERNEL(Bad, x.dtype)
};

// ---- sum_to, reduce, gradient_norm, check_finite

template <class Launcher>
void plan_fold(OpContext& c) {
  const Dims &from = c.in(0).dims, &to = c.out().dims;
  const std::vector<int64_t> strides = strides_of(from);
  std::vector<StridedAxis> kept, folded;
  const size_t lead = from.size() - to.size();
  for (size_t d = 0; d < from.size(); ++d) {
    const bool stays = d >= lead && to[d - lead] == from[d];
    (stays ? kept : folded).push_back({from[d], strides[d]});
  }
  const int64_t outputs = c.out_size(), length = outputs > 0 ? c.in_size(0) / outputs : 0;
  const Element f{c.read(0), strided_index(c, kept), strided_index(c, folded)};
  const bool along = !from.empty() && !folded.empty() && folded.back().stride == 1;
  const auto* fold = std::get_if<ReduceAttr>(&c.any_attr());
  double* result = nullptr;
  if (!fold)
    result = sums<Launcher>(c, f, outputs, length, along);
  else if (fold->fn == ReduceFn::max)
    result = sums<Launcher, KeepLargest>(c, f, outputs, length, along);
  else
    result = sums<Launcher, KeepSmallest>(c, f, outputs, length, along);
  map<Launcher>(c, outputs, StoreSums{result, c.write()});
  c.info.compute = c.info.accumulate = DType::f64;
}

struct NormOf {
  const double *squares, *factors;
  int64_t count;
  kernels::Target y;
  HW_BODY void operator()(int64_t) const {
    double total = 0;
    for (int64_t k = 0; k < count; ++k) total += factors[k] * factors[k] * squares[k];
    y.put(0, std::sqrt(total));
  }

  HW_KERNEL(NormOf, y.dtype)
};

template <class Launcher>
void plan_gradient_norm(OpContext& c) {
  std::vector<double> factors(c.inputs(), 1.0);
  if (const auto* attr = std::get_if<NormAttr>(&c.any_attr()); attr && !attr->factors.empty()) factors = attr->factors;
  const auto count = static_cast<int64_t>(c.inputs());
  auto* squares = c.scratch<double>(count);
  for (size_t k = 0; k < c.inputs(); ++k) sum_into<Launcher>(c, squares + k, Square{c.read(k)}, 1, c.in_size(k), true);
  map<Launcher>(c, 1, NormOf{squares, c.constant(factors), count, c.write()});
  c.info.compute = c.info.accumulate = DType::f64;
}

template <class Launcher>
void plan_check_finite(OpContext& c) {
  auto* state = static_cast<double*>(c.change(0).data);
  for (size_t k = 1; k < c.inputs(); ++k) sum_into<Launcher>(c, state + 2 + k, Bad{c.read(k)}, 1, c.in_size(k), true);
  c.info = {DType::f64, DType::f64, DType::f64, ""};
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_SUMS_PLANNERS(Launcher)                        \
  template void plan_fold<Launcher>(OpContext&);          \
  template void plan_gradient_norm<Launcher>(OpContext&); \
  template void plan_check_finite<Launcher>(OpContext&);
