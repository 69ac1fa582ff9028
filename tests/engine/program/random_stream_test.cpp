// What random ops draw: a function of (seed, stream, step, element), the same on every device, at any number of threads
// and however a batch is split; and what a node's parameters fix of it.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "engine/backend/backend.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/graph/node_draws.h"
#include "engine/io/graph/graph_file.h"
#include "engine/node/example_assets.h"
#include "engine/node/random_params.h"
#include "engine/plan/training_plan.h"
#include "engine/program/random_ops.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::link;
using test::node;

class Threads {
 public:
  explicit Threads(int count) : before_(thread_count()) { set_thread_count(count); }
  ~Threads() { set_thread_count(before_); }

 private:
  int before_;
};

/// An op that draws for `rows` rows; its values, or with what it draws mixed in.
struct Drawing {
  std::string name;
  std::function<Val(OpBuilder&, int64_t rows, const RandomStream&)> emit;
  bool exact_on_ref = true;  // ref's formula gives the same bits after rounding
};

Val ones(OpBuilder& b, const Dims& dims, double value = 1) {
  return b.broadcast_to(b.constant(Tensor::from_f64(DType::f32, {}, std::vector<double>{value})), dims);
}

std::vector<Drawing> drawings() {
  using Distribution = RandomAttr::Distribution;
  return {
      {"dropout",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::dropout, {ones(b, {rows, 7})}, DropoutAttr{0.5, r})[0];
       }},
      {"dropout of a vector",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::dropout, {ones(b, {rows})}, DropoutAttr{0.25, r})[0];
       },
       false},
      {"uniform",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::random, {}, RandomAttr{Distribution::uniform, {rows, 3}, DType::f32, 0, 1, r})[0];
       }},
      {"normal",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::random, {}, RandomAttr{Distribution::normal, {rows, 3}, DType::f32, 0, 1, r})[0];
       },
       false},
      {"stochastic cast",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::cast, {ones(b, {rows, 5}, 1.001)}, CastAttr{DType::bf16, false, true, r})[0];
       }},
      {"points of a surface",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::sample_surface, {}, SampleSurfaceAttr{example_mesh(), rows, r})[0];
       },
       false},
      {"points of a picture",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::sample_image, {},
                       SampleImageAttr{SampleImageAttr::Mode::bilinear, example_picture(), rows, r, false})[0];
       }},
      {"rows of a data set",
       [](OpBuilder& b, int64_t rows, const RandomStream& r) {
         return b.emit(Op::sample_rows, {}, SampleRowsAttr{example_dataset(), Split::train, rows, true, r})[1];
       }},
  };
}

constexpr int64_t kRows = 12294;  // several tiles; halves of it are no multiple of a Philox block
constexpr uint64_t kSeed = 3;

Tensor drawn(const Drawing& drawing, const RandomStream& random, uint64_t pass, const std::string& device = "cpu",
             int64_t rows = kRows, uint64_t seed = kSeed) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("n");
  const Val y = drawing.emit(b, rows, random);
  EXPECT_TRUE(b.status()) << (b.status() ? "" : b.status().error().text());
  program->outputs.push_back({"y", y.id});
  const auto on = *make_device(device);
  const auto states = *on->prepare_states(*program, nullptr, seed, nullptr);
  const auto executable = *on->compile(program, states);
  StepInputs step;
  step.seed = seed;
  step.step = pass;
  EXPECT_TRUE(executable->run(step));
  return *executable->read(y.id);
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dims() == b.dims() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

