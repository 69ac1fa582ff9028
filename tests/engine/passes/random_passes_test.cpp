// Random networks on pictures, with passes and layouts and without.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/runtime/channels_last.h"
#include "engine/backend/cpu/runtime/schedule.h"
#include "engine/passes/program_passes.h"
#include "tests/engine/pass_comparison.h"
#include "tests/engine/quad_assets.h"
#include "tests/engine/random_pictures.h"

namespace hw {
namespace {

constexpr uint64_t kBlocks = 20, kNetworks = 25;  // in each; other seeds follow HALFWIRE_FIRST_SEED

std::shared_ptr<const Program> evaluation_of(const test::RandomPictures& pictures) {
  test::QuadAssets assets;
  const SocketRef wires[] = {pictures.prediction, pictures.between};
  const auto lowered = lower(pictures.graph, wires, {}, assets);
  EXPECT_TRUE(lowered) << lowered.error().text();
  for (const SocketRef& wire : wires) {
    lowered->program->outputs.push_back({wire.node, std::get<Val>(lowered->sockets.at(wire)).id});
    if (pictures.prediction == pictures.between) break;
  }
  return lowered->program;
}

/// How many gradients of weights are made by output channels.
size_t by_channels(const Program& gradients) {
  size_t count = 0;
  for (const Instr& instr : gradients.instrs)
    count += instr.op == Op::conv2d_grad_weight && cpu::cpu_tile_rule(gradients, instr).tiling == Tiling::none;
  return count;
}

class RandomPasses : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomPasses, ComputeWhatThePlainProgramDoes) {
  const char* other = std::getenv("HALFWIRE_FIRST_SEED");
  const uint64_t first = (other ? std::strtoull(other, nullptr, 10) : 1) + GetParam() * kNetworks;
  for (uint64_t seed = first; seed < first + kNetworks; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomPictures pictures = test::random_pictures(seed);
    test::expect_passes_keep(evaluation_of(pictures));
    test::QuadAssets assets;
    const auto planned = plan_training(pictures.graph, assets);
    ASSERT_TRUE(planned) << planned.error().text();
    test::expect_layouts_keep(*planned);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, RandomPasses, testing::Range(uint64_t{0}, kBlocks));

TEST(RandomPictures, HaveWhatPassesLookFor) {
  std::map<std::string, int> nodes;
  size_t folded = 0, regions = 0, last = 0, channels = 0;
  test::QuadAssets assets;
  for (uint64_t seed = 1; seed <= kBlocks * kNetworks; ++seed) {
    const test::RandomPictures pictures = test::random_pictures(seed);
    for (const auto& [id, node] : pictures.graph.nodes()) ++nodes[node.type];
    const PassedProgram passed = apply_passes(*evaluation_of(pictures), {"cpu", {}});
    folded += passed.notes.size();
    last += std::ranges::count(cpu::channels_last(*passed.program, {}), true) > 0 ? 1u : 0u;
    for (const cpu::Step& step : cpu::schedule(*passed.program)) regions += step.regions.size();
    channels += by_channels(*plan_training(pictures.graph, assets)->program);
  }
  EXPECT_GE(folded, 50u);
  EXPECT_GE(last, 100u);
  EXPECT_GE(regions, 5u);
  EXPECT_GE(channels, 10u);
  EXPECT_EQ(nodes.size(), 38u) << "all kinds that are made";
  for (const auto& [type, count] : nodes) EXPECT_GE(count, 10) << type;
}

}  // namespace
}  // namespace hw
