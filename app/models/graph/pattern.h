// Regular expressions to find nodes by, by RE2.
#pragma once

#include "engine/graph/check/find.h"

namespace hw::app {

/// MakePattern in RE2's syntax, of UTF-8. Takes time linear in the text, whatever is asked for.
Result<TextPattern> make_pattern(std::string_view expression);

}  // namespace hw::app
