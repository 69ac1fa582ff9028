// import and onnx-test from the terminal; ONNX's own cases where Debian's libonnx-testdata lies.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/process.h"

namespace hw::test {
namespace {

const std::filesystem::path kCases = "/usr/share/libonnx-testdata/data";

/// What cases of ONNX 1.17 (Debian 13) expect, and those of 1.23 no more: int4 out of range was held at its ends and
/// wraps, int8 out of range wrapped and is held; the inverse DFT was rounded otherwise, by up to 1.91e-7. Those of
/// Debian 12 have no DFT of opset 19.
const std::set<std::string> kCorrectedLater{
    "test_cast_FLOAT16_to_INT4",
    "test_cast_FLOAT16_to_UINT4",
    "test_cast_FLOAT_to_INT4",
    "test_cast_FLOAT_to_UINT4",
    "test_dft_inverse",
    "test_dft_inverse_opset19",
    "test_qlinearmatmul_2D_int8_float16",
    "test_qlinearmatmul_2D_int8_float32",
    "test_qlinearmatmul_3D_int8_float16",
    "test_qlinearmatmul_3D_int8_float32",
};

TEST(OnnxTest, TheBackendTestsOfOnnx) {
  if (!std::filesystem::exists(kCases)) GTEST_SKIP() << "libonnx-testdata is not installed";
  const struct {
    const char* folder;
    int least;
  } sets[]{{"node", 700}, {"pytorch-converted", 80}, {"pytorch-operator", 33}, {"simple", 7}};
  const bool have_opset_19_dft = std::filesystem::exists(kCases / "node/test_dft_inverse_opset19");
  const auto corrected = [&](const nlohmann::json& c) {
    return have_opset_19_dft && kCorrectedLater.contains(c["case"].get<std::string>());
  };
  for (const auto& set : sets) {
    const auto o = cli({"onnx-test", (kCases / set.folder).string(), "--json"});
    ASSERT_LE(o.exit, 1) << o.err;
    const auto j = nlohmann::json::parse(o.out);
    for (const auto& c : j["cases"]) EXPECT_TRUE(c["verdict"] != "failed" || corrected(c)) << c;
    EXPECT_EQ(o.exit == 0, j["failed"] == 0);
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
