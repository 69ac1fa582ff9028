// make_kernels FAMILY.glsl COMMON.glsl OUTPUT GLSLANG [SPIRV_OPT]
// Compiles the kernels of a family to SPIR-V when the product is built. A family is a file of sections:
//   text for all its kernels; a line //! include FILE in it is the text of that file beside the family
//   //! kernel NAME              one kernel: `struct Functor`, as the C++ functor of that name lies in memory, its
//                                specialisation constants, and `void item(int64_t i)`; or, with
//   //! functor                stands behind that struct: from here on `f` is the functor
//   //! groups                   `void group()`, which a workgroup of 64 calls for each push.items workgroups
//   //! real                     two kernels, NAME_f32 and NAME_f64, with REAL float and double; else NAME alone
//   //! rows unary unary(v, f.a, f.b)   within a switch: a case for each row of unary.def or binary.def, that calls
//                                its body of that namespace
//   //! bodies unary::gelu …     bodies of engine/kernels that it calls, for REAL; in a kernel that is no `real`, f64
// OUTPUT: for each kernel a line "NAME bytes-of-its-functor words-of-SPIR-V groups", an empty line, then all words.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "engine/backend/vulkan/kernel_text.h"
#include "engine/backend/vulkan/spirv_module.h"
#include "engine/shader/body_reader.h"
#include "engine/shader/glsl_library.h"

