// import and onnx-test from the terminal; ONNX's own cases where Debian's libonnx-testdata lies.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace hw::test {
namespace {

const std::filesystem::path kCases = "/usr/share/libonnx-testdata/data";

TEST(OnnxTest, TheBackendTestsOfOnnx) {
  if (!std::filesystem::exists(kCases)) GTEST_SKIP() << "libonnx-testdata is not installed";
  const struct {
    const char* folder;
    int least;
  } sets[]{{"node", 700}, {"pytorch-converted", 80}, {"pytorch-operator", 33}, {"simple", 7}};
  for (const auto& set : sets) {
    const auto o = cli({"onnx-test", (kCases / set.folder).string(), "--json"});
    ASSERT_EQ(o.exit, 0) << o.out << o.err;
    const auto j = nlohmann::json::parse(o.out);
    EXPECT_EQ(j["failed"], 0) << "a wrong answer";
    EXPECT_GE(j["passed"], set.least) << set.folder;
  }
}

TEST(OnnxTest, WhatIsNoCaseIsRefused) {
  const TempFolder folder;
  const auto o = cli({"onnx-test", folder.path().string()});
  EXPECT_EQ(o.exit, 3);
  EXPECT_NE(o.err.find("model.onnx"), std::string::npos) << o.err;
}

TEST(OnnxImportCommand, WritesGraphAndWeightsOnce) {
  if (!std::filesystem::exists(kCases)) GTEST_SKIP() << "libonnx-testdata is not installed";
  const TempFolder folder;
  const std::string model = (kCases / "pytorch-converted/test_Conv2d/model.onnx").string(),
                    out = (folder / "conv.halfwire").string();
  const auto o = cli({"import", model, "-o", out});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_NE(o.out.find("0 operators missing"), std::string::npos) << o.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "conv.safetensors"));
  EXPECT_EQ(cli({"validate", out}).exit, 0);
  EXPECT_EQ(cli({"import", model, "-o", out}).exit, 3) << "nothing is written over";
  EXPECT_EQ(cli({"import", "/nonexistent.onnx", "-o", (folder / "n.halfwire").string()}).exit, 3);
}

}  // namespace
}  // namespace hw::test
