// Neighbouring elementwise ops as one function of GLSL, of one element of each input.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "engine/shader/glsl_library.h"

namespace hw::shader {

struct RegionShader {
  /// Functions, the last of them `void region(float x0, double x1, …, out float y0, …)`: an element of each input, then
  /// of each output, in their order. f64 is double, boolean bool, other floats are float and hold what their dtype can
  /// store. No names of nodes stand in it, so that equal regions have equal texts.
  std::string text;
  GlslNeeds needs;
};

/// Whether the op can stand in a region: its outputs are made, element by element, of its inputs, stretched as NumPy's;
/// all are f64, f32, f16, bf16, f8 or boolean; and it has a text that gives the bits of the op by itself on every
/// driver. `bodies`: of read_all_bodies().
bool fits_region(const Program& program, const Instr& instr, const Bodies& bodies);

/// `instrs`: of Program::instrs, in their order, all of which fit. `inputs`: what they read and do not make; `outputs`:
/// of what they make. Error HW-R008.
Result<RegionShader> region_shader(const Program& program, std::span<const size_t> instrs,
                                   std::span<const ValueId> inputs, std::span<const ValueId> outputs,
                                   const Bodies& bodies);

}  // namespace hw::shader
