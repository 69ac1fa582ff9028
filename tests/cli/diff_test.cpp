// halfwire-cli diff: exit code, text, JSON.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::TempFolder;
using ::testing::HasSubstr;

constexpr const char* kBefore = R"({"halfwire": 1, "nodes": [
  {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
  {"id": "m", "type": "mlp", "at": [300, 0]}, {"id": "r", "type": "relu", "at": [600, 0]}],
  "links": [["a.y", "m.x"], ["m.y", "r.x"]]})";
constexpr const char* kAfter = R"({"halfwire": 1, "nodes": [
  {"id": "a", "type": "constant", "at": [40, 0], "params": {"shape": [4, 8]}},
  {"id": "m", "type": "mlp", "at": [300, 0], "params": {"width": 64}}, {"id": "s", "type": "sin", "at": [600, 0]}],
  "links": [["a.y", "m.x"], ["m.y", "s.x"]]})";

TEST(Diff, SaysWhatDiffersAndEndsWithOne) {
  TempFolder folder;
  const std::string before = (folder / "before.halfwire").string(), after = (folder / "after.halfwire").string();
  test::write_bytes(before, kBefore);
  test::write_bytes(after, kAfter);
  const test::Outcome same = cli({"diff", before, before});
  EXPECT_EQ(same.exit, 0);
  EXPECT_EQ(same.out, "");
  const test::Outcome text = cli({"diff", before, after});
  EXPECT_EQ(text.exit, 1) << text.err;
  EXPECT_EQ(text.out,
            "~ node m (MLP)\n    width: 32 → 64\n- node r (ReLU)\n+ node s (Sin)\n- wire m.y → r.x\n+ wire m.y → s.x\n"
            "1 lies elsewhere on the canvas\n");
  const test::Outcome as_json = cli({"diff", before, after, "--json"});
  EXPECT_EQ(as_json.exit, 1);
  const auto all = nlohmann::json::parse(as_json.out);
  EXPECT_EQ(all["same"], false);
  EXPECT_EQ(all["levels"][0]["differences"].size(), 5u);
  EXPECT_EQ(all["levels"][0]["differences"][0]["fields"][0]["after"], "64");
  EXPECT_EQ(all["levels"][0]["moved"][0], "a");
  const test::Outcome none = cli({"diff", before, (folder / "none.halfwire").string()});
  EXPECT_EQ(none.exit, 3);
  EXPECT_THAT(none.err, HasSubstr("HW-F001"));
}

}  // namespace
}  // namespace hw
