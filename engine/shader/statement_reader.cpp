#include "engine/shader/statement_reader.h"

#include <algorithm>

namespace hw::shader {
namespace {

constexpr std::string_view kTypes[] = {"bool", "int",     "float",    "double",  "auto",
                                       "void", "int32_t", "uint32_t", "int64_t", "uint64_t"};
constexpr std::string_view kAssignments[] = {"=", "+=", "-=", "*=", "/=", "&=", "|=", "^=", "<<=", ">>="};

Result<Statement> read_statement(TokenReader& in);

Result<Declared> read_declared(TokenReader& in) {
  Declared d;
  HW_TRY(d.name, in.name("a variable"));
  if (in.accept("[")) {
    d.array = true;
    if (!in.peek().is("]")) {
      HW_TRY(Expr size, read_expression(in));
      d.size.push_back(std::move(size));
    }
    HW_CHECK(in.expect("]"));
  }
  if (in.accept("=")) {
    HW_TRY(Expr initial, read_expression(in));
    d.initial.push_back(std::move(initial));
  }
  return d;
}

Result<Statement> read_declaration(TokenReader& in) {
  Statement s = make_statement(Statement::Kind::declare, in.peek().line);
  in.accept_word("constexpr") || in.accept_word("const");
  HW_TRY(s.type, read_type(in));
  do {
    HW_TRY(Declared d, read_declared(in));
    s.declared.push_back(std::move(d));
  } while (in.accept(","));
  HW_CHECK(in.expect(";"));
  return s;
}

// An assignment, ++i, or a call, without what ends it.
Result<Statement> read_action(TokenReader& in) {
  Statement s = make_statement(Statement::Kind::assign, in.peek().line);
  if (in.accept("++")) {
    s.text = "+=";
    HW_TRY(Expr place, read_expression(in));
    s.exprs = {std::move(place), make_expr(Expr::Kind::number, s.line, "1")};
    return s;
  }
  HW_TRY(Expr place, read_expression(in));
  if (place.kind == Expr::Kind::call) {
    s.kind = Statement::Kind::call;
    s.exprs.push_back(std::move(place));
    return s;
  }
  for (const std::string_view symbol : kAssignments)
    if (in.accept(symbol)) s.text = symbol;
  if (s.text.empty()) return in.error("\"" + in.peek().text + "\" where an assignment is expected");
  HW_TRY(Expr value, read_expression(in));
  s.exprs = {std::move(place), std::move(value)};
  return s;
}

Result<Statement> read_branch(TokenReader& in) {
  Statement s = make_statement(Statement::Kind::branch, in.take().line);
  HW_CHECK(in.expect("("));
  HW_TRY(Expr condition, read_expression(in));
  s.exprs.push_back(std::move(condition));
  HW_CHECK(in.expect(")"));
  HW_TRY(Statement yes, read_statement(in));
  s.inner.push_back(std::move(yes));
  if (!in.accept_word("else")) return s;
  HW_TRY(Statement no, read_statement(in));
  s.inner.push_back(std::move(no));
  return s;
}

Result<Statement> read_loop(TokenReader& in) {
  Statement s = make_statement(Statement::Kind::loop, in.take().line);
  HW_CHECK(in.expect("("));
  HW_TRY(Statement first, read_declaration(in));
  HW_TRY(Expr condition, read_expression(in));
  HW_CHECK(in.expect(";"));
  HW_TRY(Statement step, read_action(in));
  HW_CHECK(in.expect(")"));
  HW_TRY(Statement body, read_statement(in));
  s.exprs.push_back(std::move(condition));
  s.inner = {std::move(first), std::move(step), std::move(body)};
  return s;
}

Result<Statement> read_statement(TokenReader& in) {
  const Token& next = in.peek();
  if (next.is("{")) {
    Statement s = make_statement(Statement::Kind::block, next.line);
    HW_TRY(s.inner, read_block(in));
    return s;
  }
  if (next.is_word("if")) return read_branch(in);
  if (next.is_word("for")) return read_loop(in);
  if (next.is_word("return")) {
    Statement s = make_statement(Statement::Kind::result, in.take().line);
    if (!in.peek().is(";")) {
      HW_TRY(Expr value, read_expression(in));
      s.exprs.push_back(std::move(value));
    }
    HW_CHECK(in.expect(";"));
    return s;
  }
  if (next.is_word("const") || next.is_word("constexpr") || in.is_type(next)) return read_declaration(in);
  HW_TRY(Statement s, read_action(in));
  HW_CHECK(in.expect(";"));
  return s;
}

}  // namespace

bool TokenReader::is_type(const Token& token) const {
  return token.kind == Token::Kind::name &&
         (std::ranges::find(kTypes, token.text) != std::end(kTypes) || template_types.contains(token.text));
}

Result<TypeName> read_type(TokenReader& in) {
  if (!in.is_type(in.peek())) return in.error("\"" + in.peek().text + "\" where a type is expected");
  return TypeName{in.take().text};
}

Result<std::vector<Statement>> read_block(TokenReader& in) {
  std::vector<Statement> block;
  HW_CHECK(in.expect("{"));
  while (!in.accept("}")) {
    if (in.peek().kind == Token::Kind::end) return in.error("a block without its end");
    HW_TRY(Statement s, read_statement(in));
    block.push_back(std::move(s));
  }
  return block;
}

}  // namespace hw::shader
