#include "engine/expression/calculation.h"

#include <numbers>
#include <string>

#include "engine/expression/syntax.h"

namespace hw::expression {
namespace {

void set_names(Expr& e) {
  if (e.kind == Expr::Kind::name && (e.text == "pi" || e.text == "e")) {
    e.kind = Expr::Kind::number;
    e.number = e.text == "pi" ? std::numbers::pi : std::numbers::e;
  }
  for (const ExprPtr& arg : e.args) set_names(*arg);
}

/// `statement` assigns once, to x.
std::optional<double> assigned(const std::string& statement) {
  const auto parsed = parse(statement);
  if (!parsed || parsed->size() != 1) return std::nullopt;
  set_names(*parsed->front().value);
  return constant(*parsed->front().value);
}

}  // namespace

std::optional<double> calculated(std::string_view text) {
  return assigned("x = " + std::string(text));
}

std::optional<double> calculated(std::string_view text, double now) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.size() < 2 || text[1] != '=' || std::string_view("+-*/").find(text[0]) == std::string_view::npos)
    return calculated(text);
  const auto by = calculated(text.substr(2));
  if (!by) return std::nullopt;
  switch (text[0]) {
    case '+':
      return now + *by;
    case '-':
      return now - *by;
    case '*':
      return now * *by;
    default:
      return now / *by;
  }
}

}  // namespace hw::expression