TEST(RandomOps, DrawTheSameOnEveryDeviceAndAtAnyNumberOfThreads) {
  for (const Drawing& drawing : drawings())
    for (const uint64_t pass : {uint64_t{0}, uint64_t{5}}) {
      const Tensor ref = drawn(drawing, {9}, pass, "ref");
      const Threads one(1);
      const Tensor cpu = drawn(drawing, {9}, pass);
      if (drawing.exact_on_ref) {
        EXPECT_TRUE(same(ref, cpu)) << drawing.name;
      } else {
        const std::vector<double> x = ref.to_f64(), y = cpu.to_f64();
        for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-5 + 1.3e-6 * std::abs(x[i])) << drawing.name;
      }
      for (const int count : {2, 3, 8}) {
        const Threads threads(count);
        EXPECT_TRUE(same(cpu, drawn(drawing, {9}, pass))) << drawing.name << " at " << count << " threads";
      }
    }
}

TEST(RandomOps, DrawTheSameHoweverABatchIsSplit) {
  for (const char* device : {"cpu", "ref"})
    for (const Drawing& drawing : drawings())
      for (const uint64_t parts : {uint64_t{2}, uint64_t{3}, uint64_t{6}}) {
        const uint64_t step = 4;
        const Tensor whole = drawn(drawing, {9}, step, device);
        size_t at = 0;
        for (uint64_t part = 0; part < parts; ++part) {
          const RandomStream split{.stream = 9, .parts = parts};
          const Tensor piece = drawn(drawing, split, step * parts + part, device, kRows / static_cast<int64_t>(parts));
          EXPECT_EQ(std::memcmp(piece.data(), static_cast<const char*>(whole.data()) + at, piece.bytes()), 0)
              << drawing.name << ", part " << part << " of " << parts << " on " << device;
          at += piece.bytes();
        }
        EXPECT_EQ(at, whole.bytes());
      }
}

TEST(RandomOps, DrawAnewForEverySeedStreamAndStep) {
  for (const Drawing& drawing : drawings()) {
    const Tensor first = drawn(drawing, {9}, 2);
    EXPECT_TRUE(same(first, drawn(drawing, {9}, 2))) << drawing.name;
    EXPECT_FALSE(same(first, drawn(drawing, {10}, 2))) << drawing.name;
    EXPECT_FALSE(same(first, drawn(drawing, {9}, 3))) << drawing.name;
    EXPECT_FALSE(same(first, drawn(drawing, {9}, 2, "cpu", kRows, kSeed + 1))) << drawing.name;
  }
}

TEST(RandomOps, RepeatWhatIsFixed) {
  for (const char* device : {"cpu", "ref"})
    for (const Drawing& drawing : drawings()) {
      const RandomStream step{.stream = 9, .step = 2}, seed{.stream = 9, .seed = kSeed};
      const Tensor second = drawn(drawing, {9}, 2, device);
      for (const uint64_t pass : {uint64_t{0}, uint64_t{2}, uint64_t{77}})
        EXPECT_TRUE(same(second, drawn(drawing, step, pass, device))) << drawing.name << " on " << device;
      EXPECT_TRUE(same(second, drawn(drawing, seed, 2, device, kRows, 1234))) << drawing.name << " on " << device;
      EXPECT_FALSE(same(second, drawn(drawing, seed, 3, device))) << drawing.name << " on " << device;
    }
}

TEST(RandomOps, SayWhatTheyDrawFrom) {
  EXPECT_EQ(draw_text({.stream = 0x5f3a01}, 7, 11), "seed 7, stream 0x005f3a01, step 12");
  EXPECT_EQ(draw_text({.stream = 1, .seed = 3, .step = 0}, 7, 11), "seed 3 (fixed), stream 0x00000001, step 1 (fixed)");
  EXPECT_EQ(draw_text({.stream = 1}, {}, {}), "the run's seed, stream 0x00000001, the run's step");
  const Draw d = draw_of({.stream = 1, .step = 6, .parts = 4}, 7, 9, 100);
  EXPECT_EQ(d.seed, 7u);
  EXPECT_EQ(d.step, 6u);
  EXPECT_EQ(d.first, 100u) << "pass 9 is part 1 of its step";
}

// ---- nodes

