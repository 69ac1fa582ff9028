#include "engine/expression/lexer.h"

#include <charconv>
#include <cmath>

#include "engine/core/codes.h"

namespace hw::expression {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Alternative spellings that users type.
struct Instead {
  std::string_view typed, remedy;
};
constexpr Instead kInstead[] = {
    {"\u00d7", "Write * for a product."},
    {"\u00b7", "Write * for a product, or dot(a, b)."},
    {"\u00f7", "Write / for a quotient."},
    {"\u2212", "Write - for minus."},
    {"\u2264", "Write <=."},
    {"\u2265", "Write >=."},
    {"\u2260", "Write !=."},
    {"%", "There is no remainder of a division."},
    {"&", "Write && for and."},
    {"|", "Write || for or."},
    {"\"", "There is no text in an expression."},
    {"'", "There is no text in an expression."},
};

class Lexer {
 public:
  Lexer(std::string_view source, bool lenient) : rest_(source), lenient_(lenient) {}

  Result<std::vector<Token>> run() {
    while (skip_space(), !rest_.empty()) {
      if (is_letter(rest_[0])) {
        word();
      } else if (is_digit(rest_[0]) || (rest_[0] == '.' && rest_.size() > 1 && is_digit(rest_[1]))) {
        HW_CHECK(passed(number()));
      } else {
        HW_CHECK(passed(symbol()));
      }
    }
    tokens_.push_back({Token::Kind::end, "", 0, place_});
    return std::move(tokens_);
  }

 private:
  Status passed(Status read) {
    if (read || !lenient_) return read;
    take(1);
    return ok();
  }

  void skip_space() {
    while (!rest_.empty()) {
      if (rest_[0] == '#' || rest_.starts_with("//")) {
        take(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r' || rest_[0] == '\n') {
        take(1);
      } else {
        return;
      }
    }
  }

  // Moves on by `count` bytes.
  std::string_view take(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    for (const char c : taken) {
      if (c == '\n') {
        ++place_.line;
        place_.column = 1;
      } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {  // not the rest of a character
        ++place_.column;
      }
    }
    rest_.remove_prefix(count);
    return taken;
  }

  void push(Token::Kind kind, size_t count, double number = 0) {
    const Place place = place_;
    tokens_.push_back({kind, std::string(take(count)), number, place});
  }

  void word() {
    size_t end = 1;
    while (end < rest_.size() && (is_letter(rest_[end]) || is_digit(rest_[end]))) ++end;
    push(Token::Kind::name, end);
  }

  // 2, 2.5, .5, 1e-3; "0..4" is 0, then "..".
  Status number() {
    size_t end = 0;
    const auto digits = [&] {
      while (end < rest_.size() && is_digit(rest_[end])) ++end;
    };
    digits();
    if (end < rest_.size() && rest_[end] == '.' && !rest_.substr(end).starts_with("..")) {
      ++end;
      digits();
    }
    if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
      size_t power = end + 1;
      if (power < rest_.size() && (rest_[power] == '+' || rest_[power] == '-')) ++power;
      if (power < rest_.size() && is_digit(rest_[power])) {
        end = power;
        digits();
      }
    }
    if (end < rest_.size() && is_letter(rest_[end])) {
      while (end < rest_.size() && (is_letter(rest_[end]) || is_digit(rest_[end]))) ++end;
      return error_at(codes::expression_syntax, place_, "\"" + std::string(rest_.substr(0, end)) + "\" is no number.",
                      "Names begin with a letter; a product needs its sign: 2*x.");
    }
    double value = 0;
    if (const auto read = std::from_chars(rest_.data(), rest_.data() + end, value);
        read.ec != std::errc() || !std::isfinite(value))
      return error_at(codes::expression_syntax, place_,
                      "the number \"" + std::string(rest_.substr(0, end)) + "\" is out of range.", "");
    push(Token::Kind::number, end, value);
    return ok();
  }

  Status symbol() {
    for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", ".."})
      if (rest_.starts_with(two)) {
        push(Token::Kind::symbol, 2);
        return ok();
      }
    if (std::string_view("+-*/^()[]{}.,;:?<>=!").find(rest_[0]) != std::string_view::npos) {
      push(Token::Kind::symbol, 1);
      return ok();
    }
    for (const Instead& row : kInstead)
      if (rest_.starts_with(row.typed)) return unknown(row.typed, std::string(row.remedy));
    size_t end = 1;
    while (end < rest_.size() && (static_cast<unsigned char>(rest_[end]) & 0xC0) == 0x80) ++end;
    const bool shown = end > 1 || (rest_[0] > ' ' && rest_[0] < 0x7f);
    return unknown(shown ? rest_.substr(0, end) : "a control character",
                   "Names are made of a-z, A-Z, 0-9 and _; see the documentation of Expression for its signs.");
  }

  Status unknown(std::string_view text, std::string remedy) const {
    return error_at(codes::expression_syntax, place_, "\"" + std::string(text) + "\" has no meaning here.",
                    std::move(remedy));
  }

  std::string_view rest_;
  const bool lenient_;
  Place place_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokens_of(std::string_view source) {
  return Lexer(source, false).run();
}

std::vector<Token> readable_tokens(std::string_view source) {
  return *Lexer(source, true).run();
}

}  // namespace hw::expression
