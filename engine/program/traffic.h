// What a step moves between memory and the device that computes it, beside what no device can do without.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// Bytes, from ops and sizes alone. Of a table whose rows are picked by number (gather, hash grids, triplanes) what is
/// picked counts, at most the table; so much of it, of its master and of its moments counts in an update that leaves
/// alone what was not touched.
struct Traffic {
  double moved = 0;  // by all instructions: each reads its inputs and writes its outputs, once
  double least = 0;  // inputs, constants and states that are read, once; states and outputs that are written, once
};

/// The traffic of programs that run one after the other and share states by name. Inputs that an earlier one makes
/// count as moved alone: `handed`, by name.
Traffic traffic_of(const std::vector<const Program*>& programs, const std::set<std::string>& handed = {});

}  // namespace hw
