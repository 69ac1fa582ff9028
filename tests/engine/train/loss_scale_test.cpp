// Loss scaling: the program's state, the updates that it guards, runs with it.
#include <gmock/gmock.h>

#include <cmath>

#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/train/session.h"
#include "engine/train/training_run.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/program_runner.h"
#include "tests/engine/quad_assets.h"

namespace hw::loss_scale_test {
namespace {

using test::small_texture;
using testing::DoubleEq;
using testing::ElementsAre;

/// p is updated by SGD from g · scale, where g comes in anew each step.
struct Trial {
  explicit Trial(LossScaleAttr attr, double scale) {
    OpBuilder b(*program);
    const Val p = b.param("p", DType::f64, {2}, {});
    const Val g = b.input("g", DType::f64, {2});
    const Val state = b.state("scale", DType::f64, {4});
    const Val scaled = b.mul(g, b.reshape(b.slice(state, 0, 0, 1), {}));
    b.set_update(true);
    b.emit(Op::check_finite, {state, scaled}, attr);
    UpdateAttr update;
    update.beta1 = 0;
    update.guarded = true;
    b.emit(Op::sgd_update, {p, p, b.state("m", DType::f64, {2}), scaled, state}, update);
    b.emit(Op::loss_scale_update, {state}, attr);
    EXPECT_TRUE(b.status()) << b.status().error().text();
    runner = std::make_unique<test::Runner>(program);
    EXPECT_TRUE(runner->states->write("scale", Tensor::from_f64(DType::f64, {4}, {{scale, 0, 0, 0}})));
    EXPECT_TRUE(runner->states->write("p", Tensor::from_f64(DType::f64, {2}, {{1, 1}})));
    runner->step.learning_rate = 1;
  }
  void step(double a, double b) {
    EXPECT_TRUE(runner->executable->write_input("g", Tensor::from_f64(DType::f64, {2}, {{a, b}})));
    runner->run();
  }
  std::vector<double> state(const std::string& name) const { return runner->states->read(name).to_f64(); }

  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::unique_ptr<test::Runner> runner;
};

TEST(LossScale, IsDividedOutAndABadStepChangesNothing) {
  Trial t({.interval = 2}, 1024);
  t.step(0.25, 0.5);
  EXPECT_THAT(t.state("p"), ElementsAre(0.75, 0.5));
  EXPECT_THAT(t.state("scale"), ElementsAre(1024, 1, 1, 0));
  t.step(NAN, 1);
  EXPECT_THAT(t.state("p"), ElementsAre(0.75, 0.5));
  EXPECT_THAT(t.state("scale"), ElementsAre(512, 0, 1, 1));
  t.step(0.25, 0);
  t.step(0.25, 0);
  EXPECT_THAT(t.state("p"), ElementsAre(0.25, 0.5));
  EXPECT_THAT(t.state("scale"), ElementsAre(1024, 0, 3, 0)) << "two clean steps double it";
}

TEST(LossScale, StaysFiniteAndAtLeastOne) {
  Trial low({}, 1.5);
  for (int i = 0; i < 3; ++i) low.step(INFINITY, 0);
  EXPECT_EQ(low.state("scale")[0], 1);
  Trial high({.interval = 1}, 0x1p127);
  high.step(0, 0);
  EXPECT_EQ(high.state("scale")[0], 0x1p127) << "twice as much is no f32";
}

std::shared_ptr<const RunSnapshot> trained(const Graph& graph, const std::string& device, uint64_t steps) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, device, steps);
  session.wait();
  return session.snapshot();
}

