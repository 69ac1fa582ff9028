// Gradient accumulation, averaged weights, frozen nodes, tied nodes.
#include <gmock/gmock.h>

#include <cmath>

#include "engine/devices/devices.h"
#include "engine/graph/check/check_tie.h"
#include "engine/graph/groups/flat_graph.h"
#include "engine/io/graph/graph_file.h"
#include "engine/train/session.h"
#include "engine/train/training_run.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::training_options_test {
namespace {

using test::built;
using test::link;
using test::node;
using test::small_texture;

/// x [4, 3] → a → b → MSE against 0.5, by plain SGD. Linear from end to end.
Graph linear_model(const ParamMap& train = {}) {
  Node settings = node("train", "train", {{"optimiser", std::string("sgd")}, {"learning_rate", 0.125}});
  for (const auto& [name, value] : train) settings.params[name] = value;
  return built({AddNode{node("x", "constant", {{"shape", std::vector<double>{4, 3}}})},
                AddNode{node("target", "constant", {{"shape", std::vector<double>{4, 3}}, {"value", 0.5}})},
                AddNode{node("a", "linear", {{"out_features", int64_t{3}}})},
                AddNode{node("b", "linear", {{"out_features", int64_t{3}}})}, AddNode{node("mse", "mse")},
                AddNode{settings}, AddLink{link("x.y", "a.x")}, AddLink{link("a.y", "b.x")},
                AddLink{link("b.y", "mse.prediction")}, AddLink{link("target.y", "mse.target")},
                AddLink{link("mse.loss", "train.loss")}});
}

/// The states after `steps`.
std::shared_ptr<const Checkpoint> after(const Graph& graph, uint64_t steps, const std::string& device = "cpu",
                                        std::shared_ptr<const Weights> weights = nullptr) {
  std::shared_ptr<const Checkpoint> last;
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  if (weights) session.load_weights(weights);
  session.start(graph, device, steps);
  session.take_checkpoint([](const auto&) {});
  session.wait();
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) { last = std::move(c); });
  session.wait();
  const auto s = session.snapshot();
  EXPECT_TRUE(last) << (s->error ? s->error->text() : "");
  return last;
}

/// Gradients of a node's parameters at a step, with the weights that a run begins with.
std::map<std::string, std::vector<double>> gradients(const Graph& graph, const std::string& of, uint64_t step,
                                                     const Weights* weights = nullptr,
                                                     const std::string& device = "ref") {
  std::map<std::string, std::vector<double>> found;
  test::QuadAssets assets;
  TrainingProgress progress;
  std::vector<std::string> notes;
  auto run = TrainingRun::make(graph, *make_device(device), assets, progress, weights, of, false, notes);
  EXPECT_TRUE(run) << run.error().text();
  EXPECT_TRUE((*run)->step(step, 100, nullptr));
  const auto inspection = *(*run)->read_inspection(step);
  EXPECT_TRUE(inspection) << of;
  for (const auto& item : inspection->items) {
    if (item.is_param) found[item.name] = item.gradient.to_f64();
  }
  return found;
}

TEST(Accumulate, EqualBatchesGiveTheGradientOfOne) {
  for (const char* device : {"cpu", "ref"}) {
    const auto one = after(linear_model(), 5, device);
    const auto four = after(linear_model({{"accumulate", int64_t{4}}}), 5, device);
    EXPECT_EQ(one->losses, four->losses);
    for (const auto& [name, tensor] : one->states)
      EXPECT_EQ(tensor.to_f64(), four->states.at(name).to_f64()) << name << " on " << device;
    EXPECT_EQ(one->states.size(), four->states.size()) << "sums are no part of a checkpoint";
  }
}

TEST(Accumulate, UpdatesWithTheMeanGradientOfItsBatches) {
  const ParamMap sgd{{"optimiser", std::string("sgd")}, {"learning_rate", 0.5}};
  ParamMap three = sgd;
  three["accumulate"] = int64_t{3};
  const Graph graph = small_texture(sgd);
  Graph whole = graph;  // one batch as large as the three, of the same points
  ASSERT_TRUE(apply_edits(whole, {SetParam{"surface_sampler", "points", ParamValue(int64_t{3 * 128})}}));
  for (const char* device : {"cpu", "ref"}) {
    const std::vector<double> mean = gradients(whole, "mlp", 0, nullptr, device).at("layer_1");
    Graph still = graph;
    ASSERT_TRUE(apply_edits(still, {SetParam{"train", "learning_rate", ParamValue(1e-30)}}));
    const auto start = after(still, 1, device)->states.at("mlp.layer_1").to_f64();
    const auto end = after(small_texture(three), 1, device)->states.at("mlp.layer_1").to_f64();
    for (size_t i = 0; i < mean.size(); ++i)
      ASSERT_NEAR(end[i], start[i] - 0.5 * mean[i], 1e-5 + 1.3e-6 * std::abs(end[i])) << device << " " << i;
  }
}

