// Numbers that users type.
#include "app/models/text/calculator.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hw::app {
namespace {

TEST(Calculator, TakesNumbersCalculationsAndSteps) {
  const Calculator calculator;
  EXPECT_EQ(calculator.value("16", 3), 16);
  EXPECT_EQ(calculator.value("2*8", 3), 16);
  EXPECT_EQ(calculator.value("+=4", 3), 7);
  EXPECT_TRUE(std::isnan(calculator.value("some", 3)));
  EXPECT_TRUE(std::isnan(calculator.value("", 3)));
}

}  // namespace
}  // namespace hw::app
