// What a product says of itself is what oneDNN ran: with other instruction sets it says something else.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "engine/core/cpu_features.h"
#include "engine/devices/devices.h"
#include "op_cases.h"

namespace hw::test {
namespace {

struct Product {
  const char* name;
  Op op;
  std::vector<Dims> in;
  Attr attr;
};

std::vector<Product> products(std::optional<DType> compute) {
  const ConvAttr conv{.pad_begin = {1, 1}, .pad_end = {1, 1}, .compute = compute};
  ConvAttr grad_input = conv, grad_weight = conv;
  grad_input.dims = {4, 16, 12, 12};
  grad_weight.dims = {32, 16, 3, 3};
  return {{"matmul", Op::matmul, {{512, 64}, {64, 64}}, MatmulAttr{.compute = compute}},
          {"matmul_tn", Op::matmul_tn, {{512, 64}, {512, 64}}, MatmulAttr{.compute = compute}},
          {"batch_matmul", Op::batch_matmul, {{2, 64, 64}, {2, 64, 64}}, MatmulAttr{.compute = compute}},
          {"conv2d", Op::conv2d, {{4, 16, 12, 12}, {32, 16, 3, 3}}, conv},
          {"conv2d_grad_input", Op::conv2d_grad_input, {{4, 32, 12, 12}, {32, 16, 3, 3}}, grad_input},
          {"conv2d_grad_weight", Op::conv2d_grad_weight, {{4, 16, 12, 12}, {4, 32, 12, 12}}, grad_weight}};
}

KernelInfo info_of(const Product& product, DType storage) {
  const CaseProgram p = case_program({product.op, product.name, product.in, product.attr}, storage);
  const auto cpu = *make_device("cpu");
  return (*cpu->compile(p.program, *cpu->prepare_states(*p.program, nullptr, 1, nullptr)))->kernel_info(0);
}

constexpr const char* kPrints = "HALFWIRE_TEST_PRINTS_KERNELS";

// What the test below reads from a process that may use other instruction sets.
void print_all() {
  for (DType storage : {DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f64})
    for (const Product& product : products({})) {
      const KernelInfo i = info_of(product, storage);
      std::printf("info|%s %s|%s|%s|%s\n", product.name, name(storage).data(), name(i.compute).data(),
                  name(i.accumulate).data(), i.implementation.c_str());
    }
}

// "matmul bf16" → {compute, accumulate, implementation}.
using Said = std::map<std::string, std::array<std::string, 3>>;
Said said_with(const std::string& isa) {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return {};
  const std::string command = "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u GTEST_OUTPUT " + std::string(kPrints) +
                              "=1 ONEDNN_MAX_CPU_ISA=" + isa + " '" + self + "' --gtest_filter=KernelInfo.follows*";
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_TRUE(pipe);
  Said said;
  char line[512];
  while (pipe && std::fgets(line, sizeof line, pipe)) {
    std::vector<std::string> parts;
    std::string rest(line);
    for (size_t bar = rest.find('|'); bar != std::string::npos; bar = rest.find('|')) {
      parts.push_back(rest.substr(0, bar));
      rest.erase(0, bar + 1);
    }
    if (parts.size() == 4 && parts[0] == "info") said[parts[1]] = {parts[2], parts[3], rest};
  }
  EXPECT_EQ(pipe ? pclose(pipe) : -1, 0);
  return said;
}

TEST(KernelInfo, follows_the_instruction_sets_that_onednn_may_use) {
  if (std::getenv(kPrints)) return print_all();
  const Said least = said_with("SSE41"), most = said_with("ALL");
  ASSERT_EQ(least.size(), 30u);
  ASSERT_EQ(most.size(), 30u);
  int other = 0;
  for (const auto& [product, facts] : least) {
    EXPECT_EQ(facts[0], product.ends_with("f64") ? "f64" : "f32") << product;
    EXPECT_EQ(facts[1], facts[0]) << product;
    if (product.ends_with("f64")) continue;
    other += facts[2] != most.at(product)[2];
    if (most.at(product)[0] == "bf16") {
      EXPECT_TRUE(product.ends_with(" bf16") || product.ends_with(" f8e4m3")) << product;
      EXPECT_NE(most.at(product)[2].find("bf16"), std::string::npos) << product << ": " << most.at(product)[2];
    }
  }
  if (detected_isa() == Isa::scalar) GTEST_SKIP() << "this CPU has no more than SSE4.1";
  EXPECT_GT(other, 0);
}

TEST(KernelInfo, names_the_compute_dtype) {
  for (DType compute : {DType::tf32, DType::f16, DType::bf16, DType::f8e5m2})
    for (const Product& product : products(compute)) {
      EXPECT_EQ(name(info_of(product, DType::f32).compute), name(compute)) << product.name;
      EXPECT_EQ(info_of(product, DType::f32).accumulate, DType::f32);
      EXPECT_EQ(name(info_of(product, DType::f64).compute), name(compute)) << product.name;
      EXPECT_EQ(info_of(product, DType::f64).accumulate, DType::f64);
    }
  for (const Product& product : products(DType::tf32)) {  // rounds nothing there
    const DType compute = info_of(product, DType::f16).compute;
    EXPECT_EQ(compute, DType::f32) << product.name;
  }
}

TEST(Products, refuse_a_compute_dtype_that_is_not_narrow) {
  for (DType compute : {DType::f64, DType::f32, DType::i8})
    for (const Product& product : products(compute)) {
      Program program;
      OpBuilder b(program);
      b.emit(product.op, {b.input("a", DType::f32, product.in[0]), b.input("b", DType::f32, product.in[1])},
             product.attr);
      ASSERT_FALSE(b.status()) << product.name;
      EXPECT_EQ(b.status().error().code, "HW-P001") << product.name;
    }
}

}  // namespace
}  // namespace hw::test
