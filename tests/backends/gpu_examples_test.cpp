// The examples that train, on the cuda device on a driver in host memory: op by op what the cpu makes.
#include "example_graphs.h"
#include "host_gpu.h"

namespace hw::test {
namespace {

TEST(GpuExamples, agree_with_the_cpu_op_by_op) {
  expect_parity(host_gpu(), 24, true, 2);
}

}  // namespace
}  // namespace hw::test
