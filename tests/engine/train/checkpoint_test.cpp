// Checkpoints: 40 steps at once and 20 + resume + 20 give the same bytes; what does not fit is refused whole.
#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <mutex>

#include "engine/core/parallel.h"
#include "engine/io/checkpoint/checkpoint_writer.h"
#include "engine/io/tensor/weights_file.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/quad_assets.h"

namespace hw::checkpoint_test {
namespace {

using test::link;

/// A small neural texture with dropout before the sigmoid.
Graph texture(const ParamMap& train, const char* mlp_dtype = "f32") {
  Graph graph = test::neural_texture();
  Edits edits{AddNode{test::node("dropout", "dropout", {{"p", 0.2}})},
              AddLink{link("mlp.y", "dropout.x")},
              AddLink{link("dropout.y", "sigmoid.x")},
              SetParam{"surface_sampler", "points", ParamValue(int64_t{64})},
              SetParam{"hash_grid", "log2_table", ParamValue(int64_t{8})},
              SetParam{"mlp", "width", ParamValue(int64_t{8})},
              SetParam{"mlp", "dtype", ParamValue(std::string(mlp_dtype))},
              SetParam{"cast", "to", ParamValue(std::string(mlp_dtype))},
              SetParam{"train", "steps", ParamValue(int64_t{40})},
              SetParam{"train", "learning_rate", ParamValue(0.01)}};
  if (std::string(mlp_dtype) != "f32") {
    edits.push_back(AddNode{test::node("widen", "cast", {{"to", std::string("f32")}})});
    edits.push_back(AddLink{link("sigmoid.y", "widen.x")});
    edits.push_back(AddLink{link("widen.y", "mse.prediction")});
  }
  for (const auto& [param, value] : train) edits.push_back(SetParam{"train", param, value});
  const auto applied = apply_edits(graph, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

/// Every checkpoint of a run, in order. The run starts anew, or at `from`.
std::vector<std::shared_ptr<const Checkpoint>> run(const Graph& graph, const std::string& device, uint64_t every,
                                                   std::shared_ptr<const Checkpoint> from = nullptr,
                                                   uint64_t steps = 0) {
  std::vector<std::shared_ptr<const Checkpoint>> made;
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  if (from) session.load_checkpoint(std::move(from));
  session.checkpoint_every(every, [&](std::shared_ptr<const Checkpoint> c) { made.push_back(std::move(c)); });
  session.start(graph, device, steps);
  session.wait();
  const auto s = session.snapshot();
  EXPECT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  return made;
}

void expect_same_bytes(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.losses, b.losses);
  ASSERT_EQ(a.states.size(), b.states.size());
  for (const auto& [name, tensor] : a.states) {
    ASSERT_TRUE(b.states.contains(name)) << name;
    const Tensor& other = b.states.at(name);
    ASSERT_EQ(tensor.dtype(), other.dtype()) << name;
    ASSERT_EQ(tensor.dims(), other.dims()) << name;
    EXPECT_EQ(std::memcmp(tensor.data(), other.data(), tensor.bytes()), 0) << name;
  }
}

struct Kind {
  const char* name;
  ParamMap train;
  const char* mlp_dtype;
  std::vector<const char*> states;  // some that must be in the checkpoint
};

std::vector<Kind> kinds() {
  return {{"adam",
           {},
           "f32",
           {"hash_grid.table", "hash_grid.table.master", "hash_grid.table#adam_v", "hash_grid.table#adam_t"}},
          {"sgd with momentum, narrow",
           {{"optimiser", std::string("sgd")}, {"momentum", 0.9}, {"clip_norm", 1.0}},
           "bf16",
           {"mlp.layer_0.master", "mlp.layer_0#momentum"}},
          {"schedule, averages, micro-batches",
           {{"optimiser", std::string("adamw")},
            {"schedule", std::string("cosine")},
            {"warmup_steps", int64_t{25}},
            {"accumulate", int64_t{3}},
            {"ema_decay", 0.9}},
           "f32",
           {"mlp.layer_0#average", "mlp.layer_0#adam_m"}}};
}

TEST(Checkpoint, ResumesToTheBit) {
  const int before = thread_count();
  for (const Kind& kind : kinds()) {
    const Graph graph = texture(kind.train, kind.mlp_dtype);
    for (const char* device : {"cpu", "ref"}) {
      SCOPED_TRACE(std::string(kind.name) + " on " + device);
      set_thread_count(1);
      const auto whole = run(graph, device, 20);
      ASSERT_EQ(whole.size(), 2u);
      EXPECT_EQ(whole[0]->step, 20u);
      for (const char* state : kind.states) EXPECT_TRUE(whole[0]->states.contains(state)) << state;
      const test::TempFolder folder;
      ASSERT_TRUE(save_checkpoint(*whole[0], folder / checkpoint_name(20)));
      auto read = read_checkpoint(folder / checkpoint_name(20));
      ASSERT_TRUE(read) << read.error().text();
      expect_same_bytes(*read, *whole[0]);
      EXPECT_TRUE(read->graph == graph);
      set_thread_count(2);
      const auto rest = run(graph, device, 20, std::make_shared<Checkpoint>(std::move(*read)));
      ASSERT_EQ(rest.size(), 1u) << "the checkpoint it began with is not written again";
      expect_same_bytes(*rest[0], *whole[1]);
      EXPECT_NE(rest[0]->losses[0], rest[0]->losses[39]);
    }
  }
  set_thread_count(before);
}

/// The course of the loss scale goes on, too: what came after the checkpoint comes again, once.
TEST(Checkpoint, KeepsTheCourseOfTheLossScale) {
  const Graph graph =
      texture({{"loss_scaling", std::string("dynamic")}, {"loss_scale", 0x1p120}, {"growth_interval", int64_t{6}}});
  const auto whole = run(graph, "cpu", 20);
  ASSERT_EQ(whole.size(), 2u);
  const auto &half = whole[0]->loss_scales, &all = whole[1]->loss_scales;
  ASSERT_GT(half.size(), 1u);
  EXPECT_TRUE(half.front().skipped);
  EXPECT_GT(all.size(), half.size());
  test::TempFolder folder;
  const auto file = folder / "half.safetensors";
  ASSERT_TRUE(save_checkpoint(*whole[0], file));
  auto back = read_checkpoint(file);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->loss_scales, half);
  const auto resumed = run(graph, "cpu", 20, std::make_shared<const Checkpoint>(std::move(*back)));
  ASSERT_FALSE(resumed.empty());
  EXPECT_EQ(resumed.back()->loss_scales, all);
  // Steps out of order are no course.
  Checkpoint wrong = *whole[0];
  std::swap(wrong.loss_scales.front(), wrong.loss_scales.back());
  ASSERT_TRUE(save_checkpoint(wrong, file));
  EXPECT_EQ(read_checkpoint(file).error().code, codes::file_syntax);
}

TEST(Checkpoint, IsAlsoMadeWhenARunStopsAndOnRequest) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  std::mutex mutex;
  std::vector<std::shared_ptr<const Checkpoint>> made;
  const auto keep = [&](std::shared_ptr<const Checkpoint> c) {
    const std::lock_guard lock(mutex);
    made.push_back(std::move(c));
  };
  session.take_checkpoint(keep);
  session.wait();
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0], nullptr) << "nothing was trained";
  session.checkpoint_every(1'000'000, keep);
  session.start(texture({{"steps", int64_t{1'000'000}}}), "cpu");
  while (session.snapshot()->step < 3) std::this_thread::yield();
  session.take_checkpoint(keep);
  session.stop();
  session.wait();
  ASSERT_EQ(made.size(), 3u);
  ASSERT_TRUE(made[1] && made[2]);
  EXPECT_EQ(made[2]->step, session.snapshot()->step);
  EXPECT_EQ(made[2]->losses.size(), made[2]->step);
}

