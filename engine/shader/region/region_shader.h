// Neighbouring elementwise ops as one function of GLSL, of one element of each input.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "engine/shader/glsl_library.h"

namespace hw::shader {

struct RegionShader {
  /// Functions, the last of them `void region(float x0, double x1, …, out float y0, …, float k0, …)`: an element of
  /// each input, of each output, in their order, then `numbers`. f64 is double, boolean bool, other floats are float
  /// and hold what their dtype can store. Neither names of nodes nor numbers stand in it: equal regions have equal
  /// texts, a number that is dragged makes no new one, and no compiler sees a 0 that it could multiply by beforehand.
  std::string text;
  std::vector<double> numbers;  // settings of ops
  std::vector<Scalar> number_types;
  GlslNeeds needs;
};

/// Whether the op can stand in a region: its outputs are made, element by element, of its inputs, stretched as NumPy's;
/// all are f64, f32, f16, bf16, f8 or boolean; and it has a text. It gives the bits of the op by itself, but
/// for which NaN, and for comparisons of subnormals where the device flushes them. `bodies`: of read_all_bodies().
bool fits_region(const Program& program, const Instr& instr, const Bodies& bodies);

/// `instrs`: of Program::instrs, in their order, all of which fit. `inputs`: what they read and do not make; `outputs`:
/// of what they make. Error HW-R008.
Result<RegionShader> region_shader(const Program& program, std::span<const size_t> instrs,
                                   std::span<const ValueId> inputs, std::span<const ValueId> outputs,
                                   const Bodies& bodies);

}  // namespace hw::shader
