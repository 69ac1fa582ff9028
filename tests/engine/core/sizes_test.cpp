// Sizes that no machine can hold: arithmetic saturates, validation names the node and the size, devices refuse what
// reaches them all the same.
#include "engine/core/sizes.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/devices/devices.h"
#include "engine/gradient/grad_subject.h"
#include "engine/node/example_assets.h"
#include "engine/program/check_sizes.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::link;
using test::node;
using ::testing::HasSubstr;
using List = std::vector<double>;

TEST(Sizes, ProductsAndSumsSaturate) {
  const int64_t large = int64_t{1} << 40, most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(size_product({}), 1);
  EXPECT_EQ(size_product({3, 4, 5}), 60);
  EXPECT_EQ(size_product({large, large}), kMostElements);
  EXPECT_EQ(size_product({large, large, 0}), 0);
  EXPECT_EQ(size_product({0, large, large}), 0);
  EXPECT_EQ(size_product({most, 2}), kMostElements);
  EXPECT_EQ(size_sum({3, -4, 5}), 4);
  EXPECT_EQ(size_sum({most, most}), kMostElements);
  EXPECT_EQ(size_sum({-most, -most}), -kMostElements);
  // 2^64 elements would count as none.
  EXPECT_EQ(element_count({1, 65536, 1 << 24, 1 << 24}), kMostElements);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, -1}), -1);
  EXPECT_EQ(byte_count(DType::f16, {3, 5}), 30u);
  for (const DTypeInfo& row : dtype_table()) EXPECT_GT(byte_count(row.dtype, {large, large}), size_t{1} << 58);
}

TEST(Sizes, ElementsSmallerThanAByteArePacked) {
  static_assert(packed_bytes(4, 0) == 0 && packed_bytes(4, 1) == 1 && packed_bytes(4, 2) == 1);
  EXPECT_EQ(packed_bytes(4, 7), 4u);
  EXPECT_EQ(packed_bytes(4, 8), 4u);
  EXPECT_EQ(packed_bytes(4, 9), 5u);
  EXPECT_EQ(packed_bytes(6, 4), 3u);
  EXPECT_EQ(packed_bytes(6, 5), 4u);
  EXPECT_EQ(packed_bytes(1, 17), 3u);
  for (size_t count = 0; count < 40; ++count)
    for (size_t bits = 1; bits <= 64; ++bits) EXPECT_EQ(packed_bytes(bits, count), (bits * count + 7) / 8);
  constexpr size_t most = size_t{kMostElements};
  EXPECT_EQ(packed_bytes(64, most), most * 8);
  EXPECT_EQ(packed_bytes(4, most), most / 2);
}

TEST(Sizes, ABlockHasItsScaleAndIsStoredWhole) {
  static_assert(packed_bytes(4, 0, 32, 8) == 0 && packed_bytes(4, 32, 32, 8) == 17);  // MXFP4
  EXPECT_EQ(packed_bytes(4, 1, 32, 8), 17u);
  EXPECT_EQ(packed_bytes(4, 31, 32, 8), 17u);
  EXPECT_EQ(packed_bytes(4, 33, 32, 8), 34u);
  EXPECT_EQ(packed_bytes(4, 20 * 32, 32, 8), 20 * 17u);
  EXPECT_EQ(packed_bytes(8, 32, 32, 8), 33u);       // MXFP8
  EXPECT_EQ(packed_bytes(6, 64, 32, 8), 50u);       // MXFP6
  EXPECT_EQ(packed_bytes(4, 32, 32, 16), 18u);      // Q4_0 of GGUF
  EXPECT_EQ(packed_bytes(4, 512, 256, 128), 288u);  // Q4_K
  EXPECT_EQ(packed_bytes(3, 3, 2, 5), 3u) << "two blocks of 11 bits: only the last byte is filled up";
  for (size_t count = 0; count < 70; ++count)
    for (size_t bits = 1; bits <= 64; ++bits) {
      EXPECT_EQ(packed_bytes(bits, count, 1, 0), packed_bytes(bits, count));
      EXPECT_EQ(packed_bytes(bits, count, 32, 8), (count + 31) / 32 * (4 * bits + 1));
    }
}

