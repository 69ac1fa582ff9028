// Codes of diagnostics are stable names: no two mean different things.
#include "engine/core/codes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace hw {
namespace {

TEST(Codes, AreUnique) {
  const std::filesystem::path header = std::filesystem::path(__FILE__).parent_path() / "../../engine/core/codes.h";
  std::ifstream file(header);
  ASSERT_TRUE(file) << header;
  const std::regex code("\"(HW-[A-Z][0-9]{3})\"");
  std::set<std::string> seen;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_search(line, match, code)) continue;
    EXPECT_TRUE(seen.insert(match[1]).second) << match[1];
  }
  EXPECT_TRUE(seen.contains(codes::kind_mismatch));
  EXPECT_GT(seen.size(), 40u);
}

}  // namespace
}  // namespace hw
