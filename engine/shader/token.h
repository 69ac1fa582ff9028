// The words of a kernel's source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace hw::shader {

struct Token {
  enum class Kind : uint8_t { number, name, symbol, end } kind = Kind::end;
  std::string text;  // as written
  int line = 0;
  std::string comment = {};  // the lines of comment right above, each with its //

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::name && text == word; }
};

/// "#pragma once", "#include …" and comments stand between words. The last token is Kind::end. Error HW-R008, with
/// `file` and line: any other directive, and what is no word of the subset (text, characters).
Result<std::vector<Token>> tokens_of(std::string_view source, std::string_view file);

Error not_understood(std::string_view file, int line, std::string what);

}  // namespace hw::shader
