#include <array>

#include "engine/shader/statement_reader.h"

namespace hw::shader {
namespace {

// Operators of two operands, the loosest first: C++, and GLSL has the same order.
constexpr std::array<std::string_view, 4> kInfix[] = {
    {"||"},       {"&&"},     {"|"},           {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};
constexpr size_t kLevels = std::size(kInfix);

bool is_operator(const Token& token, size_t level) {
  for (const std::string_view symbol : kInfix[level])
    if (!symbol.empty() && token.is(symbol)) return true;
  return false;
}

Result<std::vector<Expr>> read_list(TokenReader& in, std::string_view close) {
  std::vector<Expr> parts;
  if (in.accept(close)) return parts;
  do {
    HW_TRY(Expr part, read_expression(in));
    parts.push_back(std::move(part));
  } while (in.accept(","));
  HW_CHECK(in.expect(close));
  return parts;
}

Result<Expr> read_cast(TokenReader& in, TypeName type, int line) {
  Expr cast = make_expr(Expr::Kind::cast, line);
  cast.type = std::move(type);
  HW_CHECK(in.expect("("));
  HW_TRY(Expr value, read_expression(in));
  HW_CHECK(in.expect(")"));
  cast.parts.push_back(std::move(value));
  return cast;
}

// A name with its path, std::numeric_limits<float>::infinity among them, and the call of it.
Result<Expr> read_name(TokenReader& in) {
  Expr name = make_expr(Expr::Kind::name, in.peek().line);
  if (in.accept("::")) name.path.emplace_back();
  for (;;) {
    HW_TRY(name.text, in.name("a function or value"));
    if (name.text == "numeric_limits") {
      HW_CHECK(in.expect("<"));
      HW_TRY(name.type, read_type(in));
      HW_CHECK(in.expect(">"));
    }
    if (!in.accept("::")) break;
    name.path.push_back(name.text);
  }
  if (!in.accept("(")) return name;
  name.kind = Expr::Kind::call;
  HW_TRY(name.parts, read_list(in, ")"));
  return name;
}

Result<Expr> read_primary(TokenReader& in) {
  const int line = in.peek().line;
  if (in.peek().kind == Token::Kind::number) return make_expr(Expr::Kind::number, line, in.take().text);
  if (in.accept("(")) {
    HW_TRY(Expr inner, read_expression(in));
    HW_CHECK(in.expect(")"));
    return inner;
  }
  if (in.accept("{")) {
    Expr list = make_expr(Expr::Kind::list, line);
    HW_TRY(list.parts, read_list(in, "}"));
    return list;
  }
  if (in.accept_word("static_cast")) {
    HW_CHECK(in.expect("<"));
    HW_TRY(TypeName type, read_type(in));
    HW_CHECK(in.expect(">"));
    return read_cast(in, std::move(type), line);
  }
  if (in.is_type(in.peek())) {
    HW_TRY(TypeName type, read_type(in));
    return read_cast(in, std::move(type), line);
  }
  return read_name(in);
}

Result<Expr> read_postfix(TokenReader& in) {
  HW_TRY(Expr value, read_primary(in));
  while (in.peek().is("[")) {
    Expr index = make_expr(Expr::Kind::index, in.take().line);
    HW_TRY(Expr at, read_expression(in));
    HW_CHECK(in.expect("]"));
    index.parts.push_back(std::move(value));
    index.parts.push_back(std::move(at));
    value = std::move(index);
  }
  return value;
}

Result<Expr> read_prefix(TokenReader& in) {
  for (const std::string_view symbol : {"-", "!", "~", "+"})
    if (in.peek().is(symbol)) {
      Expr prefix = make_expr(Expr::Kind::prefix, in.peek().line, in.take().text);
      HW_TRY(Expr operand, read_prefix(in));
      prefix.parts.push_back(std::move(operand));
      return prefix;
    }
  return read_postfix(in);
}

Result<Expr> read_infix(TokenReader& in, size_t level) {
  if (level == kLevels) return read_prefix(in);
  HW_TRY(Expr left, read_infix(in, level + 1));
  while (is_operator(in.peek(), level)) {
    Expr both = make_expr(Expr::Kind::infix, in.peek().line, in.take().text);
    HW_TRY(Expr right, read_infix(in, level + 1));
    both.parts.push_back(std::move(left));
    both.parts.push_back(std::move(right));
    left = std::move(both);
  }
  return left;
}

}  // namespace

Result<Expr> read_expression(TokenReader& in) {
  HW_TRY(Expr condition, read_infix(in, 0));
  if (!in.peek().is("?")) return condition;
  Expr choice = make_expr(Expr::Kind::choice, in.take().line);
  HW_TRY(Expr yes, read_expression(in));
  HW_CHECK(in.expect(":"));
  HW_TRY(Expr no, read_expression(in));
  choice.parts.push_back(std::move(condition));
  choice.parts.push_back(std::move(yes));
  choice.parts.push_back(std::move(no));
  return choice;
}

}  // namespace hw::shader
