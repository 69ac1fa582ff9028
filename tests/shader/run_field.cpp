#include "tests/shader/run_field.h"

#include <cstring>

#include "engine/shader/compile_glsl.h"
#include "tests/shader/shader_bits.h"

namespace hw::test {
namespace {

std::string buffer(size_t binding, const std::string& type, const std::string& name) {
  const std::string n = std::to_string(binding);
  return "layout(set = 0, binding = " + n + ") buffer B" + n + " { " + type + " " + name + "[]; };\n";
}

// Element `at` · size + c of `name` for each c.
std::string elements(const std::string& name, int64_t size) {
  std::string list;
  for (int64_t c = 0; c < size; ++c)
    list += (c ? ", " : "") + name + "[at * " + std::to_string(size) + " + " + std::to_string(c) + "]";
  return list;
}

std::string main_of(const shader::FieldShader& field, bool exact_zeros) {
  std::string text = "#version 460\n" + field.needs.extensions(exact_zeros) + "layout(local_size_x = 64) in;\n" +
                     buffer(0, "uint", "weights");
  std::string arguments;
  for (size_t v = 0; v < field.variables.size(); ++v) {
    const int64_t size = field.variables[v].components;
    const std::string name = "variable" + std::to_string(v), of = elements(name, size);
    text += buffer(v + 1, "float", name);
    const std::string type = size > 4 ? "float[]" : "vec" + std::to_string(size);
    arguments += (v ? ", " : "") + (size == 1 ? of : type + "(" + of + ")");
  }
  text += buffer(field.variables.size() + 1, "float", "results") + field.text +
          "\nvoid main() {\n  uint at = gl_GlobalInvocationID.x;\n";
  const std::string call = "field(" + arguments + ");\n", size = std::to_string(field.channels);
  if (field.channels == 1) return text + "  results[at] = " + call + "}\n";
  text += field.channels > 4 ? "  float result[" + size + "] = " + call : "  vec" + size + " result = " + call;
  return text + "  for (int c = 0; c < " + size + "; ++c) results[at * " + size + " + c] = result[c];\n}\n";
}

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& v) {
  std::vector<uint8_t> bytes(std::max<size_t>(v.size(), 1) * sizeof(T));
  std::memcpy(bytes.data(), v.data(), v.size() * sizeof(T));
  return bytes;
}

}  // namespace

Result<std::vector<float>> run_field(ComputeDevice& device, const shader::FieldShader& field,
                                     const std::vector<uint32_t>& weights,
                                     const std::vector<std::vector<float>>& variables, size_t points) {
  const FloatBehaviour& floats = device.behaviour();
  const bool exact = floats.nan_preserve_f32 && (!field.needs.f64 || floats.nan_preserve_f64);
  HW_TRY(const auto spirv, shader::compile_compute(main_of(field, exact), shader::GlslTarget::vulkan_1_2));
  std::vector<std::vector<uint8_t>> buffers{bytes_of(weights)};
  for (const std::vector<float>& values : variables) buffers.push_back(bytes_of(values));
  std::vector<float> results(points * static_cast<size_t>(field.channels));
  buffers.push_back(bytes_of(results));
  HW_CHECK(device.run(spirv, buffers, static_cast<uint32_t>(points / 64)));
  std::memcpy(results.data(), buffers.back().data(), results.size() * sizeof(float));
  return results;
}

}  // namespace hw::test
