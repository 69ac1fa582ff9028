// The words of an expression source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/expression/place.h"

namespace hw::expression {

struct Token {
  enum class Kind : uint8_t { number, name, symbol, end } kind = Kind::end;
  std::string text;  // as written; a symbol is one of + - * / ^ ( ) , ; ... and of two characters: == += && ..
  double number = 0;
  Place place;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::name && text == word; }
};

/// Spaces, and comments from // or # to the end of the line, stand between words. The last token is Kind::end. Error
/// HW-X001: a character or number that the language does not know.
Result<std::vector<Token>> tokens_of(std::string_view source);
/// The same, passing over what the language does not know.
std::vector<Token> readable_tokens(std::string_view source);

}  // namespace hw::expression
