// Adding a node is adding one file: square_test_node.cpp, named nowhere else but in CMakeLists.txt, must bring its own
// tests, with every dtype and a gradient.
#include <gtest/gtest.h>

#include <map>

#include "engine/node/node_type.h"

namespace hw {
namespace {

TEST(AddNode, OneFileBringsItsTests) {
  ASSERT_TRUE(Registry::instance().all().contains("square_test_node"));
  std::map<std::string, int> cases;  // by suite
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t)
      if (std::string(suite.GetTestInfo(t)->name()).find("square_test_node") != std::string::npos)
        ++cases[suite.name()];
  }
  EXPECT_GT(cases["Nodes/NodeDeclaration"], 0);
  EXPECT_GT(cases["Nodes/NodeShapes"], 4) << "one a dtype";
  EXPECT_GT(cases["Nodes/NodeValues"], 4) << "one a dtype and device";
  EXPECT_EQ(cases["Nodes/NodeGradient"], 1);
}

}  // namespace
}  // namespace hw
