#include "engine/backend/vulkan/region_kernels.h"

#include <bit>
#include <cstring>

#include "engine/backend/vulkan/kernel_text.h"
#include "engine/backend/vulkan/spirv_module.h"
#include "engine/shader/body_reader.h"
#include "engine/shader/compile_glsl.h"
#include "engine/shader/region/region_shader.h"

namespace hw::vulkan {
namespace {

bool is_stretched(const kernels::StridedIndex& at, int64_t size) {
  return size > 1 && !(at.axes == 1 && at.stride[0] == 1);
}

std::string number(size_t n) {
  return std::to_string(n);
}

std::string dtype_number(DType dtype) {
  return std::to_string(static_cast<int>(dtype));
}

/// An element as region_shader's function takes it.
std::string loaded(DType dtype, size_t input, const std::string& at) {
  const std::string arguments = "(" + dtype_number(dtype) + ", f.x[" + number(input) + "], " + at + ")";
  if (dtype == DType::boolean) return "load32" + arguments + " != 0.0";
  return (dtype == DType::f64 ? "load64" : "load32") + arguments;
}

std::vector<uint64_t> functor_of(const gpu::RegionOperands& operands, const std::vector<double>& numbers) {
  std::vector<uint64_t> words;
  for (const kernels::Source& x : operands.in) words.push_back(reinterpret_cast<uint64_t>(x.data));
  for (const kernels::Target& y : operands.out) words.push_back(reinterpret_cast<uint64_t>(y.data));
  static_assert(sizeof(kernels::StridedIndex) % sizeof(uint64_t) == 0);
  for (const kernels::StridedIndex& at : operands.at) {
    if (!is_stretched(at, operands.size)) continue;
    const size_t begin = words.size();
    words.resize(begin + sizeof at / sizeof(uint64_t));
    std::memcpy(words.data() + begin, &at, sizeof at);
  }
  for (const double value : numbers) words.push_back(std::bit_cast<uint64_t>(value));
  return words;
}

std::string type_of(DType dtype) {
  return dtype == DType::boolean ? "bool" : dtype == DType::f64 ? "double" : "float";
}

}  // namespace

Result<RegionText> region_text(const Program& program, const gpu::Region& region, const gpu::RegionOperands& operands) {
  HW_TRY(const shader::Bodies* const bodies, shader::all_bodies());
  std::vector<size_t> instrs;
  for (size_t i = region.first; i <= region.last(); ++i) instrs.push_back(i);
  HW_TRY(const shader::RegionShader made,
         shader::region_shader(program, instrs, region.inputs, region.outputs, *bodies));
  std::string indices, arguments, stores, declared;
  size_t stretched = 0;
  for (size_t k = 0; k < operands.in.size(); ++k) {
    std::string at = "i";
    if (is_stretched(operands.at[k], operands.size)) {
      const std::string n = number(stretched++);
      indices += "STRIDED(at_" + n + ", f.at[" + n + "], " + std::to_string(operands.at[k].axes) + ")\n";
      at = "at_" + n + "(i)";
    }
    arguments += (k ? ", " : "") + loaded(operands.in[k].dtype, k, at);
  }
  for (size_t k = 0; k < operands.out.size(); ++k) {
    const DType dtype = operands.out[k].dtype;
    const std::string y = "y" + number(k);
    declared += "  " + type_of(dtype) + " " + y + ";\n";
    arguments += (arguments.empty() ? "" : ", ") + y;
    stores += "  store(" + dtype_number(dtype) + ", f.y[" + number(k) + "], i, " +
              (dtype == DType::boolean ? y + " ? 1.0 : 0.0" : y) + ");\n";
  }
  for (size_t k = 0; k < made.numbers.size(); ++k)
    arguments += ", " + std::string(shader::glsl_type(made.number_types[k])) + "(f.k[" + number(k) + "])";
  const std::string functor =
      "struct Functor {\n" + (operands.in.empty() ? "" : "  uint64_t x[" + number(operands.in.size()) + "];\n") +
      "  uint64_t y[" + number(operands.out.size()) + "];\n" +
      (stretched == 0 ? "" : "  StridedIndex at[" + number(stretched) + "];\n") +
      (made.numbers.empty() ? "" : "  double k[" + number(made.numbers.size()) + "];\n") + "};\n";
  RegionText region_kernel;
  region_kernel.functor = functor_of(operands, made.numbers);
  region_kernel.text = kernel_text({.common = common_glsl(),
                                    .real = "",
                                    .bodies = made.text,
                                    .kernel = functor + "//! functor\n" + indices + "void item(int64_t i) {\n" +
                                              declared + "  region(" + arguments + ");\n" + stores + "}\n"});
  return region_kernel;
}

Result<const KernelCode*> RegionKernels::kernel_of(const std::string& text) {
  if (const auto known = made_.find(text); known != made_.end()) {
    if (known->second->error) return *known->second->error;
    return &known->second->code;
  }
  auto words = shader::compile_compute(text, shader::GlslTarget::vulkan_1_2);
  auto made = std::make_unique<Made>();
  if (words) {
    forbid_contraction(*words);
    made->words = std::move(*words);
    made->code.name = "of several ops";
    made->code.spirv = made->words;
  } else {
    if (!words.error().remedy.empty()) return words.error();  // there is no compiler, so far
    made->error = words.error();
  }
  const Made& kept = *(made_[text] = std::move(made));
  if (kept.error) return *kept.error;
  return &kept.code;
}

}  // namespace hw::vulkan
