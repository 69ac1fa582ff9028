#include "engine/expression/source.h"

#include <algorithm>
#include <set>

#include "engine/expression/function.h"
#include "engine/expression/lexer.h"
#include "engine/expression/names.h"

namespace hw::expression {
namespace {

bool ends_statement(const Token& token) {
  return token.is(";") || token.is("{") || token.is("}");
}

void add_once(std::vector<Socket>& sockets, const std::string& name, Type type = {}) {
  if (sockets.size() < kMaxSockets && std::ranges::find(sockets, name, &Socket::name) == sockets.end())
    sockets.push_back({name, type});
}

}  // namespace

Result<Checked> compile(std::string_view source) {
  HW_TRY(std::vector<Statement> statements, parse(source));
  return check(std::move(statements));
}

Sockets sockets_of(const Checked& source) {
  Sockets sockets;
  const auto socket = [&](int v) {
    const Variable& variable = source.variables[static_cast<size_t>(v)];
    return Socket{variable.name, variable.type};
  };
  for (const int v : source.inputs) sockets.inputs.push_back(socket(v));
  for (const int v : source.outputs) sockets.outputs.push_back(socket(v));
  return sockets;
}

Sockets guessed_sockets(std::string_view source) {
  const std::vector<Token> tokens = readable_tokens(source.substr(0, kMaxSource));
  Sockets declared;
  std::set<std::string> local{"in", "out", "let", "for", "true", "false", "pi"};
  std::vector<std::string> assigned, read;
  const auto calls = [&](size_t i) { return i + 1 < tokens.size() && tokens[i + 1].is("("); };
  const auto begins = [&](size_t i) { return i == 0 || ends_statement(tokens[i - 1]); };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != Token::Kind::name || (i > 0 && tokens[i - 1].is(".")) || type_named(token.text)) continue;
    if (begins(i) && (token.text == "in" || token.text == "out")) {
      std::vector<Socket>& side = token.text == "in" ? declared.inputs : declared.outputs;
      const size_t first = side.size();
      for (++i; i < tokens.size() && !ends_statement(tokens[i]); ++i) {
        if (tokens[i].kind != Token::Kind::name) continue;
        if (const auto type = type_named(tokens[i].text)) {
          for (size_t k = first; k < side.size(); ++k) side[k].type = *type;
        } else {
          add_once(side, tokens[i].text);
        }
      }
    } else if (i > 0 && (tokens[i - 1].is_word("let") || tokens[i - 1].is_word("for"))) {
      local.insert(token.text);
    } else if (!local.contains(token.text) && !find_function(token.text) && !calls(i)) {
      (begins(i) ? assigned : read).push_back(token.text);
    }
  }
  Sockets sockets = declared;
  if (declared.outputs.empty())
    for (const std::string& name : assigned)
      if (std::ranges::find(declared.inputs, name, &Socket::name) == declared.inputs.end())
        add_once(sockets.outputs, name);
  if (declared.inputs.empty())
    for (const std::string& name : read)
      if (std::ranges::find(sockets.outputs, name, &Socket::name) == sockets.outputs.end())
        add_once(sockets.inputs, name);
  return sockets;
}

}  // namespace hw::expression
