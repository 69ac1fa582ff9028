// What shortcuts do, in the example: without them gradients grow from block to block towards the input.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/cli/made_data.h"

namespace hw {
namespace {

/// By "node.value": the norm of its gradient at the first step.
std::map<std::string, double> first_norms(const std::filesystem::path& csv) {
  std::map<std::string, double> norms;
  std::ifstream file(csv);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string step, node, value, kind, norm;
    for (std::string* word : {&step, &node, &value, &kind, &norm}) std::getline(words, *word, ',');
    if (step == "1" && !norm.empty()) norms[node + "." + value] = std::stod(norm);
  }
  return norms;
}

TEST(Shortcuts, KeepGradientsFromGrowing) {
  const test::MadeData data;
  const test::TempFolder folder;
  const auto o = test::cli(
      {"train", test::example("mistakes/shortcuts"), "--steps", "1", "--instruments", "--out", folder.path().string()});
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto norms = first_norms(folder / "gradients.csv");
  const auto growth = [&](const std::string& network) {
    return norms.at(network + "/block_1_1/conv_1.weight") / norms.at(network + "/block_5_4/conv_1.weight");
  };
  EXPECT_LT(growth("with"), 10) << "first block over last";
  EXPECT_GT(growth("without"), 20);
}

}  // namespace
}  // namespace hw
