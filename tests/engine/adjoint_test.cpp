// The adjoint of every op against central differences, in f64 on the ref device. An op without a case here and without
// a reason for having none fails the test.
#include "engine/program/adjoint.h"

#include <cmath>
#include <functional>
#include <map>

#include "engine/program/adjoint_rules.h"
#include "engine/program/op_spec.h"
#include "program_runner.h"

namespace hw {
namespace {

constexpr double kEpsilon = 1e-6, kAbsolute = 1e-5, kRelative = 1e-3;

struct Operand {
  Dims dims;
  double lo = -1, hi = 1;
};

struct GradientCase {
  Op op;
  const char* what;
  std::vector<Operand> operands;
  std::function<Val(OpBuilder&, const std::vector<Val>&)> body;
  double factor = 1;  // the gradient the adjoint must give, over the true one
};

using Vals = std::vector<Val>;

HashGridAttr grid(int dims, bool smoothstep) {
  return make_hash_grid(dims, 2, 2, 6, 3, 2.5, smoothstep);  // the second level is hashed
}

Operand table(const HashGridAttr& g) {
  return {{g.table_entries(), g.features}};
}

// The rows of the function tables, where they are smooth but for single points.
void add_functions(std::vector<GradientCase>& all) {
  for (size_t k = 0; k < unary_table().size(); ++k) {
    const UnaryAttr attr{static_cast<UnaryFn>(k), 0.75, 0};
    const bool positive = attr.fn == UnaryFn::log || attr.fn == UnaryFn::sqrt || attr.fn == UnaryFn::reciprocal;
    all.push_back({Op::unary,
                   unary_table()[k].name.data(),
                   {{{20}, positive ? 0.2 : -2.0, 2}},
                   [attr](OpBuilder& b, const Vals& x) { return b.emit(Op::unary, x, attr)[0]; }});
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
    const UnaryAttr attr{static_cast<UnaryFn>(k), 0.75, 0};
    const bool positive = attr.fn == UnaryFn::log || attr.fn == UnaryFn::sqrt || attr.fn == UnaryFn::reciprocal;
    all.push_back({Op::unary_grad,
                   unary_table()[k].name.data(),
                   {{{20}}, {{20}, positive ? 0.2 : -2.0, 2}},
                   one(Op::unary_grad, attr)});
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
}

std::vector<GradientCase> cases() {
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
  return all;
}

// Ops no gradient passes through, with the reason.
const std::map<Op, const char*> kNone = {
    {Op::hash_grid_grad_table, "made by the adjoint; second derivatives are not offered"},
    {Op::hash_grid_grad_input, "made by the adjoint; second derivatives are not offered"},
    {Op::triplane_grad_planes, "made by the adjoint; second derivatives are not offered"},
    {Op::triplane_grad_input, "made by the adjoint; second derivatives are not offered"},
    {Op::max_pool_grad, "made by the adjoint; second derivatives are not offered"},
    {Op::compare, "its result is bool"},
    {Op::argmax, "its result is a whole number"},
    {Op::stop_gradient, "what it is for: AdjointRules.stop_gradient_stops_it"},
    {Op::batch_norm_grad_sums, "made by the adjoint; second derivatives are not offered"},
    {Op::batch_norm_grad_input, "made by the adjoint; second derivatives are not offered"},
    {Op::group_norm_grad_input, "made by the adjoint; second derivatives are not offered"},
    {Op::group_norm_grad_sums, "made by the adjoint; second derivatives are not offered"},
    {Op::channel_moments, "batch_norm's own gradient goes through the moments"},
    {Op::moments_update, "changes states"},
    {Op::sample_surface, "a random source: no inputs"},
    {Op::sample_image, "a random source: no inputs"},
    {Op::sample_rows, "a random source: no inputs"},
    {Op::random, "a random source: no inputs"},
    {Op::gradient_norm, "part of the optimiser"},
    {Op::sgd_update, "part of the optimiser"},
    {Op::adam_update, "part of the optimiser"},
    {Op::accumulate, "part of the optimiser"},
    {Op::check_finite, "part of the optimiser"},
    {Op::loss_scale_update, "part of the optimiser"},
    {Op::average_update, "part of the optimiser"},
};

TEST(Adjoint, every_op_has_a_gradient_case_or_a_reason_for_none) {
  const auto all = cases();
  for (size_t k = 0; k < op_table().size(); ++k) {
    const Op op = Op(k);
    const bool tested = std::any_of(all.begin(), all.end(), [&](const GradientCase& c) { return c.op == op; });
    EXPECT_NE(tested, kNone.contains(op)) << info(op).name;
    const AdjointRule adjoint = spec(op).adjoint;
    EXPECT_EQ(adjoint != kNoGradient && adjoint != adjoint_rules::stops, tested) << info(op).name;
  }
}

// loss = Σ weight · out, with fixed weights, so that every output element matters in its own way.
Val weighted_sum(OpBuilder& b, Val x) {
  const Dims dims = b[x].dims;
  const Tensor weights = Tensor::from_f64(DType::f64, dims, test::numbers(element_count(dims), 0.5, 1.5, 9));
  return b.sum_to(b.mul(x, b.constant(weights)), {}, DType::f64);
}

void check(const GradientCase& c) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  Vals x;
  for (size_t k = 0; k < c.operands.size(); ++k)
    x.push_back(b.param("x" + std::to_string(k), DType::f64, c.operands[k].dims, {}));
  const Val loss = weighted_sum(b, c.body(b, x));
  ASSERT_TRUE(b.status()) << b.status().error().text();
  auto gradients = build_adjoint(b, loss);
  ASSERT_TRUE(gradients) << gradients.error().text();
  test::Runner r(program);
  std::vector<Tensor> values;
  for (size_t k = 0; k < x.size(); ++k) {
    const Operand& o = c.operands[k];
    values.push_back(
        Tensor::from_f64(DType::f64, o.dims, test::numbers(element_count(o.dims), o.lo, o.hi, uint32_t(k))));
    ASSERT_TRUE(r.states->write("x" + std::to_string(k), values[k]));
  }
  r.run();
  double magnitude = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    // A way without gradient has no entry: its differences are 0.
    std::vector<double> got(static_cast<size_t>(element_count(c.operands[k].dims)), 0.0);
    double unscale = 1;
    if (gradients->of.contains(x[k].id)) {
      const Val g = gradients->of.at(x[k].id);
      ASSERT_EQ(b[g].dims, c.operands[k].dims);
      r.run();
      got = r.read(g);
      unscale = gradients->unscale.at(x[k].id);
    }
    for (size_t e = 0; e < got.size(); ++e) {
      const auto loss_at = [&](double offset) {
        Tensor moved = values[k].clone();
        moved.as<double>()[e] += offset;
        EXPECT_TRUE(r.states->write("x" + std::to_string(k), moved));
        r.run();
        return r.read(loss)[0];
      };
      const double numeric = c.factor * (loss_at(kEpsilon) - loss_at(-kEpsilon)) / (2 * kEpsilon);
      ASSERT_NEAR(got[e] * unscale, numeric, kAbsolute * c.factor + kRelative * std::abs(numeric))
          << "operand " << k << ", element " << e;
      magnitude += std::abs(numeric);
    }
    ASSERT_TRUE(r.states->write("x" + std::to_string(k), values[k]));
  }
  EXPECT_GT(magnitude, 0.1) << "a check of zeros against zeros";
}

TEST(Adjoint, agrees_with_central_differences) {
  for (const GradientCase& c : cases()) {
    SCOPED_TRACE(std::string(info(c.op).name) + " " + c.what);
    check(c);
  }
}

/// A loss made of a gradient: (|∂y/∂x| − 1)² of a small MLP, whose adjoint is the adjoint of an adjoint.
TEST(Adjoint, TheLossMayBeMadeOfAGradient) {
  for (const UnaryFn fn : {UnaryFn::softplus, UnaryFn::tanh, UnaryFn::silu, UnaryFn::gelu, UnaryFn::sin}) {
    SCOPED_TRACE(info(fn).name);
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const std::vector<Dims> sizes{{5, 3}, {3, 8}, {8}, {8, 1}};
    Vals x;
    for (size_t k = 0; k < sizes.size(); ++k) x.push_back(b.param("x" + std::to_string(k), DType::f64, sizes[k], {}));
    const Val hidden = b.unary(fn, b.add(b.matmul(x[0], x[1]), x[2]), 1.5);
    auto first = build_adjoint(b, b.sum_to(b.matmul(hidden, x[3]), {}, DType::f64));
    ASSERT_TRUE(first) << first.error().text();
    const Val slope = first->of.at(x[0].id);
    const Val length = b.unary(UnaryFn::sqrt, b.sum(b.mul(slope, slope), {1}));
    const Val off = b.affine(length, std::vector<double>(5, 1), std::vector<double>(5, -1));
    const Val loss = b.sum_to(b.mul(off, off), {}, DType::f64);
    ASSERT_TRUE(b.status()) << b.status().error().text();
    auto second = build_adjoint(b, loss);
    ASSERT_TRUE(second) << second.error().text();
    test::Runner r(program);
    for (size_t k = 0; k < x.size(); ++k) {
      const std::vector<double> numbers = test::numbers(element_count(sizes[k]), -1, 1, uint32_t(k));
      ASSERT_TRUE(r.states->write("x" + std::to_string(k), Tensor::from_f64(DType::f64, sizes[k], numbers)));
    }
    for (size_t k = 0; k < x.size(); ++k) {
      const std::string name = "x" + std::to_string(k);
      const std::vector<double> numbers = test::numbers(element_count(sizes[k]), -1, 1, uint32_t(k));
      r.run();
      const std::vector<double> got = r.read(second->of.at(x[k].id));
      double magnitude = 0;
      for (size_t e = 0; e < got.size(); ++e) {
        const auto loss_at = [&](double offset) {
          std::vector<double> moved = numbers;
          moved[e] += offset;
          EXPECT_TRUE(r.states->write(name, Tensor::from_f64(DType::f64, sizes[k], moved)));
          r.run();
          return r.read(loss)[0];
        };
        const double numeric = (loss_at(kEpsilon) - loss_at(-kEpsilon)) / (2 * kEpsilon);
        EXPECT_NEAR(got[e], numeric, kAbsolute + kRelative * std::abs(numeric)) << name << "[" << e << "]";
        magnitude += std::abs(numeric);
      }
      EXPECT_GT(magnitude, 0.1) << name;
      ASSERT_TRUE(r.states->write(name, Tensor::from_f64(DType::f64, sizes[k], numbers)));
    }
  }
}

}  // namespace
}  // namespace hw