TEST(LossScale, APowerOfTwoChangesNoBitWhereNothingOverflows) {
  for (const char* device : {"ref", "cpu"}) {
    Graph graph = small_texture({});
    ASSERT_TRUE(apply_edits(graph, {SetParam{"hash_grid", "dtype", std::string("f32")}}));
    const auto plain = trained(graph, device, 6);
    ASSERT_TRUE(apply_edits(
        graph, {SetParam{"train", "loss_scaling", std::string("static")}, SetParam{"train", "loss_scale", 128.0}}));
    const auto fixed = trained(graph, device, 6);
    ASSERT_FALSE(fixed->error) << fixed->error->text();
    EXPECT_EQ(*plain->losses, *fixed->losses) << device;
    EXPECT_FALSE(plain->loss_scales);
    ASSERT_TRUE(fixed->loss_scales);
    EXPECT_EQ(fixed->loss_scale, 128);
  }
}

TEST(LossScale, ASkippedStepNamesTheParameter) {
  // 2^120 times the gradient overflows f16 and f32 alike; the scale falls until it fits.
  const auto run =
      trained(small_texture({{"loss_scaling", std::string("dynamic")}, {"loss_scale", 0x1p120}}), "cpu", 20);
  ASSERT_FALSE(run->error) << run->error->text();
  ASSERT_TRUE(run->loss_scales);
  const LossScaleEvent& first = run->loss_scales->front();
  EXPECT_TRUE(first.skipped);
  EXPECT_EQ(first.scale, 0x1p119);
  EXPECT_GT(first.bad, 0);
  EXPECT_TRUE(first.param.find('.') != std::string::npos) << first.param;
}

/// A layer, its loss and what follows the loss, all in `dtype`. `weighted`: the loss is a sum of two, times a number.
Graph narrow_loss(const std::string& loss, const std::string& dtype, const std::string& scaling, bool weighted) {
  const auto drawn = [&](const char* id, double channels) {
    return AddNode{test::node(id, "random", {{"shape", std::vector<double>{64, channels}}, {"dtype", dtype}})};
  };
  Edits edits{drawn("x", 4),
              drawn("y", 3),
              AddNode{test::node("layer", "linear", {{"out_features", int64_t{3}}, {"dtype", dtype}})},
              AddNode{test::node("loss", loss)},
              AddNode{test::node("train", "train", {{"loss_scaling", scaling}})},
              AddLink{test::link("x.y", "layer.x")},
              AddLink{test::link("layer.y", "loss.prediction")},
              AddLink{test::link("y.y", "loss.target")}};
  if (weighted) {
    edits.push_back(AddNode{test::node("second", "mse")});
    edits.push_back(AddNode{test::node("both", "add")});
    edits.push_back(AddNode{test::node("weight", "constant", {{"value", 3.0}, {"dtype", dtype}})});
    edits.push_back(AddNode{test::node("times", "mul")});
    for (const auto& [from, to] : {std::pair{"layer.y", "second.prediction"}, std::pair{"y.y", "second.target"},
                                   std::pair{"loss.loss", "both.a"}, std::pair{"second.loss", "both.b"},
                                   std::pair{"both.y", "times.a"}, std::pair{"weight.y", "times.b"}})
      edits.push_back(AddLink{test::link(from, to)});
  }
  edits.push_back(AddLink{test::link(weighted ? "times.y" : "loss.loss", "train.loss")});
  return test::built(edits);
}

// 65536, where a dynamic scale begins, is no f16: what multiplies the loss's gradient is kept in f32.
TEST(LossScale, ItsSeedOverflowsNoNarrowLoss) {
  for (const char* loss : {"l1", "mse", "huber"})
    for (const char* dtype : {"f16", "bf16", "f8e5m2"})
      for (const char* scaling : {"dynamic", "static"})
        for (const bool weighted : {false, true}) {
          if (weighted && std::string(loss) != "l1") continue;
          SCOPED_TRACE(std::string(loss) + " " + dtype + " " + scaling + (weighted ? " weighted" : ""));
          const auto run = trained(narrow_loss(loss, dtype, scaling, weighted), "cpu", 60);
          ASSERT_FALSE(run->error) << run->error->text();
          ASSERT_TRUE(run->loss_scales);
          for (const LossScaleEvent& event : *run->loss_scales) EXPECT_FALSE(event.skipped) << event.step;
          EXPECT_EQ(run->loss_scale, 65536);
        }
}