TEST(Checkpoint, GoesOnForAsManyStepsMoreAsAreAsked) {
  const Graph graph = texture({});
  const auto whole = run(graph, "cpu", 20);
  EXPECT_EQ(run(graph, "cpu", 5, whole[0], 5).back()->step, 25u);
  EXPECT_EQ(run(graph, "cpu", 50, whole[1]).back()->step, 80u) << "at its end: another run of steps";
}

TEST(Checkpoint, WhatDoesNotFitIsRefusedAndNothingIsHalfLoaded) {
  const Graph graph = texture({});
  const auto good = run(graph, "cpu", 20);
  struct Case {
    const char* where;
    std::function<void(Checkpoint&)> spoil;
    Edits edits;
  };
  const Case cases[] = {
      {"train.seed", [](Checkpoint& c) { c.seed = 3; }, {}},
      {"mlp.layer_0", [](Checkpoint& c) { c.states.erase("mlp.layer_0"); }, {}},
      {"mlp.layer_9", [](Checkpoint& c) { c.states["mlp.layer_9"] = Tensor::zeros(DType::f32, {2}); }, {}},
      {"mlp.layer_0#adam_m",
       [](Checkpoint& c) {
         c.states["mlp.layer_0#adam_m"] = Tensor::zeros(DType::f64, {8, 8});
       },
       {}},
      {"mlp.layer_0", {}, {SetParam{"mlp", "width", ParamValue(int64_t{16})}}},
      {"#average", {}, {SetParam{"train", "ema_decay", ParamValue(0.9)}}},
  };
  for (const Case& c : cases) {
    auto bad = std::make_shared<Checkpoint>(*good[0]);
    if (c.spoil) c.spoil(*bad);
    Graph other = graph;
    ASSERT_TRUE(apply_edits(other, c.edits));
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    session.load_checkpoint(bad);
    session.start(other, "cpu");
    session.wait();
    const auto s = session.snapshot();
    ASSERT_EQ(s->state, RunState::failed) << c.where;
    EXPECT_EQ(s->error->code, codes::weights_mismatch);
    EXPECT_THAT(s->error->where, testing::HasSubstr(c.where)) << s->error->text();
    EXPECT_FALSE(s->error->remedy.empty());
    EXPECT_EQ(s->step, 0u);
    EXPECT_TRUE(s->losses->empty());
    if (c.spoil) continue;
    session.start(graph, "cpu");  // the graph mended: it goes on from the checkpoint
    session.wait();
    EXPECT_EQ(session.snapshot()->step, 40u);
    EXPECT_EQ(*session.snapshot()->losses, good[1]->losses);
  }
}

