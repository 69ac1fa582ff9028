// Files that say which name here is which name there.
#pragma once

#include <map>
#include <string>

#include "engine/core/result.h"

namespace hw::cli {

/// A JSON object of texts. Errors HW-F001, HW-F003.
Result<std::map<std::string, std::string>> read_name_map(const std::string& file);

}  // namespace hw::cli
