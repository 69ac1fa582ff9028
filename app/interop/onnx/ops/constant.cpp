// What is made of sizes and attributes alone: constants of the graph, computed while it is read.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/interop/onnx/rules.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

Status shape(Importer& im, const OnnxNode& n) {
  HW_TRY(const SizedDims dims, im.sized_dims(n, 0));
  const auto rank = static_cast<int64_t>(dims.here.size());
  const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t begin = place(n.integer("start", 0)), end = n.has("end") ? place(n.integer("end", rank)) : rank;
  const auto part = [&](const Dims& all) {
    return begin < end ? integers_of({all.begin() + begin, all.begin() + end}) : integers_of({});
  };
  im.set(n, 0, Sized{part(dims.here), part(dims.other)});
  return ok();
}

Status size(Importer& im, const OnnxNode& n) {
  HW_TRY(const SizedDims dims, im.sized_dims(n, 0));
  const auto count = [](const Dims& all) { return integers_of({element_count(all)}).reshaped({}); };
  im.set(n, 0, Sized{count(dims.here), count(dims.other)});
  return ok();
}

Status constant(Importer& im, const OnnxNode& n) {
  if (const Tensor* value = n.tensor("value")) {
    im.set(n, 0, *value);
    return ok();
  }
  if (n.has("value_float")) {
    im.set(n, 0, Tensor::from_f64(DType::f32, {}, {{n.real("value_float", 0)}}));
    return ok();
  }
  if (n.has("value_int")) {
    Tensor value(DType::i64, {});
    *value.as<int64_t>() = n.integer("value_int", 0);
    im.set(n, 0, std::move(value));
    return ok();
  }
  if (n.has("value_ints")) {
    im.set(n, 0, integers_of(n.integers("value_ints")));
    return ok();
  }
  if (n.has("value_floats")) {
    const std::vector<double> values = n.reals("value_floats");
    im.set(n, 0, Tensor::from_f64(DType::f32, {static_cast<int64_t>(values.size())}, values));
    return ok();
  }
  return unsupported("it is text, sparse, or of a dtype that Halfwire does not have.");
}

Status constant_of_shape(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto sizes, im.integers(n, 0));
  const Tensor* value = n.tensor("value");
  if (value && value->size() != 1) return unsupported("its value is not one number.");
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < 0; })) return unsupported("a size is negative.");
  const DType dtype = value ? value->dtype() : DType::f32;
  const double number = value ? value->to_f64().front() : 0;
  HW_CHECK(im.reserve_bytes(static_cast<double>(byte_count(dtype, sizes))));
  Tensor filled(dtype, sizes);
  const Tensor one = Tensor::from_f64(dtype, {}, {{number}});
  for (size_t at = 0; at < filled.bytes(); at += one.bytes())
    std::memcpy(filled.as<char>() + at, one.data(), one.bytes());
  im.set(n, 0, std::move(filled));
  return ok();
}

Status range(Importer& im, const OnnxNode& n) {
  const Tensor *from = im.bound(n, 0), *to = im.bound(n, 1), *by = im.bound(n, 2);
  if (!from || !to || !by) return unsupported("its ends are not constant.");
  if (from->size() != 1 || to->size() != 1 || by->size() != 1) return unsupported("its ends are no single numbers.");
  const double begin = from->to_f64().front(), end = to->to_f64().front(), step = by->to_f64().front();
  const double count = std::max(0.0, std::ceil((end - begin) / step));
  if (!(count <= kMost)) return unsupported("it is very large.");
  std::vector<double> values;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) values.push_back(begin + static_cast<double>(i) * step);
  im.set(n, 0, Tensor::from_f64(from->dtype(), {static_cast<int64_t>(values.size())}, values));
  return ok();
}

Status eye_like(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  if (dims.size() != 2 || std::ranges::count(dims, -1)) return unsupported("its sizes are not known.");
  DType dtype = DType::f32;
  if (n.has("dtype")) {
    const auto asked = dtype_of(n.integer("dtype", 1));
    if (!asked) return unsupported("Halfwire does not have its dtype.");
    dtype = *asked;
  } else if (const Tensor* value = im.constant(n, 0)) {
    dtype = value->dtype();
  } else {
    HW_TRY(const Wire x, im.in(n, 0));
    HW_TRY(const WireType type, im.type(x));
    dtype = type.dtype;
  }
  if (static_cast<double>(dims[0]) * static_cast<double>(dims[1]) > kMost) return unsupported("it is very large.");
  std::vector<double> values(static_cast<size_t>(dims[0] * dims[1]), 0);
  const int64_t k = n.integer("k", 0);
  for (int64_t r = 0; r < dims[0]; ++r)
    if (const int64_t at = size_sum({r, k}); at >= 0 && at < dims[1]) values[static_cast<size_t>(r * dims[1] + at)] = 1;
  im.set(n, 0, Tensor::from_f64(dtype, dims, values));
  return ok();
}

}  // namespace

std::span<const RuleRow> constant_rules() {
  static constexpr RuleRow kRows[]{
      {"Constant", constant}, {"ConstantOfShape", constant_of_shape},
      {"EyeLike", eye_like},  {"Range", range},
      {"Shape", shape},       {"Size", size},
  };
  return kRows;
}

}  // namespace hw::interop
