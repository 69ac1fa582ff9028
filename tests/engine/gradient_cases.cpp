#include "tests/engine/gradient_cases.h"

#include "engine/program/op_spec.h"

namespace hw::test {
namespace {

HashGridAttr grid(int dims, bool smoothstep) {
  return make_hash_grid(dims, 2, 2, 6, 3, 2.5, smoothstep);  // the second level is hashed
}

Operand table(const HashGridAttr& g) {
  return {{g.table_entries(), g.features}};
}

// Where a function is smooth but for single points.
Operand domain_of(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::log:
    case UnaryFn::sqrt:
    case UnaryFn::reciprocal:
      return {{20}, 0.2, 2};
    case UnaryFn::asin:
    case UnaryFn::acos:
    case UnaryFn::atanh:
      return {{20}, -0.9, 0.9};
    case UnaryFn::acosh:
      return {{20}, 1.2, 3};
    case UnaryFn::tan:
      return {{20}, -1.2, 1.2};
    default:
      return {{20}, -2, 2};
  }
}

// Flat but for steps: there is no gradient to hold against differences.
bool is_stepped(size_t row) {
  const auto fn = static_cast<UnaryFn>(row);
  return fn == UnaryFn::floor || fn == UnaryFn::ceil || fn == UnaryFn::round || fn == UnaryFn::sign;
}

// The rows of the function tables, where they are smooth but for single points.
void add_functions(std::vector<GradientCase>& all) {
  for (size_t k = 0; k < unary_table().size(); ++k) {
    if (is_stepped(k)) continue;
    const UnaryAttr attr{static_cast<UnaryFn>(k), 0.75, 0.5};
    all.push_back({Op::unary, unary_table()[k].name.data(), {domain_of(attr.fn)}, [attr](OpBuilder& b, const Vals& x) {
                     return b.emit(Op::unary, x, attr)[0];
                   }});
  }
  for (size_t k = 0; k < binary_table().size(); ++k)
    all.push_back({Op::binary,
                   binary_table()[k].name.data(),
                   {{{4, 1, 3}, 0.2, 2}, {{5, 1}, 0.3, 2}},
                   [k](OpBuilder& b, const Vals& x) { return b.binary(static_cast<BinaryFn>(k), x[0], x[1]); }});
  all.push_back({Op::where, "", {{{4, 3}}, {{3}}}, [](OpBuilder& b, const Vals& x) {
                   return b.where(b.compare(CompareFn::less, b.stop_gradient(x[0]), b.stop_gradient(x[1])), x[0], x[1]);
                 }});
  for (const std::vector<int>& axes : {std::vector<int>{}, {0}, {1}, {0, 2}})
    for (ReduceFn fn : {ReduceFn::max, ReduceFn::min})
      all.push_back({Op::reduce, info(fn).name.data(), {{{2, 3, 4}}}, [fn, axes](OpBuilder& b, const Vals& x) {
                       return b.reduce(fn, x[0], axes);
                     }});
  for (int axis : {0, 1, 2}) {
    all.push_back(
        {Op::softmax, "", {{{2, 3, 4}}}, [axis](OpBuilder& b, const Vals& x) { return b.softmax(x[0], axis); }});
    all.push_back(
        {Op::softmax, "log", {{{2, 3, 4}}}, [axis](OpBuilder& b, const Vals& x) { return b.log_softmax(x[0], axis); }});
  }
  all.push_back({Op::gather, "", {{{4, 3}}}, [](OpBuilder& b, const Vals& x) {
                   return b.gather(x[0], b.constant(Tensor::from_f64(DType::i32, {2, 3}, {{3, 0, 1, 2, 3, 3}})));
                 }});
  all.push_back({Op::gather_elements, "", {{{2, 3, 4}}}, [](OpBuilder& b, const Vals& x) {
                   return b.gather_elements(x[0], b.argmax(b.scale(x[0], -1), 1), 1);
                 }});
}

// Ops that adjoints are made of: second derivatives.
void add_gradients(std::vector<GradientCase>& all) {
  const auto one = [](Op op, Attr attr) {
    return [op, attr](OpBuilder& b, const Vals& x) { return b.emit(op, x, attr)[0]; };
  };
  all.push_back({Op::clamp_grad, "", {{{40}}, {{40}}}, one(Op::clamp_grad, ClampAttr{-0.5, 0.25})});
  all.push_back({Op::relu_grad, "", {{{40}}, {{40}}}, one(Op::relu_grad, {})});
  all.push_back({Op::sigmoid_grad, "", {{{20}}, {{20}, 0, 1}}, one(Op::sigmoid_grad, {})});
  for (size_t k = 0; k < unary_table().size(); ++k) {
    if (is_stepped(k)) continue;
    const UnaryAttr attr{static_cast<UnaryFn>(k), 0.75, 0.5};
    all.push_back(
        {Op::unary_grad, unary_table()[k].name.data(), {{{20}}, domain_of(attr.fn)}, one(Op::unary_grad, attr)});
  }
  for (size_t k = 0; k < binary_table().size(); ++k)
    for (const int wrt : {0, 1})
      all.push_back({Op::binary_grad,
                     binary_table()[k].name.data(),
                     {{{4, 5, 3}}, {{4, 1, 3}, 0.2, 2}, {{5, 1}, 0.3, 2}},
                     one(Op::binary_grad, BinaryAttr{static_cast<BinaryFn>(k), wrt})});
  for (const int axis : {0, 1, 2})
    for (const bool log : {false, true})
      all.push_back({Op::softmax_grad,
                     log ? "log" : "",
                     {{{2, 3, 4}}, {{2, 3, 4}}},
                     one(Op::softmax_grad, SoftmaxAttr{axis, log})});
  all.push_back({Op::gather_grad, "", {{{2, 3, 3}}}, [](OpBuilder& b, const Vals& x) {
                   const Val index = b.constant(Tensor::from_f64(DType::i32, {2, 3}, {{3, 0, 1, 2, 3, 3}}));
                   return b.emit(Op::gather_grad, {x[0], index}, DimsAttr{{4, 3}})[0];
                 }});
  all.push_back({Op::gather_elements_grad, "", {{{2, 4}}}, [](OpBuilder& b, const Vals& x) {
                   const Val index = b.constant(Tensor::from_f64(DType::i32, {2, 4}, {{0, 1, 2, 2, 1, 0, 0, 2}}));
                   return b.emit(Op::gather_elements_grad, {x[0], index}, AxisAttr{.axis = 1, .size = 3})[0];
                 }});
  PoolAttr pool{{3, 2}, {2, 1}, {1, 0}, {0, 1}, false};
  pool.dims = {1, 2, 5, 6};
  all.push_back({Op::avg_pool_grad, "", {{{1, 2, 2, 6}}}, one(Op::avg_pool_grad, pool)});
  ResizeAttr resize{ResizeAttr::Kind::bilinear, false, {6, 7}};
  resize.dims = {1, 2, 3, 4};
  all.push_back({Op::resize_grad, "", {{{1, 2, 6, 7}}}, one(Op::resize_grad, resize)});
  const GroupNormAttr groups{6, 4, 3, 1e-3}, layer{5, 5, 1, 1e-3};
  all.push_back(
      {Op::group_norm_grad_input, "groups", {{{2, 4, 3}}, {{2, 4, 3}}, {{4}}}, one(Op::group_norm_grad_input, groups)});
  all.push_back(
      {Op::group_norm_grad_input, "layer", {{{3, 5}}, {{3, 5}}, {{5}}}, one(Op::group_norm_grad_input, layer)});
  all.push_back(
      {Op::group_norm_grad_sums, "groups", {{{2, 4, 3}}, {{2, 4, 3}}}, one(Op::group_norm_grad_sums, groups)});
  all.push_back({Op::group_norm_grad_sums, "layer", {{{3, 5}}, {{3, 5}}}, one(Op::group_norm_grad_sums, layer)});
  for (const bool batch : {true, false}) {
    const BatchNormAttr attr{1e-3, batch};
    const char* what = batch ? "statistics of the batch" : "fixed statistics";
    const auto moments = [batch](OpBuilder& b, Val x) {
      if (batch) return b.emit(Op::channel_moments, {x})[0];
      return b.constant(Tensor::from_f64(DType::f64, {2, 2}, {{0.5, -0.25, 2, 0.75}}));
    };
    all.push_back({Op::batch_norm_grad_sums, what, {{{3, 2, 2, 2}}, {{3, 2, 2, 2}}}, [=](OpBuilder& b, const Vals& x) {
                     return b.emit(Op::batch_norm_grad_sums, {x[0], x[1], moments(b, x[1])}, attr)[0];
                   }});
    all.push_back(
        {Op::batch_norm_grad_input, what, {{{3, 2, 2, 2}}, {{3, 2, 2, 2}}, {{2}}}, [=](OpBuilder& b, const Vals& x) {
           const Val m = moments(b, x[1]), sums = b.emit(Op::batch_norm_grad_sums, {x[0], x[1], m}, attr)[0];
           return b.emit(Op::batch_norm_grad_input, {x[0], x[1], m, x[2], sums}, attr)[0];
         }});
  }
}

// The gradients of encoders and their derivatives along directions. Points keep away from the borders of cells.
void add_grid_gradients(std::vector<GradientCase>& all) {
  const auto one = [](Op op, Attr attr) {
    return [op, attr](OpBuilder& b, const Vals& x) { return b.emit(op, x, attr)[0]; };
  };
  const std::pair<const char*, HashGridAttr> grids[] = {
      {"2D", grid(2, false)}, {"3D", grid(3, false)}, {"3D smoothstep", grid(3, true)}};
  for (const auto& [what, g] : grids) {
    const Operand x{{6, g.dims}, 0.02, 0.98}, u{{6, g.dims}}, features{{6, 4}};
    all.push_back({Op::hash_grid_grad_input, what, {x, table(g), features}, one(Op::hash_grid_grad_input, g)});
    all.push_back({Op::hash_grid_grad_table, what, {x, features}, one(Op::hash_grid_grad_table, g)});
    all.push_back({Op::hash_grid_tangent, what, {x, table(g), u}, one(Op::hash_grid_tangent, g)});
    all.push_back({Op::hash_grid_tangent_grad_table, what, {x, u, features}, one(Op::hash_grid_tangent_grad_table, g)});
  }
  const std::pair<const char*, Operand> places[] = {{"inside", {{7, 3}, 0.02, 0.98}}, {"around", {{7, 3}, -0.5, 1.5}}};
  for (const auto& [what, x] : places) {
    const Operand planes{{3, 2, 4, 5}}, u{{7, 3}}, features{{7, 6}};
    all.push_back({Op::triplane_grad_input, what, {x, planes, features}, one(Op::triplane_grad_input, {})});
    all.push_back(
        {Op::triplane_grad_planes, what, {x, features}, one(Op::triplane_grad_planes, DimsAttr{planes.dims})});
    all.push_back({Op::triplane_tangent, what, {x, planes, u}, one(Op::triplane_tangent, {})});
    all.push_back({Op::triplane_tangent_grad_planes,
                   what,
                   {x, u, features},
                   one(Op::triplane_tangent_grad_planes, DimsAttr{planes.dims})});
  }
}

}  // namespace

