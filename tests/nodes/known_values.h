// Nodes on inputs whose answer is known without running a program: how such a test is written.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nodes/evaluate.h"

namespace hw::test {

inline Tensor f32(Dims dims, std::vector<double> values) {
  return Tensor::from_f64(DType::f32, std::move(dims), values);
}

/// The values of the node's first output; none when it failed, which is reported.
inline std::vector<double> values(const NodeRun& run) {
  const auto tensors = evaluate(run);
  return tensors.empty() ? std::vector<double>{} : tensors[0].to_f64();
}

inline auto near(std::vector<double> wanted, double tolerance = 1e-6) {
  return testing::Pointwise(testing::DoubleNear(tolerance), std::move(wanted));
}

}  // namespace hw::test
