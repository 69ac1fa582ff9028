// SPIR-V of texts that were compiled before, in $XDG_CACHE_HOME/halfwire/shaders, by default below ~/.cache. What a
// driver makes of SPIR-V it keeps by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hw::shader {

/// The words that remember_spirv was given for this very text; none: not known, damaged, or there is no folder. Any
/// thread, any process.
std::optional<std::vector<uint32_t>> remembered_spirv(const std::string& text);
/// Keeps at most kMostKept, the newest. A folder that cannot be written is left alone.
void remember_spirv(const std::string& text, const std::vector<uint32_t>& words);

inline constexpr size_t kMostKept = 512;

}  // namespace hw::shader