TEST(Sizes, BlocksOfACountThatIsSaturatedDoNotWrapAround) {
  constexpr size_t most = size_t{kMostElements};
  static_assert(packed_bytes(4, most, 32, 8) == most / 32 * 17);
  EXPECT_EQ(packed_bytes(4, most - 1, 32, 8), most / 32 * 17);
  EXPECT_EQ(packed_bytes(56, most, 2, 16), most * 8);
  EXPECT_EQ(packed_bytes(8, std::numeric_limits<size_t>::max(), 1, 0), std::numeric_limits<size_t>::max());
}

TEST(Sizes, OfARowOfTheTableBlocksAreCounted) {
  DTypeInfo row = info(DType::f8e4m3);
  EXPECT_EQ(byte_count(row, 40), 40u);
  row.block = 32;
  row.scale_bits = 8;
  EXPECT_EQ(byte_count(row, 40), 66u);
  EXPECT_EQ(byte_count(row, int64_t{0}), 0u);
  EXPECT_EQ(byte_count(row, kMostElements), size_t{kMostElements} / 32 * 33);
}

TEST(Sizes, OfStoredDTypesEachElementHasBytesOfItsOwn) {
  for (const DTypeInfo& row : dtype_table()) {
    EXPECT_EQ(row.bits % 8, 0) << row.name;
    EXPECT_EQ(row.block, 1) << row.name;
    EXPECT_EQ(row.scale_bits, 0) << row.name;
    EXPECT_EQ(byte_count(row.dtype, 5), 5 * size_of(row.dtype)) << row.name;
    EXPECT_EQ(byte_count(row.dtype, {5, 3}), byte_count(row.dtype, 15)) << row.name;
    EXPECT_EQ(byte_count(row.dtype, {5, 0}), 0u) << row.name;
  }
}

TEST(Sizes, BytesThatAFileNamesDoNotWrapAround) {
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(checked_bytes(32, 5), 20u);
  EXPECT_EQ(checked_bytes(4, 5), 3u);
  EXPECT_EQ(checked_bytes(0, most), 0u);
  EXPECT_EQ(checked_bytes(8, most), most);
  EXPECT_EQ(checked_bytes(4, most), most / 2 + 1);
  EXPECT_FALSE(checked_bytes(16, most));
  EXPECT_EQ(checked_bytes(16, most / 2), most - 1);
  EXPECT_FALSE(checked_bytes(16, most / 2 + 1));
}

TEST(Sizes, OfWhatFitsTheMachine) {
  const auto all = static_cast<int64_t>(machine_memory());
  EXPECT_TRUE(check_size(DType::u8, {all}));
  EXPECT_FALSE(check_size(DType::u8, {all, 2}));
  EXPECT_FALSE(check_size(DType::f64, {all}));
  EXPECT_TRUE(check_size(DType::f32, {-1, 3}));
  EXPECT_TRUE(check_size(DType::f32, {0, 3}));
  EXPECT_FALSE(check_size(DType::f32, {0, all, all})) << "strides of an empty tensor are products, too";
  const Status refused = check_size(DType::f32, {1, int64_t{1} << 60, 16});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::out_of_memory);
  EXPECT_THAT(refused.error().reason, HasSubstr("2^59 elements"));
}

TEST(Sizes, AGpuWithMoreMemoryThanTheMachineRaisesTheLimit) {
  const size_t more = size_limit() + 4096;  // little more: other tests take it for the machine's
  raise_size_limit(more);
  raise_size_limit(1);
  EXPECT_EQ(size_limit(), more);
  EXPECT_TRUE(check_size(DType::u8, {static_cast<int64_t>(more)}));
  const Status refused = check_size(DType::u8, {static_cast<int64_t>(more) + 1});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().reason, HasSubstr("the largest GPU has"));
}