TEST(Checkpoint, AChangedGraphGoesOnAndSaysSo) {
  const Graph graph = texture({});
  const auto good = run(graph, "cpu", 20);
  Graph slower = graph;
  ASSERT_TRUE(apply_edits(slower, {SetParam{"train", "learning_rate", ParamValue(0.001)}}));
  for (const bool changed : {false, true}) {
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    session.load_checkpoint(good[0]);
    session.start(changed ? slower : graph, "cpu");
    session.wait();
    EXPECT_EQ(session.snapshot()->notes.empty(), !changed);
    EXPECT_EQ(session.snapshot()->losses->back() == good[1]->losses.back(), !changed);
  }
}

/// Two tensors that are drawn towards each other: every step sees the same.
Graph pair(const char* optimiser, bool frozen) {
  const ParamMap shape{{"shape", std::vector<double>{4, 3}}};
  const ParamMap settings{{"optimiser", std::string(optimiser)}, {"steps", int64_t{20}}};
  return test::built({AddNode{test::node("a", "parameter", shape)}, AddNode{test::node("b", "parameter", shape)},
                      AddNode{test::node("mse", "mse")}, AddNode{test::node("train", "train", settings)},
                      AddLink{link("a.y", "mse.prediction")}, AddLink{link("b.y", "mse.target")},
                      AddLink{link("mse.loss", "train.loss")}, SetFrozen{"b", frozen}});
}