std::vector<const NodeType*> random_types() {
  std::vector<const NodeType*> types;
  for (const auto& [id, type] : Registry::instance().all())
    if (type.decl.is_random()) types.push_back(&type);
  return types;
}

TEST(RandomNodes, DeclareWhatTheyDrawFromAtTheEnd) {
  EXPECT_GE(random_types().size(), 6u);
  for (const NodeType* type : random_types()) {
    const auto& params = type->decl.params();
    ASSERT_GE(params.size(), 3u);
    EXPECT_EQ(params[params.size() - 3].id, "random_seed") << type->id;
    EXPECT_EQ(params[params.size() - 2].id, "random_step") << type->id;
    EXPECT_EQ(params[params.size() - 1].id, "random_stream") << type->id;
    for (const ParamDecl& p : params) EXPECT_EQ(!p.group.empty(), p.id.starts_with("random_")) << type->id << p.id;
  }
}

TEST(RandomNodes, FollowTheRunUnlessTheyAreFixed) {
  const NodeDecl& decl = Registry::instance().find("dropout")->decl;
  const RandomParams plain = random_params(decl, {}, "drop");
  EXPECT_TRUE(plain.draws);
  EXPECT_EQ(plain.stream(), RandomStream{stream_of("drop")});
  EXPECT_FALSE(plain.fixed("drop"));
  const RandomParams all = random_params(
      decl, {{"random_seed", int64_t{0}}, {"random_step", int64_t{12}}, {"random_stream", std::string("other")}},
      "drop");
  EXPECT_EQ(all.stream(), (RandomStream{stream_of("other"), 0, 11}));
  EXPECT_TRUE(all.fixed("drop"));
  EXPECT_TRUE(random_params(decl, {{"random_stream", std::string("other")}}, "drop").fixed("drop"));
  EXPECT_FALSE(random_params(decl, {{"random_stream", std::string("drop")}}, "drop").fixed("drop"));
  const RandomParams wrong =
      random_params(decl, {{"random_seed", std::string("many")}, {"random_stream", 3.0}}, "drop");
  EXPECT_EQ(wrong.stream(), plain.stream()) << "a wrong value is the validator's to report";
}

TEST(RandomNodes, DrawOnlyWhileTheyRoundOrShuffle) {
  const NodeDecl& cast = Registry::instance().find("cast")->decl;
  EXPECT_FALSE(random_params(cast, {}, "c").draws);
  EXPECT_TRUE(random_params(cast, {{"rounding", std::string("stochastic")}}, "c").draws);
  const NodeDecl& batch = Registry::instance().find("batch")->decl;
  EXPECT_TRUE(random_params(batch, {}, "b").draws);
  EXPECT_FALSE(random_params(batch, {{"shuffle", false}, {"random_step", int64_t{3}}}, "b").draws);
  EXPECT_FALSE(random_params(Registry::instance().find("linear")->decl, {}, "l").draws);
}

