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
  if (!dtype || *dtype == DType::tf32 || (info(*dtype).is_float && size_of(*dtype) < size_of(DType::f32))) return ok();
  return wrong_attr(a,
                    "It computes in tf32 or a float narrower than f32, not in " + std::string(hw::name(*dtype)) + ".");
}

// ---- elementwise: infer.cpp
Types cast(const Args&);
Types broadcasting(const Args&);
Types unary(const Args&);
Types affine(const Args&);
Types clamp(const Args&);
Types clamp_grad(const Args&);
Types scale(const Args&);
Types gradient_scale(const Args&);
Types dropout(const Args&);
Types pointwise_gradient(const Args&);  // (g, x or y)
// ---- products, sums, layout: infer_layout.cpp
Types matmul(const Args&);
Types matmul_tn(const Args&);
Types batch_matmul(const Args&);
Types sum_to(const Args&);
Types broadcast_to(const Args&);
Types reshape(const Args&);
Types concat(const Args&);
Types slice(const Args&);
Types pad(const Args&);
Types transpose(const Args&);
// ---- convolution, pooling, resizing: infer_image.cpp
Types conv2d(const Args&);
Types conv2d_grad_input(const Args&);
Types conv2d_grad_weight(const Args&);
Types pool(const Args&);
Types pool_grad(const Args&);
Types resize(const Args&);
Types resize_grad(const Args&);
// ---- normalisation: infer_norm.cpp
Types channel_moments(const Args&);
Types batch_norm(const Args&);
Types batch_norm_grad_sums(const Args&);
Types batch_norm_grad_input(const Args&);
Types moments_update(const Args&);
Types group_norm(const Args&);
Types group_norm_grad_input(const Args&);
Types group_norm_grad_sums(const Args&);
// ---- function tables, softmax, indices: infer_functions.cpp
Types unary_function(const Args&);  // and its gradient
Types binary_function(const Args&);
Types binary_grad(const Args&);
Types compare(const Args&);
Types where(const Args&);
Types reduce(const Args&);
Types softmax(const Args&);  // and its gradient
Types argmax(const Args&);
Types gather_elements(const Args&);
Types gather_elements_grad(const Args&);
// ---- hash grid, sources, optimisers: infer_special.cpp
Types hash_grid(const Args&);
Types hash_grid_grad_table(const Args&);
Types hash_grid_grad_input(const Args&);
Types hash_grid_tangent(const Args&);
Types hash_grid_tangent_grad_table(const Args&);
Types hash_grid_tangent_grad_input(const Args&);
Types gather(const Args&);
Types gather_grad(const Args&);
Types triplane(const Args&);
Types triplane_grad_planes(const Args&);
Types triplane_grad_input(const Args&);
Types triplane_tangent(const Args&);
Types triplane_tangent_grad_planes(const Args&);
Types triplane_tangent_grad_input(const Args&);
Types sample_surface(const Args&);
Types sample_image(const Args&);
Types sample_rows(const Args&);
Types random(const Args&);
Types gradient_norm(const Args&);
Types check_finite(const Args&);
Types loss_scale_update(const Args&);
Types update(const Args&);
Types accumulate(const Args&);
Types average_update(const Args&);

}  // namespace hw::infer_rules
