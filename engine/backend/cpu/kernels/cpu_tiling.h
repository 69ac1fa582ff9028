// Which ops the cpu computes in tiles of rows, and which as a whole though they could be tiled.
#pragma once

#include "engine/program/tiling.h"

namespace hw::cpu {

/// As tile_rule(), but none for a hash grid whose table outgrows the caches, which runs level by level, and for the
/// gradient of a convolution's large weight, which runs by output channels. From the program alone.
TileRule cpu_tile_rule(const Program& program, const Instr& instr);

}  // namespace hw::cpu