TEST(LossScale, TheGradientOfANarrowLossIsThatOfAWideOne) {
  std::map<std::string, std::vector<double>> weights;
  for (const char* scaling : {"none", "dynamic"}) {
    const auto run = trained(narrow_loss("l1", "f16", scaling, true), "ref", 5);
    ASSERT_FALSE(run->error) << run->error->text();
    weights[scaling] = run->weights->at("layer.weight").to_f64();
  }
  EXPECT_EQ(weights["none"], weights["dynamic"])
      << "a power of two changes no bit where nothing overflows or underflows";
}

std::vector<double> scale_after_two_steps(const Graph& graph, TrainingProgress& progress) {
  test::QuadAssets assets;
  std::vector<std::string> notes;
  auto run = TrainingRun::make(graph, *make_device("cpu"), assets, progress, nullptr, "", true, notes);
  EXPECT_TRUE(run) << (run ? "" : run.error().text());
  for (int i = 0; i < 2; ++i) {
    const auto loss = (*run)->step(progress.step++, 100, nullptr);
    EXPECT_TRUE(loss) << (loss ? "" : loss.error().text());
  }
  auto state = progress.states->read("train#loss_scale").to_f64();
  state.resize(3);
  return state;
}

TEST(LossScale, AnEditOfItBeginsAnewAndUpdatesStayCounted) {
  const std::string dynamic = "dynamic";
  TrainingProgress progress;
  EXPECT_THAT(scale_after_two_steps(
                  small_texture({{"loss_scaling", dynamic}, {"loss_scale", 1024.0}, {"growth_interval", int64_t{3}}}),
                  progress),
              ElementsAre(1024, 2, 2));
  // A weight more: the state counts its gradient, too.
  Graph wider = small_texture({{"loss_scaling", dynamic}, {"loss_scale", 1024.0}, {"growth_interval", int64_t{3}}});
  ASSERT_TRUE(apply_edits(wider, {SetParam{"mlp", "hidden_layers", int64_t{3}}}));
  EXPECT_THAT(scale_after_two_steps(wider, progress), ElementsAre(2048, 1, 4));
  ASSERT_TRUE(apply_edits(wider, {SetParam{"train", "loss_scale", 128.0}}));
  EXPECT_THAT(scale_after_two_steps(wider, progress), ElementsAre(128, 2, 6));
}

TEST(LossScale, AScaleThatCannotFallEndsTheRun) {
  const auto run =
      trained(small_texture({{"loss_scaling", std::string("static")}, {"loss_scale", 0x1p120}}), "cpu", 100);
  ASSERT_TRUE(run->error);
  EXPECT_EQ(run->error->code, codes::not_finite);
  EXPECT_EQ(run->step, 49u);
}

TEST(Pure, HasNoMasters) {
  const Graph graph = small_texture({{"master_weights", std::string("none")}});
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  std::shared_ptr<const Checkpoint> checkpoint;
  session.start(graph, "cpu", 3);
  session.wait();
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) { checkpoint = std::move(c); });
  session.wait();
  ASSERT_TRUE(checkpoint);
  bool has_moments = false;
  for (const auto& [name, tensor] : checkpoint->states) {
    EXPECT_FALSE(name.ends_with(".master")) << name;
    has_moments = has_moments || name == "hash_grid.table#adam_m";
    if (name.find("#adam_m") == name.npos && name.find("#adam_v") == name.npos) continue;
    EXPECT_EQ(tensor.dtype(), DType::f32) << name << ": a step moves it by less than f16 can show";
  }
  EXPECT_TRUE(has_moments);
}

}  // namespace
}  // namespace hw::loss_scale_test
