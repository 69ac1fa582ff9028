// What an inference rule sees, and the errors it gives. One rule a family of ops: OpSpec::infer.
#pragma once

#include <cassert>
#include <string>

#include "engine/core/codes.h"
#include "engine/program/builder.h"

namespace hw::infer_rules {

using Types = Result<std::vector<Value>>;

struct Args {
  Op op;
  std::span<const Value> in;
  const Attr& attr;

  template <class A>
  const A& get() const {
    assert(std::holds_alternative<A>(attr));
    return *std::get_if<A>(&attr);
  }
  std::string name() const { return std::string(info(op).name); }
};

inline Value made(DType dtype, Dims dims, std::vector<std::string> axes = {}) {
  if (axes.size() != dims.size()) axes.clear();
  return {dtype, std::move(dims), std::move(axes), Storage::temp, ""};
}

inline Types one(Value v) {
  return std::vector<Value>{std::move(v)};
}

inline std::string text(const Value& v) {
  return std::string(name(v.dtype)) + to_string(v.dims);
}

inline Error wrong_dtype(const Args& a, const std::string& reason) {
  return {codes::dtype_mismatch, a.name(), reason, "Put a Cast before it."};
}
inline Error wrong_rank(const Args& a, const std::string& reason) {
  return {codes::rank_mismatch, a.name(), reason, ""};
}
inline Error wrong_size(const Args& a, const std::string& reason) {
  return {codes::size_mismatch, a.name(), reason, ""};
}
inline Error wrong_attr(const Args& a, const std::string& reason) {
  return {codes::bad_parameter, a.name(), reason, ""};
}

// All inputs share one dtype.
inline Status one_dtype(const Args& a) {
  for (const Value& v : a.in)
    if (v.dtype != a.in[0].dtype)
      return wrong_dtype(a, "Its inputs are " + text(a.in[0]) + " and " + text(v) + "; they must share one dtype.");
  return ok();
}

// All inputs share one float dtype.
inline Status one_float_dtype(const Args& a) {
  for (const Value& v : a.in)
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants a float, got " + std::string(name(v.dtype)) + ".");
  return one_dtype(a);
}

inline Status float_output(const Args& a, DType dtype) {
  if (!info(dtype).is_float || !info(dtype).storable)
    return wrong_dtype(a, "Its result cannot be stored as " + std::string(name(dtype)) + ".");
  return ok();
}

// MatmulAttr::compute, ConvAttr::compute.
inline Status compute_in(const Args& a, std::optional<DType> dtype) {
  if (!dtype || *dtype == DType::tf32 || (info(*dtype).is_float && info(*dtype).bits < info(DType::f32).bits))
    return ok();
  return wrong_attr(a,
                    "It computes in tf32 or a float narrower than f32, not in " + std::string(hw::name(*dtype)) + ".");
}

inline Status exact_dims(const Args& a, const Value& v, const Dims& expected) {
  if (v.dims != expected) return wrong_size(a, "Expected " + to_string(expected) + ", got " + text(v) + ".");
  return ok();
}

inline Status axis_within(const Args& a, int axis, size_t rank) {
  if (axis >= 0 && static_cast<size_t>(axis) < rank) return ok();
  return wrong_rank(a, "There is no axis " + std::to_string(axis) + " in " + text(a.in[0]) + ".");
}

template <class T>
void erase_axis(std::vector<T>& list, int axis) {
  if (!list.empty()) list.erase(list.begin() + axis);
}

// Each row's, by family in engine/program/ops.
#define HW_OP(name, inputs, outputs, infer, ...) Types infer(const Args&);
#include "engine/program/ops.def"

}  // namespace hw::infer_rules
