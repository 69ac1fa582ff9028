// Where in a source something stands, and errors that say so.
#pragma once

#include <string>

#include "engine/core/result.h"

namespace hw::expression {

/// Line and column of a character, both from 1; a column is a character (a UTF-8 code point), a tab counts as one.
struct Place {
  int line = 1, column = 1;
  bool operator==(const Place&) const = default;
};

/// An error of the language: `where` is "line:column" ("2:14").
Error error_at(const char* code, Place place, std::string reason, std::string remedy = {});
/// The same with the code HW-X003: types do not go together.
Error type_error(Place place, std::string reason, std::string remedy = {});
/// The place in such an error.
Place place_of(const Error& error);

}  // namespace hw::expression
