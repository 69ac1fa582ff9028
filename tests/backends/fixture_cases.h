// The number fixtures of tests/fixtures: calls of ops whose expected values NumPy or PyTorch computed.
#pragma once

#include "op_cases.h"

namespace hw::test {

/// A tensor of a fixture. dtype "T": the storage dtype under test, "M": its master (f64 for f64, else f32), else a
/// name.
struct FixtureTensor {
  std::string dtype;  // empty for an expected value: that of the op's output
  Dims dims;
  std::vector<double> values;
};

struct Fixture {
  std::string name;  // "pointwise.json: add, row"
  Op op;
  std::string attr;      // JSON
  std::string function;  // the row of a function table, or empty
  std::vector<FixtureTensor> inputs, expected;
  double tolerance_factor = 1;
  std::vector<DType> dtypes;  // storage dtypes that it holds for
};

/// All cases of all files. A file that does not read fails the test and is left out.
std::vector<Fixture> fixtures();

/// The op's attributes for storage dtype `dtype`. Fails the test where the op's attributes have no reader yet.
Attr fixture_attr(const Fixture& fixture, DType dtype);

/// The program of the op alone, with its inputs.
CaseProgram fixture_program(const Fixture& fixture, DType dtype);

}  // namespace hw::test
