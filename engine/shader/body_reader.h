// Reads the headers of engine/kernels: what of C++ they may use is in syntax.h.
#pragma once

#include <string_view>

#include "engine/core/result.h"
#include "engine/shader/syntax.h"

namespace hw::shader {

/// Adds the bodies and constants of a header; `file`: its name in errors. Error HW-R008 with the line: anything that
/// syntax.h cannot hold.
Status read_bodies(std::string_view source, std::string_view file, Bodies& into);

/// Those of all kernel_sources().
Result<Bodies> read_all_bodies();
/// The same, read once. Any thread.
Result<const Bodies*> all_bodies();

}  // namespace hw::shader
