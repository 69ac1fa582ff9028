// The gradient of a value by another as a value: its numbers, its dtype, and what is refused.
#include <cmath>

#include "engine/core/codes.h"
#include "engine/program/adjoint.h"
#include "tests/engine/program_runner.h"

namespace hw {
namespace {

/// Programs with two values, x and what is made of it.
struct Pair {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  OpBuilder b{*program};
  Val x = b.input("x", DType::f64, {3});

  /// The gradient of Σ y by x at these numbers.
  std::vector<double> at(Val y, const std::vector<double>& numbers) {
    const Val gradient = gradient_of(b, y, x);
    EXPECT_TRUE(b.status()) << b.status().error().text();
    EXPECT_EQ(b[gradient].dims, (Dims{3}));
    program->outputs.push_back({"gradient", gradient.id});
    test::Runner r(program);
    EXPECT_TRUE(r.executable->write_input("x", Tensor::from_f64(DType::f64, {3}, numbers)));
    r.run();
    return r.read(gradient);
  }
  std::string refusal(Val y) {
    EXPECT_FALSE(gradient_of(b, y, x));
    return b.status() ? "" : b.status().error().code;
  }
};

TEST(GradientOf, IsThatOfTheSum) {
  Pair p;
  const std::vector<double> got = p.at(p.b.mul(p.x, p.b.unary(UnaryFn::sin, p.x)), {-0.5, 0, 2});
  for (size_t i = 0; i < 3; ++i) {
    const double x = std::vector<double>{-0.5, 0, 2}[i];
    EXPECT_NEAR(got[i], std::sin(x) + x * std::cos(x), 1e-12);
  }
}

TEST(GradientOf, AWireByItselfIsOne) {
  Pair p;
  EXPECT_EQ(p.at(p.x, {1, 2, 3}), (std::vector<double>{1, 1, 1}));
}

TEST(GradientOf, AStepHasZeros) {
  Pair p;
  const Val slope = gradient_of(p.b, p.b.relu(p.x), p.x);
  EXPECT_EQ(p.at(slope, {-1, 2, 3}), (std::vector<double>{0, 0, 0}));
}

TEST(GradientOf, GradientScalesAreDividedOut) {
  Pair kept, divided;
  EXPECT_EQ(divided.at(divided.b.gradient_scale(divided.x, 128, true), {1, 2, 3}), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(kept.at(kept.b.gradient_scale(kept.x, 128, false), {1, 2, 3}), (std::vector<double>{128, 128, 128}));
}

TEST(GradientOf, IsStoredAsItsWire) {
  Program program;
  OpBuilder b(program);
  const Val x = b.input("x", DType::f16, {2, 3}), y = b.mean(b.cast(b.mul(x, x), DType::f64));
  const Val gradient = gradient_of(b, y, x);
  ASSERT_TRUE(b.status());
  EXPECT_EQ(b[gradient].dtype, DType::f16);
  EXPECT_EQ(b[gradient].dims, (Dims{2, 3}));
  for (const Instr& instr : program.instrs) EXPECT_FALSE(instr.backward) << "part of the forward pass";
}

TEST(GradientOf, NoWayIsAnError) {
  Pair other, stopped, whole;
  EXPECT_EQ(other.refusal(other.b.input("z", DType::f64, {3})), codes::not_upstream);
  EXPECT_EQ(stopped.refusal(stopped.b.stop_gradient(stopped.x)), codes::not_upstream);
  EXPECT_EQ(whole.refusal(whole.b.cast(whole.b.cast(whole.x, DType::i32), DType::f64)), codes::not_upstream);
}

}  // namespace
}  // namespace hw