TEST(Accumulate, SumsGradientsInF16InF32) {
  Graph graph = small_texture({{"accumulate", int64_t{2}}});
  ASSERT_TRUE(apply_edits(graph, {SetParam{"hash_grid", "gradient", std::string("f16")}}));
  const auto in_f16 = after(graph, 1), in_f32 = after(small_texture({{"accumulate", int64_t{2}}}), 1);
  const auto half = in_f16->states.at("hash_grid.table#adam_m").to_f64();
  const auto single = in_f32->states.at("hash_grid.table#adam_m").to_f64();
  EXPECT_NE(half, single);
  const double largest = *std::max_element(single.begin(), single.end());
  ASSERT_GT(largest, 0);
  // Each of the two is within half a unit of f16, and some cancel.
  for (size_t i = 0; i < half.size(); ++i) ASSERT_NEAR(half[i], single[i], 0x1p-9 * largest) << i;
}

TEST(Accumulate, KeepsUntouchedEntriesOfATableUntouched) {
  const auto states = after(small_texture({{"accumulate", int64_t{2}}}), 3)->states;
  const auto moment = states.at("hash_grid.table#adam_v").to_f64();
  const auto zeros = std::count(moment.begin(), moment.end(), 0.0);
  EXPECT_GT(zeros, 0);
  EXPECT_LT(zeros, static_cast<std::ptrdiff_t>(moment.size()));
  const auto first = after(small_texture({{"accumulate", int64_t{2}}, {"learning_rate", 1e-30}}), 1)->states;
  const auto before = first.at("hash_grid.table.master").to_f64(), now = states.at("hash_grid.table.master").to_f64();
  for (size_t i = 0; i < moment.size(); ++i) {
    if (moment[i] != 0) continue;
    ASSERT_EQ(before[i], now[i]) << i;
  }
}

TEST(Average, FollowsTheRecurrence) {
  for (const char* device : {"cpu", "ref"}) {
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    std::shared_ptr<const Checkpoint> c;
    session.start(linear_model({{"ema_decay", 0.3}, {"learning_rate", 1e-30}}), device, 1);
    session.take_checkpoint([&](std::shared_ptr<const Checkpoint> made) { c = std::move(made); });
    session.wait();
    session.take_checkpoint([&](std::shared_ptr<const Checkpoint> made) { c = std::move(made); });
    session.wait();
    ASSERT_TRUE(c);
    std::vector<double> average = c->states.at("a.weight").to_f64();
    session.reset();
    session.start(linear_model({{"ema_decay", 0.3}}), device, 100, true);
    for (int t = 0; t < 6; ++t) {
      session.step_once();
      session.take_checkpoint([&](std::shared_ptr<const Checkpoint> made) { c = std::move(made); });
      session.wait();
      session.take_checkpoint([&](std::shared_ptr<const Checkpoint> made) { c = std::move(made); });
      session.wait();
      ASSERT_EQ(c->step, static_cast<uint64_t>(t) + 1);
      const auto p = c->states.at("a.weight").to_f64(), got = c->states.at("a.weight#average").to_f64();
      const double decay = std::min(0.3, (1.0 + t) / (10.0 + t));
      for (size_t i = 0; i < p.size(); ++i) {
        average[i] = decay * average[i] + (1 - decay) * p[i];
        ASSERT_NEAR(got[i], average[i], 1e-6) << device << " " << t;
      }
      EXPECT_NE(got, p);
      EXPECT_EQ(session.snapshot()->weights->at("a.weight").to_f64(), got) << "what is shown and saved";
    }
    session.update_graph(linear_model({{"ema_decay", 0.3}, {"use_averaged", false}}));
    session.step_once();
    session.take_checkpoint([&](std::shared_ptr<const Checkpoint> made) { c = std::move(made); });
    session.wait();
    session.take_checkpoint([&](std::shared_ptr<const Checkpoint> made) { c = std::move(made); });
    session.wait();
    EXPECT_EQ(session.snapshot()->weights->at("a.weight").to_f64(), c->states.at("a.weight").to_f64());
  }
}

