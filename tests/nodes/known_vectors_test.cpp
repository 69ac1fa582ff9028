// Nodes of vectors and matrices, and expressions, on inputs whose answer is known.
#include <cmath>

#include "tests/nodes/known_values.h"

namespace hw::test {
namespace {

std::vector<double> output(const NodeRun& run, size_t index) {
  const std::vector<Tensor> all = evaluate(run);
  return index < all.size() ? all[index].to_f64() : std::vector<double>{};
}

TEST(KnownValues, Vectors) {
  const Tensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({3}, {1, 0, -1});
  EXPECT_THAT(values({"dot_product", {{"a", a}, {"b", b}}}), near({-2, -2}));
  EXPECT_THAT(values({"cross_product", {{"a", a}, {"b", b}}}), near({-2, 4, -2, -5, 10, -5}));
  EXPECT_THAT(values({"normalise_vector", {{"v", f32({3, 2}, {3, 4, 0, 0, -5, 12})}}}),
              near({0.6, 0.8, 0, 0, -5.0 / 13, 12.0 / 13}));
  EXPECT_THAT(values({"swizzle", {{"v", a}}, {{"components", std::string("zzxy")}}}), near({3, 3, 1, 2, 6, 6, 4, 5}));
  EXPECT_THAT(values({"swizzle", {{"v", a}}, {{"components", std::string("b")}}}), near({3, 6}));
  EXPECT_THAT(output({"separate_vector", {{"v", a}}}, 1), near({2, 5}));
  EXPECT_THAT(values({"combine_vector", {{"x", f32({2}, {1, 2})}, {"y", f32({}, {9})}}, {{"components", int64_t{2}}}}),
              near({1, 9, 2, 9}));
}

TEST(KnownValues, Matrices) {
  const Tensor m = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(values({"matrix_vector", {{"m", m}, {"v", f32({2, 3}, {1, 0, 0, 1, 1, 1})}}}), near({1, 4, 6, 15}));
  EXPECT_THAT(values({"matrix_vector", {{"m", m}, {"v", f32({2}, {1, 2})}}, {{"transpose", true}}}), near({9, 12, 15}));
  // A quarter turn about z, then up by 10; the last row is not read.
  const Tensor pose = f32({4, 4}, {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 10, 7, 7, 7, 7});
  const Tensor p = f32({2, 3}, {1, 0, 0, 0, 2, 3});
  EXPECT_THAT(values({"transform_points", {{"matrix", pose}, {"p", p}}}), near({0, 1, 10, -2, 0, 13}));
  EXPECT_THAT(values({"transform_points", {{"matrix", pose}, {"p", p}}, {{"as", std::string("directions")}}}),
              near({0, 1, 0, -2, 0, 3}));
}

TEST(KnownValues, Expressions) {
  const Tensor x = f32({2}, {2, -3});
  EXPECT_THAT(values({"expression", {{"x", x}}}), near({4, 6, 8, -6, -9, -12}));
  const ParamMap source{{"source", std::string("y = x > 0 ? pow(x, 3) : abs(x); z = mat2(x, 1, 0, 2)*vec2(1, x)")}};
  EXPECT_THAT(output({"expression", {{"x", x}}, source}, 0), near({8, 3}));
  EXPECT_THAT(output({"expression", {{"x", x}}, source}, 1), near({4, 4, -6, -6}));
}

}  // namespace
}  // namespace hw::test
