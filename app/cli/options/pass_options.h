// The --no-pass option.
#pragma once

#include <CLI/CLI.hpp>

#include "engine/passes/program_passes.h"

namespace hw::cli {

/// Names are not checked: see check_passes.
CLI::Option* add_no_pass(CLI::App& command, PassesOff& off);

}  // namespace hw::cli
