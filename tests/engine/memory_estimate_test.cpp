// The memory estimate: near what training takes, told apart by what it is for, and refused with the figure.
#include "engine/run/memory_estimate.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "engine/run/session.h"
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
    const auto told = static_cast<double>(estimate->total());
    std::printf("%s: told %s, took %s\n", device, memory_text(estimate->total()).c_str(),
                memory_text(static_cast<size_t>(taken)).c_str());
    EXPECT_GT(told, 0.8 * taken) << device;
    EXPECT_LT(told, 1.25 * taken) << device;
  }
}

TEST(MemoryEstimate, CountsParametersMastersAndMoments) {
  Graph graph = test::neural_texture();
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets);
  ASSERT_TRUE(plan);
  size_t parameters = 0, masters = 0;
  for (const Param& p : plan->program->params) {
    const auto bytes = [&](ValueId v) {
      return static_cast<size_t>(element_count((*plan->program)[v].dims)) * size_of((*plan->program)[v].dtype);
    };
    parameters += bytes(p.view) + (p.master != p.view ? bytes(p.master) : 0);
    masters += bytes(p.master);
  }
  const auto estimate = estimate_memory(*plan->program, "cpu");
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->parameters, parameters);
  EXPECT_EQ(estimate->optimiser, 2 * masters);  // Adam
  EXPECT_GE(estimate->data, 8u * 8 * 4);        // the quad's texture
  EXPECT_GT(estimate->activations, 0u);
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

TEST(MemoryEstimate, TextsAndTheMachine) {
  EXPECT_EQ(memory_text(512), "512 B");
  EXPECT_EQ(memory_text(size_t{236} << 20), "236 MiB");
  EXPECT_EQ(memory_text(size_t{1536} << 20), "1.5 GiB");
  EXPECT_GT(available_memory(), size_t{1} << 20);
}

TEST(MemoryEstimate, AnUnknownDeviceIsRefused) {
  const auto refused = estimate_memory(Program{}, "abacus");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::bad_usage);
}

}  // namespace
}  // namespace hw
