// Kernels as they are handed to a driver: for one row of a table, not for all.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/backend/vulkan/kernel_code.h"
#include "engine/backend/vulkan/spirv_cases.h"
#include "engine/backend/vulkan/spirv_words.h"

namespace hw::test::vulkan_kernels_test {
namespace {

std::vector<uint32_t> words_of(const std::string& kernel, std::vector<int32_t> constants) {
  const vulkan::KernelCode* code = vulkan::find_kernel(kernel);
  EXPECT_NE(code, nullptr) << kernel;
  std::vector<uint32_t> words(code->spirv.begin(), code->spirv.end());
  vulkan::choose_cases(words, constants);
  return words;
}

size_t count(const std::vector<uint32_t>& words, uint32_t opcode) {
  size_t n = 0;
  vulkan::spirv::each(words, [&](const vulkan::spirv::Instruction& i, size_t) { n += i.opcode == opcode; });
  return n;
}

TEST(VulkanKernels, have_one_row_of_their_table) {
  for (const char* const kernel : {"Unary_f32", "Unary_f64", "UnaryGrad_f32", "BinaryGrad_f32"}) {
    const size_t all = vulkan::find_kernel(kernel)->spirv.size();
    for (int32_t row = 0; row < 10; ++row) {
      const auto words = words_of(kernel, {row, 1, 1, 1, 1, 1});
      EXPECT_LT(words.size(), all) << kernel << " " << row;
      EXPECT_LT(count(words, vulkan::spirv::kSwitch), count(words_of(kernel, {}), vulkan::spirv::kSwitch)) << kernel;
    }
  }
  EXPECT_NE(words_of("Unary_f32", {0}), words_of("Unary_f32", {1}));
}

// No case has such a number: the default one.
TEST(VulkanKernels, take_the_default_of_a_number_without_a_case) {
  const auto words = words_of("Unary_f32", {10'000});
  EXPECT_EQ(words, words_of("Unary_f32", {-1}));
  EXPECT_LT(words.size(), words_of("Unary_f32", {0}).size() + 400);
}

TEST(VulkanKernels, are_as_they_were_where_nothing_is_chosen) {
  for (const vulkan::KernelCode& code : vulkan::kernel_codes()) {
    const auto words = words_of(code.name, {});
    EXPECT_LE(words.size(), code.spirv.size()) << code.name;
    auto again = words;
    vulkan::choose_cases(again, {});
    EXPECT_EQ(again, words) << code.name;
    EXPECT_EQ(count(words, vulkan::spirv::kSwitch),
              count({code.spirv.begin(), code.spirv.end()}, vulkan::spirv::kSwitch));
  }
}

}  // namespace
}  // namespace hw::test::vulkan_kernels_test
