// A field as a shader, with the weights that the shader reads.
#pragma once

#include "engine/evaluate/evaluation.h"
#include "engine/shader/field/field_shader.h"

namespace hw {

/// A wire as a function of where a point lies: of the domain variables, and of other wires of shape [N, C], that it
/// depends on. What does not depend on them is computed beforehand, on a device, and read by the shader like a weight.
/// One thread at a time.
class ShaderField {
 public:
  /// `points`: wires of f32 [N, C] that become variables of the function, "sampler.position". `device`: as
  /// Evaluation::make. Errors: HW-G007 where it depends on none of them, or not on one of `points`; HW-R008 what has no
  /// shader; what lowering reports.
  static Result<ShaderField> make(const Graph& graph, const SocketRef& wire, std::span<const SocketRef> points,
                                  Assets& assets, std::shared_ptr<Device> device);

  const shader::FieldShader& shader() const { return shader_; }
  /// Paths of nodes that draw numbers, of which weights() has one draw.
  std::vector<std::string> drawn_once() const;
  /// shader().words words. Errors, and what `weights` (null: none) may lack: as Evaluation::set_weights and run.
  Result<std::vector<uint32_t>> weights(const Weights* weights, uint64_t seed, Lacking lacking = Lacking::initial);

 private:
  ShaderField(Evaluation program, shader::FieldShader shader)
      : program_(std::move(program)), shader_(std::move(shader)) {}
  Evaluation program_;
  shader::FieldShader shader_;
};

}  // namespace hw
