// Adam where elements count their own updates, over steps in which most are left alone, against the formula.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/devices/devices.h"
#include "host_gpu.h"
#include "op_cases.h"

namespace hw::test::counted_adam_test {
namespace {

constexpr double kRate = 0.01, kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
constexpr int64_t kElements = 35;  // two blocks and a part of one

/// tiny-cuda-nn's rule, include/tiny-cuda-nn/optimizers/adam.h (param_steps), with epsilon and weight decay where
/// PyTorch has them.
struct Formula {
  UpdateAttr attr;
  std::vector<double> p = std::vector<double>(kElements, 0.5), m = std::vector<double>(kElements),
                      v = std::vector<double>(kElements);
  std::vector<int> t = std::vector<int>(kElements);

  void step(const std::vector<double>& grad) {
    for (size_t i = 0; i < grad.size(); ++i) {
      if (grad[i] == 0) continue;
      ++t[i];
      const double g = grad[i] + (attr.decoupled ? 0 : attr.weight_decay * p[i]);
      if (attr.decoupled) p[i] -= kRate * attr.weight_decay * p[i];
      m[i] = kBeta1 * m[i] + (1 - kBeta1) * g;
      v[i] = kBeta2 * v[i] + (1 - kBeta2) * g * g;
      p[i] -=
          kRate * (m[i] / (1 - std::pow(kBeta1, t[i]))) / (std::sqrt(v[i] / (1 - std::pow(kBeta2, t[i]))) + kEpsilon);
    }
  }
};

/// A table in `dtype`, its gradient and touched mask given anew for each step.
struct Trial {
  Trial(DType dtype, const std::shared_ptr<Device>& device, const UpdateAttr& attr) {
    OpBuilder b(*program);
    const Val view = b.param("p", dtype, {kElements}, {Init::Kind::constant, 0.5, 0});
    const Val master{program->params[0].master};
    const DType wide = b[master].dtype;
    const auto state = [&](const char* id) { return b.state(id, wide, {kElements}); };
    std::vector<Val> in{view,
                        master,
                        state("m"),
                        state("v"),
                        b.state("t", DType::u8, {2 * kElements}),
                        b.input("g", wide, {kElements}),
                        b.input("touched", DType::u8, {(kElements + 15) / 16})};
    if (attr.guarded) in.push_back(b.state("scale", DType::f64, {4}));
    b.set_update(true);
    b.emit(Op::adam_update, in, attr);
    EXPECT_TRUE(b.status()) << b.status().error().text();
    name = b[master].name;
    wide_dtype = wide;
    states = *device->prepare_states(*program, nullptr, 1, nullptr);
    executable = *device->compile(program, states);
    if (attr.guarded) {
      EXPECT_TRUE(states->write("scale", Tensor::from_f64(DType::f64, {4}, {{1, 0, 0, 0}})));
    }
  }
  void step(uint64_t index, const std::vector<double>& grad) {
    std::vector<double> touched((kElements + 15) / 16);
    for (size_t i = 0; i < grad.size(); ++i) touched[i / 16] = touched[i / 16] > 0 || grad[i] != 0 ? 1 : 0;
    EXPECT_TRUE(executable->write_input("g", Tensor::from_f64(wide_dtype, {kElements}, grad)));
    EXPECT_TRUE(executable->write_input("touched",
                                        Tensor::from_f64(DType::u8, {static_cast<int64_t>(touched.size())}, touched)));
    StepInputs inputs;
    inputs.step = index;
    inputs.learning_rate = kRate;
    EXPECT_TRUE(executable->run(inputs));
  }
  std::vector<double> master() const { return states->read(name).to_f64(); }

  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::string name;
  DType wide_dtype = DType::f32;
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;
};

UpdateAttr adam(double decay = 0, bool decoupled = false, bool guarded = false) {
  return {.beta1 = kBeta1,
          .beta2 = kBeta2,
          .epsilon = kEpsilon,
          .weight_decay = decay,
          .decoupled = decoupled,
          .has_touched = true,
          .guarded = guarded};
}

std::vector<std::shared_ptr<Device>> devices() {
  return {*make_device("ref"), *make_device("cpu"), host_gpu()};
}

/// Element i is touched in every (i + 1)th step, the last not before step 100.
std::vector<double> gradient_of(uint64_t step) {
  std::vector<double> grad(kElements);
  for (size_t i = 0; i < grad.size(); ++i)
    grad[i] = step % (i + 1) == i ? std::cos(static_cast<double>(step * (i + 1))) + 1.25 : 0;
  if (step < 100) grad.back() = 0;
  return grad;
}

TEST(CountedAdam, follows_the_formula_of_each_element) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16})
    for (const auto& device : devices())
      for (const UpdateAttr& attr : {adam(), adam(0, false, true), adam(0.1), adam(0.1, true)}) {
        SCOPED_TRACE(std::string(name(dtype)) + " on " + device->id() + (attr.guarded ? ", guarded" : "") + ", decay " +
                     std::to_string(attr.weight_decay) + (attr.decoupled ? " decoupled" : ""));
        Trial trial(dtype, device, attr);
        Formula formula{attr};
        for (uint64_t step = 0; step < 200; ++step) {
          trial.step(step, gradient_of(step));
          formula.step(gradient_of(step));
        }
        const auto p = trial.master(), t = trial.states->read("t").to_f64();
        for (size_t i = 0; i < p.size(); ++i) {
          ASSERT_NEAR(p[i], formula.p[i], dtype == DType::f64 ? 1e-12 : 1e-5) << i;
          ASSERT_EQ(t[2 * i] + 256 * t[2 * i + 1], formula.t[i]) << i;
        }
      }
}

// Adam's first step is the learning rate, whatever the gradient; corrected by the run's step it would be √10 of it.
TEST(CountedAdam, an_element_first_touched_late_moves_by_the_learning_rate) {
  for (const auto& device : devices()) {
    Trial trial(DType::f32, device, adam());
    std::vector<double> grad(kElements);
    grad[0] = 2;
    for (const uint64_t step : {0, 1, 4999}) trial.step(step, grad);
    EXPECT_EQ(trial.master()[17], 0.5);
    grad[17] = -3;
    trial.step(5000, grad);
    EXPECT_NEAR(trial.master()[17], 0.5 + kRate, 1e-6) << device->id();
  }
}

TEST(CountedAdam, counts_stay_at_their_largest) {
  std::vector<double> full(2 * kElements, 255);
  for (const auto& device : devices()) {
    Trial trial(DType::f32, device, adam());
    ASSERT_TRUE(trial.states->write("t", Tensor::from_f64(DType::u8, {2 * kElements}, full)));
    trial.step(0, std::vector<double>(kElements, 1.0));
    EXPECT_EQ(trial.states->read("t").to_f64(), full) << device->id();
  }
}

}  // namespace
}  // namespace hw::test::counted_adam_test