namespace {

using namespace hw;

struct Section {
  std::string name, text;
  bool real = false, groups = false;
  std::vector<std::string> bodies;
};

struct Family {
  std::string shared;
  std::vector<Section> kernels;
};

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "make_kernels: " << what << "\n";
  std::exit(1);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

Family read_family(const std::string& path) {
  Family family;
  std::istringstream lines(read_file(path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::string& text = family.kernels.empty() ? family.shared : family.kernels.back().text;
    const size_t directive = line.find_first_not_of(' ');
    if (directive == std::string::npos || line.compare(directive, 4, "//! ") != 0) {
      text += line + "\n";
      continue;
    }
    std::istringstream words(line.substr(directive + 4));
    std::string kind, word;
    words >> kind;
    if (kind == "include" && family.kernels.empty()) {
      words >> word;
      text += "#line 1 3\n" + read_file((std::filesystem::path(path).parent_path() / word).string()) + "#line " +
              std::to_string(number + 1) + " 0\n";
      continue;
    }
    if (kind == "kernel") {
      Section& section = family.kernels.emplace_back();
      words >> section.name;
      section.text = "#line " + std::to_string(number + 1) + "\n";
      continue;
    }
    if (family.kernels.empty()) fail(path + ":" + std::to_string(number) + ": stands before a kernel");
    Section& section = family.kernels.back();
    const bool in_text = kind == "functor" || kind == "rows";
    section.text += in_text ? line + "\n" : "\n";
    if (in_text) continue;
    if (kind == "real")
      section.real = true;
    else if (kind == "groups")
      section.groups = true;
    else if (kind == "bodies")
      while (words >> word) section.bodies.push_back(word);
    else
      fail(path + ":" + std::to_string(number) + ": unknown: " + kind);
  }
  return family;
}

constexpr const char* kUnary[] = {
#define HW_UNARY(name, ...) #name,
#include "engine/program/unary.def"
#undef HW_UNARY
};
constexpr const char* kBinary[] = {
#define HW_BINARY(name, ...) #name,
#include "engine/program/binary.def"
#undef HW_BINARY
};

/// "unary unary_grad(u, v, f.a, f.b)": a case for each row of unary.def, that calls its body of that namespace.
std::string cases_of(const std::string& rows, shader::GlslLibrary& library, shader::Scalar real) {
  std::istringstream words(rows);
  std::string table, scope, argument;
  words >> table >> std::ws;
  std::getline(words, scope, '(');
  std::vector<std::string> arguments;
  while (std::getline(words >> std::ws, argument, ',')) arguments.push_back(argument.substr(0, argument.find(')')));
  if (table != "unary" && table != "binary") fail("no table of rows: " + table);
  const std::span<const char* const> names =
      table == "unary" ? std::span<const char* const>(kUnary) : std::span<const char* const>(kBinary);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto function = library.add(scope + "::" + names[i], real);
    if (!function) fail(rows + ": " + function.error().text());
    text += "case " + std::to_string(i) + ": return " + (*function)->name + "(";
    for (size_t k = 0; k < arguments.size(); ++k)
      text +=
          (k ? ", " : "") + std::string(shader::glsl_type((*function)->parameters.at(k))) + "(" + arguments[k] + ")";
    text += "); ";
  }
  return text;
}

std::string shader_of(const Family& family, const Section& section, shader::Scalar real, const shader::Bodies& bodies,
                      const std::string& common) {
  shader::GlslLibrary library(bodies);
  for (const std::string& name : section.bodies) {
    const auto added = library.add(name, real);
    if (!added) fail(section.name + ": " + added.error().text());
  }
  std::string kernel;
  std::istringstream lines(section.text);
  for (std::string line; std::getline(lines, line);) {
    const size_t rows = line.find("//! rows ");
    kernel += (rows == std::string::npos ? line : cases_of(line.substr(rows + 9), library, real)) + "\n";
  }
  std::string real_name;
  if (section.real) real_name = real == shader::Scalar::f64 ? "double" : "float";
  std::string text = vulkan::kernel_text({.common = common,
                                          .real = real_name,
                                          .bodies = library.text(),
                                          .kernel = family.shared + kernel,
                                          .groups = section.groups});
  if (text.empty()) fail(section.name + ": no line //! functor behind struct Functor");
  return text;
}

std::vector<uint32_t> compile(const std::string& text, const std::string& name, const std::string& output,
                              const std::string& glslang, const std::string& optimiser) {
  const std::string glsl = output + "." + name + ".comp", spirv = output + "." + name + ".spv", log = glsl + ".log";
  std::ofstream(glsl) << text;
  std::string command =
      "'" + glslang + "' -V -g0 --target-env vulkan1.2 -o '" + spirv + "' '" + glsl + "' > '" + log + "'";
  if (!optimiser.empty())
    command += " && '" + optimiser + "' --eliminate-dead-functions '" + spirv + "' -o '" + spirv + "' >> '" + log + "'";
  if (std::system(command.c_str()) != 0) fail(read_file(log));
  const std::string bytes = read_file(spirv);
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::copy_n(bytes.data(), words.size() * sizeof(uint32_t), reinterpret_cast<char*>(words.data()));
  for (const std::string& file : {glsl, spirv, log}) std::filesystem::remove(file);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) fail("usage: make_kernels FAMILY.glsl COMMON.glsl OUTPUT GLSLANG [SPIRV_OPT]");
  const std::string path = argv[1], common = read_file(argv[2]), output = argv[3], glslang = argv[4];
  const std::string optimiser = argc > 5 ? argv[5] : "";
  Family family = read_family(path);
  const auto bodies = shader::read_all_bodies();
  if (!bodies) fail(bodies.error().text());
  std::string table;
  std::vector<uint32_t> all;
  for (const Section& section : family.kernels) {
    std::vector<shader::Scalar> reals{shader::Scalar::f64};
    if (section.real) reals.insert(reals.begin(), shader::Scalar::f32);
    for (const shader::Scalar real : reals) {
      const std::string name =
          section.name + (section.real ? real == shader::Scalar::f64 ? "_f64" : "_f32" : std::string());
      std::vector<uint32_t> words =
          compile(shader_of(family, section, real, *bodies, common), name, output, glslang, optimiser);
      vulkan::forbid_contraction(words);
      const auto functor = vulkan::functor_bytes(words);
      if (!functor) fail(name + ": " + functor.error().text());
      table += name + " " + std::to_string(*functor) + " " + std::to_string(words.size()) + " " +
               (section.groups ? "1" : "0") + "\n";
      all.insert(all.end(), words.begin(), words.end());
    }
  }
  std::ofstream out(output, std::ios::binary);
  out << table << "\n";
  while (static_cast<size_t>(out.tellp()) % sizeof(uint32_t) != 0) out << "\n";
  out.write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof(uint32_t)));
  return out ? 0 : 1;
}
