// Regular expressions to find nodes by: what they match, what is wrong, and that none takes long.
#include "app/models/graph/pattern.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"

namespace hw::app {
namespace {

TEST(Pattern, MatchesAnywhereAndIgnoresCase) {
  struct {
    const char *expression, *text;
    bool matches;
  } const cases[] = {{"a+b", "xxAAb", true},
                     {"^conv_[0-9]{2,3}$", "conv_123", true},
                     {"^conv_[0-9]{2,3}$", "conv_1", false},
                     {"\\bfoo\\b", "afoo", false},
                     {"", "abc", true},
                     {"é.", "née", true},
                     {"colou?r", "Color Net", true}};
  for (const auto& c : cases) {
    const auto pattern = make_pattern(c.expression);
    ASSERT_TRUE(pattern) << c.expression;
    EXPECT_EQ((*pattern)(c.text), c.matches) << c.expression << " in " << c.text;
  }
}

TEST(Pattern, SaysWhatIsWrong) {
  for (const char* expression : {"(", "[", "*", "a{3,1}"}) {
    const auto pattern = make_pattern(expression);
    ASSERT_FALSE(pattern) << expression;
    EXPECT_EQ(pattern.error().code, codes::expression_syntax) << pattern.error().text();
    EXPECT_FALSE(pattern.error().remedy.empty()) << expression;
  }
  const auto large = make_pattern("(\\pL{100}){9}");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, codes::expression_size) << large.error().text();
  EXPECT_FALSE(make_pattern(std::string(100'000, '(')));
}

TEST(Pattern, WhatBacktracksElsewhereIsReadOnce) {
  // Where an expression is tried again for each way to divide the text, this takes longer than the universe has.
  const std::string text(5'000, 'a');
  for (const char* expression : {"(a+)+b", "(a|aa)*b", "(a*)*b", "(a?){50}a{50}b"}) {
    const auto pattern = make_pattern(expression);
    ASSERT_TRUE(pattern) << expression;
    EXPECT_FALSE((*pattern)(text)) << expression;
    EXPECT_TRUE((*pattern)(text + "b")) << expression;
  }
}

}  // namespace
}  // namespace hw::app
