// What-if and the precision planner on graphs small enough to know the answer.
#include "engine/precision/precision_planner.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;
using Budget = PrecisionBudget::Kind;

/// A linear map that learns the identity on points of a square: in f32 the loss falls below what a narrower dtype can
/// hold.
Graph identity(const ParamMap& linear = {}, ParamMap train = {}) {
  ParamMap map{{"out_features", int64_t{3}}, {"bias", false}};
  map.insert(linear.begin(), linear.end());
  train.insert({{"optimiser", std::string("sgd")}, {"learning_rate", 2.0}, {"steps", int64_t{160}}});
  return built({AddNode{node("mesh", "mesh_source", {{"path", std::string("asset:quad")}})},
                AddNode{node("x", "surface_sampler", {{"points", int64_t{256}}})},
                AddNode{node("linear", "linear", map)}, AddNode{node("loss", "mse")},
                AddNode{node("train", "train", train)}, AddLink{link("mesh.mesh", "x.mesh")},
                AddLink{link("x.position", "linear.x")}, AddLink{link("linear.y", "loss.prediction")},
                AddLink{link("x.position", "loss.target")}, AddLink{link("loss.loss", "train.loss")}});
}

/// Learns the mean of noise: the loss is that of the noise, which no rounding of weights changes much.
Graph noise() {
  return built({AddNode{node("x", "random", {{"shape", std::vector<double>{64, 32}}})},
                AddNode{node("noise", "random", {{"shape", std::vector<double>{64, 32}}})},
                AddNode{node("linear", "linear", {{"out_features", int64_t{32}}, {"bias", false}})},
                AddNode{node("loss", "mse")},
                AddNode{node("train", "train",
                             {{"optimiser", std::string("sgd")}, {"learning_rate", 0.5}, {"steps", int64_t{64}}})},
                AddLink{link("x.y", "linear.x")}, AddLink{link("linear.y", "loss.prediction")},
                AddLink{link("noise.y", "loss.target")}, AddLink{link("loss.loss", "train.loss")}});
}

/// A table of features learns noise: what it takes to run is the table, which no CPU widens.
Graph table() {
  return built({AddNode{node("x", "random", {{"shape", std::vector<double>{64, 2}}})},
                AddNode{node("noise", "random", {{"shape", std::vector<double>{64, 8}}})},
                AddNode{node("grid", "hash_grid",
                             {{"levels", int64_t{4}}, {"log2_table", int64_t{10}}, {"dtype", std::string("f32")}})},
                AddNode{node("loss", "mse")},
                AddNode{node("train", "train",
                             {{"optimiser", std::string("sgd")}, {"learning_rate", 0.5}, {"steps", int64_t{64}}})},
                AddLink{link("x.y", "grid.x")}, AddLink{link("grid.features", "loss.prediction")},
                AddLink{link("noise.y", "loss.target")}, AddLink{link("loss.loss", "train.loss")}});
}

Graph with(Graph g, const PrecisionPlan& plan) {
  EXPECT_TRUE(apply_edits(g, plan.edits));
  return g;
}

Graph narrowed(const Graph& g, const std::string& id, DType dtype) {
  const std::vector<std::string> nodes{id};
  const auto plan = set_precision(g, nodes, dtype);
  EXPECT_TRUE(plan) << plan.error().text();
  return plan ? with(g, *plan) : g;
}

WhatIfReport tried(const Graph& base, const Graph& changed, const WhatIfOptions& options) {
  test::QuadAssets assets;
  const auto report = what_if(base, changed, assets, options);
  EXPECT_TRUE(report) << report.error().text();
  return report ? *report : WhatIfReport{};
}

PrecisionProposal planned(const Graph& graph, const PlannerOptions& options) {
  test::QuadAssets assets;
  const auto proposal = plan_precision(graph, assets, options);
  EXPECT_TRUE(proposal) << proposal.error().text();
  return proposal ? *proposal : PrecisionProposal{};
}

PlannerOptions budget(Budget kind, double limit, Minimise minimise) {
  PlannerOptions options;
  options.budget = {kind, limit};
  options.minimise = minimise;
  return options;
}

