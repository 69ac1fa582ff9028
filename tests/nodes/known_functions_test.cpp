// Functions, losses and shapes on inputs whose answer is known without running a program.
#include <cmath>

#include "engine/devices/devices.h"
#include "engine/node/example_assets.h"
#include "engine/program/adjoint.h"
#include "tests/nodes/known_values.h"

namespace hw::test {
namespace {

TEST(KnownValues, Arithmetic) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4}), b = f32({2}, {10, 20});
  EXPECT_THAT(values({"add", {{"a", a}, {"b", b}}}), near({11, 22, 13, 24}));
  EXPECT_THAT(values({"sub", {{"a", a}, {"b", b}}}), near({-9, -18, -7, -16}));
  EXPECT_THAT(values({"mul", {{"a", a}, {"b", b}}}), near({10, 40, 30, 80}));
  EXPECT_THAT(values({"mean", {{"x", a}}}), near({2.5}));
  EXPECT_THAT(values({"mse", {{"prediction", a}, {"target", f32({2, 2}, {1, 0, 3, 8})}}}), near({5}));
}

TEST(KnownValues, Activations) {
  EXPECT_THAT(values({"relu", {{"x", f32({3}, {-2, 0, 3})}}}), near({0, 0, 3}));
  EXPECT_THAT(values({"sigmoid", {{"x", f32({3}, {-100, 0, std::log(3.0)})}}}), near({0, 0.5, 0.75}));
}

TEST(KnownValues, Functions) {
  const double e = std::exp(1.0);
  EXPECT_THAT(values({"leaky_relu", {{"x", f32({3}, {-2, 0, 3})}}, {{"negative_slope", 0.1}}}), near({-0.2, 0, 3}));
  EXPECT_THAT(values({"elu", {{"x", f32({2}, {-1, 3})}}, {{"alpha", 2.0}}}), near({2 / e - 2, 3}));
  EXPECT_THAT(values({"softplus", {{"x", f32({3}, {0, 100, -100})}}, {{"beta", 2.0}}}),
              near({std::log(2.0) / 2, 100, 0}));
  EXPECT_THAT(values({"gelu", {{"x", f32({3}, {-1, 0, 1})}}}), near({-0.15865525, 0, 0.84134475}));
  EXPECT_THAT(values({"pow", {{"base", f32({2}, {-3, 0.5})}}}), near({9, 0.25}));
  EXPECT_THAT(values({"clip", {{"x", f32({3}, {-1, 0.25, 7})}}}), near({0, 0.25, 1}));
  EXPECT_THAT(values({"remap", {{"x", f32({3}, {0, 0.5, 2})}}, {{"to_max", 3.0}}}), near({-1, 1, 7}));
  EXPECT_THAT(values({"compare", {{"a", f32({3}, {1, 2, 3})}, {"b", f32({}, {2})}}}), near({1, 0, 0}));
  const Tensor c = Tensor::from_f64(DType::boolean, {2}, std::vector<double>{1, 0});
  EXPECT_THAT(values({"where", {{"condition", c}, {"a", f32({2}, {1, 2})}, {"b", f32({}, {9})}}}), near({1, 9}));
}

TEST(KnownValues, Reductions) {
  const Tensor x = f32({2, 3}, {1, 5, 2, 4, 0, 3});
  using Axes = std::vector<double>;
  EXPECT_THAT(values({"sum", {{"x", x}}}), near({15}));
  EXPECT_THAT(values({"sum", {{"x", x}}, {{"axes", Axes{0}}}}), near({5, 5, 5}));
  EXPECT_THAT(values({"mean", {{"x", x}}, {{"axes", Axes{-1}}}}), near({8.0 / 3, 7.0 / 3}));
  EXPECT_THAT(values({"reduce_max", {{"x", x}}, {{"axes", Axes{1}}, {"keep", true}}}), near({5, 4}));
  EXPECT_THAT(values({"reduce_min", {{"x", x}}, {{"axes", Axes{0, 1}}}}), near({0}));
  EXPECT_THAT(values({"softmax", {{"x", f32({1, 2}, {0, std::log(3.0)})}}}), near({0.25, 0.75}));
}

