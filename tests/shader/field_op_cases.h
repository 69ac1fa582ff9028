// Each op that a field function can hold.
#pragma once

#include <functional>
#include <limits>

#include "tests/engine/program_runner.h"

namespace hw::test::field_ops_test {

inline constexpr int64_t kPoints = 1984;  // 31 workgroups

// x [N, 6], u [N, 6] in [−2, 2], as a caller's function makes of them [N, …].
struct OpCase {
  std::string name;
  std::function<Val(OpBuilder&, Val x, Val u)> make;
  DType narrowest = DType::f32;
  friend std::ostream& operator<<(std::ostream& out, const OpCase& c) { return out << c.name; }
};

inline Val weight(OpBuilder& b, const std::string& name, DType dtype, Dims dims) {
  return b.param(name, dtype, std::move(dims), {Init::Kind::uniform, 1});
}
inline Val flat(OpBuilder& b, Val x) {
  const Dims& dims = b[x].dims;
  return dims.size() < 3 ? x : b.reshape(x, {dims[0], element_count(dims) / dims[0]});
}
inline Val rows(OpBuilder& b, Val x) {
  return b.reshape(x, {kPoints, 2, 3});
}
inline Val as_bool(OpBuilder& b, Val x) {
  return b.compare(CompareFn::greater, x, b.scale(x, -0.5));
}

inline std::vector<OpCase> cases() {
  std::vector<OpCase> all{
      {"add", [](OpBuilder& b, Val x, Val u) { return b.add(x, u); }},
      {"sub_a_row", [](OpBuilder& b, Val x, Val) { return b.sub(x, weight(b, "w", DType::f32, {6})); }},
      {"mul_a_column", [](OpBuilder& b, Val x, Val u) { return b.mul(x, b.slice(u, 1, 2, 3)); }},
      {"mul_three_axes",
       [](OpBuilder& b, Val x, Val u) {
         return flat(b, b.mul(b.reshape(x, {kPoints, 2, 3}), b.reshape(b.slice(u, 1, 1, 3), {kPoints, 2, 1})));
       }},
      {"add_a_matrix",
       [](OpBuilder& b, Val x, Val) {
         return flat(b, b.add(b.reshape(x, {kPoints, 1, 6}), weight(b, "w", DType::f32, {1, 2, 1})));
       }},
      {"scale", [](OpBuilder& b, Val x, Val) { return b.scale(x, -1.5); }},
      {"affine",
       [](OpBuilder& b, Val x, Val) {
         return b.affine(x, {1, 2, 3, 4, 5, 6}, {0, .1, .2, .3, .4, .5});
       }},
      {"affine_of_one",
       [](OpBuilder& b, Val x, Val) { return b.affine(x, std::vector<double>(6, 2), std::vector<double>(6, -1)); }},
      {"clamp", [](OpBuilder& b, Val x, Val) { return b.clamp(x, -0.5, 0.25); }},
      {"clamp_grad",
       [](OpBuilder& b, Val x, Val u) {
         return b.emit(Op::clamp_grad, {x, u}, ClampAttr{-0.5, 1})[0];
       }},
      {"relu", [](OpBuilder& b, Val x, Val) { return b.relu(x); }},
      {"relu_grad",
       [](OpBuilder& b, Val x, Val u) {
         return b.emit(Op::relu_grad, {x, u})[0];
       }},
      {"sigmoid", [](OpBuilder& b, Val x, Val) { return b.sigmoid(x); }},
      {"sigmoid_grad",
       [](OpBuilder& b, Val x, Val u) {
         return b.emit(Op::sigmoid_grad, {x, b.sigmoid(u)})[0];
       }},
      {"unary", [](OpBuilder& b, Val x, Val) { return b.unary(UnaryFn::elu, x, 0.7); }},
      {"unary_grad",
       [](OpBuilder& b, Val x, Val u) {
         return b.emit(Op::unary_grad, {x, u}, UnaryAttr{UnaryFn::gelu, 0, 0})[0];
       }},
      {"binary", [](OpBuilder& b, Val x, Val u) { return b.binary(BinaryFn::atan2, x, u); }},
      {"binary_grad",
       [](OpBuilder& b, Val x, Val u) {
         return b.emit(Op::binary_grad, {x, u, b.clamp(u, 0.5, 2)}, BinaryAttr{BinaryFn::div, 1})[0];
       }},
      {"compare_and_where", [](OpBuilder& b, Val x, Val u) { return b.where(as_bool(b, x), u, x); }},
      {"gradient_scale", [](OpBuilder& b, Val x, Val) { return b.gradient_scale(x, 3, false); }},
      {"stop_gradient", [](OpBuilder& b, Val x, Val) { return b.stop_gradient(x); }},
      {"broadcast_to",
       [](OpBuilder& b, Val x, Val) {
         return flat(b, b.broadcast_to(b.reshape(x, {kPoints, 6, 1}), {kPoints, 6, 2}));
       }},
      {"broadcast_of_a_parameter",
       [](OpBuilder& b, Val x, Val) {
         return b.add(x, b.broadcast_to(weight(b, "w", DType::f32, {1, 6}), {kPoints, 6}));
       }},
      {"without_channels", [](OpBuilder& b, Val x, Val) { return b.reshape(b.sum(x, {1}, true), {kPoints}); }},
      {"compare_alone", [](OpBuilder& b, Val x, Val u) { return b.compare(CompareFn::less, x, u); }},
      {"compare_to_one",
       [](OpBuilder& b, Val x, Val u) { return b.compare(CompareFn::less, b.slice(x, 1, 0, 1), b.slice(u, 1, 1, 2)); }},
      {"cast_of_bool", [](OpBuilder& b, Val x, Val) { return b.cast(as_bool(b, x), DType::f32); }},
      {"cast_to_bool", [](OpBuilder& b, Val x, Val u) { return b.where(b.cast(b.relu(x), DType::boolean), u, x); }},
      {"cast_to_whole",
       [](OpBuilder& b, Val x, Val) { return b.cast(b.cast(b.scale(x, 1000), DType::i64), DType::f32); }},
      {"cast_to_whole_beyond",
       [](OpBuilder& b, Val x, Val) {
         return b.cast(b.cast(b.unary(UnaryFn::log, b.scale(x, 1e30)), DType::i64), DType::f32);
       }},
      {"saturate_f32",
       [](OpBuilder& b, Val x, Val) {
         return b.cast(b.cast(b.scale(x, 1e30), DType::f16), CastAttr{DType::f32, true});
       }},
      {"clamp_from_infinity_in_f64",
       [](OpBuilder& b, Val x, Val) {
         const double infinity = std::numeric_limits<double>::infinity();
         return b.cast(b.clamp(b.cast(x, DType::f64), -infinity, 0), DType::f32);
       }},
      {"transpose_of_four_axes",
       [](OpBuilder& b, Val x, Val u) {
         const Val parts[] = {x, u};
         return flat(b, b.transpose(b.reshape(b.concat(parts, 1), {kPoints, 2, 3, 2}), {0, 3, 1, 2}));
       }},
      {"concat_of_a_middle_axis",
       [](OpBuilder& b, Val x, Val u) {
         const Val parts[] = {rows(b, x), b.slice(rows(b, u), 1, 0, 1)};
         return flat(b, b.concat(parts, 1));
       }},
      {"concat_of_one",
       [](OpBuilder& b, Val x, Val) {
         const Val parts[] = {b.slice(x, 1, 2, 3)};
         return b.concat(parts, 1);
       }},
      {"group_norm_of_pictures",
       [](OpBuilder& b, Val x, Val) {
         return flat(
             b, b.emit(Op::group_norm, {rows(b, x), weight(b, "s", DType::f32, {2}), weight(b, "o", DType::f32, {2})},
                       GroupNormAttr{3, 2, 3, 1e-5})[0]);
       }},
      {"batch_norm_of_pictures",
       [](OpBuilder& b, Val x, Val) {
         const Val moments = b.unary(UnaryFn::abs, weight(b, "m", DType::f32, {2, 2}));
         return flat(b, b.emit(Op::batch_norm,
                               {rows(b, x), moments, weight(b, "s", DType::f32, {2}), weight(b, "o", DType::f32, {2})},
                               BatchNormAttr{1e-3, false})[0]);
       }},
      {"hash_grid_of_one_feature",
       [](OpBuilder& b, Val x, Val) {
         const HashGridAttr grid = make_hash_grid(3, 1, 1, 8, 4, 1.5, false);
         return b.hash_grid(b.slice(x, 1, 0, 3), weight(b, "t", DType::f32, {grid.table_entries(), 1}), grid);
       }},
      {"matmul",
       [](OpBuilder& b, Val x, Val) {
         return b.matmul(x, weight(b, "w", DType::f32, {6, 5}));
       }},
      {"matmul_and_bias",
       [](OpBuilder& b, Val x, Val) {
         return b.emit(Op::matmul, {x, weight(b, "w", DType::f32, {6, 5}), weight(b, "b", DType::f32, {5})},
                       MatmulAttr{})[0];
       }},
      {"matmul_transposed",
       [](OpBuilder& b, Val x, Val) {
         return b.matmul(x, weight(b, "w", DType::f32, {5, 6}), true);
       }},
      {"matmul_of_rows",
       [](OpBuilder& b, Val x, Val) {
         return flat(b, b.matmul(b.reshape(x, {kPoints, 2, 3}), weight(b, "w", DType::f32, {3, 4})));
       }},
      {"matmul_to_one",
       [](OpBuilder& b, Val x, Val) {
         return b.matmul(x, weight(b, "w", DType::f32, {6, 1}));
       }},
      {"matmul_in_tf32",
       [](OpBuilder& b, Val x, Val) {
         return b.matmul(x, weight(b, "w", DType::f32, {6, 5}), false, DType::tf32);
       }},
      {"matmul_in_f64",
       [](OpBuilder& b, Val x, Val) {
         return b.cast(b.matmul(b.cast(x, DType::f64), weight(b, "w", DType::f64, {6, 5})), DType::f32);
       }},
      {"sum", [](OpBuilder& b, Val x, Val) { return b.sum(x, {1}, true); }},
      {"mean_of_an_axis",
       [](OpBuilder& b, Val x, Val) {
         return b.mean(b.reshape(x, {kPoints, 2, 3}), {1});
       }},
      {"max",
       [](OpBuilder& b, Val x, Val) {
         return b.reduce(ReduceFn::max, b.reshape(x, {kPoints, 2, 3}), {2});
       }},
      {"min", [](OpBuilder& b, Val x, Val) { return b.reduce(ReduceFn::min, x, {1}, true); }},
      {"softmax", [](OpBuilder& b, Val x, Val) { return b.softmax(x, 1); }},
      {"softmax_of_an_axis",
       [](OpBuilder& b, Val x, Val) {
         return flat(b, b.softmax(b.reshape(x, {kPoints, 2, 3}), 1));
       }},
      {"log_softmax", [](OpBuilder& b, Val x, Val) { return b.log_softmax(x, 1); }},
      {"softmax_grad",
       [](OpBuilder& b, Val x, Val u) {
         return b.emit(Op::softmax_grad, {x, b.softmax(u, 1)}, SoftmaxAttr{1, false})[0];
       }},
      {"log_softmax_grad",
       [](OpBuilder& b, Val x, Val u) {
         return b.emit(Op::softmax_grad, {x, b.log_softmax(u, 1)}, SoftmaxAttr{1, true})[0];
       }},
      {"layer_norm",
       [](OpBuilder& b, Val x, Val) {
         return b.emit(Op::group_norm, {x, weight(b, "s", DType::f32, {6}), weight(b, "o", DType::f32, {6})},
                       GroupNormAttr{6, 6, 1, 1e-5})[0];
       }},
      {"group_norm",
       [](OpBuilder& b, Val x, Val) {
         return b.emit(Op::group_norm, {x, weight(b, "s", DType::f32, {6}), weight(b, "o", DType::f32, {6})},
                       GroupNormAttr{3, 6, 1, 1e-5})[0];
       }},
      {"batch_norm",
       [](OpBuilder& b, Val x, Val) {
         const Val moments = b.unary(UnaryFn::abs, weight(b, "m", DType::f32, {2, 6}));
         return b.emit(Op::batch_norm, {x, moments, weight(b, "s", DType::f32, {6}), weight(b, "o", DType::f32, {6})},
                       BatchNormAttr{1e-3, false})[0];
       }},
      {"concat",
       [](OpBuilder& b, Val x, Val u) {
         const Val parts[] = {x, b.slice(u, 1, 1, 2), u};
         return b.concat(parts, 1);
       }},
      {"concat_of_rows",
       [](OpBuilder& b, Val x, Val u) {
         const Val parts[] = {b.reshape(x, {kPoints, 2, 3}), b.reshape(b.slice(u, 1, 0, 4), {kPoints, 2, 2})};
         return flat(b, b.concat(parts, 2));
       }},
      {"slice_of_rows",
       [](OpBuilder& b, Val x, Val) {
         return flat(b, b.slice(b.reshape(x, {kPoints, 2, 3}), 2, 1, 3));
       }},
      {"pad",
       [](OpBuilder& b, Val x, Val) {
         return flat(b, b.pad(b.reshape(x, {kPoints, 2, 3}), 2, 1, 2, 0.5));
       }},
      {"transpose",
       [](OpBuilder& b, Val x, Val) {
         return flat(b, b.transpose(b.reshape(x, {kPoints, 2, 3}), {0, 2, 1}));
       }},
      {"triplane",
       [](OpBuilder& b, Val x, Val) {
         return b.triplane(b.slice(x, 1, 0, 3), weight(b, "p", DType::f32, {3, 2, 5, 4}));
       }},
      {"hash_grid_smooth",
       [](OpBuilder& b, Val x, Val) {
         const HashGridAttr grid = make_hash_grid(3, 4, 2, 8, 4, 1.7, true);
         return b.hash_grid(b.slice(x, 1, 0, 3), weight(b, "t", DType::f32, {grid.table_entries(), 2}), grid);
       }},
      {"hash_grid_of_two",
       [](OpBuilder& b, Val x, Val) {
         const HashGridAttr grid = make_hash_grid(2, 5, 4, 6, 4, 2, false);
         return b.hash_grid(b.slice(x, 1, 0, 2), weight(b, "t", DType::f32, {grid.table_entries(), 4}), grid);
       }},
  };
  for (const DType dtype : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    const std::string to(name(dtype));
    all.push_back({"cast_to_" + to,
                   [dtype](OpBuilder& b, Val x, Val) { return b.cast(b.cast(b.scale(x, 1e-3), dtype), DType::f32); }});
    all.push_back({"saturate_" + to, [dtype](OpBuilder& b, Val x, Val) {
                     return b.cast(b.cast(b.scale(x, 1e5), CastAttr{dtype, true}), DType::f32);
                   }});
    all.push_back({"in_" + to,
                   [dtype](OpBuilder& b, Val x, Val) {
                     const Val h = b.matmul(b.cast(x, dtype), weight(b, "w", dtype, {6, 5}));
                     return b.cast(b.relu(b.add(h, weight(b, "b", dtype, {5}))), DType::f32);
                   },
                   dtype});
  }
  return all;
}

}  // namespace hw::test::field_ops_test
