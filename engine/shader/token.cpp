#include "engine/shader/token.h"

#include <algorithm>

#include "engine/core/codes.h"

namespace hw::shader {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Lexer {
 public:
  Lexer(std::string_view source, std::string_view file) : rest_(source), file_(file) {}

  Result<std::vector<Token>> run() {
    while (!rest_.empty()) {
      const char c = rest_[0];
      if (c == '\n') {
        newline();
      } else if (c == ' ') {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("//")) {
        comment();
      } else if (c == '#') {
        HW_CHECK(directive());
      } else {
        HW_CHECK(word());
      }
    }
    push(Token::Kind::end, 0);
    return std::move(tokens_);
  }

 private:
  std::string_view line() const { return rest_.substr(0, rest_.find('\n')); }

  void newline() {
    if (!line_has_words_ && !line_has_comment_) comment_.clear();  // an empty line
    ++line_;
    line_has_words_ = line_has_comment_ = false;
    rest_.remove_prefix(1);
  }

  void comment() {
    const std::string_view text = line();
    if (!line_has_words_) (comment_ += text) += '\n';
    line_has_comment_ = true;
    rest_.remove_prefix(text.size());
  }

  Status directive() {
    const std::string_view text = line();
    if (text != "#pragma once" && !text.starts_with("#include "))
      return not_understood(file_, line_, "the directive \"" + std::string(text) + "\"");
    rest_.remove_prefix(text.size());
    line_has_words_ = true;
    comment_.clear();
    return ok();
  }

  Status word() {
    size_t end = 1;
    const bool fraction = rest_[0] == '.' && rest_.size() > 1 && is_digit(rest_[1]);
    if (is_letter(rest_[0])) {
      while (end < rest_.size() && (is_letter(rest_[end]) || is_digit(rest_[end]))) ++end;
      push(Token::Kind::name, end);
      return ok();
    }
    if (is_digit(rest_[0]) || fraction) {
      const bool hex = rest_.starts_with("0x");
      const auto continues = [&](char c) {
        const char before = rest_[end - 1];
        return is_letter(c) || is_digit(c) || c == '.' ||
               (!hex && (c == '+' || c == '-') && (before == 'e' || before == 'E'));
      };
      while (end < rest_.size() && continues(rest_[end])) ++end;
      push(Token::Kind::number, end);
      return ok();
    }
    for (const std::string_view two : {"<<=", ">>=", "::", "==", "!=", "<=", ">=", "&&", "||", "<<",
                                       ">>",  "++",  "--", "+=", "-=", "*=", "/=", "&=", "|=", "^="})
      if (rest_.starts_with(two)) {
        push(Token::Kind::symbol, two.size());
        return ok();
      }
    if (std::string_view("+-*/%^&|~!()[]{}.,;:?<>=").find(rest_[0]) == std::string_view::npos)
      return not_understood(file_, line_, "the character \"" + std::string(1, rest_[0]) + "\"");
    push(Token::Kind::symbol, 1);
    return ok();
  }

  void push(Token::Kind kind, size_t count) {
    tokens_.push_back({kind, std::string(rest_.substr(0, count)), line_, std::move(comment_)});
    comment_.clear();
    line_has_words_ = true;
    rest_.remove_prefix(count);
  }

  std::string_view rest_, file_;
  int line_ = 1;
  bool line_has_words_ = false, line_has_comment_ = false;
  std::string comment_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokens_of(std::string_view source, std::string_view file) {
  return Lexer(source, file).run();
}

Error not_understood(std::string_view file, int line, std::string what) {
  return {codes::no_shader, "engine/kernels/" + std::string(file) + ":" + std::to_string(line),
          "A shader cannot be made of " + std::move(what) + ".", ""};
}

}  // namespace hw::shader
