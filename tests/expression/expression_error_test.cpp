// What is wrong with an expression: the line and column at which it is said, the reason, and what helps.
#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "engine/expression/source.h"

namespace hw::expression {
namespace {

struct Bad {
  const char* name;
  const char* source;
  const char* where;  // line:column
  const char* code;
  const char* reason;  // a part of it
  const char* remedy;  // a part of it; empty: none is asked for
};

constexpr const char kSyntax[] = "HW-X001", kName[] = "HW-X002", kType[] = "HW-X003", kUnset[] = "HW-X004",
                     kSize[] = "HW-X005";

const Bad kBad[] = {
    // words that do not belong there
    {"foreign_sign", "y = 2 × x", "1:7", kSyntax, "\"×\" has no meaning", "Write *"},
    {"power_of_nothing", "y = x^", "1:7", kSyntax, "expected a value, got the end", ""},
    {"product_without_sign", "y = 2x", "1:5", kSyntax, "\"2x\" is no number", "2*x"},
    {"huge_number", "y = 1e999*x", "1:5", kSyntax, "out of range", ""},
    {"semicolon_left_out", "y.x = 2*x\ny.y = 3*x", "2:1", kSyntax, "expected \";\" after an assignment, got \"y\"",
     "end with a semicolon"},
    {"bracket_left_open", "y = (x + 1;", "1:11", kSyntax, "expected \")\" to close the \"(\" at 1:5", ""},
    {"argument_left_out", "y = max(x, )", "1:12", kSyntax, "expected a value, got \")\"", ""},
    {"nothing_after_operator", "let a = x;\ny = a +", "2:8", kSyntax, "expected a value, got the end", ""},
    {"comparison_for_assignment", "y == x", "1:3", kSyntax, "expected \"=\"", "== compares"},
    {"no_assignment", "x*x", "1:2", kSyntax, "expected \"=\"", "y = 2*x;"},
    {"assignment_to_a_call", "sin(x) = 2", "1:1", kSyntax, "nothing that a value could be given to", "y, y.x, m[0][1]"},
    {"statement_begins_with_number", "3 = y", "1:1", kSyntax, "expected a statement, got \"3\"", "y = 2*x;"},
    {"half_a_choice", "y = x > 0 ? 1", "1:14", kSyntax, "expected \":\" between the two sides", ""},
    {"components_left_out", "in p: vec3;\ny = p.;", "2:7", kSyntax, "expected components", "p.xyz"},
    {"loop_left_open", "for i in 0..3 { y = x;", "1:23", kSyntax, "\"}\" at the end of the loop", ""},
    {"let_without_a_value", "let a; y = x", "1:6", kSyntax, "after let a", "let a: vec3;"},
    {"input_inside_a_loop", "for i in 0..2 { in p: vec3; } y = 1", "1:20", kSyntax, "inside a loop",
     "at the beginning"},

    // names
    {"unknown_function", "y = sine(x)", "1:5", kName, "no function \"sine\"", "Did you mean \"sin\"?"},
    {"unknown_function_afar", "y = fourier(x)", "1:5", kName, "no function \"fourier\"", "documentation"},
    {"unknown_name", "in radius;\ny = 2*raduis", "2:7", kName, "\"raduis\" is not known", "Did you mean \"radius\"?"},
    {"unknown_output", "out value: vec2;\nvalu = vec2(x)", "2:1", kName, "\"valu\" is not declared", "\"value\"?"},
    {"unknown_type", "in p: vec5;\ny = p", "1:7", kName, "no type \"vec5\"", "vec2 to vec4"},
    {"component_too_far", "in p: vec2;\ny = p.z", "2:7", kName, "a vec2 has no component \"z\"", "xy"},
    {"components_of_two_kinds", "in p: vec3;\ny = p.xg", "2:7", kName, "mixes xyzw and rgba", "Use one"},
    {"value_called", "in x; y = x(2)", "1:11", kName, "\"x\" is a value, no function", "x*(..)"},
    {"function_assigned", "sin = x", "1:1", kName, "\"sin\" is a function", "another name"},
    {"function_without_arguments", "y = 2*cross", "1:7", kName, "\"cross\" is a function", "cross(a, b)"},
    {"word_as_a_name", "let for = x; y = x", "1:5", kName, "\"for\" is taken", "another"},
    {"declared_twice", "in a, b, a: vec2; y = a", "1:10", kName, "\"a\" is declared twice", ""},
    {"input_as_local", "in x; let x = 2; y = x", "1:11", kName, "is an input already", "another name"},

    // types
    {"vectors_of_two_sizes", "in a: vec3; in b: vec2;\ny = a + b", "2:7", kType, "got vec3 and vec2", ""},
    {"matrix_plus_float", "in m: mat3; y = m + 1", "1:19", kType, "got mat3 and float", ""},
    {"matrix_times_other_size", "in m: mat3; in v: vec2; y = m*v", "1:30", kType, "got mat3 and vec2", ""},
    {"vector_into_float", "in p: vec3; out y: float; y = p", "1:31", kType, "\"y\" is a float, the value a vec3",
     "length"},
    {"float_into_vector", "in x; out y: vec3;\ny = x", "2:5", kType, "\"y\" is a vec3, the value a float", "vec3(..)"},
    {"bool_into_float", "out y: float; y = x > 0", "1:21", kType, "\"y\" is a float, the value a bool", "float(..)"},
    {"float_into_two_components", "out y: vec2; y.xy = x", "1:21", kType, "the left side is a vec2", "vec2(..)"},
    {"component_twice_on_the_left", "in p: vec2; out y: vec2; y.xx = p", "1:28", kType, "stands twice", "once"},
    {"component_of_a_float", "let a = x*x; y = a.y", "1:20", kType, "a float has no component", "vec3"},
    {"too_few_arguments", "y = clamp(x, 0)", "1:5", kType, "takes 3 arguments, got 2", "clamp(x, lo, hi)"},
    {"too_few_components", "y = vec3(x, 1)", "1:5", kType, "needs 3 components, got 2", "vec3(0)"},
    {"cross_of_vec2", "in a: vec2; y = cross(a, a)", "1:17", kType, "two vec3, got vec2 and vec2", "cross(a, b)"},
    {"dot_of_floats", "in a; y = dot(a, a)", "1:11", kType, "two vectors of one size, got float and float", ""},
    {"choice_by_a_float", "y = x ? 1 : 2", "1:7", kType, "takes a bool on its left, got a float", "x > 0"},
    {"choice_of_two_types", "in p: vec2; y = p.x > 0 ? p : 1", "1:25", kType, "got vec2 and float", ""},
    {"vectors_compared", "in p: vec2; y = p > p ? 1 : 0", "1:19", kType, "got vec2 and vec2", "component by component"},
    {"floats_joined_by_and", "in a; in b; y = a && b ? 1 : 0", "1:19", kType, "two bools, got float and float",
     "x > 0 && y > 0"},
    {"not_of_a_float", "in a; y = !a ? 1 : 0", "1:11", kType, "\"!\" takes a bool", "x == 0"},
    {"matrix_from_seven", "y = mat2(x, 1, 2)", "1:5", kType, "mat2 takes 1 float", ""},
    {"untyped_element", "m[0][1] = x", "1:5", kType, "\"m\" has no type yet", "out m: mat3;"},

    // values that are not there
    {"component_never_set", "y.x = x; y.z = x", "1:1", kUnset, "y.y goes out, but nothing is assigned", "y = vec3(0);"},
    {"read_before_set", "y = y + x", "1:5", kUnset, "y is read, but nothing is assigned to it before", "in y;"},
    {"component_read_before_set", "let q: vec2; q.x = x; y = q.y", "1:27", kUnset, "q.y is read", "q = vec2(0);"},
    {"declared_and_never_set", "out a: mat2; y = 1", "1:14", kName, "\"y\" is not declared", ""},
    {"output_never_set", "in x; out y, z; y = x", "1:14", kUnset, "z goes out", ""},
    {"no_statement", "", "1:1", kUnset, "nothing is assigned", "y = 2*x;"},
    {"inputs_only", "in x: vec3; // that is all", "1:1", kUnset, "nothing is assigned", "y = 2*x;"},

    // numbers that must stand in the text, and what is too much
    {"index_too_far", "in p: vec3; y = p[3]", "1:19", kSize, "from 0 to 2", ""},
    {"index_not_whole", "in p: vec3; y = p[0.5]", "1:19", kSize, "from 0 to 2", ""},
    {"index_from_a_wire", "in p: vec3; in i; y = p[i]", "1:25", kSize, "must be a number that stands in the text",
     "loop"},
    {"loop_over_a_wire", "in n; y = 0; for i in 0..n { y += 1 }", "1:26", kSize, "whole numbers that stand in the text",
     "0..4"},
    {"loop_that_never_runs", "y = x; for i in 3..3 { y += 1 }", "1:8", kSize, "3..3 is 0", "not part of it"},
    {"five_components", "in p: vec4; y = p.xyzwx", "1:19", kSize, "more than 4 components", ""},
};

class ExpressionError : public testing::TestWithParam<Bad> {};

TEST_P(ExpressionError, SaysWhereAndWhy) {
  const Bad& bad = GetParam();
  const auto compiled = compile(bad.source);
  ASSERT_FALSE(compiled) << bad.source;
  const Error& error = compiled.error();
  EXPECT_EQ(error.code, bad.code) << error.text();
  EXPECT_EQ(error.where, bad.where) << error.text();
  EXPECT_NE(error.reason.find(bad.reason), std::string::npos) << error.text();
  EXPECT_NE(error.remedy.find(bad.remedy), std::string::npos) << error.text();
  EXPECT_EQ(error.reason.back(), '.') << error.text();
  const Place place = place_of(error);
  EXPECT_EQ(std::to_string(place.line) + ":" + std::to_string(place.column), error.where);
}

INSTANTIATE_TEST_SUITE_P(Sources, ExpressionError, testing::ValuesIn(kBad),
                         [](const auto& test) { return std::string(test.param.name); });

std::string sockets_text(const Sockets& sockets) {
  std::string text;
  for (const Socket& s : sockets.inputs) text += s.name + ":" + name(s.type) + " ";
  text += "->";
  for (const Socket& s : sockets.outputs) text += " " + s.name + ":" + name(s.type);
  return text;
}

TEST(ExpressionSockets, FollowFromTheNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"y.x = 2*x; y.y = 3*x; y.z = 4*x", "x:float -> y:vec3"},
      {"let r = a.x*b; y = r + c; z = a.y", "a:vec2 b:float c:float -> y:float z:float"},
      {"in m: mat3; in v: vec3; y = m*v", "m:mat3 v:vec3 -> y:vec3"},
      {"out y: vec2; y = vec2(p.w, pi)", "p:vec4 -> y:vec2"},
      {"in c: bool; y = c ? vec3(1) : vec3(0)", "c:bool -> y:vec3"},
      {"in x; x = x*x; y = x; inside = x < 1", "x:float -> y:float inside:bool"},
      {"in a, b: vec2; y = dot(a, b)", "a:vec2 b:vec2 -> y:float"},
      {"y = vec2(1, 2)", "-> y:vec2"},
  };
  for (const auto& [source, wanted] : cases) {
    const auto compiled = compile(source);
    ASSERT_TRUE(compiled) << source << ": " << compiled.error().text();
    EXPECT_EQ(sockets_text(sockets_of(*compiled)), wanted) << source;
  }
}

// A slip of the pen keeps the sockets' names, so that wires stay where they are.
TEST(ExpressionSockets, StayWhileASourceIsWrong) {
  EXPECT_EQ(sockets_text(guessed_sockets("in p: vec3; let q = p; y = sin(q*s; z = ")), "p:vec3 -> y:float z:float");
  EXPECT_EQ(sockets_text(guessed_sockets("y.x = 2*x +; y.y = $")), "x:float -> y:float");
  EXPECT_EQ(sockets_text(guessed_sockets("y = sine(q)")), "q:float -> y:float");
  EXPECT_EQ(sockets_text(guessed_sockets("")), "->");
}

}  // namespace
}  // namespace hw::expression
