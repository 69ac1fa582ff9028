#include "engine/backend/vulkan/kernel_text.h"

namespace hw::vulkan {

std::string kernel_text(const KernelParts& parts) {
  std::string text = "#version 460\n";
  for (const char* extension :
       {"GL_EXT_buffer_reference", "GL_EXT_scalar_block_layout", "GL_EXT_shader_explicit_arithmetic_types",
        "GL_EXT_shader_8bit_storage", "GL_EXT_shader_16bit_storage", "GL_EXT_shader_atomic_int64",
        "GL_EXT_control_flow_attributes", "GL_KHR_shader_subgroup_basic", "GL_KHR_shader_subgroup_ballot"})
    text += "#extension " + std::string(extension) + " : require\n";
  if (!parts.real.empty()) text += "#define REAL " + std::string(parts.real) + "\n";
  if (parts.real == "double") text += "#define REAL_IS_F64\n";
  text += "#line 1 1\n" + std::string(parts.common) + "#line 1 2\n" + parts.bodies + "#line 1 0\n" + parts.kernel;
  text += parts.groups ? "void main() { group(); }\n"
                       : "void main() {\n"
                         "  const int64_t stride = 64l * int64_t(gl_NumWorkGroups.x);\n"
                         "  for (int64_t i = int64_t(gl_GlobalInvocationID.x); i < push.items; i += stride) item(i);\n"
                         "}\n";
  // The functor by its name: f.x.
  const std::string block =
      "layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer FunctorAt { Functor v; };\n"
      "#define f FunctorAt(push.functor).v\n";
  const size_t at = text.find("//! functor");
  return at == std::string::npos ? "" : text.substr(0, at) + block + text.substr(at);
}

}  // namespace hw::vulkan
