// What a run leaves in its folder, as a caller without a command line writes it.
#include "app/workspace/train_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/core/codes.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::workspace {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class TrainResults : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("train_results_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST_F(TrainResults, AFolderThatCannotBeMadeNamesTheOptionOnlyWhereThereIsOne) {
  fs::create_directories(folder_);
  const fs::path file = folder_ / "file";
  std::ofstream(file) << "no folder";
  const Status plain = prepare_folder(file / "below");
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().remedy, "Name another folder.");
  const Status asked = prepare_folder(file / "below", "--out");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().remedy, "Name another folder with --out.");
  EXPECT_TRUE(prepare_folder(folder_ / "new"));
  EXPECT_TRUE(fs::is_empty(folder_ / "new"));
}

TEST_F(TrainResults, AFolderInTheirPlaceIsFoundBeforeTheTraining) {
  fs::create_directories(folder_ / "loss.csv");
  const Status refused = prepare_folder(folder_, "--out");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::file_unwritable);
  EXPECT_EQ(refused.error().where, (folder_ / "loss.csv").string());
  EXPECT_EQ(refused.error().remedy, "Move it away, or name another folder with --out.");
}

TEST_F(TrainResults, HoldWeightsLossesAndAReport) {
  ASSERT_TRUE(prepare_folder(folder_));
  const fs::path checkpoint = folder_ / "checkpoint";
  std::ofstream(checkpoint) << "older than the results";
  TrainingRequest request;
  request.graph = test::texture_for(12);
  request.assets = std::make_shared<test::QuadAssets>();
  const Graph graph = request.graph;
  const auto assets = request.assets;
  const TrainingResult result = train_to_end(std::move(request), {}, nullptr);
  ASSERT_FALSE(result.last->error) << result.last->error->text();
  TrainOutcome outcome{"texture.halfwire", "cpu", graph, "train", train_settings(*graph.find("train")), result};
  const auto psnr = psnr_of(outcome, assets);
  ASSERT_TRUE(psnr) << psnr.error().text();
  outcome.psnr = *psnr;
  EXPECT_FALSE(has_results(folder_, checkpoint, 12));
  const TrainFiles files = write_results(outcome, folder_);
  EXPECT_TRUE(files.unwritten.empty());
  EXPECT_THAT(files.written,
              ElementsAre(folder_ / "weights.safetensors", folder_ / "loss.csv", folder_ / "report.json"));
  EXPECT_TRUE(has_results(folder_, checkpoint, 12));
  EXPECT_FALSE(has_results(folder_, checkpoint, 13));

  const auto weights = read_weights(folder_ / "weights.safetensors");
  ASSERT_TRUE(weights) << weights.error().text();
  EXPECT_EQ(weights->tensors.at("hash_grid.table").to_f64(), result.last->weights->at("hash_grid.table").to_f64());
  const std::string csv = read(folder_ / "loss.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 13) << csv;
  EXPECT_EQ(read(folder_ / "report.json"), files.report.dump(2) + "\n");
  const nlohmann::ordered_json& report = files.report;
  EXPECT_EQ(report.at("steps"), 12);
  EXPECT_EQ(report.at("interrupted"), false);
  EXPECT_EQ(report.at("errors"), nlohmann::ordered_json::array());

  const auto aside = set_results_aside(folder_);
  ASSERT_TRUE(aside) << aside.error().text();
  EXPECT_THAT(*aside, ElementsAre("weights.previous.safetensors", "loss.previous.csv", "report.previous.json"));
  EXPECT_FALSE(fs::exists(folder_ / "report.json"));
}

TEST_F(TrainResults, OfARunThatFailedSayWhy) {
  ASSERT_TRUE(prepare_folder(folder_));
  TrainingRequest request;
  request.graph = test::texture_for(12);
  request.assets = std::make_shared<test::QuadAssets>();
  request.device = "nowhere";
  const Graph graph = request.graph;
  const TrainingResult result = train_to_end(std::move(request), {}, nullptr);
  ASSERT_TRUE(result.last->error);
  const TrainFiles files = write_results(
      {"texture.halfwire", "nowhere", graph, "train", train_settings(*graph.find("train")), result}, folder_);
  EXPECT_FALSE(fs::exists(folder_ / "weights.safetensors"));
  EXPECT_EQ(files.report.at("errors").at(0).at("code"), result.last->error->code);
}

}  // namespace
}  // namespace hw::workspace
