// Schedules against PyTorch's, and what a Train node accepts of them.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/plan/train_settings.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using Schedule = TrainSettings::Schedule;

std::vector<double> rates(Schedule schedule, double decay, uint64_t steps, int64_t warmup = 0) {
  TrainSettings s;
  s.schedule = schedule;
  s.learning_rate = 1;
  s.decay = decay;
  s.decay_steps = 3;
  s.warmup_steps = warmup;
  std::vector<double> all;
  for (uint64_t step = 0; step <= steps; ++step) all.push_back(learning_rate_at(s, step, steps));
  return all;
}

auto near(std::vector<double> wanted) {
  return testing::Pointwise(testing::DoubleNear(1e-9), std::move(wanted));
}

// torch.optim.lr_scheduler, lr = 1, one scheduler.step() after each optimiser.step(): the rates of steps 0 to 4, and
// what the scheduler is at after the last.
TEST(LearningRate, IsPyTorchs) {
  EXPECT_THAT(rates(Schedule::cosine, 0.1, 4), near({1, 0.8681980515339464, 0.55, 0.2318019484660537, 0.1}))
      << "CosineAnnealingLR(T_max=4, eta_min=0.1)";
  EXPECT_THAT(rates(Schedule::exponential, 0.0625, 4), near({1, 0.5, 0.25, 0.125, 0.0625}))
      << "ExponentialLR(gamma=0.5)";
  EXPECT_THAT(rates(Schedule::step, 0.1, 4), near({1, 1, 1, 0.1, 0.1})) << "StepLR(step_size=3, gamma=0.1)";
  EXPECT_THAT(rates(Schedule::constant, 0.1, 4, 4), near({0.25, 0.5, 0.75, 1, 1}))
      << "LinearLR(start_factor=0.25, total_iters=3)";
  EXPECT_THAT(rates(Schedule::one_cycle, 0.1, 10),
              near({0.04, 0.52, 1, 0.9504846320134737, 0.8117456539497631, 0.6112620219362893, 0.38874197806371075,
                    0.18825834605023697, 0.049519367986526286, 4e-6, 4e-6}))
      << "OneCycleLR(total_steps=10, cycle_momentum=False), and beyond it the last rate";
  EXPECT_THAT(rates(Schedule::one_cycle, 0.1, 10, 5),
              near({0.04, 0.1805887450304573, 0.52, 0.8594112549695427, 1, 0.904508879153485, 0.654509879153485,
                    0.3454941208465151, 0.09549512084651508, 4e-6, 4e-6}))
      << "pct_start=0.5";
  EXPECT_THAT(rates(Schedule::cosine, 0, 2), near({1, 0.5, 0}));
  EXPECT_THAT(rates(Schedule::cosine, 0.5, 1), near({1, 0.5})) << "a run of one step has the whole rate";
}

std::string problem(const std::string& schedule, double decay) {
  const Graph graph = test::built({AddNode{test::node("loss", "constant", {})},
                                   AddNode{test::node("train", "train", {{"schedule", schedule}, {"decay", decay}})},
                                   AddLink{test::link("loss.y", "train.loss")}});
  Validator validator;
  validator.reset(graph);
  const Diagnostic* d = validator.blocking(graph, "train");
  return d ? d->code + " " + d->socket : "";
}

TEST(LearningRate, MayFallToZero) {
  EXPECT_EQ(problem("cosine", 0), "");
  EXPECT_EQ(problem("step", 0), "");
  EXPECT_EQ(problem("exponential", 0), std::string(codes::bad_parameter) + " decay");
  EXPECT_EQ(problem("cosine", -0.1), std::string(codes::bad_parameter) + " decay");
}

// Views evaluate graphs whose Train node has an error.
TEST(TrainSettings, WrongValuesLeaveTheDefaults) {
  Node train = test::node("t", "train", {{"optimiser", std::string("adagrad")}, {"seed", int64_t{7}}});
  EXPECT_EQ(train_settings(train).optimiser.name, "adam");
  EXPECT_EQ(train_seed(train), 7u);
  train.params["seed"] = std::string("x");
  EXPECT_EQ(train_seed(train), 0u);
}

}  // namespace
}  // namespace hw
