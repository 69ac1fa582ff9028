// The memory estimate: near what training takes, divided by what it is for, and refused with the figure.
#include "engine/plan/memory_estimate.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/devices/devices.h"
#include "engine/devices/temp_estimate.h"
#include "engine/program/builder.h"
#include "engine/train/session.h"
#include "tests/engine/failing_memory.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

TEST(MemoryEstimate, IsNearWhatTrainingTakes) {
  for (const char* device : {"cpu", "ref"}) {
    Graph graph = test::neural_texture();
    // Large enough that what kernels keep for themselves hardly counts.
    ASSERT_TRUE(
        apply_edits(graph, {SetParam{"train", "steps", int64_t{1}}, SetParam{"hash_grid", "log2_table", int64_t{17}},
                            SetParam{"surface_sampler", "points", int64_t{8192}}}));
    const auto assets = std::make_shared<test::QuadAssets>();
    const auto estimate = estimate_memory(graph, *assets, device);
    ASSERT_TRUE(estimate) << estimate.error().text();
    Session session(assets, nullptr);
    session.start(graph, device);
    session.wait();
    const auto taken = static_cast<double>(session.snapshot()->memory_bytes);
    ASSERT_GT(taken, 0);
    const size_t kept = estimate->total() - estimate->copies - estimate->loaded;
    const auto estimated = static_cast<double>(kept);
    std::printf("%s: predicted %s, took %s\n", device, memory_text(kept).c_str(),
                memory_text(static_cast<size_t>(taken)).c_str());
    EXPECT_GT(estimated, 0.8 * taken) << device;
    EXPECT_LT(estimated, 1.25 * taken) << device;
  }
}

/// Counts of what each update wrote that is not finite, and of the updates of each element of the hash grid's table.
size_t bytes_of_counts(const TrainingPlan& plan) {
  size_t bytes = 8 * plan.updated.size();
  for (const Param& p : plan.program->params)
    if (p.name == "hash_grid.table") bytes += 2 * static_cast<size_t>(element_count((*plan.program)[p.master].dims));
  return bytes;
}

TEST(MemoryEstimate, CountsParametersMastersAndMoments) {
  Graph graph = test::neural_texture();
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets);
  ASSERT_TRUE(plan);
  size_t parameters = 0, masters = 0;
  for (const Param& p : plan->program->params) {
    const auto bytes = [&](ValueId v) {
      return byte_count((*plan->program)[v].dtype, element_count((*plan->program)[v].dims));
    };
    parameters += bytes(p.view) + (p.master != p.view ? bytes(p.master) : 0);
    masters += bytes(p.master);
  }
  const auto estimate = estimate_memory(*plan, "cpu");
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->parameters, parameters);
  EXPECT_EQ(estimate->optimiser, 2 * masters + bytes_of_counts(*plan)) << "Adam's moments, and the updates' counts";
  EXPECT_GE(estimate->data, 8u * 8 * 4);  // the quad's texture
  EXPECT_GT(estimate->activations, 0u);
}

TEST(MemoryEstimate, CountsWhatAProgramOfUpdatesKeeps) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(
      graph, {SetParam{"hash_grid", "log2_table", int64_t{17}}, SetParam{"surface_sampler", "points", int64_t{8192}}}));
  test::QuadAssets assets;
  const auto plain = estimate_memory(graph, assets, "cpu");
  ASSERT_TRUE(plain);
  const auto plan = plan_training(graph, assets);
  ASSERT_TRUE(plan);
  size_t masters = 0;
  for (const Param& p : plan->program->params) masters += bytes_of((*plan->program)[p.master]);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "accumulate", int64_t{2}}, SetParam{"train", "ema_decay", 0.9}}));
  const auto accumulating = plan_training(graph, assets);
  ASSERT_TRUE(accumulating && accumulating->updates);
  size_t sums = 0;
  for (const auto& [name, state] : states_of(*accumulating))
    if (name.ends_with(kSum) || name.ends_with(kTouchedSum)) sums += bytes_of(*state);
  EXPECT_GT(sums, 0u);
  const auto estimate = estimate_memory(*accumulating, "cpu");
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->parameters, plain->parameters);
  EXPECT_EQ(estimate->optimiser, 3 * masters + sums + bytes_of_counts(*accumulating))
      << "moments, averages, sums, counts";

  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, "cpu", 1);
  session.wait();
  const auto taken = static_cast<double>(session.snapshot()->memory_bytes);
  EXPECT_GT(static_cast<double>(estimate->total()), 0.8 * taken);
}

TEST(MemoryEstimate, GuardsEditsAndLaterStarts) {
  Graph graph = test::neural_texture(), huge = graph;
  ASSERT_TRUE(
      apply_edits(huge, {SetParam{"surface_sampler", "points", int64_t{1} << 18},
                         SetParam{"mlp", "width", int64_t{1} << 12}, SetParam{"mlp", "hidden_layers", int64_t{64}}}));
  test::QuadAssets assets;
  const auto needed = estimate_memory(huge, assets, "cpu");
  ASSERT_TRUE(needed);
  ASSERT_GT(needed->total(), available_memory());
  const auto refused = [](const Session& session, RunState state) {
    const auto s = session.snapshot();
    EXPECT_EQ(s->state, state);
    ASSERT_TRUE(s->error);
    EXPECT_EQ(s->error->code, codes::out_of_memory);
    EXPECT_NE(s->error->reason.find("is free"), std::string::npos) << s->error->reason;
  };
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, "cpu", 2, true);
  session.step_once();
  session.wait();
  session.update_graph(huge);
  session.wait();
  refused(session, RunState::paused);
  session.start(huge, "cpu", 2);
  session.wait();
  refused(session, RunState::failed);
  session.start(graph, "cpu", 2);
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::finished) << "what fits goes on where it was";
  EXPECT_EQ(session.snapshot()->step, 3u);
}