/// random [1, 1, 16, 16] → a transposed convolution of 2^64 elements → mean → train.
Graph wrapping(const std::string& dtype) {
  return test::built(
      {AddNode{node("random", "random", {{"shape", List{1, 1, 16, 16}}, {"axes", std::string()}, {"dtype", dtype}})},
       AddNode{node("conv", "conv_transpose2d",
                    {{"out_channels", int64_t{65536}},
                     {"kernel_size", List{1}},
                     {"stride", List{1048576}},
                     {"output_padding", List{1048575}},
                     {"bias", false},
                     {"dtype", dtype}})},
       AddNode{node("mean", "mean")}, AddNode{node("train", "train", {{"steps", int64_t{1}}})},
       AddLink{link("random.y", "conv.x")}, AddLink{link("conv.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
}

/// The one error of a graph.
Diagnostic refusal(const Graph& graph) {
  Validator validator;
  validator.reset(graph);
  for (const Diagnostic& d : validator.all())
    if (d.severity == Severity::error) return d;
  ADD_FAILURE() << "valid";
  return {};
}

TEST(Sizes, AGraphWhoseCountWrapsIsRefused) {
  for (const char* dtype : {"f64", "f32", "f16"}) {
    const Graph graph = wrapping(dtype);
    const Diagnostic d = refusal(graph);
    EXPECT_EQ(d.code, codes::out_of_memory);
    EXPECT_EQ(d.node, "conv");
    EXPECT_THAT(d.reason, HasSubstr("[1, 65536, 16777216, 16777216]"));
    const auto assets = std::make_shared<ExampleAssets>();
    const auto subject = grad_subject(graph, *assets);
    ASSERT_FALSE(subject);
    EXPECT_EQ(subject.error().code, codes::out_of_memory);
    Session session(assets, nullptr);
    session.start(graph, "cpu", 1);
    session.wait();
    const auto s = session.snapshot();
    EXPECT_EQ(s->state, RunState::failed);
    ASSERT_TRUE(s->error);
    EXPECT_EQ(s->error->code, codes::out_of_memory);
    EXPECT_THAT(s->error->where, HasSubstr("conv"));
  }
}

TEST(Sizes, AChainOfUpsamplesIsRefusedWhereItGrowsTooLarge) {
  Edits edits{AddNode{node("n0", "random", {{"shape", List{1, 1, 1, 1}}, {"axes", std::string()}})}};
  std::string last = "n0.y";
  for (int i = 1; i <= 11; ++i) {
    const std::string id = "n" + std::to_string(i);
    edits.push_back(AddNode{node(id, "upsample", {{"factor", List{64}}})});
    edits.push_back(AddLink{link(last, id + ".x")});
    last = id + ".y";
  }
  const Diagnostic d = refusal(test::built(edits));
  EXPECT_EQ(d.code, codes::out_of_memory);
  EXPECT_THAT(d.node, testing::AnyOf("n3", "n4")) << "4^3 and 4^4 times 2^12 elements of 4 bytes";
}

TEST(Sizes, WhatANodeKeepsInsideIsLookedAt) {
  const auto of = [](const std::string& type, ParamMap params, const List& shape) {
    return refusal(test::built({AddNode{node("x", "random", {{"shape", shape}, {"axes", std::string()}})},
                                AddNode{node("n", type, std::move(params))}, AddLink{link("x.y", "n.x")}}));
  };
  const struct {
    Diagnostic found;
    const char* what;
  } cases[] = {
      {of("conv2d", {{"out_channels", int64_t{65536}}, {"kernel_size", List{65536}}, {"padding", std::string("same")}},
          {1, 64, 16, 16}),
       "weight"},
      {of("conv_transpose2d",
          {{"out_channels", int64_t{1}}, {"kernel_size", List{1048576}}, {"padding", std::string("524280")}},
          {1, 65536, 16, 16}),
       "weight"},
      // Scores are [batch, heads, seq, seq].
      {of("attention", {{"heads", int64_t{4}}}, {1, 1 << 24, 4}), "inside"},
  };
  for (const auto& [d, what] : cases) {
    EXPECT_EQ(d.code, codes::out_of_memory) << d.reason;
    EXPECT_EQ(d.node, "n");
    EXPECT_THAT(d.reason, HasSubstr(what));
  }
}

TEST(Sizes, DevicesRefuseAProgramThatNobodyLookedAt) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val one = b.constant(Tensor::from_f64(DType::f64, {}, std::vector<double>{1}));
  Val sum = one;
  for (int i = 0; i < 8; ++i) sum = b.add(sum, b.mean(b.broadcast_to(one, {int64_t{1} << 32, int64_t{1} << 32})));
  program->outputs.push_back({"sum", sum.id});
  ASSERT_TRUE(b.status());
  EXPECT_FALSE(check_sizes(*program));
  for (const char* id : {"cpu", "ref"}) {
    const auto device = *make_device(id);
    const auto states = device->prepare_states(*program, nullptr, 1, nullptr);
    ASSERT_FALSE(states) << id;
    EXPECT_EQ(states.error().code, codes::out_of_memory);
    const auto compiled = device->compile(program, nullptr);
    ASSERT_FALSE(compiled) << id;
    EXPECT_EQ(compiled.error().code, codes::out_of_memory);
  }
}

}  // namespace
}  // namespace hw
