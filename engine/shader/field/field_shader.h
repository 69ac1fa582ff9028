// A field, a wire that depends on where a point lies, as a function of GLSL.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/program/program.h"
#include "engine/shader/glsl_library.h"

namespace hw::shader {

struct FieldVariable {
  std::string name;      // of the program's input: "position", "sampler.position"
  std::string argument;  // of the function: "position", "sampler_position"
  int64_t components = 3;
};

/// "float", "vec2" to "vec4", "float[5]".
std::string glsl_vector(int64_t components);

/// A tensor that the function reads: elements in row-major order, narrow ones packed into words from the low bits on.
struct GivenTensor {
  ValueId value = kNoValue;
  std::string name;  // the parameter's; of a value that is computed before, the node's path
  DType dtype = DType::f32;
  Dims dims;
  size_t word = 0;  // the first of `weights`
};

struct FieldShader {
  /// Functions, the last of them `vec3 field(vec3 position)`, of types glsl_vector(). It reads `uint weights[]`, which
  /// is declared before, unless `words` is 0. The names of its functions are always the same: one text a shader.
  std::string text;
  std::vector<FieldVariable> variables;
  int64_t channels = 3;
  std::vector<GivenTensor> given;
  size_t words = 0;  // of weights
  GlslNeeds needs;
};

/// The ops of `program` that `result` depends on, as a function. `points`: as of point_program. Errors HW-R008: at the
/// node of an op, or a dtype, that has no GLSL; a variable that is no f32; more than 2^31 words or elements. Variables
/// of the names in `first` come first, in that order, the others in that of the program's inputs.
Result<FieldShader> field_shader(const Program& program, ValueId result, int64_t points, const Bodies& bodies,
                                 std::span<const std::string> first = {});

/// `weights` of tensors in the order of `given`, whose dtypes and sizes they have.
std::vector<uint32_t> field_weights(const FieldShader& field, std::span<const Tensor> tensors);

}  // namespace hw::shader