// A program of updates of its own had masters that began at initial values, whatever weights were loaded.
TEST(Pure, HasNoMastersAndAveragesOfAnyDtypeWithMicroBatchesToo) {
  for (const char* dtype : {"f16", "bf16", "f8e4m3"}) {
    for (const int64_t batches : {1, 3}) {
      const Graph graph = built(
          {AddNode{node("p", "parameter", {{"shape", std::vector<double>{2, 3}}, {"dtype", std::string(dtype)}})},
           AddNode{node("sin", "sin")}, AddNode{node("mean", "mean")},
           AddNode{node("train", "train",
                        {{"master_weights", std::string("none")}, {"accumulate", batches}, {"ema_decay", 0.5}})},
           AddLink{link("p.y", "sin.x")}, AddLink{link("sin.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
      test::QuadAssets assets;
      const auto plan = plan_training(graph, assets);
      ASSERT_TRUE(plan) << plan.error().text();
      for (const auto& [name, state] : states_of(*plan)) EXPECT_FALSE(name.ends_with(".master")) << name;
      Session session(std::make_shared<test::QuadAssets>(), nullptr);
      session.start(graph, "cpu", 2);
      session.wait();
      const auto s = session.snapshot();
      EXPECT_EQ(s->state, RunState::finished) << dtype << ": " << (s->error ? s->error->text() : "");
    }
  }
}

TEST(Frozen, ParametersStayAndHaveNoOptimiserState) {
  Graph graph = small_texture({});
  const auto start = after(small_texture({{"learning_rate", 1e-30}}), 1)->states.at("mlp.layer_0").to_f64();
  ASSERT_TRUE(apply_edits(graph, {SetFrozen{"mlp", true}}));
  const auto c = after(graph, 10);
  EXPECT_EQ(c->states.at("mlp.layer_0").to_f64(), start);
  for (const auto& [name, tensor] : c->states) EXPECT_FALSE(name.starts_with("mlp.") && name.find('#') != name.npos);
  EXPECT_TRUE(c->states.contains("hash_grid.table#adam_m"));
  EXPECT_LT(c->losses.back(), c->losses.front());
  ASSERT_TRUE(apply_edits(graph, {SetFrozen{"hash_grid", true}}));
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, "cpu");
  session.wait();
  ASSERT_EQ(session.snapshot()->state, RunState::failed);
  EXPECT_THAT(session.snapshot()->error->remedy, testing::HasSubstr("unfreeze"));
}

TEST(Frozen, CanChangeWhileTraining) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(linear_model(), "cpu", 5);
  session.wait();
  const auto before = *session.snapshot()->weights;
  Graph frozen = linear_model();
  ASSERT_TRUE(apply_edits(frozen, {SetFrozen{"a", true}}));
  session.start(frozen, "cpu", 5);
  session.wait();
  EXPECT_EQ(session.snapshot()->weights->at("a.weight").to_f64(), before.at("a.weight").to_f64());
  EXPECT_NE(session.snapshot()->weights->at("b.weight").to_f64(), before.at("b.weight").to_f64());
}

TEST(Tied, GradientsOfBothPlacesAddUp) {
  const Graph apart = linear_model();
  Graph tied = apart;
  ASSERT_TRUE(apply_edits(tied, {SetTie{"b", "a"}}));
  const auto begin = after(linear_model({{"learning_rate", 1e-30}}), 1)->states;
  Weights same;
  for (const char* name : {"weight", "bias"}) {
    const Tensor& tensor = begin.at(std::string("a.") + name);
    same[std::string("a.") + name] = tensor;
    same[std::string("b.") + name] = tensor;
  }
  for (const char* device : {"cpu", "ref"}) {
    const auto a = gradients(apart, "a", 0, &same, device), b = gradients(apart, "b", 0, &same, device);
    for (const char* shown : {"a", "b"}) {
      const auto sum = gradients(tied, shown, 0, &same, device);
      for (const char* name : {"weight", "bias"}) {
        for (size_t i = 0; i < sum.at(name).size(); ++i)
          EXPECT_NEAR(sum.at(name)[i], a.at(name)[i] + b.at(name)[i], 1e-6) << device << " " << shown << "." << name;
      }
    }
  }
}

TEST(Tied, OneParameterIsTrainedAndSaved) {
  Graph graph = linear_model();
  ASSERT_TRUE(apply_edits(graph, {SetTie{"a", "b"}}));  // the owner comes later in the order of the wires
  const auto c = after(graph, 20);
  for (const auto& [name, tensor] : c->states) EXPECT_TRUE(name.starts_with("b.")) << name;
  EXPECT_LT(c->losses.back(), c->losses.front() / 10);
  ASSERT_TRUE(apply_edits(graph, {SetFrozen{"b", true}}));
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, "cpu");
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::failed) << "the owner's switch counts";
}