TEST(KnownValues, Losses) {
  const Tensor p = f32({2}, {1, -3}), t = f32({2}, {1.5, 1});
  EXPECT_THAT(values({"l1", {{"prediction", p}, {"target", t}}}), near({2.25}));
  EXPECT_THAT(values({"huber", {{"prediction", p}, {"target", t}}}), near({(0.125 + 3.5) / 2}));
  EXPECT_THAT(values({"relative_l2", {{"prediction", p}, {"target", t}}}), near({(0.25 / 1.01 + 16 / 9.01) / 2}));
  EXPECT_THAT(values({"bce_with_logits", {{"prediction", f32({2}, {0, 50})}, {"target", f32({2}, {1, 0})}}}),
              near({(std::log(2.0) + 50) / 2}, 1e-5));
  const Tensor logits = f32({2, 3}, {0, 0, 0, 1000, 0, 0});
  const Tensor labels = Tensor::from_f64(DType::i64, {2}, std::vector<double>{2, 0});
  EXPECT_THAT(values({"cross_entropy", {{"logits", logits}, {"labels", labels}}}), near({std::log(3.0) / 2}));
  EXPECT_THAT(values({"accuracy", {{"logits", logits}, {"labels", labels}}}), near({0.5}));
  // Sample 0 is of class 2 and taken for 0; sample 1 is of class 0 and found.
  EXPECT_THAT(values({"confusion_matrix", {{"logits", logits}, {"labels", labels}}}),
              near({0.5, 0, 0, 0, 0, 0, 0.5, 0, 0}));
  const Tensor samples = f32({2, 2}, {1, 2, 3, 4});
  const std::vector<Tensor> worst = evaluate(
      {"worst_samples", {{"sample", samples}, {"logits", logits}, {"labels", labels}}, {{"count", int64_t{1}}}});
  ASSERT_EQ(worst.size(), 5u);
  EXPECT_THAT(worst[0].to_f64(), near({std::log(3.0)}));
  EXPECT_EQ(worst[1].to_f64(), (std::vector<double>{0}));
  EXPECT_EQ(worst[2].to_f64(), (std::vector<double>{1, 2}));
  EXPECT_EQ(worst[3].to_f64(), (std::vector<double>{2}));
  EXPECT_EQ(worst[4].to_f64(), (std::vector<double>{0}));
  // Scores with a NaN among them have no largest: wrong, whatever the label.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor broken = f32({3, 2}, {nan, nan, nan, 1, 0, 1});
  for (const std::vector<double>& classes : {std::vector<double>{0, 0, 1}, {1, 1, 1}, {-1, -1, 1}}) {
    const Tensor of_broken = Tensor::from_f64(DType::i64, {3}, classes);
    EXPECT_THAT(values({"accuracy", {{"logits", broken}, {"labels", of_broken}}}), near({1.0 / 3}));
    EXPECT_THAT(values({"confusion_matrix", {{"logits", broken}, {"labels", of_broken}}}), near({0, 0, 0, 1.0 / 3}));
  }
  const std::vector<Tensor> lost =
      evaluate({"worst_samples",
                {{"sample", f32({3, 1}, {7, 8, 9})},
                 {"logits", broken},
                 {"labels", Tensor::from_f64(DType::i64, {3}, std::vector<double>{0, 0, 1})}},
                {{"count", int64_t{3}}}});
  EXPECT_EQ(lost[1].to_f64(), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(lost[4].to_f64(), (std::vector<double>{-1, -1, 1}));
  const Tensor outside = Tensor::from_f64(DType::i64, {2}, std::vector<double>{3, 0});
  EXPECT_THAT(values({"cross_entropy", {{"logits", logits}, {"labels", outside}}}),
              testing::ElementsAre(testing::IsNan()));
}

// tiny-cuda-nn: 2 (p - t) / (p² + epsilon) / count.
TEST(KnownValues, RelativeL2TakesItsDenominatorForAConstant) {
  Program program;
  OpBuilder b(program);
  b.set_node("node");
  const Val p = b.constant(f32({2}, {1, -3})), t = b.constant(f32({2}, {1.5, 1}));
  const NodeType& type = *Registry::instance().find("relative_l2");
  const ParamMap none;
  const Params params(type.decl, none);
  ExampleAssets assets;
  const Lowered out = type.lower(b, LowerArgs(params, {{"prediction", p}, {"target", t}}, assets));
  const Val wanted[] = {p};
  const auto gradients = build_adjoint(b, std::get<Val>(out[0]), wanted);
  ASSERT_TRUE(gradients) << gradients.error().text();
  const ValueId gradient = gradients->of.at(p.id).id;
  program.outputs.push_back({"gradient", gradient});
  const auto device = make_device("ref");
  const auto executable = (*device)->compile(std::make_shared<Program>(program), nullptr);
  ASSERT_TRUE(executable) << executable.error().text();
  ASSERT_TRUE((*executable)->run({}));
  EXPECT_THAT((*executable)->read(gradient)->to_f64(), near({-0.5 / 1.01, -4 / 9.01}));
}

TEST(KnownValues, CastRoundsOnceToNearestEven) {
  const Tensor x = f32({4}, {65519, 65520, 1 + 0x1p-11, 0x1p-26});
  const double inf = HUGE_VAL;
  EXPECT_THAT(values({"cast", {{"x", x}}, {{"to", std::string("f16")}}}), testing::ElementsAre(65504, inf, 1, 0));
}

TEST(KnownValues, ConstantFills) {
  EXPECT_THAT(values({"constant", {}, {{"value", 2.5}, {"shape", std::vector<double>{2, 2}}}}),
              near({2.5, 2.5, 2.5, 2.5}));
}

TEST(KnownValues, ShapeNodesKeepTheOrder) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4}), b = f32({2, 1}, {5, 6});
  EXPECT_THAT(values({"concat", {{"a", a}, {"b", b}}}), near({1, 2, 5, 3, 4, 6}));
  EXPECT_THAT(values({"slice", {{"x", a}}, {{"begin", int64_t{1}}}}), near({2, 4}));
  EXPECT_THAT(values({"slice", {{"x", a}}, {{"axis", int64_t{0}}, {"end", int64_t{-1}}}}), near({1, 2}));
  EXPECT_THAT(values({"reshape", {{"x", a}}}), near({1, 2, 3, 4}));
}

