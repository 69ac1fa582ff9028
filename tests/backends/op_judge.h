// Whether what a device makes of an op is what it should make, within the op's documented bound.
#pragma once

#include "engine/compare/tolerance.h"
#include "op_cases.h"

namespace hw::test {

/// What the op of a case gives on ref: as stored, and, where it has a form in f64, before it is rounded. A result is
/// held against the latter, within OpTolerance: half a unit of its own dtype, and what its sum may gather in its
/// accumulator. Where ref is not finite, neither may the result be: the same Inf, or NaN (which of the two depends on
/// the order of terms), but for a result that lies at the very end of the dtype's range.
class OpJudge {
 public:
  explicit OpJudge(const CaseProgram& p);

  size_t outputs() const { return stored_.size(); }
  const Tensor& stored(size_t k) const { return stored_[k]; }
  /// What output k should be, by element, before it is rounded where that is known.
  const std::vector<double>& wanted(size_t k) const { return wanted_[k]; }
  /// By element of output k. `accumulate`: of the kernel.
  const std::vector<double>& allowed(size_t k, DType accumulate) const;
  /// What is wrong with output k: empty, or which element is off, and by how much.
  std::string complaint(size_t k, const Tensor& got, DType accumulate) const;
  /// What is wrong with the outputs of a run, all of them.
  std::string complaint(const CaseRun& run) const;

 private:
  struct Bounds {
    DType accumulate = DType::f64;
    std::vector<double> allowed;
    double at_largest = 0;  // allowed beside the largest number of the dtype
  };
  const Bounds& bounds(size_t k, DType accumulate) const;
  bool overflows(size_t k, double exact, double slack) const;

  const CaseProgram p_;
  std::vector<Tensor> stored_;
  std::vector<std::vector<double>> wanted_;            // by output
  std::vector<bool> unrounded_;                        // by output: it has a form in f64
  mutable std::vector<std::optional<Bounds>> bounds_;  // by output; of the accumulator that was asked for last
};

/// How many elements all inputs have together.
int64_t elements(const OpCase& c);
/// The case with Inf in the middle and at the end of input j, and one NaN.
CaseProgram not_finite(CaseProgram p, size_t j);
/// Whether a convolution multiplies the zeros around a picture, between taps or of other groups with what is beside
/// them, so that one Inf reaches outputs that it is no part of: oneDNN's some; on a GPU every zero around a picture.
bool mixes_zeros(const OpCase& c, bool gpu);

/// The accumulator that a run's kernel says it has; of whole numbers f64.
DType accumulator(const CaseRun& run);

/// Fails the test where an element of `got` is further from that of `wanted` than the tolerance allows.
void expect_within(const Tensor& got, const Tensor& wanted, const OpTolerance& tolerance, const std::string& what);

/// Fails the test where `device` does not agree with ref.
void expect_agrees(const CaseProgram& p, Device& device, const std::string& what);

}  // namespace hw::test
