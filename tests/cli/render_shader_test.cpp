// render --shader: the field computed by the device that draws.
#include <gmock/gmock.h>

#include "engine/io/media/image_file.h"
#include "tests/cli/process.h"

#if HALFWIRE_HAS_VIEWPORT

namespace hw::render_shader_test {
namespace {

using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;

/// The example with a network small enough for a software driver's compiler.
std::vector<std::string> drawing(const std::string& file) {
  return {"render", std::string(HALFWIRE_EXAMPLES) + "/neural_texture.halfwire",
          "-o",     file,
          "--size", "160x120",
          "--set",  "encoder.levels=2",
          "--set",  "encoder.log2_table=8",
          "--set",  "mlp.width=8",
          "--set",  "mlp.hidden_layers=1"};
}

TEST(CliRenderShader, DrawsWhatTheCpuDraws) {
  const TempFolder folder;
  const std::string by_cpu = (folder / "cpu.png").string(), by_shader = (folder / "shader.png").string();
  const Outcome cpu = cli(drawing(by_cpu));
  ASSERT_EQ(cpu.exit, 0) << cpu.err;
  auto args = drawing(by_shader);
  args.push_back("--shader");
  const Outcome shader = cli(args);
  ASSERT_EQ(shader.exit, 0) << shader.err;
  const auto a = load_image(by_cpu), b = load_image(by_shader);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->rgba.size(), b->rgba.size());
  int largest = 0, brightest = 0;
  size_t different = 0;
  for (size_t i = 0; i < a->rgba.size(); ++i) {
    if (i % 4 == 3) continue;
    const int difference = std::abs(int{a->rgba[i]} - int{b->rgba[i]});
    largest = std::max(largest, difference);
    different += difference > 0;
    brightest = std::max(brightest, int{a->rgba[i]});
  }
  EXPECT_LE(largest, 1);
  EXPECT_LT(different, a->rgba.size() / 100) << "what the roundings of the two may make";
  EXPECT_GT(brightest, 50) << "there is something to see";
}

TEST(CliRenderShader, WhatNoShaderCanBeMadeOfIsRefused) {
  const TempFolder folder;
  auto args = drawing((folder / "a.png").string());
  args.insert(args.end(), {"--shader", "--compare"});
  const Outcome compared = cli(args);
  EXPECT_EQ(compared.exit, 2);
  EXPECT_THAT(compared.err, HasSubstr("--compare"));

  const std::string text = test::read_bytes(std::string(HALFWIRE_EXAMPLES) + "/neural_texture.halfwire");
  const std::string wire = R"(["sigmoid.y", "viewport.field"])", nodes = R"("nodes": [)";
  const auto drawn = [&](const std::string& wires, const std::string& more_nodes, bool by_shader) {
    std::string changed = text;
    changed.replace(changed.find(wire), wire.size(), wires);
    changed.insert(changed.find(nodes) + nodes.size(), more_nodes);
    test::write_bytes(folder / "g.halfwire", changed);
    std::vector<std::string> call{
        "render", (folder / "g.halfwire").string(), "-o", (folder / "a.png").string(), "--size", "32x32"};
    if (by_shader) call.push_back("--shader");
    return cli(call);
  };
  const std::string whole =
      R"({"id": "whole", "type": "cast", "params": {"to": "i32"}}, {"id": "back", "type": "cast"},)";
  const std::string through = R"(["sigmoid.y", "whole.x"], ["whole.y", "back.x"], ["back.y", "viewport.field"])";
  EXPECT_EQ(drawn(through, whole, false).exit, 0);
  const Outcome refused = drawn(through, whole, true);
  EXPECT_EQ(refused.exit, 1);
  EXPECT_THAT(refused.err, HasSubstr("HW-R008 at whole"));
  EXPECT_THAT(refused.err, HasSubstr("i32"));
  const Outcome open = drawn(R"(["sigmoid.y", "idle.x"])", R"({"id": "idle", "type": "cast"},)", true);
  EXPECT_EQ(open.exit, 1);
  EXPECT_THAT(open.err, HasSubstr("--shader needs a field"));
}

TEST(CliRenderShader, AnImageViewHasNoUseForIt) {
  const TempFolder folder;
  const Outcome refused = cli({"render", std::string(HALFWIRE_EXAMPLES) + "/photograph.halfwire", "-o",
                               (folder / "a.png").string(), "--shader"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("--shader"));
  EXPECT_THAT(refused.err, HasSubstr("shows no mesh"));
}

}  // namespace
}  // namespace hw::render_shader_test

#endif