TEST(KnownValues, LayoutNodesKeepTheElements) {
  const Tensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({2, 3}, {7, 8, 9, 10, 11, 12});
  EXPECT_THAT(values({"transpose", {{"x", a}}}), near({1, 4, 2, 5, 3, 6}));
  EXPECT_THAT(values({"stack", {{"a", a}, {"b", b}}, {{"axis", int64_t{1}}}}),
              near({1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12}));
  EXPECT_THAT(values({"pad", {{"x", a}}, {{"axes", std::vector<double>{0, 1}}, {"value", 9.0}}}),
              near({9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9, 9, 9, 9, 9, 9}));
  EXPECT_THAT(values({"flatten", {{"x", f32({1, 2, 3}, {1, 2, 3, 4, 5, 6})}}}), near({1, 2, 3, 4, 5, 6}));
  const auto parts = evaluate({"split", {{"x", a}}, {{"at", int64_t{-1}}}});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(parts[0].to_f64(), near({1, 2, 4, 5}));
  EXPECT_THAT(parts[1].to_f64(), near({3, 6}));
}

TEST(KnownValues, MatMulIsNumPys) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4}), b = f32({2, 2}, {5, 6, 7, 8});
  EXPECT_THAT(values({"matmul", {{"a", a}, {"b", b}}}), near({19, 22, 43, 50}));
  EXPECT_THAT(values({"matmul", {{"a", a}, {"b", b}}, {{"transpose_a", true}}}), near({26, 30, 38, 44}));
  EXPECT_THAT(values({"matmul", {{"a", a}, {"b", b}}, {{"transpose_b", true}}}), near({17, 23, 39, 53}));
  const Tensor two = f32({2, 1, 2}, {1, 0, 0, 1});  // picks the rows of b
  EXPECT_THAT(values({"matmul", {{"a", two}, {"b", f32({1, 2, 2}, {5, 6, 7, 8})}}}), near({5, 6, 7, 8}));
}

}  // namespace
}  // namespace hw::test