TEST(MemoryEstimate, CountsWhatATileTakes) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val q = b.input("q", DType::f32, {1, 2, 700, 8});
  const Val shares = b.softmax(b.batch_matmul(q, q, false, true), 3);
  const Val y = b.batch_matmul(shares, q);
  ASSERT_TRUE(b.status()) << b.status().error().text();
  program->outputs.push_back({"y", y.id});
  const auto estimated = estimate_temp_bytes("cpu", *program);
  ASSERT_TRUE(estimated);
  const auto cpu = *make_device("cpu");
  const auto executable = cpu->compile(program, *cpu->prepare_states(*program, nullptr, 1, nullptr));
  ASSERT_TRUE(executable) << executable.error().text();
  ASSERT_TRUE((*executable)->run(StepInputs{}));
  const auto taken = static_cast<double>((*executable)->temp_bytes());
  EXPECT_GT(taken, 2.0 * 700 * 700 * 4);
  EXPECT_GT(static_cast<double>(estimated->total()), 0.8 * taken);
  EXPECT_LT(static_cast<double>(estimated->total()), 1.25 * taken);
}

TEST(MemoryEstimate, TakesNothingOfWhatItCounts) {
  const std::vector<double> shape{8192, 8192};
  Graph graph;
  ASSERT_TRUE(apply_edits(
      graph, {AddNode{test::node("weights", "parameter", {{"shape", shape}})},
              AddNode{test::node("large", "constant", {{"shape", shape}})}, AddNode{test::node("mse", "mse")},
              AddNode{test::node("train", "train")}, AddLink{test::link("weights.y", "mse.prediction")},
              AddLink{test::link("large.y", "mse.target")}, AddLink{test::link("mse.loss", "train.loss")}}));
  test::QuadAssets assets;
  std::optional<Result<MemoryEstimate>> estimated;
  {
    // Allocations of a mebibyte fail on the other thread.
    const test::FailingMemory memory(1, std::numeric_limits<uint64_t>::max() / 2, size_t{1} << 20);
    std::thread([&] { estimated = guarded([&] { return estimate_memory(graph, assets, "cpu"); }); }).join();
    EXPECT_EQ(memory.seen(), 0u);
  }
  ASSERT_TRUE(*estimated) << estimated->error().text();
  EXPECT_GT((*estimated)->total(), size_t{1} << 30) << "weights, moments, gradients";
}

TEST(MemoryEstimate, CountsAMeshWithItsColours) {
  class Painted : public test::QuadAssets {
   public:
    Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override {
      auto mesh = std::make_shared<Mesh>(*test::textured_quad());
      mesh->colours.assign(colours, {1, 1, 1});
      return std::shared_ptr<const Mesh>(std::move(mesh));
    }
    size_t colours = 0;
  };
  Painted assets;
  const auto plain = estimate_memory(test::neural_texture(), assets, "cpu");
  assets.colours = 100'000;
  const auto painted = estimate_memory(test::neural_texture(), assets, "cpu");
  ASSERT_TRUE(plain && painted);
  EXPECT_EQ(painted->data - plain->data, 100'000 * 3 * sizeof(float));
}

TEST(MemoryEstimate, RefusesWithTheFigure) {
  const MemoryEstimate needed{size_t{3} << 30, size_t{6} << 30, size_t{1} << 20, 512};
  EXPECT_TRUE(check_fits(needed, needed.total()));
  const Status refused = check_fits(needed, size_t{8} << 30);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::out_of_memory);
  EXPECT_NE(refused.error().reason.find("9.0 GiB"), std::string::npos) << refused.error().reason;
  EXPECT_NE(refused.error().reason.find("8.0 GiB is free"), std::string::npos);
  EXPECT_FALSE(refused.error().remedy.empty());
}

TEST(MemoryEstimate, CountsWhatACallerCopiesBesideARun) {
  Program program;
  OpBuilder b(program);
  program.outputs.push_back({"y", b.relu(b.input("x", DType::f32, {4})).id});
  const auto device = *make_device("cpu");
  EXPECT_TRUE(check_memory(program, *device));
  const Status refused = check_memory(program, *device, nullptr, size_t{1} << 60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::out_of_memory);
}

TEST(MemoryEstimate, TextsAndTheMachine) {
  EXPECT_EQ(memory_text(512), "512 B");
  EXPECT_EQ(memory_text(size_t{236} << 20), "236 MiB");
  EXPECT_EQ(memory_text(size_t{1536} << 20), "1.5 GiB");
  EXPECT_GT(available_memory(), size_t{1} << 20);
}

TEST(MemoryEstimate, AnUnknownDeviceIsRefused) {
  TrainingPlan plan;
  plan.program = std::make_shared<const Program>();
  const auto refused = estimate_memory(plan, "abacus");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::bad_usage);
}

}  // namespace
}  // namespace hw
