// check_param and parse_param: what is taken, in which kind, and how a refusal reads.
#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "engine/node/declaration.h"

namespace hw::param_test {
namespace {

ParamValue parsed(const ParamDecl& param, std::string_view text) {
  const auto value = parse_param(param, text);
  EXPECT_TRUE(value) << (value ? "" : value.error().text());
  return value ? *value : ParamValue{};
}

std::string refusal(const ParamDecl& param, std::string_view text) {
  const auto value = parse_param(param, text);
  EXPECT_FALSE(value) << text;
  return value ? "" : value.error().text();
}

TEST(Param, WholeNumbersAreTakenForRealsAndBack) {
  NodeDecl d;
  const ParamDecl rate = d.real("rate", 0.5).range(0, 10);
  EXPECT_EQ(*check_param(rate, int64_t{3}), ParamValue(3.0));
  const ParamDecl levels = d.integer("levels", 16).range(1, 32);
  EXPECT_EQ(*check_param(levels, 8.0), ParamValue(int64_t{8}));
  EXPECT_FALSE(check_param(levels, 8.5));
}

TEST(Param, TextIsReadInTheParametersOwnKind) {
  NodeDecl d;
  EXPECT_EQ(parsed(d.integer("i", 0), " +12 "), ParamValue(int64_t{12}));
  EXPECT_EQ(parsed(d.integer("j", 0), "1e3"), ParamValue(int64_t{1000}));
  EXPECT_EQ(parsed(d.real("r", 0), "-2.5e-3"), ParamValue(-2.5e-3));
  EXPECT_EQ(parsed(d.boolean("b", false), "on"), ParamValue(true));
  EXPECT_EQ(parsed(d.choice("c", "relu", {"relu", "none"}), "none"), ParamValue(std::string("none")));
  EXPECT_EQ(parsed(d.dtype("t", DType::f32, {DType::f32, DType::f16}), "f16"), ParamValue(std::string("f16")));
  const ParamDecl v = d.vector("v", {});
  for (const char* text : {"[1, 2.5]", "1,2.5", "1 2.5", " [ 1 ,2.5 ] "})
    EXPECT_EQ(parsed(v, text), ParamValue(std::vector<double>{1, 2.5})) << text;
  EXPECT_EQ(parsed(v, "[]"), ParamValue(std::vector<double>{}));
}

TEST(Param, WholeNumbersThatADoubleWouldRoundAreRefused) {
  NodeDecl d;
  const ParamDecl seed = d.integer("seed", 0).range(-0x1p53, 0x1p53);
  const int64_t most = int64_t{1} << 53;
  EXPECT_EQ(parsed(seed, "9007199254740992"), ParamValue(most));
  EXPECT_EQ(parsed(seed, "-9007199254740992"), ParamValue(-most));
  EXPECT_EQ(*check_param(seed, 0x1p53 - 1), ParamValue(most - 1));
  for (const char* text : {"9007199254740993", "-9007199254740993", "9007199254740993.0", "9223372036854775808"})
    EXPECT_NE(refusal(seed, text).find("got " + std::string(text) + "."), std::string::npos) << refusal(seed, text);
  EXPECT_FALSE(check_param(seed, most + 1));
  EXPECT_FALSE(check_param(seed, -most - 1));
  EXPECT_FALSE(check_param(seed, 0x1p53)) << "may have been 2^53 + 1";
}

TEST(Param, RefusalsSayWhatWasExpectedAndGot) {
  NodeDecl d;
  EXPECT_EQ(refusal(d.integer("levels", 16).range(1, 32), "33"),
            "HW-P001 at levels: must be a whole number from 1 to 32, got 33. The default is 16.");
  EXPECT_EQ(refusal(d.integer("steps", 1).range(1, 1e6), "x"),
            "HW-P001 at steps: must be a whole number from 1 to 1000000, got x. The default is 1.");
  EXPECT_EQ(refusal(d.real("rate", 0.01).above(0).at_most(1).in_unit("1/step"), "nan"),
            "HW-P001 at rate: must be a number above 0 and at most 1 (1/step), got nan. The default is 0.01.");
  EXPECT_EQ(refusal(d.real("p", 0.5).at_least(0).below(1), "1"),
            "HW-P001 at p: must be a number at least 0 and below 1, got 1. The default is 0.5.");
  EXPECT_EQ(refusal(d.choice("c", "relu", {"relu", "sigmoid", "none"}), "gelu"),
            "HW-P001 at c: must be relu, sigmoid or none, got gelu. The default is relu.");
  EXPECT_EQ(refusal(d.vector("box", {0, 0, 0}, 3), "[1, 2]"),
            "HW-P001 at box: must be 3 numbers, got [1, 2]. The default is [0, 0, 0].");
}

TEST(Param, RubbishIsRefused) {
  NodeDecl d;
  const ParamDecl real = d.real("r", 0), whole = d.integer("i", 0), vector = d.vector("v", {});
  for (const char* text : {"", "abc", "1,5", "1 2", "--1", "+-1", "0x10", "inf", "-inf", "1e999"})
    EXPECT_NE(refusal(real, text).find("HW-P001"), std::string::npos);
  for (const char* text : {"", "1.5", "99999999999999999999", "nan", "1e300"}) refusal(whole, text);
  for (const char* text : {"[1, 2", "1]", "[1,,2]", "[1,]", "[a]", "[nan]", "["}) refusal(vector, text);
}

TEST(Param, LabelsAreTheIdInWords) {
  NodeDecl d;
  EXPECT_EQ(d.real("per_level_scale", 2).label, "Per level scale");
  EXPECT_EQ(d.input("x").label, "X");
}

}  // namespace
}  // namespace hw::param_test
