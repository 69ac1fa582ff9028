// bake: the picture on the baked mesh is the field's.
#include <gmock/gmock.h>

#include <cmath>

#include "engine/io/media/image_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::kExample;
using test::Outcome;
using ::testing::HasSubstr;

#if HALFWIRE_HAS_VIEWPORT

Image picture(std::vector<std::string> args, const std::filesystem::path& png) {
  for (const char* arg : {"--size", "320x240", "-o"}) args.emplace_back(arg);
  args.push_back(png.string());
  const Outcome o = cli(args);
  EXPECT_EQ(o.exit, 0) << o.err;
  const auto image = load_image(png);
  EXPECT_TRUE(image);
  return image ? *image : Image{};
}

TEST(CliBake, TheBakedPictureIsTheField) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string(), weights = out + "/weights.safetensors";
  const Outcome trained = cli({"train", kExample, "--steps", "200", "--set", "sampler.points=4096", "--out", out});
  ASSERT_EQ(trained.exit, 0) << trained.err;
  for (const char* name : {"duck.glb", "duck.obj"}) {
    const std::string mesh = (folder / name).string();
    const Outcome baked = cli({"bake", kExample, "--weights", weights, "-o", mesh});
    ASSERT_EQ(baked.exit, 0) << baked.err;
    EXPECT_THAT(baked.out, HasSubstr("overlap")) << "why there are new texture coordinates";
    // Same camera; covered pixels are those that do not depend on the background.
    std::vector<std::string> field{"render", kExample, "--weights", weights}, own = field;
    for (const std::string& arg : {std::string("--set"), "mesh.path=" + mesh, std::string("--split"), std::string("1")})
      own.push_back(arg);
    const auto over = [](std::vector<std::string> args, const char* background) {
      args.emplace_back("--background");
      args.emplace_back(background);
      return args;
    };
    const Image black = picture(over(field, "000000"), folder / "a.png"),
                white = picture(over(field, "ffffff"), folder / "b.png");
    const Image seen = picture(over(own, "000000"), folder / "c.png");
    double sum = 0;
    size_t covered = 0;
    for (size_t i = 0; i < black.rgba.size(); i += 4) {
      if (!std::equal(&black.rgba[i], &black.rgba[i] + 3, &white.rgba[i])) continue;
      ++covered;
      for (size_t c = 0; c < 3; ++c) sum += std::pow((black.rgba[i + c] - seen.rgba[i + c]) / 255.0, 2) / 3;
    }
    ASSERT_GT(covered, 10'000u);
    const double db = -10 * std::log10(sum / static_cast<double>(covered));
    std::printf("%s: %.2f dB over %zu covered pixels\n", name, db, covered);
    EXPECT_GT(db, 35);
  }
}

#endif

TEST(CliBake, SaysWhyItCannot) {
  const test::TempFolder folder;
  const std::string out = (folder / "duck.glb").string();
  const Outcome kept = cli({"bake", kExample, "-o", out, "--uvs", "keep"});
  EXPECT_EQ(kept.exit, 1);
  EXPECT_THAT(kept.err, HasSubstr("HW-A003"));
  const Outcome size = cli({"bake", kExample, "-o", out, "--size", "7"});
  EXPECT_EQ(size.exit, 2);
  EXPECT_THAT(size.err, HasSubstr("HW-C001"));
  const Outcome node = cli({"bake", kExample, "-o", out, "--node", "mlp"});
  EXPECT_EQ(node.exit, 2);
  EXPECT_THAT(node.err, HasSubstr("HW-G003"));
  const Outcome ending = cli({"bake", kExample, "-o", (folder / "duck.stl").string()});
  EXPECT_EQ(ending.exit, 3);
  EXPECT_THAT(ending.err, HasSubstr("HW-F002"));
  EXPECT_EQ(folder.count(), 0u) << "nothing is left behind";
}

}  // namespace
}  // namespace hw
