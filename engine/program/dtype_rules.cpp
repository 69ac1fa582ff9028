#include "engine/program/dtype_rules.h"

#include <algorithm>

namespace hw::dtype_rules {
namespace {

bool is_stored_float(DType d) {
  return info(d).is_float && info(d).storable;
}

bool is_index(DType d) {
  return !info(d).is_float && d != DType::boolean;
}

DType wide(DType d) {
  return d == DType::f64 ? DType::f64 : DType::f32;
}

// Positions: f32, or f64 beside `other`.
bool is_position(DType x, DType other) {
  return x == DType::f32 || (x == DType::f64 && other == DType::f64);
}

bool all(DTypes d, bool (*ok)(DType)) {
  return std::all_of(d.begin(), d.end(), ok);
}

bool one_float_of(DTypes d) {
  return !d.empty() && is_stored_float(d[0]) && std::all_of(d.begin(), d.end(), [&](DType x) { return x == d[0]; });
}

}  // namespace

bool one_float(Op, DTypes d) {
  return one_float_of(d);
}

bool one_stored(Op, DTypes d) {
  return info(d[0]).storable && std::all_of(d.begin(), d.end(), [&](DType x) { return x == d[0]; });
}

bool floats(Op, DTypes d) {
  return all(d, is_stored_float);
}

bool cast(Op, DTypes d) {
  return info(d[0]).storable && info(d[1]).storable;
}

bool compare(Op, DTypes d) {
  return d[0] == d[1] && info(d[0]).storable && d[2] == DType::boolean;
}

bool where(Op, DTypes d) {
  return d[0] == DType::boolean && one_float_of(d.subspan(1));
}

bool argmax(Op, DTypes d) {
  return is_stored_float(d[0]) && d[1] == DType::i64;
}

bool indexed(Op, DTypes d) {
  return is_stored_float(d[0]) && is_index(d[1]) && d[2] == d[0];
}

bool gather_grad(Op, DTypes d) {
  return is_stored_float(d[0]) && is_index(d[1]) && d[2] == wide(d[0]);
}

bool concat(Op op, DTypes d) {
  return d.size() >= 2 && one_stored(op, d);
}

bool product_into_any(Op, DTypes d) {
  return one_float_of(d.first(2)) && is_stored_float(d[2]);
}

bool channel_moments(Op, DTypes d) {
  return is_stored_float(d[0]) && d[1] == wide(d[0]);
}

bool batch_norm(Op, DTypes d) {
  return is_stored_float(d[0]) && d[1] == wide(d[0]) && d[2] == d[0] && d[3] == d[0] && d[4] == d[0];
}

bool batch_norm_grad_sums(Op, DTypes d) {
  return one_float_of(d.first(2)) && d[2] == wide(d[0]) && d[3] == d[2];
}

bool batch_norm_grad_input(Op, DTypes d) {
  return one_float_of(d.first(2)) && d[2] == wide(d[0]) && d[4] == d[2] && d[3] == d[0] && d[5] == d[0];
}

bool group_norm_grad_sums(Op, DTypes d) {
  return one_float_of(d.first(2)) && d[2] == wide(d[0]);
}

bool moments_update(Op, DTypes d) {
  return one_float_of(d) && d[0] == wide(d[0]);
}

bool grid(Op, DTypes d) {
  return is_position(d[0], d[1]) && one_float_of(d.subspan(1));
}

bool grid_grad_input(Op, DTypes d) {
  return is_position(d[0], d[1]) && one_float_of(d.subspan(1, 2)) && d[3] == d[0];
}

bool hash_grid_grad_table(Op, DTypes d) {
  return is_stored_float(d[1]) && is_position(d[0], d[1]) && d[3] == DType::u8 &&
         (d[2] == wide(d[1]) || (d[2] == DType::f16 && d[1] != DType::f64));
}

bool triplane_grad_planes(Op, DTypes d) {
  return is_stored_float(d[1]) && is_position(d[0], d[1]) && d[2] == wide(d[1]);
}

bool grid_tangent(Op, DTypes d) {
  return is_position(d[0], d[1]) && is_stored_float(d[1]) && d[2] == d[0] && d[3] == d[1];
}

bool tangent_grad_table(Op, DTypes d) {
  return is_position(d[0], d[2]) && is_stored_float(d[2]) && d[1] == d[0] && d[3] == wide(d[2]);
}

bool tangent_grad_input(Op, DTypes d) {
  return is_position(d[0], d[1]) && is_stored_float(d[1]) && d[2] == d[0] && d[3] == d[1] && d[4] == d[0];
}

bool all_f32(Op, DTypes d) {
  return all(d, [](DType x) { return x == DType::f32; });
}

bool sample_rows(Op, DTypes d) {
  return d[0] == DType::f32 && d[1] == DType::i64;
}

bool loss_scale(Op, DTypes d) {
  return !d.empty() && d[0] == DType::f64 && all(d, is_stored_float);
}

bool gradient_norm(Op, DTypes d) {
  return !d.empty() && all(d, is_stored_float);
}

bool update(Op op, DTypes d) {
  const size_t states = written_inputs(op);  // then counts, the gradient, and what else there is
  if (d.size() <= states) return false;
  return all(d, [](DType x) { return is_stored_float(x) || x == DType::u8; }) &&
         all(d.first(states), is_stored_float) &&
         all(d.subspan(2, states - 2), [](DType moment) { return info(moment).bits > 8; });
}

bool accumulate(Op, DTypes d) {
  return d[0] == DType::u8 ? d[1] == DType::u8 : d[0] == wide(d[0]) && all(d, is_stored_float);
}

}  // namespace hw::dtype_rules
