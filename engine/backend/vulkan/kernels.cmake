# Compiles kernels/*.glsl to SPIR-V, a pack for each family, and puts the packs into halfwire_engine.
file(GLOB shader_sources CONFIGURE_DEPENDS engine/shader/*.cpp)
add_executable(make_kernels engine/backend/vulkan/make_kernels.cpp engine/backend/vulkan/kernel_text.cpp
  engine/backend/vulkan/spirv_module.cpp engine/core/descriptor.cpp
  ${shader_sources} ${kernel_source})
target_link_libraries(make_kernels PRIVATE halfwire_flags)
halfwire_unite(make_kernels)
set_target_properties(make_kernels PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/vulkan)

set(kernels_folder ${CMAKE_SOURCE_DIR}/engine/backend/vulkan/kernels)
set(included common draws exact_sums loss_scale positions rounding)  # texts that families share
foreach(name ${included})
  list(APPEND included_files ${kernels_folder}/${name}.glsl)
endforeach()
file(GLOB families CONFIGURE_DEPENDS ${kernels_folder}/*.glsl)
list(REMOVE_ITEM families ${included_files})
set(packs_declared "")
set(packs_listed "")
set(packs "")
foreach(family ${families})
  get_filename_component(name ${family} NAME_WE)
  set(pack ${CMAKE_BINARY_DIR}/vulkan/${name}.pack)
  add_custom_command(OUTPUT ${pack} DEPENDS make_kernels ${family} ${included_files} VERBATIM
    COMMAND make_kernels ${family} ${kernels_folder}/common.glsl ${pack} ${GLSLANG_VALIDATOR} $<$<BOOL:${SPIRV_OPT}>:${SPIRV_OPT}>
    COMMAND_EXPAND_LISTS COMMENT "Compiling Vulkan kernels ${name}")
  list(APPEND packs ${pack})
  string(APPEND packs_declared "HW_PACK(${name}, \"${pack}\")\n")
  string(APPEND packs_listed "      {hw_vulkan_${name}, hw_vulkan_${name}_end},\n")
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/vulkan/kernel_packs.cpp.new "// Made by engine/backend/vulkan/kernels.cmake.
#include \"engine/backend/vulkan/kernel_code.h\"

#define HW_PACK(name, file)                                                                            \\
  asm(\".section .rodata\\n.balign 4\\n.globl hw_vulkan_\" #name \"\\nhw_vulkan_\" #name \":\\n.incbin \\\"\" file \\
      \"\\\"\\n.globl hw_vulkan_\" #name \"_end\\nhw_vulkan_\" #name \"_end:\\n.byte 0\\n.text\\n\");                  \\
  extern \"C\" const unsigned char hw_vulkan_##name[], hw_vulkan_##name##_end[];

${packs_declared}HW_PACK(common, \"${kernels_folder}/common.glsl\")

namespace hw::vulkan {

std::vector<std::span<const unsigned char>> kernel_packs() {
  return {
${packs_listed}  };
}

std::string_view common_glsl() {
  return {reinterpret_cast<const char*>(hw_vulkan_common),
          static_cast<size_t>(hw_vulkan_common_end - hw_vulkan_common)};
}

}  // namespace hw::vulkan
")
file(COPY_FILE ${CMAKE_BINARY_DIR}/vulkan/kernel_packs.cpp.new ${CMAKE_BINARY_DIR}/vulkan/kernel_packs.cpp ONLY_IF_DIFFERENT)
target_sources(halfwire_engine PRIVATE ${CMAKE_BINARY_DIR}/vulkan/kernel_packs.cpp)
set_source_files_properties(${CMAKE_BINARY_DIR}/vulkan/kernel_packs.cpp PROPERTIES OBJECT_DEPENDS "${packs};${kernels_folder}/common.glsl")
target_link_libraries(halfwire_engine PRIVATE Vulkan::Vulkan)
# Vulkan's structures are filled in by name; the rest is zero.
file(GLOB vulkan_sources engine/backend/vulkan/*.cpp)
set_source_files_properties(${vulkan_sources} PROPERTIES COMPILE_OPTIONS -Wno-missing-field-initializers)