/// x → linear → "drop" → MSE against a target.
Graph dropping(const ParamMap& drop = {}, const ParamMap& train = {}, int64_t rows = 24) {
  const auto random = [&](const char* id, double columns) {
    return node(id, "random",
                {{"shape", std::vector<double>{static_cast<double>(rows), columns}}, {"axes", std::string("N C")}});
  };
  return test::built({AddNode{random("x", 5)}, AddNode{random("target", 4)},
                      AddNode{node("linear", "linear", {{"out_features", int64_t{4}}})},
                      AddNode{node("drop", "dropout", drop)}, AddNode{node("mse", "mse")},
                      AddNode{node("train", "train", train)}, AddLink{link("x.y", "linear.x")},
                      AddLink{link("linear.y", "drop.x")}, AddLink{link("drop.y", "mse.prediction")},
                      AddLink{link("target.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
}

TrainingPlan planned(const Graph& graph) {
  test::QuadAssets assets;
  auto plan = plan_training(graph, assets, false);
  EXPECT_TRUE(plan) << plan.error().text();
  return *plan;
}

TEST(RandomNodes, PutWhatIsFixedIntoForwardAndBackwardOps) {
  const TrainingPlan plan =
      planned(dropping({{"random_seed", int64_t{8}}, {"random_step", int64_t{2}}}, {{"accumulate", int64_t{4}}}));
  size_t drops = 0, others = 0;
  for (const Instr& instr : plan.program->instrs) {
    const RandomStream* random = random_stream(instr.attr);
    if (!random) continue;
    EXPECT_EQ(random->parts, 4u);
    if (instr.op == Op::dropout) {
      ++drops;
      EXPECT_EQ(*random, (RandomStream{stream_of("drop"), 8, 1, 4})) << (instr.backward ? "backward" : "forward");
    } else {
      ++others;
      EXPECT_FALSE(random->seed || random->step);
    }
  }
  EXPECT_EQ(drops, 2u);
  EXPECT_EQ(others, 2u);
}

/// Values of a step, by name.
std::map<std::string, Tensor> step_of(const Graph& graph, uint64_t step, const std::vector<SocketRef>& wanted) {
  const TrainingPlan plan = planned(graph);
  std::vector<ValueId> keep;
  for (const SocketRef& socket : wanted) {
    const ValueId id = std::get<Val>(plan.sockets.at(socket)).id;
    keep.push_back(id);
    if (plan.gradients.contains(id)) keep.push_back(plan.gradients.at(id));
  }
  const auto device = *make_device("cpu");
  const auto states = *device->prepare_states(*plan.program, nullptr, plan.settings.seed, nullptr);
  const auto executable = *device->compile(plan.program, states, keep);
  StepInputs inputs;
  inputs.seed = plan.settings.seed;
  inputs.step = step;
  EXPECT_TRUE(executable->run(inputs));
  std::map<std::string, Tensor> found;
  for (const SocketRef& socket : wanted) {
    const ValueId id = std::get<Val>(plan.sockets.at(socket)).id;
    found[socket.node] = *executable->read(id);
    if (plan.gradients.contains(id)) found["grad " + socket.node] = *executable->read(plan.gradients.at(id));
  }
  return found;
}

TEST(RandomNodes, GiveGradientsThroughTheirFixedMask) {
  for (const ParamMap& drop : {ParamMap{}, ParamMap{{"random_step", int64_t{2}}, {"random_seed", int64_t{8}}}}) {
    const auto at = step_of(dropping(drop), 6, {{"drop", "y"}, {"linear", "y"}});
    const std::vector<double> y = at.at("drop").to_f64(), gradient = at.at("grad linear").to_f64();
    size_t kept = 0;
    for (size_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(y[i] != 0, gradient[i] != 0) << i;
      kept += y[i] != 0;
    }
    EXPECT_GT(kept, y.size() / 4);
    EXPECT_LT(kept, y.size() * 3 / 4);
  }
}

TEST(RandomNodes, OfOneNameDrawTheSame) {
  const auto mask = [](const std::map<std::string, Tensor>& at, const char* name) {
    std::vector<bool> kept;
    for (const double v : at.at(name).to_f64()) kept.push_back(v != 0);
    return kept;
  };
  Graph graph = dropping();
  ASSERT_TRUE(apply_edits(
      graph, {AddNode{node("copy", "dropout")}, AddLink{link("linear.y", "copy.x")}, AddNode{node("sum", "add")},
              AddLink{link("drop.y", "sum.a")}, AddLink{link("copy.y", "sum.b")},
              RemoveLink{link("drop.y", "mse.prediction")}, AddLink{link("sum.y", "mse.prediction")}}));
  const std::vector<SocketRef> both{{"drop", "y"}, {"copy", "y"}};
  const auto own = step_of(graph, 1, both);
  EXPECT_NE(mask(own, "drop"), mask(own, "copy"));
  ASSERT_TRUE(apply_edits(graph, {SetParam{"copy", "random_stream", std::string("drop")}}));
  const auto shared = step_of(graph, 1, both);
  EXPECT_EQ(mask(shared, "drop"), mask(shared, "copy"));
  EXPECT_EQ(mask(shared, "drop"), mask(own, "drop"));
}

TEST(RandomNodes, DrawInMicroBatchesWhatTheyDrawInABatch) {
  constexpr int64_t kWhole = 24, kParts = 3;
  const auto mask = [](const Tensor& t) {
    std::vector<bool> kept;
    for (const double v : t.to_f64()) kept.push_back(v != 0);
    return kept;
  };
  const auto whole = step_of(dropping({}, {}, kWhole), 5, {{"drop", "y"}, {"x", "y"}});
  std::vector<bool> kept;
  std::vector<double> x;
  for (uint64_t part = 0; part < kParts; ++part) {
    const auto at = step_of(dropping({}, {{"accumulate", kParts}}, kWhole / kParts), 5 * kParts + part,
                            {{"drop", "y"}, {"x", "y"}});
    const auto m = mask(at.at("drop"));
    const auto v = at.at("x").to_f64();
    kept.insert(kept.end(), m.begin(), m.end());
    x.insert(x.end(), v.begin(), v.end());
  }
  EXPECT_EQ(kept, mask(whole.at("drop")));
  EXPECT_EQ(x, whole.at("x").to_f64());
}

TEST(RandomNodes, AreInFilesOnlyAsFarAsTheyAreSet) {
  EXPECT_THAT(write_graph(dropping()), testing::Not(testing::HasSubstr("random_")));
  const Graph set = dropping({{"random_seed", int64_t{8}}, {"random_stream", std::string("other")}});
  const std::string text = write_graph(set);
  EXPECT_THAT(text, testing::HasSubstr("\"random_seed\": 8"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("random_step")));
  const auto read = parse_graph(text, "test");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->find("drop")->params, set.find("drop")->params);
}

TEST(RandomNodes, OfAWrongSeedAreRefused) {
  for (const auto& [param, value] : {std::pair("random_seed", int64_t{-2}), std::pair("random_step", int64_t{-1})}) {
    Graph graph = dropping({{param, value}});
    test::QuadAssets assets;
    const auto plan = plan_training(graph, assets);
    ASSERT_FALSE(plan) << param;
    EXPECT_EQ(plan.error().code, "HW-P001");
  }
}

TEST(RandomNodes, AtAFixedStepStillSeeAllOfTheTestSplit) {
  Program program;
  OpBuilder b(program);
  b.set_node("batch");
  b.set_random("batch", 4, 2);
  b.set_training(false);
  const auto data = example_dataset();
  b.sample_rows({.data = data, .rows = 3});
  const auto& attr = std::get<SampleRowsAttr>(program.instrs.back().attr);
  EXPECT_EQ(attr.which, Split::test);
  EXPECT_FALSE(attr.random.step);
}

TEST(NodeDraws, HeldOutSamplesAreDrawnByTheRunWhateverIsFixed) {
  Graph g = test::built(
      {AddNode{node("x", "random",
                    {{"shape", std::vector<double>{4, 2}}, {"random_seed", int64_t{5}}, {"random_step", int64_t{3}}})},
       AddNode{node("y", "relu")}, AddLink{link("x.y", "y.x")}});
  ASSERT_TRUE(node_draws(*g.find("x")).seed && node_draws(*g.find("x")).step);
  EXPECT_FALSE(node_draws(*g.find("y")).draws);
  clear_fixed_draws(g);
  EXPECT_TRUE(node_draws(*g.find("x")).draws);
  EXPECT_FALSE(node_draws(*g.find("x")).seed || node_draws(*g.find("x")).step);
  ASSERT_TRUE(apply_edits(g, {SetFlags{"x", false, true}}));
  EXPECT_FALSE(node_draws(*g.find("x")).draws) << "bypassed";
}

}  // namespace
}  // namespace hw
