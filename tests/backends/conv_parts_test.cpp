// A convolution of one picture alone is cut into parts for all threads: the bits of one thread.
#include "engine/backend/cpu/conv_parts.h"

#include <gmock/gmock.h>

#include <cstring>

#include "engine/compare/scoped_thread_count.h"
#include "engine/passes/program_passes.h"
#include "engine/program/builder.h"
#include "engine/program/product_bias.h"
#include "op_cases.h"

namespace hw::test {
namespace {

struct Case {
  const char* what;
  Dims x, weight;
  Pair stride{1, 1}, dilation{1, 1}, pad{1, 1};
  int64_t groups = 1;
};

const Case kCases[] = {
    {"many rows", {1, 24, 29, 31}, {40, 24, 3, 3}},
    {"few rows, many channels", {1, 64, 7, 7}, {384, 64, 3, 3}},
    {"a stride", {1, 32, 57, 45}, {48, 32, 3, 3}, {2, 2}},
    {"taps far apart", {1, 16, 40, 40}, {64, 16, 3, 3}, {1, 1}, {3, 2}, {4, 1}},
    {"pixels alone", {1, 96, 14, 14}, {160, 96, 1, 1}, {1, 1}, {1, 1}, {0, 0}},
    {"each channel by itself", {1, 96, 56, 56}, {96, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 96},
    {"one row", {1, 64, 1, 200}, {128, 64, 1, 3}, {1, 1}, {1, 1}, {0, 1}},
    {"more padding than picture", {1, 128, 2, 9}, {128, 128, 3, 3}, {1, 1}, {1, 1}, {4, 4}},
};

/// `passes`: what follows the convolution joins its parts where it may.
std::vector<std::byte> result(const Case& c, DType dtype, int threads, bool passes = false, bool* joined = nullptr) {
  const ScopedThreadCount count(threads);
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const auto param = [&](Dims dims) {
    return b.param("p" + std::to_string(program->params.size()), dtype, std::move(dims), {Init::Kind::uniform, 0.5});
  };
  ConvAttr attr;
  attr.stride = c.stride;
  attr.dilation = c.dilation;
  attr.pad_begin = attr.pad_end = c.pad;
  attr.groups = c.groups;
  const Val x = b.input("x", dtype, c.x);
  Val y = product_with_bias(b, Op::conv2d, x, param(c.weight), param({c.weight[0]}), attr);
  // A residual block's end; the parts of the next convolution read across those of this one.
  const Val squashed = b.relu(b.scale(y, 0.5));
  ConvAttr last;
  last.pad_begin = last.pad_end = {1, 1};
  const Val next = product_with_bias(b, Op::conv2d, squashed, param({24, c.weight[0], 3, 3}), param({24}), last);
  y = b.relu(b.add(b.scale(next, 2), product_with_bias(b, Op::conv2d, squashed, param({24, c.weight[0], 1, 1}),
                                                       param({24}), ConvAttr{})));
  EXPECT_TRUE(b.status()) << b.status().error().text();
  program->outputs.push_back({"y", y.id});
  if (passes) program = std::make_shared<Program>(*apply_passes(*program, {"cpu", {}}).program);
  const auto device = *make_device("cpu");
  const auto e = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  EXPECT_TRUE(e->write_input("x", Tensor::from_f64(dtype, c.x, numbers(element_count(c.x), -1, 1, 3))));
  EXPECT_TRUE(e->run({}));
  EXPECT_TRUE(e->run({})) << "with the weights that are packed already";
  for (size_t i = 0; joined && i < program->instrs.size(); ++i)
    *joined = *joined || e->kernel_info(i).implementation.ends_with("part by part");
  const Tensor made = *e->read(y.id);
  const auto* bytes = static_cast<const std::byte*>(made.data());
  return {bytes, bytes + made.bytes()};
}

TEST(ConvParts, GiveTheBitsOfOneThread) {
  for (const Case& c : kCases)
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const std::vector<std::byte> alone = result(c, dtype, 1);
      for (const int threads : {2, 3, 5}) EXPECT_EQ(result(c, dtype, threads), alone) << c.what << ", " << threads;
    }
}

TEST(ConvParts, AreWhatPointwiseOpsMayBeComputedOn) {
  bool joined = false;
  for (const Case& c : kCases)
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const std::vector<std::byte> plain = result(c, dtype, 1);
      for (const int threads : {1, 2, 3, 5})
        EXPECT_EQ(result(c, dtype, threads, true, &joined), plain) << c.what << ", " << threads;
    }
  EXPECT_TRUE(joined);
}

}  // namespace
}  // namespace hw::test
