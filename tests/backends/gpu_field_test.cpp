// Fields, on the cuda device on a driver in host memory.
#include "host_gpu.h"
#include "tests/engine/field_cases.h"

namespace hw::test {
namespace {

TEST(GpuField, is_that_of_ref) {
  expect_fields_of_ref([] { return host_gpu(); });
}

}  // namespace
}  // namespace hw::test
