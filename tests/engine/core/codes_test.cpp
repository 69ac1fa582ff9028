// Codes of diagnostics are stable names: no two mean different things.
#include "engine/core/codes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

namespace hw {
namespace {

TEST(Codes, AreUnique) {
  std::ifstream file(HALFWIRE_CODES);
  ASSERT_TRUE(file) << HALFWIRE_CODES;
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
