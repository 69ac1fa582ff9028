// What is typed into a number's field: calculations, and steps from the value as it is.
#include "engine/expression/typed_param.h"

#include <gtest/gtest.h>

#include <numbers>

namespace hw::typed_param_test {
namespace {

ParamValue typed(const ParamDecl& param, std::string_view text, const ParamValue& now) {
  const auto value = parse_typed(param, text, now);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().text());
  return value ? *value : ParamValue{};
}

std::string refusal(const ParamDecl& param, std::string_view text, const ParamValue& now) {
  const auto value = parse_typed(param, text, now);
  EXPECT_FALSE(value) << text;
  return value ? "" : value.error().reason;
}

TEST(TypedParam, Calculations) {
  NodeDecl d;
  const ParamDecl r = d.real("r", 1);
  EXPECT_EQ(typed(r, "1e-3/2", 1.0), ParamValue(5e-4));
  EXPECT_EQ(typed(r, "sqrt(2)", 1.0), ParamValue(std::sqrt(2.0)));
  EXPECT_EQ(typed(r, " pi/4 ", 1.0), ParamValue(std::numbers::pi / 4));
  EXPECT_EQ(typed(r, "-2^2", 1.0), ParamValue(-4.0));
  EXPECT_EQ(typed(r, "2^3^2", 1.0), ParamValue(512.0));
  EXPECT_EQ(typed(r, "max(1, 2^-1) + abs(-3)", 1.0), ParamValue(4.0));
  const ParamDecl i = d.integer("i", 1).range(1, 1 << 20);
  EXPECT_EQ(typed(i, "2*64", int64_t{1}), ParamValue(int64_t{128}));
  EXPECT_EQ(typed(i, "2^16", int64_t{1}), ParamValue(int64_t{65536}));
  EXPECT_EQ(typed(i, "1.1*10", int64_t{1}), ParamValue(int64_t{11})) << "f64 has 11.000000000000002";
  EXPECT_EQ(typed(i, "64", int64_t{1}), ParamValue(int64_t{64}));
}

TEST(TypedParam, StepsFromTheValueAsItIs) {
  NodeDecl d;
  const ParamDecl i = d.integer("i", 1).range(1, 100);
  EXPECT_EQ(typed(i, "+=8", int64_t{32}), ParamValue(int64_t{40}));
  EXPECT_EQ(typed(i, "*= 2", int64_t{32}), ParamValue(int64_t{64}));
  EXPECT_EQ(typed(i, " -=3*4", int64_t{32}), ParamValue(int64_t{20}));
  EXPECT_EQ(typed(d.real("r", 1), "/=10", 0.5), ParamValue(0.05));
}

TEST(TypedParam, EachNumberOfAListIsCalculated) {
  NodeDecl d;
  const ParamDecl v = d.vector("v", {1, 1});
  const auto list = [](std::vector<double> values) { return ParamValue(std::move(values)); };
  EXPECT_EQ(typed(v, "4, 8", list({1})), list({4, 8}));
  EXPECT_EQ(typed(v, "[2*4, 28^2]", list({1})), list({8, 784}));
  EXPECT_EQ(typed(v, "max(2, 3), pi/pi", list({1})), list({3, 1}));
  for (const char* text : {"2*, 4", "4,,8", "(1, 2", "a, 2"}) EXPECT_FALSE(parse_typed(v, text, list({1}))) << text;
}

TEST(TypedParam, TheResultIsCheckedAsIfItHadBeenTyped) {
  NodeDecl d;
  const ParamDecl i = d.integer("i", 1).range(1, 100);
  EXPECT_EQ(refusal(i, "5/2", int64_t{1}), "must be a whole number from 1 to 100, got 2.5.");
  EXPECT_EQ(refusal(i, "*=4", int64_t{32}), "must be a whole number from 1 to 100, got 128.");
  EXPECT_EQ(refusal(i, "eight", int64_t{32}), "must be a whole number from 1 to 100, got eight.");
  EXPECT_EQ(refusal(i, "2*", int64_t{32}), "must be a whole number from 1 to 100, got 2*.");
  for (const char* text : {"", "1; x = 2", "y", "x", "1 2", "vec3(1)", "+=", "sqrt(1, 2)", "1 < 2", "in a", "true"})
    EXPECT_FALSE(parse_typed(i, text, int64_t{32})) << text;
  EXPECT_FALSE(parse_typed(d.real("r", 1), "1/0", 1.0));
  EXPECT_FALSE(parse_typed(d.real("s", 1), "sqrt(-1)", 1.0));
  EXPECT_EQ(typed(d.text("t", ""), "2*64", std::string()), ParamValue(std::string("2*64")));
}

}  // namespace
}  // namespace hw::typed_param_test
