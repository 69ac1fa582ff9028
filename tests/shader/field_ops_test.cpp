// Each op that a field function can hold, on a Vulkan device: what ref computes.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/dtype_tolerance.h"
#include "engine/program/op_text.h"
#include "engine/shader/body_reader.h"
#include "engine/shader/field/op_texts.h"
#include "tests/shader/field_op_cases.h"
#include "tests/shader/run_field.h"

namespace hw::test::field_ops_test {
namespace {

const shader::Bodies& kernels() {
  static const auto all = shader::read_all_bodies();
  EXPECT_TRUE(all) << (all ? "" : all.error().text());
  return *all;
}
ComputeDevice& device() {
  static const auto made = ComputeDevice::create();
  return **made;
}

// In HLSL the first four channels, which a function can return.
void expect_as_ref(const OpCase& c, FieldLanguage language) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_training(false);
  const Val x = b.input("x", DType::f32, {kPoints, 6}), u = b.input("u", DType::f32, {kPoints, 6});
  Val y = flat(b, c.make(b, x, u));
  if (language == FieldLanguage::hlsl && b[y].dims.size() > 1 && b[y].dims[1] > 4) {
    if (b[y].dtype == DType::boolean) y = b.cast(y, DType::f32);
    y = b.slice(y, 1, 0, 4);
  }
  ASSERT_TRUE(b.status()) << b.status().error().text();
  const auto field = shader::field_shader(*program, y.id, kPoints, kernels());
  ASSERT_TRUE(field) << field.error().text();
  program->outputs.push_back({"y", y.id});
  for (const shader::GivenTensor& given : field->given)
    if (program->values[given.value].storage == Storage::temp) program->outputs.push_back({"given", given.value});

