#include "tests/shader/run_field.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/core/codes.h"
#include "engine/shader/compile_glsl.h"
#include "engine/shader/hlsl_text.h"
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

std::string hlsl_main_of(const shader::FieldShader& field) {
  std::string text = "StructuredBuffer<uint> weights : register(t0);\n", arrays, arguments;
  for (size_t v = 0; v < field.variables.size(); ++v) {
    const std::string n = std::to_string(v), name = "variable" + n;
    const int64_t size = field.variables[v].components;
    const std::string count = std::to_string(size);
    text += "StructuredBuffer<float> " + name + " : register(t" + std::to_string(v + 1) + ");\n";
    arguments += v ? ", " : "";
    if (size > 4) {
      arrays += "  float argument" + n + "[" + count + "];\n  for (int i" + n + " = 0; i" + n + " < " + count +
                "; ++i" + n + ") argument" + n + "[i" + n + "] = " + name + "[at * " + count + " + i" + n + "];\n";
      arguments += "argument" + n;
    } else {
      arguments += (size == 1 ? "float(" : "float" + count + "(") + elements(name, size) + ")";
    }
  }
  text += "RWStructuredBuffer<float> results : register(u" + std::to_string(field.variables.size() + 1) + ");\n" +
          shader::hlsl_text(field.text, shader::HlslDialect::hlsl) +
          "\n[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) {\n  uint at = id.x;\n" + arrays;
  const std::string call = "field(" + arguments + ");\n", size = std::to_string(field.channels);
  if (field.channels == 1) return text + "  results[at] = " + call + "}\n";
  return text + "  float" + size + " result = " + call + "  for (int c = 0; c < " + size + "; ++c) results[at * " +
         size + " + c] = result[c];\n}\n";
}

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& v) {
  std::vector<uint8_t> bytes(std::max<size_t>(v.size(), 1) * sizeof(T));
  std::memcpy(bytes.data(), v.data(), v.size() * sizeof(T));
  return bytes;
}

/// A compute shader in HLSL, by glslang's front end: `uint64_t` and `asuint` of a double are unknown to it. What it
/// makes of buffers is no SPIR-V of Vulkan 1.2. Error: what it says.
Result<std::vector<uint32_t>> compile_hlsl(const std::string& source) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("halfwire_shader_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string hlsl = folder / "a.comp", spirv = folder / "a.spv", log = folder / "log";
  std::ofstream(hlsl) << source;
  const std::string command =
      HALFWIRE_GLSLANG " -V -D -e main --target-env vulkan1.1 -o " + spirv + " " + hlsl + " > " + log;
  const int status = std::system(command.c_str());
  std::vector<uint32_t> words;
  std::string said;
  std::getline(std::ifstream(log), said, '\0');
  if (status == 0) {
    words.resize(fs::file_size(spirv) / sizeof(uint32_t));
    std::ifstream(spirv, std::ios::binary)
        .read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * sizeof(uint32_t)));
  }
  fs::remove_all(folder);
  if (status != 0) return Error{codes::no_shader, "glslangValidator", said, ""};
  return words;
}

}  // namespace

Result<std::vector<float>> run_field(ComputeDevice& device, const shader::FieldShader& field,
                                     const std::vector<uint32_t>& weights,
                                     const std::vector<std::vector<float>>& variables, size_t points,
                                     FieldLanguage language) {
  const FloatBehaviour& floats = device.behaviour();
  const bool exact = floats.nan_preserve_f32 && (!field.needs.f64 || floats.nan_preserve_f64);
  HW_TRY(const auto spirv, language == FieldLanguage::hlsl
                               ? compile_hlsl(hlsl_main_of(field))
                               : shader::compile_compute(main_of(field, exact), shader::GlslTarget::vulkan_1_2));
  std::vector<std::vector<uint8_t>> buffers{bytes_of(weights)};
  for (const std::vector<float>& values : variables) buffers.push_back(bytes_of(values));
  std::vector<float> results(points * static_cast<size_t>(field.channels));
  buffers.push_back(bytes_of(results));
  HW_CHECK(device.run(spirv, buffers, static_cast<uint32_t>(points / 64)));
  std::memcpy(results.data(), buffers.back().data(), results.size() * sizeof(float));
  return results;
}

}  // namespace hw::test
