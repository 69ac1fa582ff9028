#include "engine/backend/vulkan/region_kernels.h"

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

std::string type_of(DType dtype) {
  return dtype == DType::boolean ? "bool" : dtype == DType::f64 ? "double" : "float";
}

}  // namespace

Result<std::string> region_text(const Program& program, const gpu::Region& region,
                                const gpu::RegionOperands& operands) {
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
  const std::string functor = "struct Functor {\n" +
                              (operands.in.empty() ? "" : "  uint64_t x[" + number(operands.in.size()) + "];\n") +
                              "  uint64_t y[" + number(operands.out.size()) + "];\n" +
                              (stretched == 0 ? "" : "  StridedIndex at[" + number(stretched) + "];\n") + "};\n";
  return kernel_text({.common = common_glsl(),
                      .real = "",
                      .bodies = made.text,
                      .kernel = functor + "//! functor\n" + indices + "void item(int64_t i) {\n" + declared +
                                "  region(" + arguments + ");\n" + stores + "}\n"});
}

std::vector<uint64_t> region_functor(const gpu::RegionOperands& operands) {
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
  return words;
}

Result<const KernelCode*> RegionKernels::kernel_of(const Program& program, const gpu::Region& region,
                                                   const gpu::RegionOperands& operands) {
  if (no_compiler_) return *no_compiler_;
  HW_TRY(std::string text, region_text(program, region, operands));
  std::unique_ptr<const Made>& kernel = made_[text];
  if (kernel) return &kernel->code;
  auto words = shader::compile_compute(text, shader::GlslTarget::vulkan_1_2);
  if (!words) {
    no_compiler_ = words.error();
    return words.error();
  }
  forbid_contraction(*words);
  auto made = std::make_unique<Made>();
  made->words = std::move(*words);
  made->code.name = "region of " + std::to_string(region.count) + " ops";
  made->code.spirv = made->words;
  kernel = std::move(made);
  return &kernel->code;
}

}  // namespace hw::vulkan
