// Programs of a single row, where a tile is all there is: what an op needs whole is made before the op begins.
#include <gtest/gtest.h>

#include "engine/devices/devices.h"
#include "engine/program/builder.h"
#include "op_cases.h"

namespace hw::test {
namespace {

/// An op on x and on the ReLU of w: weights that the program makes, in one row as x is.
struct OneRow {
  Op op;
  Dims x, w;
  Attr attr;
};

std::vector<double> result_of(const OneRow& c, const std::string& device_id) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val x = b.input("x", DType::f32, c.x), w = b.input("w", DType::f32, c.w);
  const Val y = b.relu(b.emit(c.op, {b.relu(x), b.relu(w)}, c.attr)[0]);
  program->outputs.push_back({"y", y.id});
  EXPECT_TRUE(b.status());
  const auto device = *make_device(device_id);
  const auto executable = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  const auto write = [&](const char* name, const Dims& dims, uint32_t stream) {
    const auto values = numbers(element_count(dims), 0.5, 1, stream);
    EXPECT_TRUE(executable->write_input(name, Tensor::from_f64(DType::f32, dims, values)));
  };
  write("x", c.x, 1);
  write("w", c.w, 2);
  EXPECT_TRUE(executable->run({}));
  return executable->read(y.id)->to_f64();
}

TEST(OneRow, WeightsThatTheProgramMakesAreWholeBeforeTheirReader) {
  ConvAttr padded;
  padded.pad_begin = padded.pad_end = {1, 1};
  ConvAttr to_input;
  to_input.dims = {1, 4, 7, 6};
  for (const OneRow& c :
       {OneRow{Op::matmul, {1, 1}, {1, 5}, MatmulAttr{}}, OneRow{Op::matmul, {1, 8}, {1, 8}, MatmulAttr{true}},
        OneRow{Op::conv2d, {1, 4, 5, 6}, {1, 4, 3, 3}, padded},
        OneRow{Op::conv2d_grad_input, {1, 1, 5, 4}, {1, 4, 3, 3}, to_input}}) {
    const auto expected = result_of(c, "ref"), got = result_of(c, "cpu");
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5) << info(c.op).name << " at " << i;
  }
}

}  // namespace
}  // namespace hw::test
