// Every registered node × example: the gradient check, in f64 on ref.
#include <gtest/gtest.h>

#include "engine/gradient/grad_check.h"
#include "tests/nodes/node_case.h"

namespace hw::test {
namespace {

constexpr double kMaxKinks = 0.05;  // share of the checks that may fall on a kink

class NodeGradient : public testing::TestWithParam<NodeCase> {};

TEST_P(NodeGradient, AgreesWithCentralDifferences) {
  const auto subject = example_subject(*GetParam().type, GetParam().example);
  ASSERT_TRUE(subject) << subject.error().text();
  ASSERT_FALSE(subject->blocks.empty()) << "nothing to differentiate by: give a reason in no_gradient_because";
  GradCheckOptions options;
  options.step = 3;
  options.all_up_to = 256;
  const auto report = check_gradients(*subject, options);
  ASSERT_TRUE(report) << report.error().text();
  size_t checks = 0, kinks = 0;
  for (const GradResult& r : report->results) {
    checks += r.checks;
    kinks += r.kinks;
    EXPECT_TRUE(r.verdict == GradVerdict::right || r.verdict == GradVerdict::kink)
        << r.block.name << " is " << name(r.verdict) << ": adjoint " << r.worst.adjoint << ", difference "
        << r.worst.difference << " at " << r.worst.index;
    EXPECT_GT(r.largest, 1e-3) << r.block.name << " changes nothing: the check says nothing of it";
  }
  EXPECT_TRUE(report->passed());
  EXPECT_LE(static_cast<double>(kinks), kMaxKinks * static_cast<double>(checks)) << kinks << " of " << checks;
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeGradient, testing::ValuesIn(gradient_cases()),
                         [](const auto& test) { return case_name(test.param); });

}  // namespace
}  // namespace hw::test
