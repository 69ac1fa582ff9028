// Photographs from the command line: fit, report, draw.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/io/media/image_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;

/// The example in `folder`, on a small picture of smooth colour.
std::string small_photograph(const TempFolder& folder) {
  Image image{48, 32, {}};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const double wave = 127.5 + 120 * std::sin(x * 0.3) * std::cos(y * 0.2);
      image.rgba.insert(image.rgba.end(),
                        {static_cast<uint8_t>(wave), static_cast<uint8_t>(5 * x), static_cast<uint8_t>(7 * y), 255});
    }
  }
  EXPECT_TRUE(save_png(image, folder / "small.png"));
  std::string text = test::read_bytes(std::string(HALFWIRE_EXAMPLES) + "/photograph.halfwire");
  const std::string asset = "asset:LWO/LWO2/MappingModes/earthCylindric.jpg";
  text.replace(text.find(asset), asset.size(), "small.png");
  test::write_bytes(folder / "photo.halfwire", text);
  return (folder / "photo.halfwire").string();
}

std::vector<std::string> training(const std::string& graph, const std::string& out, const std::string& steps) {
  return {"train",   graph,
          "--out",   out,
          "--steps", steps,
          "--set",   "sampler.points=1024",
          "--set",   "encoder.log2_table=10",
          "--set",   "encoder.levels=6"};
}

TEST(Photograph, LearnsAndSaysHowWellOverTheWholePicture) {
  const TempFolder folder;
  const std::string graph = small_photograph(folder), out = (folder / "out").string();
  const Outcome trained = cli(training(graph, out, "150"));
  ASSERT_EQ(trained.exit, 0) << trained.err;
  const json report = json::parse(test::read_bytes(folder / "out/report.json"));
  EXPECT_GT(report["psnr"].get<double>(), 25);
  EXPECT_THAT(report["psnr_is"].get<std::string>(), HasSubstr("all pixels"));
  EXPECT_GT(report["samples_per_s"].get<double>(), 0);

  // render says the same number, and writes the picture it is the number of.
  std::string text = test::read_bytes(graph);
  const auto put = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  put("\"levels\": 16", "\"levels\": 6");
  put("\"log2_table\": 17", "\"log2_table\": 10");
  test::write_bytes(graph, text);
  const std::string png = (folder / "fit.png").string();
  const Outcome drawn =
      cli({"render", graph, "-o", png, "--weights", out + "/weights.safetensors", "--compare", "--split", "0.5"});
  ASSERT_EQ(drawn.exit, 0) << drawn.err;
  char said[64];
  std::snprintf(said, sizeof said, "PSNR %.2f dB", report["psnr"].get<double>());
  EXPECT_THAT(drawn.out, HasSubstr(said));
  const auto picture = load_image(png), original = load_image(folder / "small.png");
  ASSERT_TRUE(picture && original);
  EXPECT_EQ(picture->width, 48);
  EXPECT_EQ(picture->height, 32);
  bool left_same = true, right_same = true;
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 48; ++x) {
      const auto at = static_cast<size_t>(y * 48 + x) * 4;
      const bool same = std::equal(picture->rgba.begin() + static_cast<std::ptrdiff_t>(at),
                                   picture->rgba.begin() + static_cast<std::ptrdiff_t>(at + 4),
                                   original->rgba.begin() + static_cast<std::ptrdiff_t>(at));
      (x < 24 ? left_same : right_same) &= same;
    }
  }
  EXPECT_TRUE(left_same) << "the original, left of the split";
  EXPECT_FALSE(right_same) << "the network, right of it";
}

TEST(Photograph, RenderTakesAnotherSizeAndRefusesAMissingPicture) {
  const TempFolder folder;
  const std::string graph = small_photograph(folder), png = (folder / "fit.png").string();
  const Outcome drawn = cli({"render", graph, "-o", png, "--size", "20x10"});
  ASSERT_EQ(drawn.exit, 0) << drawn.err;
  EXPECT_THAT(drawn.err, HasSubstr("untrained"));
  EXPECT_EQ(load_image(png)->width, 20);
  const Outcome nobody = cli({"render", graph, "-o", png, "--node", "nobody"});
  EXPECT_EQ(nobody.exit, 2) << nobody.err;
  EXPECT_THAT(nobody.err, HasSubstr("HW-G003"));
  for (const auto& [option, value] :
       {std::pair("--camera", "10,20,1"), std::pair("--background", "zzz"), std::pair("--view", "normals"),
        std::pair("--view", "field"), std::pair("--fov", "30")}) {
    const Outcome unused = cli({"render", graph, "-o", png, option, value});
    EXPECT_EQ(unused.exit, 2) << option << unused.err;
    EXPECT_THAT(unused.err, HasSubstr(option));
  }
  std::filesystem::remove(folder / "small.png");
  const Outcome missing = cli({"render", graph, "-o", png});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_THAT(missing.err, HasSubstr("HW-A001"));
  EXPECT_THAT(missing.err, HasSubstr("small.png"));
}

TEST(Photograph, IsDrawnAlikeOnEveryDevice) {
  const TempFolder folder;
  const std::string graph = small_photograph(folder), png = (folder / "fit.png").string();
  std::vector<Image> pictures;
  for (const std::vector<std::string>& where : std::vector<std::vector<std::string>>{
           {}, {"--device", "ref"}, {"--pin", "mlp=ref"}, {"--device", "ref", "--pin", "mlp=cpu"}}) {
    std::vector<std::string> args{"render", graph, "-o", png};
    args.insert(args.end(), where.begin(), where.end());
    const Outcome drawn = cli(args);
    ASSERT_EQ(drawn.exit, 0) << drawn.err;
    EXPECT_THAT(drawn.err, Not(HasSubstr("not used")));
    const auto picture = load_image(png);
    ASSERT_TRUE(picture) << picture.error().text();
    pictures.push_back(*picture);
  }
  for (const Image& picture : pictures) {
    ASSERT_EQ(picture.rgba.size(), 48u * 32 * 4);
    for (size_t i = 0; i < picture.rgba.size(); ++i) ASSERT_NEAR(picture.rgba[i], pictures[0].rgba[i], 1) << i;
  }
}

}  // namespace
}  // namespace hw
