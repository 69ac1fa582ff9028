// What tests of pictures without a window share: one device for all of a suite.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "app/viewport/vulkan_context.h"

namespace hw::viewport::test {

class WithVulkan : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto made = VulkanContext::create();
    ASSERT_TRUE(made) << made.error().text();
    context_ = std::move(*made);
  }
  static void TearDownTestSuite() { context_.reset(); }
  static inline std::unique_ptr<VulkanContext> context_;
};

}  // namespace hw::viewport::test