TEST(PairedTime, NoiseFallsOnBoth) {
  PairedTime time;
  EXPECT_EQ(time.noise(), 1);
  time.add(1, 100);  // warming up
  for (int i = 0; i < 40; ++i) {
    const double load = 1 + i % 7;  // the same for both
    time.add(10 * load, (i % 2 ? 7.9 : 8.1) * load);
  }
  EXPECT_NEAR(time.ratio(), 0.8, 1e-9);
  EXPECT_LT(time.noise(), 0.02);
  EXPECT_TRUE(time.is_faster());
  PairedTime equal;
  for (int i = 0; i < 40; ++i) equal.add(10, i % 2 ? 9 : 11);
  EXPECT_FALSE(equal.is_faster() || equal.is_slower());
}

TEST(PairedLoss, JitterOfBothIsNotARise) {
  PairedLoss loss;
  EXPECT_EQ(loss.noise(), 1);
  for (int i = 0; i < 64; ++i) loss.add(1 + 0.5 * std::sin(i), (1 + 0.5 * std::sin(i)) * 1.02);
  EXPECT_NEAR(loss.rise(), 0.02, 1e-9);
  EXPECT_LT(loss.noise(), 1e-6);
  PairedLoss bad;
  bad.add(1, std::nan(""));
  EXPECT_TRUE(std::isinf(bad.rise()));
}

TEST(PrecisionBudget, IsReadAsPeopleWriteIt) {
  const auto percent = parse_precision_budget("loss=1.5%");
  ASSERT_TRUE(percent);
  EXPECT_EQ(percent->kind, Budget::loss);
  EXPECT_DOUBLE_EQ(percent->limit, 0.015);
  const auto error = parse_precision_budget("error=1e-3");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, Budget::error);
  EXPECT_EQ(error->limit, 1e-3);
  for (const char* text : {"", "loss", "loss=", "loss=much", "speed=1%", "loss=1%%", "loss=nan", "loss=inf", "loss=-1%",
                           "error=-0", "loss=1 %"}) {
    const auto bad = parse_precision_budget(text);
    ASSERT_FALSE(bad) << text;
    EXPECT_EQ(bad.error().code, codes::bad_usage);
    EXPECT_FALSE(bad.error().remedy.empty());
  }
}

TEST(WhatIf, TheSameGraphTwiceIsTheSameTwice) {
  WhatIfOptions options;
  options.steps = 24;
  const WhatIfReport r = tried(identity(), identity(), options);
  EXPECT_EQ(r.loss_rise, 0);
  EXPECT_EQ(r.loss_noise, 0);
  EXPECT_EQ(r.output_error, 0);
  EXPECT_EQ(r.base.loss, r.changed.loss);
  EXPECT_EQ(r.base.bytes.training.total(), r.changed.bytes.training.total());
  EXPECT_GT(r.base.ms_per_step, 0);
  EXPECT_NE(r.seed, r.held_out_seed);
}

TEST(WhatIf, ShowsWhatRoundingCosts) {
  WhatIfOptions options;
  options.steps = 160;
  const WhatIfReport r = tried(identity(), narrowed(identity(), "linear", DType::bf16), options);
  EXPECT_GT(r.loss_rise, 10) << "f32 learns far below what bf16 resolves";
  EXPECT_GT(r.output_error, 0x1p-12);
  EXPECT_LT(r.output_error, 0x1p-7);
  // 9 weights: stored in 2 bytes beside a master of 4, against 4.
  EXPECT_EQ(r.changed.bytes.training.parameters, 9u * 6);
  EXPECT_EQ(r.base.bytes.training.parameters, 9u * 4);
  EXPECT_EQ(r.changed.bytes.training.optimiser, r.base.bytes.training.optimiser);
}

