// The precision matrix: what it says of a pair is what the validator and the device say when it is tried.
#include "engine/precision/precision_matrix.h"

#include <gmock/gmock.h>

#include "engine/devices/devices.h"
#include "engine/node/dtype_join.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using ::testing::HasSubstr;
using Verdict = PrecisionCell::Verdict;

PrecisionMatrix matrix_of(const std::string& type, const std::string& device_id = "cpu") {
  const auto device = make_device(device_id);
  EXPECT_TRUE(device);
  const auto m = precision_matrix(**device, type);
  EXPECT_TRUE(m) << m.error().text();
  return m ? *m : PrecisionMatrix{};
}

const PrecisionCell& at(const PrecisionMatrix& m, DType input, DType weights) {
  size_t r = 0, c = 0;
  for (size_t i = 0; i < m.inputs.size(); ++i) {
    if (m.inputs[i] == input) r = i;
    if (m.inputs[i] == weights) c = i;
  }
  return m.cells[r][m.weights.empty() ? 0 : c];
}

TEST(PrecisionMatrix, CoversEveryFloatDtypeAndExplainsEachVerdict) {
  for (const char* type : {"linear", "mlp", "conv2d", "batch_norm", "layer_norm", "hash_grid", "add", "relu"}) {
    SCOPED_TRACE(type);
    const PrecisionMatrix m = matrix_of(type);
    EXPECT_EQ(m.inputs.size(), 7u);
    ASSERT_EQ(m.cells.size(), 7u);
    for (const auto& row : m.cells) {
      EXPECT_EQ(row.size(), m.weights.empty() ? 1u : 7u);
      for (const PrecisionCell& cell : row) EXPECT_EQ(cell.why.empty(), cell.verdict == Verdict::native) << cell.why;
    }
  }
}

TEST(PrecisionMatrix, OfALinearLayer) {
  const PrecisionMatrix m = matrix_of("linear");
  EXPECT_EQ(m.columns, "weights");
  EXPECT_EQ(at(m, DType::f32, DType::f32).verdict, Verdict::native);
  EXPECT_EQ(at(m, DType::bf16, DType::bf16).verdict, Verdict::native);
  const PrecisionCell& f8 = at(m, DType::bf16, DType::f8e4m3);
  EXPECT_EQ(f8.verdict, Verdict::via_cast);
  EXPECT_TRUE(f8.exact);
  EXPECT_EQ(f8.compute, DType::bf16);
  EXPECT_EQ(f8.why, "weights f8e4m3 → bf16: exact");
  const PrecisionCell& halves = at(m, DType::f16, DType::bf16);
  EXPECT_EQ(halves.compute, DType::f32);
  EXPECT_TRUE(halves.exact);
  EXPECT_EQ(at(m, DType::tf32, DType::f32).verdict, Verdict::refused);
  EXPECT_THAT(at(m, DType::tf32, DType::f32).why, HasSubstr("no wire carries it"));
}

TEST(PrecisionMatrix, NativeIsWhatTheValidatorTakesWithoutACast) {
  const PrecisionMatrix m = matrix_of("linear");
  std::vector<DType> stored;
  for (const DType dtype : running_floats()) {
    if (info(dtype).storable) stored.push_back(dtype);
  }
  for (const DType input : stored) {
    for (const DType weights : stored) {
      Graph g;
      ASSERT_TRUE(apply_edits(
          g, {AddNode{test::node("x", "random",
                                 {{"shape", std::vector<double>{4, 8}}, {"dtype", std::string(name(input))}})},
              AddNode{test::node("layer", "linear", {{"dtype", std::string(name(input))}})},
              SetWeight{"layer", "weight", WeightFormat{weights, false, false}},
              SetWeight{"layer", "bias", WeightFormat{weights, false, false}}, AddLink{test::link("x.y", "layer.x")}}));
      Validator v;
      v.reset(g);
      EXPECT_EQ(at(m, input, weights).verdict == Verdict::native, v.all().empty())
          << name(input) << " " << name(weights);
    }
  }
}

TEST(PrecisionMatrix, ASocketOfOneDtypeIsReachedByACast) {
  const PrecisionMatrix m = matrix_of("hash_grid");
  EXPECT_EQ(at(m, DType::f32, DType::f16).verdict, Verdict::native);
  EXPECT_EQ(at(m, DType::f16, DType::f16).why, "x f16 → f32: exact");
  EXPECT_FALSE(at(m, DType::f64, DType::f16).exact);
}

TEST(PrecisionMatrix, WhatTheDeviceHasNoKernelForIsRefused) {
  /// A device without matrix products in bf16 and narrower.
  class Few : public Device {
   public:
    std::string id() const override { return "few"; }
    std::string description() const override { return "few"; }
    bool supports(Op op, std::span<const DType> dtypes) const override {
      if (op == Op::cast) return true;
      for (const DType d : dtypes) {
        if (d != DType::f32 && d != DType::f64) return false;
      }
      return op != Op::conv2d;
    }
    Result<std::shared_ptr<States>> prepare_states(const Program&, std::shared_ptr<States>, uint64_t,
                                                   std::vector<std::string>*) override {
      return Error{};
    }
    Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program>, std::shared_ptr<States>,
                                                std::span<const ValueId>, std::span<const SharedInput>) override {
      return Error{};
    }
  };
  const auto linear = precision_matrix(Few(), "linear");
  ASSERT_TRUE(linear);
  const PrecisionCell& bf16 = at(*linear, DType::bf16, DType::bf16);
  EXPECT_EQ(bf16.verdict, Verdict::via_cast);
  EXPECT_EQ(bf16.compute, DType::f32);
  const auto conv = precision_matrix(Few(), "conv2d");
  ASSERT_TRUE(conv);
  const PrecisionCell& none = at(*conv, DType::f32, DType::f32);
  EXPECT_EQ(none.verdict, Verdict::refused);
  EXPECT_THAT(none.why, HasSubstr("few has no kernel for conv2d of f32"));
}

TEST(PrecisionMatrix, BadQuestions) {
  const auto device = make_device("cpu");
  EXPECT_EQ(precision_matrix(**device, "nobody").error().code, codes::unknown_node);
  EXPECT_EQ(precision_matrix(**device, "mesh_source").error().code, codes::unsupported);
  EXPECT_EQ(precision_matrix(**device, "linear", {{"nothing", true}}).error().code, codes::unknown_parameter);
}

}  // namespace
}  // namespace hw
