// SPIR-V of resources/shaders, compiled into the binary by CMake (see CMakeLists.txt here).
#pragma once

#include <cstdint>
#include <span>

namespace hw::viewport::shaders {

std::span<const uint32_t> gbuffer_vert();
std::span<const uint32_t> gbuffer_frag();
std::span<const uint32_t> wire_vert();
std::span<const uint32_t> wire_frag();
std::span<const uint32_t> compose_vert();
std::span<const uint32_t> compose_frag();

}  // namespace hw::viewport::shaders