TEST(WhatIf, GoesOnFromAStateInAnotherDtype) {
  test::QuadAssets assets;
  const auto trial = PrecisionTrial::make(identity(), "cpu", assets);
  ASSERT_TRUE(trial) << trial.error().text();
  for (uint64_t step = 0; step < 120; ++step) ASSERT_TRUE((*trial)->step(step, 160, nullptr));
  WhatIfOptions options;
  options.steps = 1;
  options.start = {(*trial)->states(), {}, 120};
  options.schedule_steps = 160;
  const WhatIfReport trained = tried(identity(), narrowed(identity(), "linear", DType::f16), options);
  EXPECT_LT(trained.base.held_out_loss, 1e-6);
  EXPECT_LT(trained.changed.held_out_loss, 1e-5) << "the weights were taken over, rounded";
  const WhatIfReport back = tried(narrowed(identity(), "linear", DType::f16), identity(), options);
  EXPECT_LT(back.changed.held_out_loss, 1e-6);
}

TEST(WhatIf, AChangedSideThatFailsIsAResult) {
  // Values beyond the range of f16.
  const Graph base =
      built({AddNode{node("x", "random", {{"a", -1e5}, {"b", 1e5}, {"shape", std::vector<double>{16, 4}}})},
             AddNode{node("linear", "linear", {{"out_features", int64_t{4}}})}, AddNode{node("loss", "mse")},
             AddNode{node("train", "train", {{"optimiser", std::string("sgd")}, {"learning_rate", 1e-12}})},
             AddLink{link("x.y", "linear.x")}, AddLink{link("linear.y", "loss.prediction")},
             AddLink{link("x.y", "loss.target")}, AddLink{link("loss.loss", "train.loss")}});
  const Graph changed = narrowed(base, "linear", DType::f16);
  WhatIfOptions options;
  options.steps = 20;
  const WhatIfReport r = tried(base, changed, options);
  ASSERT_TRUE(r.changed.failed);
  EXPECT_EQ(r.changed.failed->code, codes::not_finite);
  EXPECT_TRUE(std::isinf(r.loss_rise));
  EXPECT_TRUE(std::isfinite(r.base.held_out_loss));
}

TEST(WhatIf, HoldsOutTheTestSplitOfADataSet) {
  const Graph graph =
      built({AddNode{node(
                 "data", "dataset_source",
                 {{"path", std::string("any")}, {"sample", std::vector<double>{1, 3, 4}}, {"classes", int64_t{12}}})},
             AddNode{node("batch", "batch", {{"batch_size", int64_t{8}}})},
             AddNode{node("flat", "reshape", {{"shape", std::vector<double>{-1, 12}}})},
             AddNode{node("scores", "linear", {{"out_features", int64_t{12}}})}, AddNode{node("loss", "cross_entropy")},
             AddNode{node("train", "train", {{"learning_rate", 0.02}})}, AddLink{link("data.data", "batch.data")},
             AddLink{link("batch.x", "flat.x")}, AddLink{link("flat.y", "scores.x")},
             AddLink{link("scores.y", "loss.logits")}, AddLink{link("batch.labels", "loss.labels")},
             AddLink{link("loss.loss", "train.loss")}});
  const Graph changed = narrowed(graph, "scores", DType::bf16);
  WhatIfOptions options;
  options.steps = 6;
  const WhatIfReport one = tried(graph, changed, options);
  options.held_out_seed = 123;
  const WhatIfReport other = tried(graph, changed, options);
  EXPECT_EQ(one.base.held_out_loss, other.base.held_out_loss) << "the split in order, whatever the seed";
  EXPECT_GT(one.changed.held_out_loss, 0);
  EXPECT_GT(one.output_error, 0);
}

TEST(WhatIf, CanBeCancelled) {
  std::atomic<bool> cancel = false;
  WhatIfOptions options;
  options.steps = 1'000'000;
  options.cancel = &cancel;
  options.progress = [&](const WhatIfProgress& p) { cancel = p.step >= 3; };
  test::QuadAssets assets;
  const auto report = what_if(identity(), identity(), assets, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, codes::cancelled);
}