std::vector<GradientCase> gradient_cases() {
  const HashGridAttr g3 = grid(3, false), g3s = grid(3, true), g2 = grid(2, false);
  const auto one = [](Op op, Attr attr) {
    return [op, attr](OpBuilder& b, const Vals& x) { return b.emit(op, x, attr)[0]; };
  };
  const ConvAttr conv{{2, 1}, {1, 1}, {1, 0}, {1, 0}, 1, {}, DType::f64};
  const ConvAttr grouped{{1, 1}, {2, 1}, {1, 1}, {0, 1}, 2, {}, DType::f64};
  const auto with = [](ConvAttr a, Dims dims) { return a.dims = std::move(dims), a; };
  std::vector<GradientCase> all{
      {Op::cast, "f64", {{{2, 3}}}, one(Op::cast, CastAttr{DType::f64})},
      {Op::add, "same sizes", {{{2, 3}}, {{2, 3}}}, one(Op::add, {})},
      {Op::add, "broadcast", {{{2, 1, 3}}, {{4, 1}}}, one(Op::add, {})},
      {Op::add, "with itself", {{{3}}}, [](OpBuilder& b, const Vals& x) { return b.add(x[0], x[0]); }},
      {Op::sub, "broadcast", {{{3}}, {{2, 3}}}, one(Op::sub, {})},
      {Op::sub, "broadcast right", {{{2, 3}}, {{3}}}, one(Op::sub, {})},
      {Op::mul, "broadcast", {{{2, 3}}, {{2, 1}}}, one(Op::mul, {})},
      {Op::mul, "with itself", {{{3}}}, [](OpBuilder& b, const Vals& x) { return b.mul(x[0], x[0]); }},
      {Op::scale, "", {{{2, 3}}}, one(Op::scale, ScaleAttr{-2.5})},
      {Op::affine, "", {{{2, 3}}}, one(Op::affine, AffineAttr{{2, -3, 0.5}, {1, 2, 3}})},
      {Op::clamp, "", {{{40}}}, one(Op::clamp, ClampAttr{-0.5, 0.25})},
      {Op::relu, "", {{{40}}}, one(Op::relu, {})},
      {Op::gradient_scale, "unscaled", {{{2, 3}}}, one(Op::gradient_scale, GradientScaleAttr{128, true})},
      {Op::gradient_scale, "kept", {{{2, 3}}}, one(Op::gradient_scale, GradientScaleAttr{128, false}), 128},
      {Op::sigmoid, "", {{{20}, -6, 6}}, one(Op::sigmoid, {})},
      {Op::dropout, "", {{{50}}}, one(Op::dropout, DropoutAttr{0.3, {5}})},
      {Op::matmul, "", {{{4, 3}}, {{3, 5}}}, one(Op::matmul, MatmulAttr{})},
      {Op::matmul, "transposed, three axes", {{{2, 4, 3}}, {{5, 3}}}, one(Op::matmul, MatmulAttr{true})},
      {Op::matmul, "vector", {{{3}}, {{3, 5}}}, one(Op::matmul, MatmulAttr{})},
      {Op::matmul_tn, "", {{{2, 4, 3}}, {{2, 4, 5}}}, one(Op::matmul_tn, MatmulAttr{.dtype = DType::f64})},
      {Op::batch_matmul, "", {{{2, 4, 3}}, {{2, 3, 5}}}, one(Op::batch_matmul, MatmulAttr{false, false})},
      {Op::batch_matmul, "a transposed", {{{2, 3, 4}}, {{2, 3, 5}}}, one(Op::batch_matmul, MatmulAttr{false, true})},
      {Op::batch_matmul, "b transposed", {{{2, 4, 3}}, {{2, 5, 3}}}, one(Op::batch_matmul, MatmulAttr{true, false})},
      {Op::batch_matmul, "both", {{{2, 2, 3, 4}}, {{2, 2, 5, 3}}}, one(Op::batch_matmul, MatmulAttr{true, true})},
      {Op::sum_to, "scalar", {{{2, 3}}}, one(Op::sum_to, DimsAttr{{}, DType::f64})},
      {Op::sum_to, "inner axis", {{{4, 2, 3}}}, one(Op::sum_to, DimsAttr{{2, 1}, DType::f64})},
      {Op::broadcast_to, "", {{{2, 1}}}, one(Op::broadcast_to, DimsAttr{{3, 2, 4}, DType::f64})},
      {Op::reshape, "", {{{2, 3}}}, one(Op::reshape, DimsAttr{{3, 2}, DType::f64})},
      {Op::concat, "inner", {{{2, 3}}, {{2, 1}}, {{2, 2}}}, one(Op::concat, AxisAttr{1, 0, 0, 0})},
      {Op::concat, "outer", {{{2, 3}}, {{1, 3}}}, one(Op::concat, AxisAttr{0, 0, 0, 0})},
      {Op::slice, "", {{{2, 5, 2}}}, one(Op::slice, AxisAttr{1, 1, 4, 0})},
      {Op::pad, "", {{{2, 3, 2}}}, one(Op::pad, AxisAttr{1, 1, 4, 6})},
      {Op::pad, "filled", {{{2, 3, 2}}}, one(Op::pad, AxisAttr{1, 1, 4, 6, 0.7})},
      {Op::transpose, "", {{{2, 3, 4}}}, one(Op::transpose, PermuteAttr{{2, 0, 1}})},
      {Op::conv2d, "strided, padded on one side", {{{2, 2, 5, 4}}, {{3, 2, 3, 2}}}, one(Op::conv2d, conv)},
      {Op::conv2d, "groups, dilated", {{{1, 4, 5, 6}}, {{2, 2, 2, 3}}}, one(Op::conv2d, grouped)},
      {Op::conv2d_grad_input,
       "",
       {{{2, 3, 3, 3}}, {{3, 2, 3, 2}}},
       one(Op::conv2d_grad_input, with(conv, {2, 2, 5, 4}))},
      {Op::conv2d_grad_weight,
       "",
       {{{2, 2, 5, 4}}, {{2, 3, 3, 3}}},
       one(Op::conv2d_grad_weight, with(conv, {3, 2, 3, 2}))},
      {Op::max_pool, "", {{{1, 2, 5, 6}}}, one(Op::max_pool, PoolAttr{{3, 2}, {2, 1}, {1, 0}, {0, 1}})},
      {Op::avg_pool, "", {{{1, 2, 5, 6}}}, one(Op::avg_pool, PoolAttr{{3, 2}, {2, 1}, {1, 0}, {0, 1}, false})},
      {Op::avg_pool, "adaptive", {{{1, 2, 5, 6}}}, one(Op::avg_pool, PoolAttr{.adaptive = true, .size = {3, 4}})},
      {Op::resize, "", {{{1, 2, 3, 4}}}, one(Op::resize, ResizeAttr{ResizeAttr::Kind::bilinear, false, {6, 7}})},
      {Op::batch_norm,
       "statistics of the batch",
       {{{3, 2, 2, 2}}, {{2}}, {{2}}},
       [](OpBuilder& b, const Vals& x) {
         return b.emit(Op::batch_norm, {x[0], b.emit(Op::channel_moments, {x[0]})[0], x[1], x[2]},
                       BatchNormAttr{1e-3, true})[0];
       }},
      {Op::batch_norm,
       "fixed statistics",
       {{{3, 2}}, {{2}}, {{2}}},
       [](OpBuilder& b, const Vals& x) {
         const Val moments = b.constant(Tensor::from_f64(DType::f64, {2, 2}, {{0.5, -0.25, 2, 0.75}}));
         return b.emit(Op::batch_norm, {x[0], moments, x[1], x[2]}, BatchNormAttr{1e-3, false})[0];
       }},
      {Op::group_norm, "groups", {{{2, 4, 3}}, {{4}}, {{4}}}, one(Op::group_norm, GroupNormAttr{6, 4, 3, 1e-3})},
      {Op::group_norm, "layer", {{{3, 5}}, {{5}}, {{5}}}, one(Op::group_norm, GroupNormAttr{5, 5, 1, 1e-3})},
      {Op::hash_grid, "3D", {{{6, 3}, 0.02, 0.98}, table(g3)}, one(Op::hash_grid, g3)},
      {Op::hash_grid, "3D smoothstep", {{{6, 3}, 0.02, 0.98}, table(g3s)}, one(Op::hash_grid, g3s)},
      {Op::hash_grid, "2D", {{{6, 2}, 0.02, 0.98}, table(g2)}, one(Op::hash_grid, g2)},
      {Op::triplane, "inside", {{{7, 3}, 0.02, 0.98}, {{3, 2, 4, 5}}}, one(Op::triplane, {})},
      {Op::triplane, "around", {{{7, 3}, -0.5, 1.5}, {{3, 2, 3, 3}}}, one(Op::triplane, {})},
  };
  add_functions(all);
  add_gradients(all);
  add_grid_gradients(all);
  return all;
}

}  // namespace hw::test
