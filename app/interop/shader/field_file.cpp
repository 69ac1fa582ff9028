#include "app/interop/shader/field_file.h"

#include <algorithm>
#include <array>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"
#include "engine/shader/hlsl_text.h"

namespace hw::interop {
namespace {

constexpr char kUnpacked[] =
    "//   f32: a word an element. f16, bf16: two in a word, f8: four; the first in the lowest bits. f64: two words, "
    "the\n"
    "//   lower first. Elements in row-major order.\n";

std::string declaration(ShaderLanguage language) {
  const bool glsl = language == ShaderLanguage::glsl;
  return std::string("#ifndef FIELD_WEIGHTS_DECLARED\n") +
         (glsl ? "layout(std430, set = 0, binding = 0) readonly buffer FieldWeights {\n  uint weights[];\n};\n"
               : "StructuredBuffer<uint> weights;\n") +
         "#endif\n";
}

std::string vector_of(ShaderLanguage language, int64_t components) {
  const std::string vector = shader::glsl_vector(components);
  const bool named = language != ShaderLanguage::glsl && vector.starts_with("vec");
  return named ? "float" + vector.substr(3) : vector;
}

std::string argument(ShaderLanguage language, const shader::FieldVariable& v) {
  if (language == ShaderLanguage::hlsl && v.components > 4)
    return "float " + v.argument + "[" + std::to_string(v.components) + "]";
  return vector_of(language, v.components) + " " + v.argument;
}

// A file may be called anything.
std::string in_a_line(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\') c = '?';
  return name;
}

// Columns as wide as their widest.
std::string layout(const std::vector<shader::GivenTensor>& given) {
  std::vector<std::array<std::string, 4>> rows{{"word", "tensor", "dtype", "sizes"}};
  for (const shader::GivenTensor& t : given)
    rows.push_back({std::to_string(t.word), t.name, std::string(name(t.dtype)), to_string(t.dims)});
  std::array<size_t, 4> width{};
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line = "//   ";
    for (size_t c = 0; c < row.size(); ++c) line += row[c] + std::string(width[c] - row[c].size() + 2, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

Result<ShaderLanguage> shader_language(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".glsl") return ShaderLanguage::glsl;
  if (extension == ".slang") return ShaderLanguage::slang;
  if (extension == ".hlsl") return ShaderLanguage::hlsl;
  return Error{codes::bad_usage, file.string(), "a shader is written as .glsl, .slang or .hlsl.",
               "Give the file one of these endings."};
}

Result<std::string> field_file(const shader::FieldShader& field, ShaderLanguage language, const std::string& wire,
                               const std::string& weights) {
  if (language == ShaderLanguage::hlsl && field.channels > 4)
    return Error{codes::no_shader, wire,
                 "a function of HLSL cannot return " + std::to_string(field.channels) + " values.",
                 "Write .slang, or name a wire of four channels or fewer."};
  std::string arguments;
  for (const shader::FieldVariable& v : field.variables)
    arguments += (arguments.empty() ? "" : ", ") + argument(language, v);
  std::string named;
  for (const shader::FieldVariable& v : field.variables)
    if (v.argument != v.name) named += "// " + v.argument + ": the wire " + v.name + "\n";
  std::string text = "// " + wire + ": " + vector_of(language, field.channels) + " field(" + arguments + ")\n" + named +
                     "// Written by Halfwire.\n//\n";
  if (field.words > 0)
    text += "// It reads " + in_a_line(weights) + ", " + std::to_string(field.words * 4) +
            " bytes, as `weights`: words of 32 bits, little-endian. To declare it elsewhere, define\n"
            "// FIELD_WEIGHTS_DECLARED.\n//\n";
  if (!field.given.empty()) text += layout(field.given) + kUnpacked;
  if (field.needs.f64)
    text += "//\n// It computes in f64 here and there: the device must have 64-bit floats and integers.\n";
  text += "\n";
  if (language == ShaderLanguage::glsl) {
    text += field.needs.extensions(false);
    if (field.needs.i64) text += "\n";
  }
  if (field.words > 0) text += declaration(language);
  return text + (language == ShaderLanguage::glsl
                     ? field.text
                     : shader::hlsl_text(field.text, language == ShaderLanguage::slang ? shader::HlslDialect::slang
                                                                                       : shader::HlslDialect::hlsl));
}

std::string weights_bytes(std::span<const uint32_t> words) {
  std::string bytes(words.size() * 4, '\0');
  for (size_t i = 0; i < words.size(); ++i)
    for (size_t b = 0; b < 4; ++b) bytes[4 * i + b] = static_cast<char>(words[i] >> 8 * b & 0xFF);
  return bytes;
}

}  // namespace hw::interop
