// The adjoint of every op against central differences, in f64 on the ref device. An op without a case here and without
// a reason for having none fails the test.
#include "engine/program/adjoint.h"

#include <cmath>
#include <map>

#include "engine/core/codes.h"
#include "engine/program/adjoint_rules.h"
#include "engine/program/op_spec.h"
#include "tests/engine/gradient_cases.h"
#include "tests/engine/program_runner.h"

namespace hw {
namespace {

using test::gradient_cases;
using test::GradientCase;
using test::Operand;
using test::Vals;

constexpr double kEpsilon = 1e-6, kAbsolute = 1e-5, kRelative = 1e-3;

// Ops no gradient passes through, with the reason.
const std::map<Op, const char*> kNone = {
    {Op::max_pool_grad, "made by the adjoint; second derivatives are not offered"},
    {Op::hash_grid_tangent_grad_input, "a second derivative; third ones are not offered"},
    {Op::triplane_tangent_grad_input, "a second derivative; third ones are not offered"},
    {Op::compare, "its result is bool"},
    {Op::argmax, "its result is a whole number"},
    {Op::stop_gradient, "what it is for: AdjointRules.stop_gradient_stops_it"},
    {Op::channel_moments, "batch_norm's own gradient goes through the moments"},
    {Op::moments_update, "changes states"},
    {Op::sample_surface, "a random source: no inputs"},
    {Op::sample_image, "a random source: no inputs"},
    {Op::sample_rows, "a random source: no inputs"},
    {Op::random, "a random source: no inputs"},
    {Op::gradient_norm, "part of the optimiser"},
#define HW_UPDATE(name, ...) {Op::name##_update, "part of the optimiser"},
#include "engine/program/optimisers.def"
    {Op::accumulate, "part of the optimiser"},
    {Op::check_finite, "part of the optimiser"},
    {Op::loss_scale_update, "part of the optimiser"},
    {Op::average_update, "part of the optimiser"},
};

TEST(Adjoint, every_op_has_a_gradient_case_or_a_reason_for_none) {
  const auto all = gradient_cases();
  for (size_t k = 0; k < op_table().size(); ++k) {
    const Op op = Op(k);
    const bool tested = std::any_of(all.begin(), all.end(), [&](const GradientCase& c) { return c.op == op; });
    EXPECT_NE(tested, kNone.contains(op)) << info(op).name;
    const AdjointRule adjoint = spec(op).adjoint;
    EXPECT_EQ(adjoint != kNoGradient && adjoint != adjoint_rules::stop_gradient, tested) << info(op).name;
  }
}

// loss = Σ weight · out, with fixed weights, so that every output element matters in its own way.
Val weighted_sum(OpBuilder& b, Val x) {
  const Dims dims = b[x].dims;
  const Tensor weights = Tensor::from_f64(DType::f64, dims, test::numbers(element_count(dims), 0.5, 1.5, 9));
  return b.sum_to(b.mul(x, b.constant(weights)), {}, DType::f64);
}

Val loss_of(OpBuilder& b, const GradientCase& c, const Vals& x) {
  return weighted_sum(b, c.body(b, x));
}

/// What the operands' gradients make: Σ over the operands of the weighted sum of its square.
Val loss_of_gradients(OpBuilder& b, const GradientCase& c, const Vals& x) {
  const Val first = loss_of(b, c, x);
  Val sum;
  for (const Val operand : x) {
    const Val slope = gradient_of(b, first, operand), part = weighted_sum(b, b.mul(slope, slope));
    sum = sum ? b.add(sum, part) : part;
  }
  return sum;
}

/// The sum of the magnitudes of the derivatives of `make_loss`, each of which is right.
void check(const GradientCase& c, Val (*make_loss)(OpBuilder&, const GradientCase&, const Vals&), double& magnitude) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  Vals x;
  for (size_t k = 0; k < c.operands.size(); ++k)
    x.push_back(b.param("x" + std::to_string(k), DType::f64, c.operands[k].dims, {}));
  const Val loss = make_loss(b, c, x);
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
}

TEST(Adjoint, agrees_with_central_differences) {
  for (const GradientCase& c : gradient_cases()) {
    SCOPED_TRACE(std::string(info(c.op).name) + " " + c.what);
    double magnitude = 0;
    check(c, loss_of, magnitude);
    EXPECT_GT(magnitude, 0.1) << "a check of zeros against zeros";
  }
}

/// The ops that a gradient is made of and that have no second derivative.
const std::map<Op, Op> kNoSecond = {
    {Op::max_pool, Op::max_pool_grad},
    {Op::hash_grid_grad_input, Op::hash_grid_tangent_grad_input},
    {Op::hash_grid_tangent, Op::hash_grid_tangent_grad_input},
    {Op::hash_grid_tangent_grad_table, Op::hash_grid_tangent_grad_input},
    {Op::triplane_grad_input, Op::triplane_tangent_grad_input},
    {Op::triplane_tangent, Op::triplane_tangent_grad_input},
    {Op::triplane_tangent_grad_planes, Op::triplane_tangent_grad_input},
};

TEST(Adjoint, OfAGradientAgreesWithCentralDifferences) {
  size_t bent = 0;
  for (GradientCase c : gradient_cases()) {
    SCOPED_TRACE(std::string(info(c.op).name) + " " + c.what);
    if (kNoSecond.contains(c.op)) continue;
    c.factor *= c.factor;  // of a gradient that is scaled on purpose
    double magnitude = 0;
    check(c, loss_of_gradients, magnitude);
    bent += magnitude > 0.1;
  }
  EXPECT_GT(bent, 40u) << "checks of zeros against zeros";
}

TEST(Adjoint, WhatHasNoSecondDerivativeSaysSo) {
  for (const GradientCase& c : gradient_cases()) {
    const auto lacks = kNoSecond.find(c.op);
    if (lacks == kNoSecond.end()) continue;
    Program program;
    OpBuilder b(program);
    b.set_node("slope");
    Vals x;
    for (size_t k = 0; k < c.operands.size(); ++k)
      x.push_back(b.param("x" + std::to_string(k), DType::f64, c.operands[k].dims, {}));
    const Val loss = loss_of_gradients(b, c, x);
    ASSERT_TRUE(b.status()) << b.status().error().text();
    const auto second = build_adjoint(b, loss);
    ASSERT_FALSE(second) << info(c.op).name;
    EXPECT_EQ(second.error().code, codes::unsupported);
    EXPECT_EQ(second.error().where, "slope");
    EXPECT_NE(second.error().reason.find(std::string(info(lacks->second).name) + ": "), std::string::npos)
        << second.error().reason;
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
