// The bias of a product is added in its f32 sum: one rounding, on every device, also where the two cancel.
#include "engine/program/product_bias.h"

#include <cmath>
#include <limits>

#include "engine/core/rounding_error.h"
#include "engine/devices/devices.h"
#include "engine/program/adjoint.h"
#include "host_gpu.h"
#include "op_judge.h"

namespace hw::test::product_bias_test {
namespace {

constexpr DType kNarrow[] = {DType::f16, DType::bf16};

std::vector<std::shared_ptr<Device>> devices() {
  return {*make_device("ref"), *make_device("cpu"), host_gpu(), host_gpu({.bf16 = false}),
          host_gpu({.convolves = true})};
}

std::vector<OpCase> layers() {
  ConvAttr conv;
  conv.pad_begin = conv.pad_end = {1, 1};
  ConvAttr to_input = conv;
  to_input.dims = {8, 7, 16, 16};
  return {{Op::matmul, "linear", {{800, 64}, {48, 64}, {48}}, MatmulAttr{true}, -1, 1},
          {Op::conv2d, "convolution", {{8, 7, 16, 16}, {12, 7, 3, 3}, {12}}, conv, -1, 1},
          {Op::conv2d_grad_input, "transposed", {{8, 12, 16, 16}, {12, 7, 3, 3}, {7}}, to_input, -1, 1}};
}

// What the op gives without rounding, the numbers of `p` being exact.
std::vector<double> exact(const OpCase& c, const CaseProgram& p) {
  CaseProgram wide = case_program(c, DType::f64);
  for (size_t k = 0; k < p.values.size(); ++k) wide.values[k] = p.values[k].to(DType::f64);
  return run_case(wide, **make_device("ref"))[0].to_f64();
}

// What f32 sums in any order may be off by: a ULP of the sum of the products' magnitudes.
std::vector<double> noise_of(const OpCase& c, const CaseProgram& p) {
  CaseProgram wide = case_program(c, DType::f64);
  for (size_t k = 0; k < p.values.size(); ++k) {
    std::vector<double> values = p.values[k].to_f64();
    for (double& v : values) v = std::abs(v);
    wide.values[k] = Tensor::from_f64(DType::f64, p.values[k].dims(), values);
  }
  std::vector<double> noise = run_case(wide, **make_device("ref"))[0].to_f64();
  for (double& v : noise) v *= std::numeric_limits<float>::epsilon();
  return noise;
}

TEST(ProductBias, is_rounded_once_with_its_product) {
  for (const OpCase& c : layers())
    for (const DType dtype : kNarrow) {
      const CaseProgram p = case_program(c, dtype);
      const std::vector<double> wanted = exact(c, p);
      const Tensor nearest = Tensor::from_f64(dtype, (*p.program)[p.out[0].id].dims, wanted);
      const std::vector<double> rounded = nearest.to_f64();
      for (const auto& device : devices()) {
        const std::vector<double> got = run_case(p, *device)[0].to_f64();
        size_t off = 0;
        for (size_t i = 0; i < got.size(); ++i) off += got[i] != rounded[i];
        // Where f32 sums fall on the other side of a tie.
        EXPECT_LE(static_cast<double>(off), 1e-3 * static_cast<double>(got.size()))
            << c.name << " in " << name(dtype) << " on " << device->description();
      }
    }
}

TEST(ProductBias, keeps_its_digits_where_it_cancels_the_product) {
  for (const OpCase& c : layers())
    for (const DType dtype : kNarrow) {
      CaseProgram p = case_program(c, dtype);
      // One product a column or channel becomes, rounded, the bias with the other sign.
      p.values[2] = Tensor::zeros(dtype, p.values[2].dims());
      const std::vector<double> product = exact(c, p);
      const Dims& dims = (*p.program)[p.out[0].id].dims;
      const int64_t area = dims.size() == 4 ? dims[2] * dims[3] : 1;
      std::vector<double> bias;
      for (int64_t k = 0; k < p.values[2].size(); ++k)
        bias.push_back(-product[static_cast<size_t>(k * area + area / 2)]);
      p.values[2] = Tensor::from_f64(dtype, p.values[2].dims(), bias);
      const std::vector<double> wanted = exact(c, p), noise = noise_of(c, p);
      for (const auto& device : devices()) {
        const std::vector<double> got = run_case(p, *device)[0].to_f64();
        size_t clear = 0;
        for (size_t k = 0; k < bias.size(); ++k) {
          const size_t at = k * static_cast<size_t>(area) + static_cast<size_t>(area) / 2;
          // Rounded before the bias is added, the product would be off by up to half a ULP of its own.
          clear += noise[at] < ulp_at(bias[k], dtype) / 16;
          EXPECT_LE(std::abs(got[at] - wanted[at]), ulp_at(wanted[at], dtype) / 2 + noise[at])
              << c.name << " in " << name(dtype) << " on " << device->description();
        }
        EXPECT_GE(2 * clear, bias.size()) << "the noise hides what is looked for";
      }
    }
}

TEST(ProductBias, has_the_gradient_of_an_addition) {
  for (const OpCase& c : layers()) {
    Program program;
    OpBuilder b(program);
    b.set_node("layer");
    const Val x = b.input("x", DType::f64, c.in[0]), w = b.input("w", DType::f64, c.in[1]),
              bias = b.input("b", DType::f64, c.in[2]);
    const Val y = product_with_bias(b, c.op, x, w, bias, c.attr);
    const Val loss = b.sum_to(b.mul(y, y), {}, DType::f64);
    const Val inputs[] = {bias};
    const auto gradients = build_adjoint(b, loss, inputs);
    ASSERT_TRUE(gradients) << gradients.error().text();
    const ValueId gradient = gradients->of.at(bias.id).id;
    program.outputs = {{"y", y.id}, {"g", gradient}};
    const auto shared = std::make_shared<Program>(program);
    const auto device = *make_device("ref");
    auto e = *device->compile(shared, *device->prepare_states(*shared, nullptr, 1, nullptr));
    uint32_t stream = 0;
    for (const auto& [port, dims] : {std::pair{"x", c.in[0]}, {"w", c.in[1]}, {"b", c.in[2]}})
      ASSERT_TRUE(
          e->write_input(port, Tensor::from_f64(DType::f64, dims, numbers(element_count(dims), -1, 1, stream++))));
    ASSERT_TRUE(e->run({}));
    const std::vector<double> made = e->read(y.id)->to_f64(), got = e->read(gradient)->to_f64();
    const Dims& dims = program[y.id].dims;
    const auto area = static_cast<size_t>(dims.size() == 4 ? dims[2] * dims[3] : 1);
    std::vector<double> wanted(got.size());
    for (size_t i = 0; i < made.size(); ++i) wanted[i / area % wanted.size()] += 2 * made[i];
    for (size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], 1e-10 * std::abs(wanted[k]) + 1e-10);
  }
}

TEST(ProductBias, of_another_size_or_dtype_is_refused) {
  for (const OpCase& c : layers())
    for (const bool size : {true, false}) {
      Program program;
      OpBuilder b(program);
      b.set_node("layer");
      const Val x = b.input("x", DType::f16, c.in[0]), w = b.input("w", DType::f16, c.in[1]);
      const Dims dims = size ? Dims{c.in[2][0] + 1} : c.in[2];
      product_with_bias(b, c.op, x, w, b.input("b", size ? DType::f16 : DType::f32, dims), c.attr);
      ASSERT_FALSE(b.status()) << c.name;
      EXPECT_EQ(b.status().error().code, size ? "HW-S002" : "HW-D001") << c.name;
    }
}

}  // namespace
}  // namespace hw::test::product_bias_test