  Runner ref(program);
  std::vector<std::vector<float>> variables;
  for (const shader::FieldVariable& v : field->variables) {
    const auto values = numbers(kPoints * 6, -2, 2, v.name == "x" ? 1 : 2);
    variables.emplace_back(values.begin(), values.end());
  }
  for (const char* const name : {"x", "u"})
    ASSERT_TRUE(ref.executable->write_input(
        name, Tensor::from_f64(DType::f32, {kPoints, 6}, numbers(kPoints * 6, -2, 2, *name == 'x' ? 1 : 2))));
  ref.run();
  std::vector<Tensor> given;
  for (const shader::GivenTensor& tensor : field->given) given.push_back(*ref.executable->read(tensor.value));
  const std::vector<double> wanted = ref.read(y);
  const auto got = run_field(device(), *field, shader::field_weights(*field, given), variables, kPoints, language);
  ASSERT_TRUE(got) << got.error().text() << field->text;
  ASSERT_EQ(got->size(), wanted.size());
  const Tolerance allowed = tolerance(c.narrowest);
  size_t apart = 0, numbers = 0;
  std::string first;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto value = static_cast<double>((*got)[i]);
    const double off = std::abs(value - wanted[i]);
    const bool same = std::isfinite(wanted[i]) ? off <= allowed.absolute + allowed.relative * std::abs(wanted[i])
                      : std::isnan(wanted[i])  ? std::isnan(value)
                                               : value == wanted[i];
    numbers += wanted[i] != 0;
    if (!same && ++apart == 1)
      first = std::to_string(i) + ": " + std::to_string(value) + ", ref " + std::to_string(wanted[i]);
  }
  EXPECT_EQ(apart, 0u) << first << "\n" << field->text;
  EXPECT_GT(numbers, wanted.size() / 20);
}
class FieldOps : public testing::TestWithParam<OpCase> {};
TEST_P(FieldOps, AsRefComputesThem) {
  expect_as_ref(GetParam(), FieldLanguage::glsl);
}
TEST_P(FieldOps, AsRefComputesThemInHlsl) {
  expect_as_ref(GetParam(), FieldLanguage::hlsl);
}
INSTANTIATE_TEST_SUITE_P(All, FieldOps, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

// Every op that has a text is among the cases.
TEST(FieldOpTexts, EachIsTried) {
  std::set<Op> tried;
  for (const OpCase& c : cases()) {
    Program program;
    OpBuilder b(program);
    b.set_training(false);
    c.make(b, b.input("x", DType::f32, {kPoints, 6}), b.input("u", DType::f32, {kPoints, 6}));
    for (const Instr& instr : program.instrs) tried.insert(instr.op);
  }
  for (size_t op = 0; op < op_table().size(); ++op) {
    if (!shader::op_text_of(static_cast<Op>(op))) continue;
    EXPECT_TRUE(tried.contains(static_cast<Op>(op))) << op_table()[op].name;
  }
}

TEST(FieldOpTexts, VariablesStandInTheOrderThatIsAskedFor) {
  Program program;
  OpBuilder b(program);
  const Val x = b.input("x", DType::f32, {kPoints, 3}), u = b.input("u.y", DType::f32, {kPoints, 3});
  const Val y = b.sub(x, u);
  const std::vector<std::string> first{"u.y"};
  for (const auto& [asked, head] : {std::pair(std::span<const std::string>(), "vec3 field(vec3 x, vec3 u_y) {"),
                                    std::pair(std::span(first), "vec3 field(vec3 u_y, vec3 x) {")}) {
    const auto field = shader::field_shader(program, y.id, kPoints, kernels(), asked);
    ASSERT_TRUE(field) << field.error().text();
    EXPECT_NE(field->text.find(head), std::string::npos) << field->text;
    EXPECT_NE(field->text.find("x[i] - u_y[i]"), std::string::npos) << field->text;
  }
}

// What cannot be computed point by point says so, at its node.
TEST(FieldOpTexts, SaysWhatHasNoShader) {
  const auto reason = [](const std::function<Val(OpBuilder&, Val)>& make) {
    Program program;
    OpBuilder b(program);
    b.set_node("there");
    const Val y = make(b, b.input("x", DType::f32, {kPoints, 6}));
    const auto field = shader::field_shader(program, y.id, kPoints, kernels());
    return field ? "a shader: " + field->text : field.error().text();
  };
  const std::string of_points = reason([](OpBuilder& b, Val x) { return b.sub(x, b.sum(x, {0}, true)); });
  EXPECT_NE(of_points.find("takes it of all points at once"), std::string::npos) << of_points;
  const std::string random = reason([](OpBuilder& b, Val x) {
    RandomAttr attr;
    attr.dims = {kPoints, 6};
    return b.add(x, b.random(attr));
  });
  EXPECT_NE(random.find("there"), std::string::npos) << random;
  EXPECT_NE(random.find("draws other numbers for each point"), std::string::npos) << random;
  const std::string whole = reason([](OpBuilder& b, Val x) { return b.argmax(x, 1); });
  EXPECT_NE(whole.find("HW-R008"), std::string::npos) << whole;
  const std::string axis = reason([](OpBuilder& b, Val x) { return b.slice(x, 0, 0, 1); });
  EXPECT_NE(axis.find("no value for each point"), std::string::npos) << axis;
  const std::string lost = reason([](OpBuilder& b, Val x) { return b.reshape(x, {1, kPoints * 6}); });
  EXPECT_NE(lost.find("no value for each point"), std::string::npos) << lost;
  const std::string twice = reason([](OpBuilder& b, Val x) {
    return b.matmul(b.cast(x, DType::f64), weight(b, "w", DType::f64, {6, 5}), false, DType::tf32);
  });
  EXPECT_NE(twice.find("round twice"), std::string::npos) << twice;
  const std::string whole_numbers = reason([](OpBuilder& b, Val x) { return b.cast(x, DType::i32); });
  EXPECT_NE(whole_numbers.find("i32"), std::string::npos) << whole_numbers;
  const std::string op = reason([](OpBuilder& b, Val x) {
    return b.batch_matmul(b.reshape(x, {kPoints, 2, 3}), b.reshape(x, {kPoints, 3, 2}));
  });
  EXPECT_NE(op.find("batch_matmul"), std::string::npos) << op;
}

}  // namespace
}  // namespace hw::test::field_ops_test
