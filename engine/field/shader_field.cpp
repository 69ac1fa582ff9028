#include "engine/field/shader_field.h"

#include "engine/core/codes.h"
#include "engine/shader/body_reader.h"

namespace hw {
namespace {

constexpr int64_t kPoints = 1009;  // a size that no other axis has

Result<const shader::Bodies*> kernels() {
  static const Result<shader::Bodies> all = shader::read_all_bodies();
  if (!all) return all.error();
  return &*all;
}

}  // namespace

Result<ShaderField> ShaderField::make(const Graph& graph, const SocketRef& wire, std::span<const SocketRef> points,
                                      Assets& assets, std::shared_ptr<Device> device) {
  EvaluationOptions options;
  options.passes_off = every_pass();
  for (const char* variable : {"position", "normal", "uv", "pixel", "x"}) options.domains[variable] = kPoints;
  if (!points.empty()) {
    HW_TRY(const Evaluation shown, Evaluation::make(graph, points, assets, device));
    for (size_t i = 0; i < points.size(); ++i) {
      const Value& value = shown.value(i);
      if (value.dims.size() != 2)
        return Error{codes::not_a_field, points[i].node + "." + points[i].socket,
                     "the wire " + to_string(value.dims) + " has no value for each point.",
                     "Name a wire of shape [N, C]."};
      options.given[points[i]] = Tensor::zeros(value.dtype, {kPoints, value.dims[1]});
    }
  }
  HW_TRY(Evaluation program, Evaluation::make(graph, std::span(&wire, 1), assets, std::move(device), options));
  if (program.program().inputs.empty())
    return Error{codes::not_a_field, wire.node + "." + wire.socket, "it does not depend on where a point lies.",
                 "Name a wire that depends on a position."};
  HW_TRY(const shader::Bodies* const bodies, kernels());
  HW_TRY(shader::FieldShader shader,
         shader::field_shader(program.program(), program.program().outputs[0].value, *bodies));
  std::vector<ValueId> keep;
  for (const shader::GivenTensor& given : shader.given) keep.push_back(given.value);
  program.keep(std::move(keep));
  return ShaderField(std::move(program), std::move(shader));
}

Result<std::vector<uint32_t>> ShaderField::weights(const Weights* weights, uint64_t seed, Lacking lacking) {
  HW_CHECK(program_.set_weights(weights, seed, lacking));
  for (const Port& input : program_.program().inputs) {
    const Value& value = program_.program()[input.value];
    HW_CHECK(program_.write_input(input.name, Tensor::zeros(value.dtype, value.dims)));
  }
  HW_CHECK(program_.run());
  std::vector<Tensor> tensors;
  for (const shader::GivenTensor& given : shader_.given) {
    HW_TRY(Tensor tensor, program_.read_kept(given.value));
    tensors.push_back(std::move(tensor));
  }
  return shader::field_weights(shader_, tensors);
}

}  // namespace hw