/// Another optimiser, or a parameter that is trained from here on, begins as in a new run: the bias corrections of its
/// moments count from there.
TEST(Checkpoint, MomentsThatItLacksBeginAnew) {
  for (const char* optimiser : {"adam", "nadam", "radam", "sgd"}) {
    const auto before = run(pair("lion", false), "cpu", 20);
    const auto after = run(pair(optimiser, false), "cpu", 20, before[0], 20);
    auto weights = std::make_shared<Weights>();
    for (const char* name : {"a.value", "b.value"}) weights->emplace(name, before[0]->states.at(name));
    Session anew(std::make_shared<test::QuadAssets>(), nullptr);
    anew.load_weights(weights);
    anew.start(pair(optimiser, false), "cpu");
    anew.wait();
    const auto s = anew.snapshot();
    ASSERT_EQ(s->state, RunState::finished);
    const char* first = std::string(optimiser) == "sgd" ? "#momentum" : "#adam_m";
    const std::vector<float>& losses = after.back()->losses;
    EXPECT_EQ(std::vector<float>(losses.begin() + 20, losses.end()), *s->losses) << optimiser;
    EXPECT_EQ(after.back()->begun, (std::map<std::string, uint64_t>{{"a.value" + std::string(first), 20},
                                                                    {"b.value" + std::string(first), 20}}));
  }
  const test::TempFolder dir;
  const auto file = dir / "c.safetensors";
  const auto before = run(pair("adam", true), "cpu", 20);
  const auto after = run(pair("adam", false), "cpu", 20, before[0], 20);
  ASSERT_TRUE(save_checkpoint(*after.back(), file));
  const auto read = read_checkpoint(file);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->begun, (std::map<std::string, uint64_t>{{"b.value#adam_m", 20}}));
  const auto longer = run(pair("adam", false), "cpu", 20, std::make_shared<Checkpoint>(*read), 60);
  const auto whole = run(pair("adam", false), "cpu", 20, after.back(), 60);
  expect_same_bytes(*longer.back(), *whole.back());

  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.load_checkpoint(run(pair("lion", false), "cpu", 20)[0]);
  session.start(pair("adam", false), "cpu", 40);
  session.wait();
  EXPECT_THAT(session.snapshot()->notes, testing::Contains(testing::HasSubstr("begins anew")));
  EXPECT_THAT(session.snapshot()->notes, testing::Contains(testing::HasSubstr("left out: 2")));
}

TEST(CheckpointFile, BadFilesHaveACode) {
  const test::TempFolder folder;
  const auto good = run(texture({}), "cpu", 40);
  const auto file = folder / "c.safetensors";
  ASSERT_TRUE(save_checkpoint(*good[0], file));
  const auto whole = read_weights(file);
  ASSERT_TRUE(whole);
  const auto expect = [&](const std::function<void(WeightsFile&)>& spoil, const char* code) {
    WeightsFile bad = *whole;
    spoil(bad);
    ASSERT_TRUE(save_weights(bad, file));
    const auto read = read_checkpoint(file);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, code) << read.error().text();
    EXPECT_FALSE(read.error().remedy.empty());
  };
  expect([](WeightsFile& w) { w.metadata["format"] = "halfwire"; }, codes::file_syntax);
  expect([](WeightsFile& w) { w.metadata["version"] = "2"; }, codes::file_future);
  expect([](WeightsFile& w) { w.metadata["version"] = "soon"; }, codes::file_syntax);
  expect([](WeightsFile& w) { w.metadata["run"] = "[]"; }, codes::file_syntax);
  expect([](WeightsFile& w) { w.metadata["run"] = "{\"step\": -1}"; }, codes::file_syntax);
  expect([](WeightsFile& w) { w.metadata["graph"] = "{"; }, codes::file_syntax);
  expect([](WeightsFile& w) { w.tensors.erase("#losses"); }, codes::file_syntax);
  expect([](WeightsFile& w) { w.tensors["#losses"] = Tensor::zeros(DType::f32, {39}); }, codes::file_syntax);
  ASSERT_TRUE(save_checkpoint(*good[0], file));
  const std::string bytes = test::read_bytes(file);
  for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    test::write_bytes(file, bytes.substr(0, size));
    EXPECT_FALSE(read_checkpoint(file)) << size;
  }
  EXPECT_EQ(read_checkpoint(folder / "none").error().code, codes::file_unreadable);
  EXPECT_EQ(newest_checkpoint(folder.path()).error().code, codes::file_unreadable);
}