TEST(PrecisionPlanner, FindsTheFewestBytesThatTrain) {
  // Any finite loss is within the budget: the answer is the config of fewest bytes that trains at all.
  const Graph graph = noise();
  PlannerOptions options = budget(Budget::loss, 1e9, Minimise::bytes);
  options.most_finals = 1000;
  const PrecisionProposal p = planned(graph, options);
  ASSERT_TRUE(p.found) << p.why;
  test::QuadAssets assets;
  const auto space = PrecisionSpace::make(graph, "train", true);
  ASSERT_TRUE(space);
  size_t fewest = SIZE_MAX;
  for (const PrecisionConfig& config : space->all()) {
    const Graph g = with(graph, space->plan(config));
    const auto trial = PrecisionTrial::make(g, "cpu", assets);
    if (!trial) continue;
    for (uint64_t step = 0; step < 64 && !(*trial)->failed(); ++step) ASSERT_TRUE((*trial)->step(step, 64, nullptr));
    if (!(*trial)->failed()) fewest = std::min(fewest, (*trial)->bytes().training.total());
  }
  EXPECT_EQ(p.plan.bytes.training.total(), fewest) << p.config;
  EXPECT_LT(p.bytes_ratio(Budget::loss), 1) << "how much less depends on whether the CPU multiplies bf16 as it is";
}

// Where a run has fewer steps than a probe and the last window, a probe is a whole run: no cost is shown unmeasured.
TEST(PrecisionPlanner, ProbesOfShortRunsAreMeasured) {
  for (const uint64_t steps : {5, 30, 40}) {
    PlannerOptions options;
    options.budget = {Budget::loss, 0.01};
    options.steps = steps;
    test::QuadAssets assets;
    const auto proposal = plan_precision(identity(), assets, options);
    ASSERT_TRUE(proposal) << proposal.error().text();
    ASSERT_FALSE(proposal->trials.empty());
    for (const PlannerTrial& trial : proposal->trials)
      EXPECT_TRUE(!trial.is_measured || trial.cost != 0) << trial.config << " in " << steps << " steps";
    EXPECT_TRUE(std::ranges::any_of(proposal->trials, &PlannerTrial::is_measured));
  }
}

TEST(PrecisionPlanner, KeepsTheBudgetAsAnotherRunMeasuresIt) {
  for (const double limit : {0.0, 0.001, 0.05}) {
    const Graph graph = noise();
    const PrecisionProposal p = planned(graph, budget(Budget::loss, limit, Minimise::bytes));
    ASSERT_LE(p.cost, limit);
    const auto space = PrecisionSpace::make(graph, "train", true);
    ASSERT_TRUE(space);
    Graph plan = graph;
    ASSERT_TRUE(apply_edits(plan, p.edits));
    WhatIfOptions options;
    options.steps = p.steps;
    options.held_out_seed = p.held_out_seed;
    const WhatIfReport r = tried(with(graph, space->plan(space->full())), plan, options);
    EXPECT_EQ(r.loss_rise, p.cost) << "the same seeds give the same bits";
    EXPECT_EQ(r.changed.bytes.training.total(), p.plan.bytes.training.total());
  }
}

TEST(PrecisionPlanner, RepeatsDecideByTheirMean) {
  PlannerOptions options = budget(Budget::loss, 0.05, Minimise::bytes);
  options.repeats = 3;
  const PrecisionProposal p = planned(noise(), options);
  ASSERT_TRUE(p.found) << p.why;
  EXPECT_LE(p.cost, 0.05);
  bool listed = false;
  for (const PlannerTrial& t : p.trials) listed = listed || std::count(t.verdict.begin(), t.verdict.end(), '%') == 3;
  EXPECT_TRUE(listed) << "each seed's rise is named";
}

TEST(PrecisionPlanner, ProposesNothingWhereEverythingCostsTooMuch) {
  const PrecisionProposal p = planned(identity(), budget(Budget::loss, 0.01, Minimise::bytes));
  EXPECT_FALSE(p.found) << p.config;
  EXPECT_TRUE(p.edits.empty());
  EXPECT_THAT(p.why, ::testing::HasSubstr("Nothing within the budget"));
  EXPECT_FALSE(p.trials.empty());
  for (const PlannerTrial& t : p.trials) EXPECT_TRUE(!t.is_final || t.cost > 0.01) << t.config;
}

