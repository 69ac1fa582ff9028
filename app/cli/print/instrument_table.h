// What the instruments of a training showed, for a terminal.
#pragma once

#include "engine/instrument/instruments.h"

namespace hw::cli {

/// Wires and parameters; inside nodes only what underflows, overflows or is not finite; then the worst in words.
void print_instruments(const InstrumentReadings& readings);

/// How large gradients and updates were: one line for each that is off.
void print_verdicts(const InstrumentReadings& readings);

}  // namespace hw::cli
