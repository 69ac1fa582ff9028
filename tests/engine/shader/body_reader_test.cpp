// Reading engine/kernels as text: all of it, and nothing that is not understood.
#include "engine/shader/body_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/shader/kernel_source.h"

namespace hw::shader {
namespace {

std::string refusal(const std::string& inside) {
  Bodies bodies;
  const Status read = read_bodies("#pragma once\nnamespace hw::kernels {\n" + inside + "\n}\n", "some.h", bodies);
  return read ? "" : read.error().text();
}

TEST(BodyReader, EveryFunctionOfTheTablesIsRead) {
  const Result<Bodies> all = read_all_bodies();
  ASSERT_TRUE(all) << all.error().text();
  const auto count = [&](const std::string& name) {
    return std::ranges::count(all->bodies, name, [](const Body& body) { return body.full_name(); });
  };
#define HW_UNARY(name, formula, a, b)   \
  EXPECT_EQ(count("unary::" #name), 1); \
  EXPECT_EQ(count("unary_grad::" #name), 1);
#include "engine/program/unary.def"
#undef HW_UNARY
#define HW_BINARY(name, formula)                \
  EXPECT_EQ(count("binary::" #name), 1);        \
  EXPECT_EQ(count("binary_grad_a::" #name), 1); \
  EXPECT_EQ(count("binary_grad_b::" #name), 1);
#include "engine/program/binary.def"
#undef HW_BINARY
  EXPECT_EQ(count("math::exp"), 2);  // float, double
}

TEST(BodyReader, SourcesAreNamed) {
  EXPECT_THAT(std::string(kernel_source("math.h")), testing::HasSubstr("HW_BODY float exp(float x) {"));
  EXPECT_EQ(kernel_source("none.h"), "");
}

TEST(BodyReader, ABodyAndWhatStandsAboveIt) {
  Bodies bodies;
  ASSERT_TRUE(
      read_bodies("namespace hw::kernels {\nnamespace some {\n// Not of it.\n\n/// Twice.\n"
                  "template <class T>\nHW_BODY T twice(T x, double) {\n  return x + x;\n}\n}\n}\n",
                  "some.h", bodies));
  ASSERT_EQ(bodies.bodies.size(), 1u);
  const Body& body = bodies.bodies[0];
  EXPECT_EQ(body.full_name(), "some::twice");
  EXPECT_EQ(body.comment, "/// Twice.\n");
  EXPECT_EQ(body.line, 7);
  ASSERT_EQ(body.parameters.size(), 2u);
  EXPECT_EQ(body.parameters[1].name, "");
  ASSERT_EQ(body.block.size(), 1u);
  EXPECT_EQ(body.block[0].kind, Statement::Kind::result);
}

TEST(BodyReader, WhatIsNotUnderstoodIsAnErrorWithItsLine) {
  const auto body = [](const std::string& block) { return refusal("HW_BODY float f(float x) {\n" + block + "\n}"); };
  EXPECT_EQ(body("return x;"), "");
  EXPECT_THAT(body("while (x > 0) x = x - 1;"), testing::HasSubstr("some.h:4"));
  EXPECT_THAT(body("goto end;"), testing::HasSubstr("some.h:4"));
  EXPECT_THAT(body("return x.y;"), testing::HasSubstr("\".\""));
  EXPECT_THAT(body("return *x;"), testing::HasSubstr("\"*\""));
  EXPECT_THAT(body("return reinterpret_cast<float>(x);"), testing::HasSubstr("some.h:4"));
  EXPECT_THAT(body("const char* s = \"a\";"), testing::HasSubstr("some.h:4"));
  EXPECT_THAT(body("return [](float y) { return y; }(x);"), testing::HasSubstr("some.h:4"));
  EXPECT_THAT(body("return x"), testing::HasSubstr("some.h:5"));
  EXPECT_THAT(refusal("#define TWO 2"), testing::HasSubstr("#define TWO 2"));
  EXPECT_THAT(refusal("class Some {};"), testing::HasSubstr("\"class\""));
  EXPECT_THAT(refusal("inline float some();"), testing::HasSubstr("some.h:3"));
  EXPECT_THAT(refusal("template <int D>\nHW_BODY int f() { return D; }"), testing::HasSubstr("template parameter"));
  EXPECT_THAT(refusal("}\nHW_BODY int f() { return 1; }\nnamespace {"), testing::HasSubstr("hw::kernels"));
}

}  // namespace
}  // namespace hw::shader