TEST(PrecisionPlanner, TakesAGraphBeyondTheBudgetBackToFullPrecision) {
  const Graph narrow = narrowed(identity(), "linear", DType::bf16);
  const PrecisionProposal p = planned(narrow, budget(Budget::loss, 0.01, Minimise::bytes));
  ASSERT_TRUE(p.found);
  Graph plan = narrow;
  ASSERT_TRUE(apply_edits(plan, p.edits));
  EXPECT_EQ(param_value(*plan.find("linear"), "dtype"), ParamValue(std::string("f32")));
}

TEST(PrecisionPlanner, IsNeverSlowerAndLarger) {
  for (const Minimise minimise : {Minimise::both, Minimise::bytes, Minimise::time}) {
    const PrecisionProposal p = planned(noise(), budget(Budget::loss, 1, minimise));
    const bool larger = p.plan.bytes.training.total() > p.full.bytes.training.total();
    EXPECT_FALSE(larger && p.time.ratio() >= 1) << p.config;
    EXPECT_TRUE(!larger || p.time.ratio() + p.time.noise() < 1) << p.config;
  }
}

TEST(PrecisionPlanner, AnErrorBudgetCountsRunningBytes) {
  const PrecisionProposal p = planned(table(), budget(Budget::error, 0.05, Minimise::bytes));
  ASSERT_TRUE(p.found) << p.why;
  EXPECT_GT(p.cost, 0);
  EXPECT_LE(p.cost, 0.05);
  EXPECT_LT(p.plan.bytes.running, p.full.bytes.running);
  EXPECT_EQ(planned(table(), budget(Budget::error, 0, Minimise::bytes)).found, false);
}

TEST(PrecisionPlanner, SaysWhatIsWrong) {
  test::QuadAssets assets;
  Graph graph = identity();
  ASSERT_TRUE(apply_edits(graph, {RemoveNode{"train"}}));
  const auto none = plan_precision(graph, assets, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::no_trainer);
  graph = identity();
  ASSERT_TRUE(apply_edits(graph, {RemoveLink{link("x.position", "linear.x")}}));
  const auto open = plan_precision(graph, assets, {});
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, codes::missing_input);
  // Full precision itself diverges: there is nothing to compare with.
  const auto diverges = plan_precision(identity({}, {{"learning_rate", 100.0}}), assets, {});
  ASSERT_FALSE(diverges);
  EXPECT_EQ(diverges.error().code, codes::not_finite);
  std::atomic<bool> cancel = false;
  PlannerOptions options;
  options.cancel = &cancel;
  options.progress = [&](const PlannerProgress&) { cancel = true; };
  const auto cancelled = plan_precision(identity(), assets, options);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, codes::cancelled);
}

TEST(PrecisionSpace, LargeGraphsAreChosenByType) {
  Edits edits{AddNode{node("x", "random", {{"shape", std::vector<double>{4, 8}}})}, AddNode{node("loss", "mse")},
              AddNode{node("train", "train")}, AddLink{link("loss.loss", "train.loss")},
              AddLink{link("x.y", "loss.target")}};
  std::string last = "x";
  for (int i = 0; i < 12; ++i) {
    const std::string id = "l" + std::to_string(i);
    edits.push_back(AddNode{node(id, "linear", {{"out_features", int64_t{8}}})});
    edits.push_back(AddLink{link(last + ".y", id + ".x")});
    last = id;
  }
  edits.push_back(AddLink{link(last + ".y", "loss.prediction")});
  const Graph graph = built(edits);
  const auto space = PrecisionSpace::make(graph, "train", true);
  ASSERT_TRUE(space) << space.error().text();
  EXPECT_LE(space->all().size(), 256u);
  size_t nodes = 0;
  for (const PrecisionGroup& group : space->groups()) nodes += group.nodes.size();
  EXPECT_EQ(nodes, 12u) << "the random source has a dtype, too, but it is data";
  EXPECT_EQ(space->all().front(), space->full());
  EXPECT_TRUE(space->plan(space->full()).edits.empty());
}

}  // namespace
}  // namespace hw
