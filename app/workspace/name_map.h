// Which name here is which name there: words of an option, and files.
#pragma once

#include <map>
#include <string>

#include "engine/core/result.h"

namespace hw::workspace {

/// Adds what a word of `option` says: NAME=NAME, or a .json file that holds an object of texts. Errors HW-F001,
/// HW-F003; HW-C001: it is neither, or `names` has another name for one of these already.
Status add_names(std::map<std::string, std::string>& names, const std::string& option, const std::string& word);

}  // namespace hw::workspace
