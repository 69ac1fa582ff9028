// One or more cases for every op: shapes, attributes, value range. Tests of the backends iterate over them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/program/builder.h"

namespace hw::test {

struct OpCase {
  Op op;
  std::string name;  // "add column"
  std::vector<Dims> in;
  Attr attr = {};
  double lo = -2, hi = 2;  // range of the inputs
};

/// At least one case for each op of ops.def.
std::vector<OpCase> op_cases();
/// The inputs of an encoder's op that are points of its grid or directions there: f32 whatever its features are, f64
/// beside f64. Empty: no such op.
std::vector<size_t> point_inputs(Op op);
void add_image_cases(std::vector<OpCase>& all);
void add_norm_cases(std::vector<OpCase>& all);
// ---- families in files of their own
void add_functions(std::vector<OpCase>& all);
void add_along_axes(std::vector<OpCase>& all);

/// Uniform in [lo, hi), the same at every call; `stream` distinguishes inputs.
std::vector<double> numbers(int64_t count, double lo, double hi, uint32_t stream);

inline constexpr DType kComputeDTypes[] = {DType::f64,  DType::f32,    DType::f16,
                                           DType::bf16, DType::f8e4m3, DType::f8e5m2};

/// A program with the case's op alone, its inputs (update ops: states) filled with numbers, for storage dtype `dtype`.
struct CaseProgram {
  std::shared_ptr<Program> program;
  std::vector<Val> in, out;    // update ops: `out` are the states written
  std::vector<Tensor> values;  // of `in`
  std::vector<DType> dtypes;   // of the op's inputs, then outputs
};
CaseProgram case_program(const OpCase& c, DType dtype);
/// Whether it looks planes up, or is a derivative of that.
bool is_triplane(Op op);

/// A case that has run once.
struct CaseRun {
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;  // null: it failed
  /// The values of `out`. Fails the test on an error.
  std::vector<Tensor> outputs(const CaseProgram& c) const;
};
/// Fails the test on an error.
CaseRun start_case(const CaseProgram& c, Device& device, std::span<const ValueId> keep = {});
/// Its outputs.
std::vector<Tensor> run_case(const CaseProgram& c, Device& device, std::span<const ValueId> keep = {});

bool same_bits(const Tensor& a, const Tensor& b);

}  // namespace hw::test