TEST(Tied, WhatDoesNotFitIsSaidOnTheCanvas) {
  struct Case {
    Edits edits;
    const char* says;
  };
  const Case cases[] = {
      {{SetTie{"b", "nobody"}}, "does not exist"},
      {{SetTie{"b", "b"}}, "itself"},
      {{SetTie{"b", "mse"}}, "another type"},
      {{SetTie{"a", "b"}, SetTie{"b", "a"}}, "which uses those of"},
      {{SetTie{"b", "a"}, SetParam{"a", "out_features", ParamValue(int64_t{5})}},
       "bias is f32 [3] here and f32 [5] there"},
      {{SetTie{"b", "a"}, SetParam{"a", "bias", ParamValue(false)}}, "it has bias"},
  };
  for (const Case& c : cases) {
    Graph graph = linear_model();
    FlatGraph flat;
    flat.reset(graph);
    Validator validator;
    validator.reset(graph);
    for (const Edit& edit : c.edits) {  // one by one, so that the incremental way is the one that is tested
      const Edits one{edit};
      ASSERT_TRUE(apply_edits(graph, one));
      validator.update(graph, flat.update(graph, one));
    }
    Validator anew;
    anew.reset(graph);
    EXPECT_EQ(validator.of("b"), anew.of("b"));
    const auto& found = validator.of("b");
    const auto d =
        std::find_if(found.begin(), found.end(), [](const Diagnostic& x) { return x.code == codes::bad_tie; });
    ASSERT_NE(d, found.end()) << c.says;
    EXPECT_THAT(d->reason, testing::HasSubstr(c.says));
    ASSERT_FALSE(d->remedies.empty());
    Graph mended = graph;
    ASSERT_TRUE(apply_edits(mended, d->remedies.front().edits));
    anew.reset(mended);
    for (const Diagnostic& left : anew.of("b")) EXPECT_NE(left.code, codes::bad_tie) << left.reason;
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    session.start(graph, "cpu");
    session.wait();
    EXPECT_EQ(session.snapshot()->error->code, codes::bad_tie) << "a run is refused";
  }
}

TEST(Tied, TheFirstHeirTakesOverWhenTheOwnerGoes) {
  Graph graph = linear_model();
  ASSERT_TRUE(apply_edits(graph, {AddNode{node("c", "linear", {{"out_features", int64_t{3}}})},
                                  AddLink{link("x.y", "c.x")}, SetTie{"b", "a"}, SetTie{"c", "a"}}));
  const Graph before = graph;
  const Edits removal{RemoveNode{"a"}};
  FlatGraph flat;
  flat.reset(graph);
  const auto undo = apply_edits(graph, removal);
  ASSERT_TRUE(undo);
  EXPECT_THAT(flat.update(graph, removal).nodes, testing::IsSupersetOf({"a", "b", "c"}));
  EXPECT_EQ(graph.find("b")->tie, "");
  EXPECT_EQ(graph.find("c")->tie, "b");
  ASSERT_TRUE(apply_edits(graph, *undo));
  EXPECT_TRUE(graph == before);
}

TEST(Tied, CandidatesAreUntiedNodesOfTheType) {
  Graph graph = linear_model();
  EXPECT_EQ(tie_candidates(graph, *graph.find("b")), (std::vector<std::string>{"a"}));
  EXPECT_TRUE(tie_candidates(graph, *graph.find("mse")).empty());
  ASSERT_TRUE(apply_edits(graph, {SetTie{"b", "a"}}));
  EXPECT_TRUE(tie_candidates(graph, *graph.find("a")).empty()) << "others use its parameters";
}

TEST(Tied, TheFileKeepsFrozenAndTie) {
  Graph graph = linear_model();
  ASSERT_TRUE(apply_edits(graph, {SetTie{"b", "a"}, SetFrozen{"a", true}}));
  const std::string text = write_graph(graph);
  EXPECT_THAT(text, testing::HasSubstr("\"tie\": \"a\""));
  const auto read = parse_graph(text, "g");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == graph);
  EXPECT_EQ(write_graph(*read), text);
  for (const char* bad : {"\"tie\": 3", "\"tie\": \"A b\"", "\"frozen\": 1"}) {
    std::string spoilt = text;
    spoilt.replace(spoilt.find("\"tie\": \"a\""), 10, bad);
    const auto refused = parse_graph(spoilt, "g");
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, codes::file_syntax);
  }
}

TEST(Pinned, TheFileKeepsTheDevice) {
  Graph graph = linear_model();
  ASSERT_TRUE(apply_edits(graph, {SetDevice{"b", "cuda:7"}}));
  const std::string text = write_graph(graph);
  EXPECT_THAT(text, testing::HasSubstr("\"device\": \"cuda:7\""));
  const auto read = parse_graph(text, "g");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == graph);
  EXPECT_EQ(write_graph(*read), text);
  EXPECT_FALSE(same_structure(graph, without_pins(graph)));
  EXPECT_TRUE(without_pins(graph) == linear_model());
  for (const char* bad : {"\"device\": 3", "\"device\": \"A GPU\""}) {
    std::string spoilt = text;
    spoilt.replace(spoilt.find("\"device\": \"cuda:7\""), 18, bad);
    const auto refused = parse_graph(spoilt, "g");
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, codes::file_syntax);
  }
}

}  // namespace
}  // namespace hw::training_options_test
