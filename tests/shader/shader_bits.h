// A body in C++ against the same body as GLSL on a device, bit by bit.
#pragma once

#include <string>

#include "engine/shader/glsl_library.h"
#include "tests/shader/compute_device.h"
#include "tests/shader/shader_cases.h"

namespace hw::test {

struct BitReport {
  int64_t inputs = 0;
  int64_t subnormals = 0;        // of which an input, or the C++ result, is subnormal
  int64_t different = 0;         // bits; NaN and NaN are the same
  int64_t of_subnormals = 0;     // of them, where an input or the C++ result is subnormal
  int64_t plain = 0;             // of them, without
  double largest_ulp = 0;        // of those without subnormals, finite on both sides
  std::string first;             // of those without, or else of any
  int64_t loose_operations = 0;  // of floats in the SPIR-V that may be contracted
};

/// `library` with a main that computes `f` of three arrays into a fourth.
std::string shader_of(const shader::GlslLibrary& library, const shader::GlslFunction& f, shader::Scalar real,
                      int inputs, const std::vector<double>& parameters, bool exact_zeros);

template <class T>
Result<BitReport> compare_bits(ComputeDevice& device, const shader::Bodies& bodies, const ShaderCase<T>& c);
extern template Result<BitReport> compare_bits(ComputeDevice&, const shader::Bodies&, const ShaderCase<float>&);
extern template Result<BitReport> compare_bits(ComputeDevice&, const shader::Bodies&, const ShaderCase<double>&);

}  // namespace hw::test
