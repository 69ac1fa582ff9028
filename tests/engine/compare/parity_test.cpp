// Parity: devices that agree do so on every seed; a planted fault is pinned to the very op that has it.
#include "engine/compare/parity.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "engine/compare/tolerance.h"
#include "engine/devices/devices.h"
#include "engine/plan/training_plan.h"
#include "engine/program/builder.h"
#include "tests/engine/faulty_device.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::parity_test {
namespace {

using test::Fault;
using test::link;
using test::node;
using test::normal_numbers;

constexpr uint64_t kSteps = 3;

/// Linear, ReLU, Dropout, Layer Norm, an MLP: what a token goes through.
Graph tokens() {
  return test::built({AddNode{normal_numbers("x", {64, 16}, "N C")}, AddNode{normal_numbers("target", {64, 4}, "N C")},
                      AddNode{node("linear", "linear", {{"out_features", int64_t{24}}})}, AddNode{node("relu", "relu")},
                      AddNode{node("dropout", "dropout", {{"p", 0.3}})}, AddNode{node("norm", "layer_norm")},
                      AddNode{node("mlp", "mlp", {{"width", int64_t{16}}, {"out_features", int64_t{4}}})},
                      AddNode{node("mse", "mse")}, AddNode{node("train", "train")}, AddLink{link("x.y", "linear.x")},
                      AddLink{link("linear.y", "relu.x")}, AddLink{link("relu.y", "dropout.x")},
                      AddLink{link("dropout.y", "norm.x")}, AddLink{link("norm.y", "mlp.x")},
                      AddLink{link("mlp.y", "mse.prediction")}, AddLink{link("target.y", "mse.target")},
                      AddLink{link("mse.loss", "train.loss")}});
}

Graph pictures() {
  return test::built(
      {AddNode{normal_numbers("x", {8, 3, 8, 8}, "N C H W")}, AddNode{normal_numbers("target", {8, 5}, "N C")},
       AddNode{node("conv", "conv2d", {{"out_channels", int64_t{6}}})}, AddNode{node("relu", "relu")},
       AddNode{node("flat", "flatten")}, AddNode{node("dropout", "dropout", {{"p", 0.5}})},
       AddNode{node("linear", "linear", {{"out_features", int64_t{5}}})}, AddNode{node("mse", "mse")},
       AddNode{node("train", "train", {{"optimiser", std::string("sgd")}})}, AddLink{link("x.y", "conv.x")},
       AddLink{link("conv.y", "relu.x")}, AddLink{link("relu.y", "flat.x")}, AddLink{link("flat.y", "dropout.x")},
       AddLink{link("dropout.y", "linear.x")}, AddLink{link("linear.y", "mse.prediction")},
       AddLink{link("target.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
}

Graph graph_of(size_t trial, int64_t seed) {
  Graph graph = trial % 3 == 0 ? tokens() : trial % 3 == 1 ? pictures() : test::neural_texture();
  EXPECT_TRUE(apply_edits(graph, {SetParam{"train", "seed", seed}}));
  return graph;
}

ParityDevice on(Fault fault, size_t at) {
  return {"faulty", test::faulty_device(fault, at), 0};
}

ParityReport compared(const Graph& graph, const ParityDevice& a, const ParityDevice& b,
                      const ParityOptions& options = {}) {
  test::QuadAssets assets;
  auto report = parity(graph, assets, a, b, options);
  EXPECT_TRUE(report) << report.error().text();
  return report ? std::move(*report) : ParityReport{};
}

std::string first_of(const ParityReport& r) {
  if (!r.first) return "no divergence";
  const ParityItem& i = r.items[*r.first];
  return i.node + "." + i.op + " (" + i.name + "), " + std::to_string(i.error) + " × the tolerance, step " +
         std::to_string(r.step);
}

/// What the cpu makes in one or more steps of a graph's program, fault or not.
class Made {
 public:
  Made(const Graph& graph, std::shared_ptr<const Weights> weights) : weights_(std::move(weights)) {
    auto plan = plan_training(graph, assets_);
    EXPECT_TRUE(plan) << plan.error().text();
    plan_ = *plan;
  }
  const Program& program() const { return *plan_.program; }
  const Program& updates() const { return *plan_.updates; }
  /// Initial weights, with one NaN in the first parameter that every sample reads.
  static std::shared_ptr<const Weights> with_a_nan(const Graph& graph) {
    Made made(graph, nullptr);
    const auto cpu = *make_device("cpu");
    const auto states = *cpu->prepare_states(made.program(), nullptr, made.plan_.settings.seed, nullptr);
    auto weights = std::make_shared<Weights>();
    for (const Param& param : made.program().params)
      (*weights)[param.name] = states->read(made.program()[param.view].name);
    Tensor& first = std::find_if(weights->begin(), weights->end(), [](const auto& entry) {
                      return !entry.first.ends_with(".table");
                    })->second;
    std::vector<double> v = first.to_f64();
    v[0] = NAN;
    first = Tensor::from_f64(first.dtype(), first.dims(), v);
    return weights;
  }
  /// Output 0 of every instruction after each of the steps, by step.
  std::vector<std::vector<Tensor>> run(Fault fault, size_t at, uint64_t steps) const {
    const auto device = test::faulty_device(fault, at);
    const auto states = *device->prepare_states(program(), nullptr, plan_.settings.seed, nullptr);
    for (const Param& param : program().params)
      if (weights_) {
        EXPECT_TRUE(states->write(program()[param.view].name, weights_->at(param.name)));
      }
    const auto executable = *device->compile(plan_.program, states);
    std::vector<std::vector<Tensor>> made;
    for (uint64_t step = 0; step < steps; ++step) {
      StepInputs inputs;
      inputs.seed = plan_.settings.seed;
      inputs.step = step;
      inputs.starts_sums = true;
      inputs.learning_rate = plan_.settings.learning_rate;
      EXPECT_TRUE(executable->run(inputs));
      made.emplace_back();
      for (const Instr& instr : program().instrs)
        made.back().push_back(instr.out.empty() ? Tensor() : *executable->read(instr.out[0]));
    }
    return made;
  }

 private:
  mutable test::QuadAssets assets_;
  TrainingPlan plan_;
  std::shared_ptr<const Weights> weights_;
};

bool same(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_f64(), y = b.to_f64();
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) return false;
  return true;
}

/// Ops that the fault can be planted in and whose output it changes in this run.
std::vector<size_t> candidates(const Made& made, Fault fault, uint64_t steps) {
  std::vector<size_t> found;
  const Program& p = made.program();
  const auto clean = made.run(Fault::none, 0, steps);
  for (size_t i = 0; i < p.instrs.size(); ++i) {
    const Instr& instr = p.instrs[i];
    if (!test::applies(fault, p, instr)) continue;
    const Tensor& out = clean.front()[i];
    bool seen = true;
    if (fault == Fault::stale) seen = !same(out, clean[1][i]);
    if (fault == Fault::own_stream) seen = !instr.backward;
    if (fault == Fault::f16_accumulate) seen = sum_length(p, instr, 0) >= 16;
    if (fault == Fault::swallowed_nan) {
      const std::vector<double> v = out.to_f64();
      seen = std::any_of(v.begin(), v.end(), [](double x) { return std::isnan(x); });
    }
    if (seen) found.push_back(i);
  }
  return found;
}

TEST(Parity, FiftyPlantedFaultsArePinnedToTheirOp) {
  constexpr Fault kFaults[] = {Fault::own_stream, Fault::f16_accumulate, Fault::stale, Fault::swallowed_nan,
                               Fault::transposed};
  constexpr std::string_view kNames[] = {"own stream", "f16 accumulation", "stale", "swallowed NaN", "transposed"};
  const auto ref = *parity_device("ref");
  for (size_t trial = 0; trial < 50; ++trial) {
    const Fault fault = kFaults[trial % 5];
    const Graph graph = graph_of(trial / 5, static_cast<int64_t>(trial));
    ParityOptions options;
    options.steps = fault == Fault::swallowed_nan ? 1 : kSteps;
    if (fault == Fault::swallowed_nan) options.weights = Made::with_a_nan(graph);
    const Made made(graph, options.weights);
    const std::vector<size_t> possible = candidates(made, fault, 2);
    ASSERT_FALSE(possible.empty()) << kNames[trial % 5] << ", trial " << trial;
    std::mt19937 draw(static_cast<uint32_t>(trial));
    const size_t at = possible[draw() % possible.size()];
    const Instr& instr = made.program().instrs[at];
    const std::string what = std::string(kNames[trial % 5]) + " in " + made.program().nodes[instr.node] + "." +
                             std::string(info(instr.op).name) + ", trial " + std::to_string(trial);
    const ParityReport report = compared(graph, ref, on(fault, at), options);
    ASSERT_TRUE(report.first) << what << ": not found";
    const ParityItem& first = report.items[*report.first];
    EXPECT_EQ(first.node, made.program().nodes[instr.node]) << what << ", but " << first_of(report);
    EXPECT_EQ(first.op, info(instr.op).name) << what << ", but " << first_of(report);
    EXPECT_EQ(first.name, made.program()[instr.out[0]].name) << what << ", but " << first_of(report);
    for (size_t k = 0; k < report.items.size(); ++k)
      if (report.items[k].node != first.node) {
        EXPECT_NE(report.items[k].verdict, ParityVerdict::diverges)
            << what << ": what only inherits it is blamed, " << report.items[k].name;
      }
  }
}

TEST(Parity, FiftyCleanRunsRaiseNoAlarm) {
  const auto ref = *parity_device("ref"), cpu = *parity_device("cpu"), one = *parity_device("cpu@1"),
             two = *parity_device("cpu@2");
  for (size_t trial = 0; trial < 50; ++trial) {
    const Graph graph = graph_of(trial, 1000 + static_cast<int64_t>(trial));
    ParityOptions options;
    options.steps = kSteps;
    const size_t kind = trial / 3 % 3;
    const ParityReport report = kind == 0   ? compared(graph, ref, cpu, options)
                                : kind == 1 ? compared(graph, one, two, options)
                                            : compared(graph, ref, on(Fault::none, 0), options);
    EXPECT_TRUE(report.agrees()) << "trial " << trial << ": " << first_of(report);
    EXPECT_EQ(report.steps, kSteps);
  }
}

TEST(Parity, EveryLostUpdateIsPinned) {
  const auto ref = *parity_device("ref");
  size_t planted = 0;
  for (size_t k = 0; k < 3; ++k) {
    const Graph graph = graph_of(k, 5);
    const Made made(graph, nullptr);
    const Program& updates = made.updates();
    for (size_t i = 0; i < updates.instrs.size(); ++i) {
      const Instr& instr = updates.instrs[i];
      if (!test::applies(Fault::lost_update, updates, instr)) continue;
      ++planted;
      const ParityReport report = compared(graph, ref, on(Fault::lost_update, i));
      ASSERT_TRUE(report.first) << info(instr.op).name << " of " << updates.nodes[instr.node];
      const ParityItem& first = report.items[*report.first];
      EXPECT_EQ(first.pass, Pass::update);
      EXPECT_EQ(first.node, updates.nodes[instr.node]);
      EXPECT_EQ(first.name, updates[instr.in[0]].name) << first_of(report);
      EXPECT_EQ(report.step, 0u);
    }
  }
  EXPECT_GE(planted, 10u);
}

TEST(Parity, OfMicroBatchesComparesThemAllAndTheUpdate) {
  Graph graph = tokens();
  EXPECT_TRUE(apply_edits(graph, {SetParam{"train", "accumulate", int64_t{3}}}));
  const auto ref = *parity_device("ref");
  const ParityReport clean = compared(graph, ref, *parity_device("cpu"));
  EXPECT_TRUE(clean.agrees()) << first_of(clean);
  EXPECT_EQ(clean.steps, kSteps);
  EXPECT_EQ(clean.pass, 3 * kSteps - 1);
  const auto of_update = [](const ParityItem& i) { return i.op == "adam_update"; };
  EXPECT_GT(std::count_if(clean.items.begin(), clean.items.end(), of_update), 0);
  // What is stale shows in the second micro-batch.
  const Made made(graph, nullptr);
  size_t at = 0;
  while (made.program().instrs[at].op != Op::matmul) ++at;
  const ParityReport stale = compared(graph, ref, on(Fault::stale, at));
  ASSERT_TRUE(stale.first);
  EXPECT_EQ(stale.step, 0u);
  EXPECT_EQ(stale.pass, 1u);
  EXPECT_EQ(stale.items[*stale.first].name, made.program()[made.program().instrs[at].out[0]].name);
}

TEST(Parity, OfMicroBatchesPinsALostUpdate) {
  Graph graph = tokens();
  EXPECT_TRUE(apply_edits(graph, {SetParam{"train", "accumulate", int64_t{2}}}));
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets);
  ASSERT_TRUE(plan && plan->updates);
  size_t planted = 0;
  for (size_t i = 0; i < plan->updates->instrs.size(); ++i) {
    if (!test::applies(Fault::lost_update, *plan->updates, plan->updates->instrs[i])) continue;
    ++planted;
    const ParityReport report = compared(graph, *parity_device("ref"), on(Fault::lost_update, i));
    ASSERT_TRUE(report.first) << i;
    EXPECT_EQ(report.items[*report.first].pass, Pass::update);
  }
  EXPECT_GT(planted, 3u);
}

TEST(Parity, AMeanThatIsOffIsFound) {
  // The moments of a batch norm are means over many numbers: their tolerance is a mean's, not a sum's.
  Program program;
  OpBuilder b(program);
  b.set_node("norm");
  const Val x = b.input("x", DType::f32, {64, 2, 16, 16});
  const Val moments = b.emit(Op::channel_moments, {x}, std::monostate{}).front();
  const Instr& instr = program.instrs.back();
  std::vector<double> v(static_cast<size_t>(element_count(program[x.id].dims)));
  for (size_t i = 0; i < v.size(); ++i) v[i] = i % 2 == 0 ? 1 : -1;
  const Tensor reference = Tensor::from_f64(DType::f32, program[moments.id].dims, std::vector<double>{0, 0, 1, 1});
  const double scale = scale_of(program, instr, 0, reference, {Tensor::from_f64(DType::f32, program[x.id].dims, v)});
  const OpTolerance tolerance(DType::f32, DType::f32, sum_length(program, instr, 0), scale);
  EXPECT_LT(tolerance.allowed(0), 2e-4) << "a mean of 16,384 numbers of size 1";
  EXPECT_GT(tolerance.allowed(0), 0);
}

// Two devices that are truly different: what the cpu draws otherwise is named, and nothing where it does not.
TEST(Parity, NamesADropoutThatDiffersFromTheVulkanDevice) {
  if (!has_device("vulkan:0")) GTEST_SKIP() << "There is no device that Vulkan sees.";
  const Graph graph = tokens();
  const ParityDevice vulkan = *parity_device("vulkan:0");
  EXPECT_EQ(first_of(compared(graph, vulkan, *parity_device("cpu"))), "no divergence");
  const Made made(graph, nullptr);
  size_t at = 0;
  while (made.program().instrs[at].op != Op::dropout) ++at;
  const ParityReport report = compared(graph, vulkan, on(Fault::own_stream, at));
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.items[*report.first].node, "dropout") << first_of(report);
  EXPECT_EQ(report.step, 0u);
}

TEST(Parity, MarksWhatInheritsADivergence) {
  const Graph graph = tokens();
  const Made made(graph, nullptr);
  size_t at = 0;
  while (made.program().instrs[at].op != Op::dropout) ++at;
  const ParityReport report = compared(graph, *parity_device("ref"), on(Fault::own_stream, at));
  ASSERT_TRUE(report.first);
  const ParityItem& first = report.items[*report.first];
  EXPECT_EQ(first.node, "dropout");
  EXPECT_TRUE(first.random);
  EXPECT_EQ(report.step, 0u);
  ASSERT_FALSE(first.worst.empty());
  EXPECT_GT(std::abs(first.worst.front().b - first.worst.front().a), first.worst.front().allowed);
  EXPECT_EQ(report.first_a.dims(), first.dims);
  EXPECT_FALSE(same(report.first_a, report.first_b));
  std::set<std::string> inherited;
  for (const ParityItem& i : report.items)
    if (i.verdict == ParityVerdict::inherited) inherited.insert(i.node);
  EXPECT_THAT(inherited, testing::IsSupersetOf({"norm", "mlp", "mse"}));
  for (const ParityItem& i : report.items)
    if (i.node == "relu" && i.pass == Pass::forward) {
      EXPECT_LE(i.error, 1) << "what comes before it is right";
    }
}

TEST(Parity, ComparesFromWeightsThatItIsGiven) {
  const Graph graph = tokens();
  auto weights = std::make_shared<Weights>(*Made::with_a_nan(graph));
  ParityOptions options;
  options.weights = weights;
  const ParityReport report = compared(graph, *parity_device("ref"), *parity_device("cpu"), options);
  EXPECT_TRUE(report.agrees()) << "NaN on both sides is agreement: " << first_of(report);
  EXPECT_TRUE(std::isnan(report.losses.front().first));
  weights->erase(weights->begin());
  test::QuadAssets assets;
  const auto refused = parity(graph, assets, *parity_device("ref"), *parity_device("cpu"), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "HW-F005");
}

TEST(Parity, RefusesDevicesThatThereAreNot) {
  for (const char* name : {"cpu@0", "cpu@", "cpu@two", "cpu@2x", "cpu@1000000", "gpu"}) {
    const auto device = parity_device(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().code, "HW-C001") << name;
  }
  const auto two = parity_device("cpu@2");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->threads, 2);
}

}  // namespace
}  // namespace hw::parity_test
