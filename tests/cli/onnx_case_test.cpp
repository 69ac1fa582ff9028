// onnx-test distinguishes wrong answers from right ones, on cases of its own.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

/// A TensorProto of f32 [2]: its dims, data_type and raw_data.
std::string proto(const std::vector<float>& values) {
  return "\x08\x02\x10\x01\x4a\x08" + std::string(reinterpret_cast<const char*>(values.data()), 8);
}

/// y = −x, with x and y of its data set; none: y is not there.
class NegCase {
 public:
  NegCase(const std::vector<float>& x, const std::vector<float>& y) {
    write_bytes(folder_ / "neg.halfwire", R"({"halfwire": 1, "nodes": [
      {"id": "x", "type": "input", "params": {"shape": [2], "axes": "", "symbolic": ""}},
      {"id": "neg", "type": "neg"},
      {"id": "y", "type": "output"}],
      "links": [["x.y", "neg.x"], ["neg.y", "y.x"]]})");
    const auto o = cli({"export", (folder_ / "neg.halfwire").string(), "-o", (folder_ / "model.onnx").string()});
    EXPECT_EQ(o.exit, 0) << o.err;
    fs::create_directory(folder_ / "test_data_set_0");
    write_bytes(folder_ / "test_data_set_0/input_0.pb", proto(x));
    if (!y.empty()) write_bytes(folder_ / "test_data_set_0/output_0.pb", proto(y));
  }
  Outcome run() const { return cli({"onnx-test", folder_.path().string()}); }

 private:
  TempFolder folder_;
};

TEST(OnnxCase, InfiniteValuesAreWantedAsTheyAre) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto right = NegCase({-inf, 2}, {inf, -2}).run();
  EXPECT_EQ(right.exit, 0) << right.out << right.err;
  const auto wrong = NegCase({-5, inf}, {inf, inf}).run();
  EXPECT_EQ(wrong.exit, 1) << wrong.out;
  EXPECT_NE(wrong.out.find("2 of 2 values differ"), std::string::npos) << wrong.out;
}

TEST(OnnxCase, DataWithoutWantedValuesFails) {
  const auto o = NegCase({1, 2}, {}).run();
  EXPECT_EQ(o.exit, 1) << o.out;
  EXPECT_NE(o.out.find("0 of 1 outputs"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace hw::test
