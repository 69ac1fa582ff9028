// Optimiser steps on ref against the formulas written out by hand, step after step.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/program/optimisers.h"
#include "tests/engine/program_runner.h"

namespace hw {
namespace {

constexpr double kRate = 0.01;

/// One parameter p, a gradient that is a state, an update op; the states are read after each run.
struct Trial {
  Trial(Op op, UpdateAttr attr, DType dtype, const std::vector<double>& start, const std::vector<double>& grad,
        const std::vector<double>& mask = {}, bool counted = false) {
    const Dims dims{int64_t(start.size())};
    OpBuilder b(*program);
    const Val view = b.param("p", dtype, dims, {});
    const Val master{program->params[0].master};
    const DType wide = b[master].dtype;
    std::vector<Val> in{view, master, b.state("m", wide, dims)};
    if (update_row(op).moments == 2) in.push_back(b.state("v", wide, dims));
    attr.has_touched = !mask.empty();
    if (attr.has_touched && update_row(op).counts) in.push_back(b.state("t", DType::u8, {2 * dims[0]}));
    if (counted) in.push_back(b.state("count", DType::f64, {1}));
    const Val g = b.state("grad", wide, dims);
    in.push_back(g);
    if (attr.has_touched) in.push_back(b.constant(Tensor::from_f64(DType::u8, {int64_t(mask.size())}, mask)));
    if (attr.clip_norm > 0) in.push_back(b.emit(Op::gradient_norm, {g}, NormAttr{{attr.unscale}})[0]);
    b.set_update(true);
    b.emit(op, in, attr);
    EXPECT_TRUE(b.status()) << b.status().error().text();
    runner = std::make_unique<test::Runner>(program);
    master_name = b[master].name;
    EXPECT_TRUE(runner->states->write(master_name, Tensor::from_f64(wide, dims, start)));
    EXPECT_TRUE(runner->states->write("p", Tensor::from_f64(dtype, dims, start)));
    EXPECT_TRUE(runner->states->write("grad", Tensor::from_f64(wide, dims, grad)));
    runner->step.learning_rate = kRate;
  }
  void step(uint64_t index) {
    runner->step.step = index;
    runner->run();
  }
  std::vector<double> state(const std::string& name) const { return runner->states->read(name).to_f64(); }
  std::vector<double> master() const { return state(master_name); }

  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::unique_ptr<test::Runner> runner;
  std::string master_name;
};

UpdateAttr with(double decay, bool decoupled, double unscale = 1, double clip = 0) {
  UpdateAttr a;
  a.weight_decay = decay;
  a.decoupled = decoupled;
  a.unscale = unscale;
  a.clip_norm = clip;
  return a;
}

TEST(Adam, follows_the_formula_over_steps) {
  for (const UpdateAttr& a : {with(0, false), with(0.1, false), with(0.1, true), with(0.1, true, 1.0 / 128),
                              with(0, false, 1.0 / 128, 0.01)}) {
    const std::vector<double> grad{0.5, -3, 1e-9};
    Trial trial(Op::adam_update, a, DType::f64, {1, -2, 0.25}, grad);
    std::vector<double> p{1, -2, 0.25}, m(3), v(3);
    double norm = 0;
    for (double g : grad) norm += g * g * a.unscale * a.unscale;
    const double clip = a.clip_norm > 0 ? std::min(1.0, a.clip_norm / (std::sqrt(norm) + 1e-6)) : 1;
    for (int t = 1; t <= 5; ++t) {
      trial.step(uint64_t(t - 1));
      for (size_t i = 0; i < 3; ++i) {
        const double g = grad[i] * a.unscale * clip + (a.decoupled ? 0 : a.weight_decay * p[i]);
        if (a.decoupled) p[i] -= kRate * a.weight_decay * p[i];
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        p[i] -= kRate * (m[i] / (1 - std::pow(0.9, t))) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
      }
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_NEAR(trial.master()[i], p[i], 1e-12);
        ASSERT_NEAR(trial.state("m")[i], m[i], 1e-12);
        ASSERT_NEAR(trial.state("v")[i], v[i], 1e-12);
      }
    }
  }
}

TEST(Adam, first_step_moves_by_the_learning_rate_whatever_the_scale) {
  Trial trial(Op::adam_update, with(0, false), DType::f32, {1, 1}, {1e-3, -1e3});
  trial.step(0);
  EXPECT_NEAR(trial.master()[0], 1 - kRate, 1e-6);
  EXPECT_NEAR(trial.master()[1], 1 + kRate, 1e-6);
}

// The master stays finite where the view or a moment does not: each counts once.
TEST(Adam, counts_elements_that_are_not_finite_as_stored) {
  const UpdateAttr a = with(0, false);
  const double inf = std::numeric_limits<double>::infinity();
  // Beyond f16 in the view, a bad gradient, a second moment beyond f32, all well.
  Trial trial(Op::adam_update, a, DType::f16, {7e4, 1, 2, 3, 4}, {1, inf, 1e22, 1, std::nan("")}, {}, true);
  trial.step(0);
  EXPECT_EQ(trial.state("count"), std::vector<double>{4});
  Trial none(Op::adam_update, a, DType::f16, {65504, 1}, {1, 1e18}, {}, true);
  none.step(0);
  EXPECT_EQ(none.state("count"), std::vector<double>{0});
  Trial sgd(Op::sgd_update, a, DType::f32, {1, 2, 3}, {1, -inf, inf}, {}, true);
  sgd.step(0);
  EXPECT_EQ(sgd.state("count"), std::vector<double>{2});
}

TEST(Sgd, momentum_and_decay) {
  for (const bool decoupled : {false, true}) {
    UpdateAttr a = with(0.1, decoupled, 0.5);
    a.beta1 = 0.8;
    Trial trial(Op::sgd_update, a, DType::f64, {1, -2}, {3, 4});
    std::vector<double> p{1, -2}, momentum(2);
    for (int t = 0; t < 4; ++t) {
      trial.step(uint64_t(t));
      for (size_t i = 0; i < 2; ++i) {
        const double g = (i ? 4 : 3) * 0.5 + (decoupled ? 0 : 0.1 * p[i]);
        if (decoupled) p[i] *= 1 - kRate * 0.1;
        momentum[i] = 0.8 * momentum[i] + g;
        p[i] -= kRate * momentum[i];
        ASSERT_NEAR(trial.master()[i], p[i], 1e-12);
      }
    }
  }
}

// Numbers of PyTorch 2.15, Lion's of timm 1.0.31, in f64. RAdam adapts from the sixth step on.
TEST(Optimisers, follow_pytorch_over_steps) {
  struct Case {
    Op op;
    bool decoupled;
    double beta2;
    std::vector<double> ended;
  };
  const std::vector<double> grad{0.5, -3, 1e-3};
  const Case cases[] = {
      {Op::nadam_update, false, 0.999, {0.9468297030177184, -1.9495887693076359, 0.18883348879839978}},
      {Op::radam_update, false, 0.999, {0.97712193115842827, -1.8869509540569811, 0.24774535855661753}},
      {Op::lion_update, true, 0.99, {0.91230738476938411, -1.9043353288393279, 0.1682864267169262}},
  };
  for (const Case& c : cases) {
    UpdateAttr a = with(0.1, c.decoupled);
    a.beta2 = c.beta2;
    Trial trial(c.op, a, DType::f64, {1, -2, 0.25}, grad);
    for (uint64_t t = 0; t < 8; ++t) {
      std::vector<double> now = grad;
      for (double& g : now) g *= 1 - 0.5 * static_cast<double>(t % 3);
      ASSERT_TRUE(trial.runner->states->write("grad", Tensor::from_f64(DType::f64, {3}, now)));
      trial.step(t);
    }
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(trial.master()[i], c.ended[i], 1e-12) << info(c.op).name << i;
  }
}

// A step below half an f16 ulp: the view stays, the master moves, and after enough steps the view follows.
TEST(Masters, gather_steps_that_the_view_cannot_hold) {
  UpdateAttr a;
  a.beta1 = 0;
  Trial trial(Op::sgd_update, a, DType::f16, {1}, {0.01});  // 1e-4 a step; f16 below 1 has steps of 4.9e-4
  trial.step(0);
  EXPECT_NEAR(trial.master()[0], 1 - 1e-4, 1e-7);
  EXPECT_EQ(trial.state("p")[0], 1);
  for (uint64_t t = 1; t < 10; ++t) trial.step(t);
  EXPECT_NEAR(trial.master()[0], 1 - 1e-3, 1e-6);
  EXPECT_EQ(trial.state("p"), Tensor::from_f64(DType::f16, {1}, trial.master()).to_f64());
  EXPECT_LT(trial.state("p")[0], 1);
}

TEST(Touched, blocks_and_zero_gradients_are_left_alone) {
  std::vector<double> start(40, 1.0), grad(40, 0.5);
  grad[20] = 0;
  Trial trial(Op::adam_update, with(0.1, true), DType::f16, start, grad, {0, 1, 1});
  trial.step(0);
  const auto p = trial.master(), view = trial.state("p"), m = trial.state("m"), v = trial.state("v");
  for (size_t i = 0; i < 40; ++i) {
    const bool moves = i >= 16 && i != 20;
    EXPECT_EQ(p[i] != 1, moves) << i;
    EXPECT_EQ(view[i] != 1, moves) << i;
    EXPECT_EQ(m[i] != 0, moves) << i;
    EXPECT_EQ(v[i] != 0, moves) << i;
  }
}

TEST(GradientNorm, counts_each_input_with_its_factor) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val x = b.constant(Tensor::from_f64(DType::f32, {2}, std::vector<double>{3, 4}));
  const Val y = b.constant(Tensor::from_f64(DType::f16, {1}, std::vector<double>{24}));
  const Val plain = b.emit(Op::gradient_norm, {x}, {})[0];
  const Val scaled = b.emit(Op::gradient_norm, {x, y}, NormAttr{{1, 0.5}})[0];
  test::Runner r(program);
  r.run();
  EXPECT_EQ(r.read(plain)[0], 5);
  EXPECT_EQ(r.read(scaled)[0], 13);
  EXPECT_EQ(b[scaled].dtype, DType::f32);
}

}  // namespace
}  // namespace hw
