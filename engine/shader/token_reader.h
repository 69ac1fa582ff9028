// A place in a list of tokens, for those who read them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/shader/token.h"

namespace hw::shader {

class TokenReader {
 public:
  TokenReader(std::vector<Token> tokens, std::string_view file) : tokens_(std::move(tokens)), file_(file) {}

  const Token& peek(size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool accept(std::string_view symbol) {
    if (!peek().is(symbol)) return false;
    take();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!peek().is_word(word)) return false;
    take();
    return true;
  }
  Status expect(std::string_view symbol) {
    if (accept(symbol)) return ok();
    return error("\"" + peek().text + "\" where \"" + std::string(symbol) + "\" is expected");
  }
  Result<std::string> name(std::string_view of) {
    if (peek().kind == Token::Kind::name) return take().text;
    return error("\"" + peek().text + "\" where the name of " + std::string(of) + " is expected");
  }
  Error error(std::string what) const { return not_understood(file_, peek().line, std::move(what)); }
  std::string_view file() const { return file_; }

  bool is_type(const Token& token) const;
  /// What a template declares.
  std::set<std::string> template_types;

 private:
  std::vector<Token> tokens_;
  std::string_view file_;
  size_t at_ = 0;
};

}  // namespace hw::shader
