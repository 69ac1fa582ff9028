// A kernel for one row of a table: what its switches over specialisation constants do not choose is left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hw::vulkan {

/// Leaves the case that these values of the specialisation constants, by SpecId, choose of each switch over one of
/// them, and no function that nothing calls any more: a driver then compiles one row of a table instead of all.
void choose_cases(std::vector<uint32_t>& words, std::span<const int32_t> constants);

}  // namespace hw::vulkan