TEST(CheckpointWriter, KeepsTheNewestOfItsRunAndLeavesOthersAlone) {
  const test::TempFolder folder;
  test::write_bytes(folder / "weights.safetensors", "mine");
  test::write_bytes(folder / "checkpoint-mine.safetensors", "mine");
  test::write_bytes(folder / ".checkpoint-000000003.safetensors.abcdef", "cut short by a kill");
  Checkpoint c = *run(texture({}), "cpu", 40)[0];
  const auto write = [&](uint64_t from, std::vector<uint64_t> steps) {
    CheckpointWriter writer(folder.path(), from);
    for (const uint64_t step : steps) {
      c.step = step;
      c.losses.resize(step);
      writer.write(std::make_shared<Checkpoint>(c));
    }
    EXPECT_TRUE(writer.finish());
  };
  write(0, {1, 2, 3, 4});
  write(4, {5});
  const auto found = find_checkpoints(folder.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].step, 4u);
  EXPECT_EQ(newest_checkpoint(folder.path())->filename(), "checkpoint-000000005.safetensors");
  EXPECT_EQ(read_checkpoint(found[1].file)->step, 5u);
  EXPECT_EQ(folder.count(), 4u) << "no leftovers";
  EXPECT_TRUE(check_checkpoint_folder(folder.path(), 5));
  EXPECT_EQ(check_checkpoint_folder(folder.path(), 4).error().code, codes::file_unwritable);
}

TEST(CheckpointWriter, NeverDeletesTheNewestSoundOne) {
  const test::TempFolder folder;
  const Checkpoint sound = *run(texture({}), "cpu", 40)[0];
  Checkpoint spoilt = sound;
  Tensor& state = spoilt.states.at("mlp.layer_0");
  std::vector<double> values = state.to_f64();
  values.back() = std::numeric_limits<double>::infinity();
  state = Tensor::from_f64(state.dtype(), state.dims(), values);
  const auto write = [&](uint64_t from, const Checkpoint& what, std::vector<uint64_t> steps) {
    CheckpointWriter writer(folder.path(), from);
    for (const uint64_t step : steps) {
      Checkpoint c = what;
      c.step = step;
      c.losses.resize(step);
      writer.write(std::make_shared<Checkpoint>(std::move(c)));
    }
    EXPECT_TRUE(writer.finish());
  };
  const auto steps = [&] {
    std::vector<uint64_t> found;
    for (const CheckpointPlace& place : find_checkpoints(folder.path())) found.push_back(place.step);
    return found;
  };
  write(0, sound, {1, 2});
  write(2, spoilt, {3, 4, 5});
  EXPECT_EQ(steps(), (std::vector<uint64_t>{2, 4, 5}));
  EXPECT_THAT(read_checkpoint(find_checkpoints(folder.path()).back().file)->unsound, testing::HasSubstr("mlp.layer_0"));
  write(5, spoilt, {6});
  EXPECT_EQ(steps(), (std::vector<uint64_t>{2, 5, 6})) << "found to be sound by another writer";
  write(6, sound, {7, 8});
  EXPECT_EQ(steps(), (std::vector<uint64_t>{7, 8}));
}

/// Weights that a run began with take the place of states that do not fit the graph any more, and a note says so.
TEST(Checkpoint, GoesOnWithTheWeightsWhereTheStatesDoNotFit) {
  const Graph graph = texture({});
  const auto good = run(graph, "cpu", 20);
  Graph averaged = graph;
  ASSERT_TRUE(apply_edits(averaged, {SetParam{"train", "ema_decay", ParamValue(0.9)}}));
  for (const bool fits : {true, false}) {
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    auto weights = std::make_shared<Weights>();
    for (const char* name : {"hash_grid.table", "mlp.layer_0"}) weights->emplace(name, good[0]->states.at(name));
    session.continue_from(good[0], weights);
    session.start(fits ? graph : averaged, "cpu");
    session.wait();
    const auto s = session.snapshot();
    ASSERT_EQ(s->state, RunState::finished) << s->error->text();
    EXPECT_EQ(s->notes.empty(), fits);
    if (fits) {
      EXPECT_EQ(*s->losses, good[1]->losses);
    } else {
      EXPECT_THAT(s->notes.front(), testing::HasSubstr("new optimiser"));
    }
    EXPECT_EQ(s->history->learning_rates.size(), s->step);
  }
}

TEST(CheckpointWriter, SaysWhatCouldNotBeWritten) {
  const Checkpoint c = *run(texture({}), "cpu", 40)[0];
  CheckpointWriter writer("/proc/nowhere", 0);
  writer.write(std::make_shared<Checkpoint>(c));
  const Status done = writer.finish();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, codes::file_unwritable);
}

}  // namespace
}  // namespace hw::checkpoint_test
