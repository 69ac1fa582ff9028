// Fields as shaders, on a Vulkan device: what ref computes of the same points.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "engine/core/dtype_tolerance.h"
#include "engine/devices/devices.h"
#include "engine/field/shader_field.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/graph/graph_file.h"
#include "engine/node/example_assets.h"
#include "tests/engine/field_cases.h"
#include "tests/shader/run_field.h"

namespace hw::test::field_shader_test {
namespace {

constexpr int64_t kPoints = 100'032;  // 1,563 workgroups of 64

struct ShaderFieldCase {
  const char* example;
  SocketRef wire;
  std::vector<SocketRef> points;
  DType narrowest;
  friend std::ostream& operator<<(std::ostream& out, const ShaderFieldCase& c) { return out << c.example; }
};

// The initial ones, large enough to be seen, and a little off.
Weights clear_weights(const Evaluation& program) {
  Weights weights;
  std::mt19937 random(5);
  for (const Param& param : program.program().params) {
    const Value& view = program.program()[param.view];
    const Tensor there = program.read(param).to(DType::f64);
    const double* const initial = there.as<double>();
    std::vector<double> values(static_cast<size_t>(element_count(view.dims)));
    double most = 0;
    for (size_t i = 0; i < values.size(); ++i) most = std::max(most, std::abs(initial[i]));
    const double factor = most < 0.01 ? 0.5 / std::max(most, 1e-9) : 1;
    std::uniform_real_distribution<double> some(-0.1, 0.1);
    for (size_t i = 0; i < values.size(); ++i) values[i] = initial[i] * factor + some(random);
    weights.emplace(param.name, Tensor::from_f64(view.dtype, view.dims, values));
  }
  return weights;
}

// In [−0.1, 1.1]; `beyond`: 1 of 50 in ±30.
std::vector<float> coordinates(int64_t count, bool beyond) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> near(-0.1F, 1.1F), far(-30, 30);
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = beyond && i % 50 == 0 ? far(random) : near(random);
  return values;
}

void expect_close(const std::vector<float>& got, const Tensor& wide, const ShaderFieldCase& c, FieldLanguage language,
                  size_t words) {
  const Tolerance allowed = tolerance(c.narrowest);
  ASSERT_EQ(static_cast<int64_t>(got.size()), wide.size());
  double worst = 0, size = 0;
  size_t apart = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double want = wide.as<double>()[i], off = std::abs(static_cast<double>(got[i]) - want);
    worst = std::max(worst, off);
    size = std::max(size, std::abs(want));
    if (!(off <= allowed.absolute + allowed.relative * std::abs(want))) ++apart;
  }
  EXPECT_EQ(apart, 0u) << "of " << got.size();
  EXPECT_GT(size, 0.1);
  std::printf("%s in %s: largest difference %.3g, largest value %.3g, %zu words\n", c.example,
              language == FieldLanguage::hlsl ? "HLSL" : "GLSL", worst, size, words);
}

// `wire` of `graph` at 100,032 points, by shaders of both languages and by ref.
void expect_as_ref(const Graph& graph, Assets& assets, const ShaderFieldCase& c, bool beyond) {
  auto field = ShaderField::make(graph, c.wire, c.points, assets, *make_device("ref"));
  ASSERT_TRUE(field) << field.error().text();
  const shader::FieldShader& shader = field->shader();

  // ref, at all points at once.
  EvaluationOptions options;
  options.passes_off = every_pass();
  std::vector<std::vector<float>> variables;
  for (const shader::FieldVariable& v : shader.variables)
    variables.push_back(coordinates(kPoints * v.components, beyond));
  for (const char* variable : {"position", "normal", "uv", "pixel", "x"}) options.domains[variable] = kPoints;
  for (size_t v = 0; v < c.points.size(); ++v)
    options.given[c.points[v]] = Tensor::zeros(DType::f32, {kPoints, shader.variables[v].components});
  auto ref = Evaluation::make(graph, std::span(&c.wire, 1), assets, *make_device("ref"), options);
  ASSERT_TRUE(ref) << ref.error().text();
  ASSERT_TRUE(ref->set_weights(nullptr, 3));
  const Weights weights = clear_weights(*ref);
  ASSERT_TRUE(ref->set_weights(&weights, 3));
  for (size_t v = 0; v < variables.size(); ++v) {
    Tensor t = Tensor::zeros(DType::f32, {kPoints, shader.variables[v].components});
    std::memcpy(t.data(), variables[v].data(), variables[v].size() * sizeof(float));
    ASSERT_TRUE(ref->write_input(shader.variables[v].name, t));
  }
  ASSERT_TRUE(ref->run());
  const auto wanted = ref->read(0);
  ASSERT_TRUE(wanted) << wanted.error().text();

  auto device = ComputeDevice::create();
  ASSERT_TRUE(device) << device.error().text();
  const auto words = field->weights(&weights, 3);
  ASSERT_TRUE(words) << words.error().text();
  const Tensor wide = wanted->to(DType::f64);
  for (const FieldLanguage language : {FieldLanguage::glsl, FieldLanguage::hlsl}) {
    if (language == FieldLanguage::hlsl && shader.needs.i64) continue;  // glslang's HLSL knows no bits of a double
    const auto ran = run_field(**device, shader, *words, variables, kPoints, language);
    ASSERT_TRUE(ran) << ran.error().text();
    expect_close(*ran, wide, c, language, shader.words);
  }
}

class FieldShaders : public testing::TestWithParam<ShaderFieldCase> {};
TEST_P(FieldShaders, AsRefComputesThem) {
  auto read = read_graph(std::filesystem::path(HALFWIRE_EXAMPLES) / (std::string(GetParam().example) + ".halfwire"));
  ASSERT_TRUE(read) << read.error().text();
  ExampleAssets assets;
  expect_as_ref(flatten(*read), assets, GetParam(), true);
}
INSTANTIATE_TEST_SUITE_P(Examples, FieldShaders,
                         testing::Values(ShaderFieldCase{"neural_texture", {"sigmoid", "y"}, {}, DType::f16},
                                         ShaderFieldCase{"photograph", {"sigmoid", "y"}, {}, DType::f16},
                                         ShaderFieldCase{"sphere", {"distance", "y"}, {{"points", "y"}}, DType::f32},
                                         ShaderFieldCase{"rotation", {"turn", "y"}, {{"points", "y"}}, DType::f32},
                                         ShaderFieldCase{"image_to_3d", {"surface_field/colour", "y"}, {}, DType::f32}),
                         [](const auto& tested) { return std::string(tested.param.example); });

// Sines of frequencies, square roots, exponentials, which make the rounding of far points large, normals.
TEST(FieldShaderNodes, AsRefComputesThem) {
  const Graph graph = graph_of_fields();
  QuadAssets assets;
  for (const auto& wire : kFields)
    expect_as_ref(graph, assets, {wire.from.node.c_str(), wire.from, {}, wire.narrowest}, false);
}

}  // namespace
}  // namespace hw::test::field_shader_test