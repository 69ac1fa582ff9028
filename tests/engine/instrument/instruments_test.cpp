// Instruments: which gradients underflow is named, cost stays within its budget, training is as without them.
#include "engine/instrument/instruments.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "engine/core/parallel.h"
#include "engine/instrument/instrument_report.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::instruments_test {
namespace {

using test::link;
using test::node;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// 256 × 256 parameters, all off their target by 2e-4: a mean of squares whose gradients are near 6e-9, which f16
/// rounds to 0.
Graph small_gradients(const std::string& dtype, const ParamMap& train = {}) {
  const std::vector<double> shape{256, 256};
  Node settings = node("train", "train", {{"steps", int64_t{6}}, {"learning_rate", 1e-6}});
  for (const auto& [name, value] : train) settings.params[name] = value;
  Graph graph;
  const auto applied = apply_edits(
      graph, {AddNode{node("p", "parameter",
                           {{"shape", shape}, {"dtype", dtype}, {"init", std::string("constant")}, {"scale", 2e-4}})},
              AddNode{node("relu", "relu")},
              AddNode{node("target", "constant", {{"shape", shape}, {"value", 0.0}, {"dtype", dtype}})},
              AddNode{node("mse", "mse")}, AddNode{settings}, AddLink{link("p.y", "relu.x")},
              AddLink{link("relu.y", "mse.prediction")}, AddLink{link("target.y", "mse.target")},
              AddLink{link("mse.loss", "train.loss")}});
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

std::shared_ptr<const RunSnapshot> trained(const Graph& graph, std::optional<InstrumentSettings> settings,
                                           const std::string& device = "cpu") {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.instruments(settings);
  session.start(graph, device);
  session.wait();
  auto last = session.snapshot();
  EXPECT_EQ(last->state, RunState::finished) << (last->error ? last->error->text() : "");
  return last;
}

const InstrumentReading* find(const InstrumentReadings& all, const std::string& label) {
  for (const InstrumentReading& r : all.readings)
    if (r.label() == label) return &r;
  return nullptr;
}

TEST(Instruments, NameTheGradientsThatUnderflow) {
  for (const char* device : {"cpu", "ref"}) {
    const auto s = trained(small_gradients("f16"), InstrumentSettings{}, device);
    ASSERT_TRUE(s->instruments) << device;
    const auto worst = worst_of(*s->instruments, 8);
    ASSERT_FALSE(worst.empty()) << device;
    EXPECT_THAT(worst.front(), HasSubstr("mse")) << device;
    EXPECT_THAT(worst.front(), HasSubstr("backward")) << device;
    EXPECT_THAT(worst.front(), HasSubstr("100 % underflows f16")) << device;
    const InstrumentReading* gradient = find(*s->instruments, "grad(p.value)");
    ASSERT_TRUE(gradient) << device;
    EXPECT_EQ(gradient->zero(), 1) << "what was lost before arrives as 0";
    EXPECT_EQ(gradient->underflow(), 0) << "it is not lost here";
  }
  const auto f32 = trained(small_gradients("f32"), InstrumentSettings{});
  EXPECT_THAT(worst_of(*f32->instruments, 8), IsEmpty());
  EXPECT_EQ(find(*f32->instruments, "grad(p.value)")->zero(), 0);
}

TEST(Instruments, LossScalingShowsInTheGradientAndItsScale) {
  const auto s = trained(small_gradients("f16", {{"loss_scaling", std::string("static")}, {"loss_scale", 1024.0}}),
                         InstrumentSettings{});
  EXPECT_THAT(worst_of(*s->instruments, 8), ::testing::Not(::testing::Contains(HasSubstr("backward"))));
  const InstrumentReading* gradient = find(*s->instruments, "grad(p.value)");
  ASSERT_TRUE(gradient);
  EXPECT_EQ(gradient->gradient_scale, 1024);
  EXPECT_GT(gradient->look.largest, 0);
}

TEST(Instruments, EveryWireAndParameterHasOneForwardAndBackward) {
  const auto s = trained(test::neural_texture(), InstrumentSettings{0.05, 1});
  ASSERT_TRUE(s->instruments);
  EXPECT_EQ(s->instruments->looks, 10u);
  EXPECT_EQ(s->instruments->steps, 10u);
  for (const char* label :
       {"surface_sampler.position", "surface_sampler.color", "normalise_aabb.y", "hash_grid.features", "cast.y",
        "mlp.y", "sigmoid.y", "mse.loss", "hash_grid.table", "mlp.layer_0", "grad(hash_grid.features)", "grad(cast.y)",
        "grad(mlp.y)", "grad(sigmoid.y)", "grad(hash_grid.table)", "grad(mlp.layer_0)"}) {
    const InstrumentReading* r = find(*s->instruments, label);
    ASSERT_TRUE(r) << label;
    EXPECT_EQ(r->look.count, element_count(r->dims)) << label;
    EXPECT_EQ(r->look.infs + r->look.nans, 0) << label;
    EXPECT_EQ(r->step, 9u) << label;
    EXPECT_GT(r->look.largest, 0) << label;
    EXPECT_TRUE(r->headroom_bits()) << label;
    EXPECT_EQ(r->sample.count, std::min(ValueProbe::kSamples, r->look.count)) << label;
  }
  // Masters in f32 that are too small for the f16 view: none here, and they are compared.
  EXPECT_TRUE(find(*s->instruments, "hash_grid.table")->sees_rounding());
}

TEST(Instruments, ShowWhatATableGradientInF16Loses) {
  for (const bool half : {true, false}) {
    Graph graph = test::neural_texture();
    ASSERT_TRUE(apply_edits(graph, {SetParam{"hash_grid", "gradient", std::string(half ? "f16" : "f32")}}));
    const auto s = trained(graph, InstrumentSettings{0.05, 1});
    const InstrumentReading* r = find(*s->instruments, "grad(hash_grid.table)");
    ASSERT_TRUE(r);
    EXPECT_EQ(r->dtype, half ? DType::f16 : DType::f32);
    EXPECT_EQ(r->sees_rounding(), half);
    EXPECT_EQ(r->underflow() > 0, half) << r->underflow();
    EXPECT_GT(r->look.largest, 0);
  }
}

TEST(Instruments, TrainingIsTheSameToTheBit) {
  const Graph graph = test::neural_texture();
  const auto plain = trained(graph, std::nullopt), looked = trained(graph, InstrumentSettings{0.05, 1});
  EXPECT_FALSE(plain->instruments);
  EXPECT_EQ(*plain->losses, *looked->losses);
  for (const auto& [name, tensor] : *plain->weights) {
    const Tensor& other = looked->weights->at(name);
    ASSERT_EQ(tensor.bytes(), other.bytes()) << name;
    EXPECT_EQ(std::memcmp(tensor.data(), other.data(), tensor.bytes()), 0) << name;
  }
}

TEST(Instruments, AnInfIsRememberedWithItsStep) {
  // log of 0, which the sigmoid hides from the loss.
  Graph graph;
  const auto applied = apply_edits(
      graph,
      {AddNode{node("p", "parameter", {{"shape", std::vector<double>{3}}, {"init", std::string("zeros")}})},
       AddNode{node("log", "log")}, AddNode{node("sigmoid", "sigmoid")},
       AddNode{node("target", "constant", {{"shape", std::vector<double>{3}}, {"value", 1.0}})},
       AddNode{node("mse", "mse")}, AddNode{node("train", "train", {{"steps", int64_t{2}}})},
       AddLink{link("p.y", "log.x")}, AddLink{link("log.y", "sigmoid.x")}, AddLink{link("sigmoid.y", "mse.prediction")},
       AddLink{link("target.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
  ASSERT_TRUE(applied) << applied.error().text();
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.instruments(InstrumentSettings{0.05, 1});
  session.start(graph, "cpu", 1);
  session.wait();
  const auto s = session.snapshot();
  ASSERT_TRUE(s->instruments);
  const InstrumentReading* log = find(*s->instruments, "log.y");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->look.infs, 3);
  EXPECT_EQ(log->total_infs, 3);
  EXPECT_EQ(log->first_bad_step, 0u);
  EXPECT_THAT(troubles(*log).front(), HasSubstr("3 Inf and 0 NaN in 3 elements"));
  EXPECT_EQ(heat(*log, InstrumentQuantity::not_finite), 1);
}

TEST(Instruments, ReadingsOfARunningSessionAreWholeAndNeverChange) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.publish_weights_while_running(false);
  session.instruments(InstrumentSettings{});
  session.start(test::neural_texture(), "cpu", 1'000'000);
  std::vector<std::pair<std::shared_ptr<const InstrumentReadings>, InstrumentReadings>> kept;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (kept.size() < 4 && std::chrono::steady_clock::now() < deadline) {
    const auto readings = session.snapshot()->instruments;
    if (readings && (kept.empty() || kept.back().first != readings)) kept.emplace_back(readings, *readings);
    std::this_thread::yield();
  }
  session.stop();
  session.wait();
  ASSERT_EQ(kept.size(), 4u);
  for (size_t k = 0; k < kept.size(); ++k) {
    const auto& [now, then] = kept[k];
    EXPECT_EQ(now->looks, then.looks);
    EXPECT_GT(now->looks, k > 0 ? kept[k - 1].first->looks : 0);
    ASSERT_EQ(now->readings.size(), kept[0].first->readings.size());
    for (size_t i = 0; i < now->readings.size(); ++i) {
      const InstrumentReading &a = now->readings[i], &b = then.readings[i];
      EXPECT_EQ(a.look.largest, b.look.largest) << a.label();
      EXPECT_EQ(a.sample.bins, b.sample.bins) << a.label();
      EXPECT_EQ(a.look.count, element_count(a.dims)) << a.label() << ": one whole look";
    }
  }
}

/// p [1] · (4,194,304 normals of deviation 15,000, cast to f16, saturating).
TEST(Instruments, TheFewSaturatedOfMillionsAreCounted) {
  const std::vector<double> shape{4'194'304};
  const Graph graph = test::built(
      {AddNode{node(
           "random", "random",
           {{"shape", shape}, {"axes", std::string("N")}, {"distribution", std::string("normal")}, {"b", 15'000.0}})},
       AddNode{node("narrow", "cast", {{"to", std::string("f16")}, {"saturate", true}})},
       AddNode{node("wide", "cast", {{"to", std::string("f32")}})},
       AddNode{node("p", "parameter", {{"shape", std::vector<double>{1}}})}, AddNode{node("by", "mul")},
       AddNode{node("mean", "mean")}, AddNode{node("train", "train", {{"steps", int64_t{1}}})},
       AddLink{link("random.y", "narrow.x")}, AddLink{link("narrow.y", "wide.x")}, AddLink{link("wide.y", "by.a")},
       AddLink{link("p.y", "by.b")}, AddLink{link("by.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.instruments(InstrumentSettings{});
  session.inspect("narrow");
  session.start(graph, "cpu");
  session.wait();
  const auto s = session.snapshot();
  ASSERT_TRUE(s->instruments && s->inspection) << (s->error ? s->error->text() : "");
  int64_t at_most = 0;
  for (const double v : s->inspection->items.front().value.to_f64()) at_most += std::abs(v) == 65504;
  EXPECT_GT(at_most, 25);
  EXPECT_LT(at_most, 90);
  const InstrumentReading* r = find(*s->instruments, "narrow.y");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->look.saturated, at_most);
  EXPECT_EQ(value_text(*r, InstrumentQuantity::saturated), std::to_string(at_most) + " (< 0.01 %)");
  EXPECT_TRUE(r->is_sampled());
  EXPECT_GT(*heat(*r, InstrumentQuantity::headroom), 0.99);
}

/// What else uses the pool makes steps and looks wait; that is no cost of looking, which hundreds of steps would have
/// to pay for.
TEST(Instruments, GoOnAfterTheyWaitedForThePool) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.publish_weights_while_running(false);
  session.instruments(InstrumentSettings{});
  session.start(test::neural_texture(), "cpu", 1'000'000);
  const auto reach = [&](auto&& enough) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto s = session.snapshot();
      if (s->instruments && enough(*s)) return s;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "it does not get there";
    return session.snapshot();
  };
  const auto begun = reach([](const RunSnapshot& s) { return s.step > 100 && s.instruments->looks > 5; });
  const uint64_t window = std::max<uint64_t>(2000, 2 * begun->step);  // looks are dear on a busy machine
  for (int job = 0; job < 1500; ++job)
    parallel_for(2, [](int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  const auto then = reach([](const RunSnapshot&) { return true; });
  const auto later = reach([&](const RunSnapshot& s) { return s.step > then->step + window; });
  session.stop();
  session.wait();
  ASSERT_GT(later->step, then->step + window);
  EXPECT_GT(later->instruments->looks, then->instruments->looks + 5) << "of " << window << " steps";
}

TEST(InstrumentPace, TheFirstStepIsLookedAtAndThenPaidFor) {
  InstrumentPace pace({0.05, 0});
  ASSERT_TRUE(pace.due(0));
  pace.stepped(1.2, 0.2, true);  // a look of 0.2 s beside steps of 1 s: 4 s of steps each
  uint64_t step = 1;
  while (!pace.due(step)) {
    ASSERT_LT(step, 100u);
    pace.stepped(1, 0, false);
    ++step;
  }
  EXPECT_EQ(step, 12u) << "the first look on credit, the next, and the last step's";
}

TEST(InstrumentPace, TheLastStepIsLookedAtWithinTheBudget) {
  for (const uint64_t steps : {40, 50, 200}) {
    InstrumentPace pace({0.05, 0});
    for (uint64_t step = 0; step < steps; ++step) {
      const bool is_last = step + 1 == steps, due = pace.due(step, is_last);
      EXPECT_TRUE(due || !is_last);
      pace.stepped(1 + (due ? 0.5 : 0), due ? 0.5 : 0, due);
    }
    EXPECT_LE(pace.cost(), 0.05) << steps;
  }
}

TEST(InstrumentPace, StaysWithinItsBudgetWhateverLooksCost) {
  InstrumentPace pace({0.05, 0});
  double worked = 0, spent = 0;
  for (uint64_t step = 0; step < 10'000; ++step) {
    const double work = 1 + static_cast<double>(step % 7), look = 0.02 * static_cast<double>(1 + step % 50);
    const bool due = pace.due(step);
    pace.stepped(work + (due ? look : 0), due ? look : 0, due);
    worked += work;
    spent += due ? look : 0;
  }
  EXPECT_NEAR(pace.cost(), spent / worked, 1e-12);
  EXPECT_LT(pace.cost(), 0.0502);
  EXPECT_GT(pace.cost(), 0.045) << "and uses it";
}

TEST(InstrumentPace, CheapLooksHappenAtEveryStep) {
  InstrumentPace pace({0.05, 0});
  int looks = 0;
  for (uint64_t step = 0; step < 100; ++step) {
    const bool due = pace.due(step);
    looks += due;
    pace.stepped(1, due ? 0.01 : 0, due);
  }
  EXPECT_EQ(looks, 100);
}

TEST(InstrumentPace, AGivenRateIsKeptWhateverItCosts) {
  InstrumentPace pace({0.05, 10});
  for (uint64_t step = 0; step < 100; ++step) {
    EXPECT_EQ(pace.due(step), step % 10 == 0);
    pace.stepped(2, 1, step % 10 == 0);
  }
}

TEST(InstrumentReport, HeatAndWords) {
  InstrumentReading r;
  r.node = "mlp";
  r.name = "y";
  r.gradient = true;
  r.dtype = DType::f16;
  r.look.count = 1000;
  r.look.smallest = 1e-7;
  r.look.largest = 4096;
  r.look.losses = {1000, 120, 0};
  EXPECT_EQ(r.label(), "grad(mlp.y)");
  EXPECT_DOUBLE_EQ(r.underflow(), 0.12);
  EXPECT_NEAR(*r.headroom_bits(), 4, 0.01);
  EXPECT_THAT(troubles(r).front(), HasSubstr("12 % underflows f16"));
  EXPECT_NEAR(*heat(r, InstrumentQuantity::headroom), 0.5, 0.01);
  EXPECT_GT(*heat(r, InstrumentQuantity::underflow), 0.5);
  r.look.losses = {};
  EXPECT_FALSE(heat(r, InstrumentQuantity::underflow)) << "not seen is not none";
  EXPECT_EQ(percent_text(0.00001), "< 0.01 %");
  EXPECT_EQ(percent_text(0), "0");
  EXPECT_EQ(count_text(52, 4'194'304), "52 (< 0.01 %)");
  EXPECT_EQ(count_text(52, 4'194'304, false), "52");
  EXPECT_EQ(count_text(520, 1000, false), "52 %");
  EXPECT_EQ(count_text(0, 1000), "0");
  r.sample.count = 1000;
  EXPECT_EQ(histogram_text(r), "") << "of every element";
  r.look.count = 4'194'304;
  r.sample.count = 4096;
  EXPECT_EQ(histogram_text(r), "histogram of 4,096 sampled, of 4,194,304");
}

}  // namespace
}  // namespace hw::instruments_test
