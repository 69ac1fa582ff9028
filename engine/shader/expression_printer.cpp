#include "engine/shader/expression_printer.h"

#include <optional>

#include "engine/shader/glsl_words.h"
#include "engine/shader/token.h"

namespace hw::shader {
namespace {

// How tightly infix operators bind: as in C++ and GLSL.
int level_of(const std::string& op) {
  struct Row {
    std::string_view op;
    int level;
  };
  constexpr Row kRows[] = {{"||", 0}, {"&&", 1}, {"|", 2}, {"^", 3},  {"&", 4},  {"==", 5},
                           {"!=", 5}, {"<", 6},  {">", 6}, {"<=", 6}, {">=", 6}, {"<<", 7},
                           {">>", 7}, {"+", 8},  {"-", 8}, {"*", 9},  {"/", 9},  {"%", 9}};
  for (const Row& row : kRows)
    if (row.op == op) return row.level;
  return kPrimaryLevel;
}

std::optional<double> folded(const std::string& op, const Term& a, const Term& b) {
  if (a.type != Scalar::f64 || b.type != Scalar::f64 || !a.value || !b.value) return std::nullopt;
  if (op == "+") return *a.value + *b.value;
  if (op == "-") return *a.value - *b.value;
  if (op == "*") return *a.value * *b.value;
  if (op == "/") return *a.value / *b.value;
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& path, const std::string& name) {
  std::string full;
  for (const std::string& part : path) full += part + "::";
  return full + name;
}

}  // namespace

Error ExpressionPrinter::error(int line, const std::string& what) const {
  return not_understood(instance_.body->file, line, what);
}

void ExpressionPrinter::note(Scalar type) {
  uses_f64 |= type == Scalar::f64;
  uses_i64 |= is_long(type);
}

Term ExpressionPrinter::as(const Term& term, Scalar type) {
  if (!term.narrowed.empty()) {
    if (type == Scalar::f32) return {term.text, type, term.level};
    wide.insert(term.narrowed);
    note(Scalar::f64);
    return converted({"double(" + term.text + ")", Scalar::f64}, type);
  }
  note(type);
  if (!term.value) note(term.type);
  return converted(term, type);
}

Result<Term> ExpressionPrinter::term(const Expr& e, Scalar type) {
  HW_TRY(const Term t, term(e));
  return as(t, type);
}

Result<Term> ExpressionPrinter::term(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::number: {
      const auto literal = literal_term(e.text);
      if (!literal) return error(e.line, "the number " + e.text);
      return *literal;
    }
    case Expr::Kind::name:
      return name(e);
    case Expr::Kind::prefix:
      return prefix(e);
    case Expr::Kind::infix:
      return infix(e);
    case Expr::Kind::choice:
      return choice(e);
    case Expr::Kind::call:
      return call(e);
    case Expr::Kind::cast:
      return term(e.parts[0], type_of(e.type));
    case Expr::Kind::index: {
      const auto at = variables.find(e.parts[0].text);
      if (e.parts[0].kind != Expr::Kind::name || at == variables.end() || !at->second.array)
        return error(e.line, "an element of what is no array of the body");
      HW_TRY(const Term index, term(e.parts[1]));
      return Term{at->second.glsl + "[" + as(index, index.type).text + "]", at->second.type};
    }
    case Expr::Kind::list:
      break;
  }
  return error(e.line, "a list of values here");
}

Result<Term> ExpressionPrinter::name(const Expr& e) {
  if (e.path.empty()) {
    if (e.text == "true" || e.text == "false") return Term{e.text, Scalar::boolean};
    if (const auto at = variables.find(e.text); at != variables.end()) {
      const Variable& v = at->second;
      if (v.array) return error(e.line, "the array " + e.text + " as a whole");
      return Term{v.glsl, v.type, kPrimaryLevel, {}, v.narrowed ? e.text : std::string()};
    }
  }
  const std::string full = joined(e.path, e.text);
  for (const Constant& c : bodies_.constants) {
    const std::string inside = c.scope.empty() ? c.name : c.scope + "::" + c.name;
    if (inside != full && !(c.scope == instance_.body->scope && c.name == full)) continue;
    HW_TRY(const std::string glsl, callees_.constant(c));
    return Term{glsl, scalar_of(c.type, {}, {})};
  }
  return error(e.line, "\"" + full + "\", which is no variable or constant that was read");
}

Result<Term> ExpressionPrinter::prefix(const Expr& e) {
  HW_TRY(const Term operand, term(e.parts[0]));
  if (e.text == "!") return Term{"!" + as(operand, Scalar::boolean).at(kPrefixLevel), Scalar::boolean, kPrefixLevel};
  const Scalar type = promoted(operand.type);
  if (e.text == "~" && is_float(type)) return error(e.line, "~ of a float");
  Term value = operand.narrowed.empty() ? as(operand, type) : operand;
  if (e.text == "+") return value;
  if (operand.value && e.text == "-") {
    const bool whole = !is_float(type);
    if (whole && *operand.value == 0) return value;
    value.value = -*operand.value;
  } else {
    value.value.reset();
  }
  // Not "--".
  value.text = e.text + (value.text.starts_with("-") ? "(" + value.text + ")" : value.at(kPrefixLevel));
  value.level = kPrefixLevel;
  return value;
}

Result<Term> ExpressionPrinter::infix(const Expr& e) {
  HW_TRY(const Term a, term(e.parts[0]));
  HW_TRY(const Term b, term(e.parts[1]));
  std::string op = e.text;
  const bool both_bool = a.type == Scalar::boolean && b.type == Scalar::boolean;
  // GLSL has no & and | of bool; the operands of a body have no side effects.
  if (both_bool && (op == "&" || op == "|")) op += op;
  if (both_bool && op == "^") op = "!=";
  const int level = level_of(op);
  const bool compares = level == 5 || level == 6, logic = level < 2, shifts = level == 7;
  const bool bits = (level >= 2 && level <= 4) || op == "%";
  const Scalar together = logic || (both_bool && compares) ? Scalar::boolean : common(a.type, b.type);
  if ((bits || shifts) && (is_float(a.type) || is_float(b.type))) return error(e.line, op + " of floats");
  const Term left = as(a, shifts ? promoted(a.type) : together), right = as(b, shifts ? promoted(b.type) : together);
  const bool zero = left.value == 0.0 || right.value == 0.0;
  if (is_float(together) && zero && (level == 8 || op == "*"))
    return error(e.line, op + " with the literal 0, which some drivers leave out, with −0, Inf and NaN");
  // Bits among other operators are in parentheses, whatever the rules say.
  const auto side = [&](const Term& t, int least) {
    const bool mixed = (level >= 2 && level <= 4) || shifts || (level == 0 && t.level == 1);
    return t.at(mixed && t.level != level ? kPrefixLevel : least);
  };
  Term t{side(left, level) + " " + op + " " + side(right, level + 1), compares ? Scalar::boolean : left.type, level};
  t.value = folded(op, left, right);
  return t;
}

Result<Term> ExpressionPrinter::choice(const Expr& e) {
  HW_TRY(const Term condition, term(e.parts[0], Scalar::boolean));
  HW_TRY(const Term a, term(e.parts[1]));
  HW_TRY(const Term b, term(e.parts[2]));
  const Scalar type = a.type == b.type ? a.type : common(a.type, b.type);
  const Term yes = as(a, type), no = as(b, type);
  return Term{condition.at(kChoiceLevel + 1) + " ? " + yes.at(kChoiceLevel + 1) + " : " + no.text, type, kChoiceLevel};
}

Result<Term> ExpressionPrinter::limit(const Expr& e) {
  const Scalar type = type_of(e.type);
  const bool wide_type = type == Scalar::f64;
  if (is_float(type) && (e.text == "infinity" || e.text == "quiet_NaN")) {
    note(type);
    if (wide_type) uses_i64 = true;
    const bool infinity = e.text == "infinity";
    if (wide_type)
      return Term{infinity ? "uint64BitsToDouble(0x7FF0000000000000ul)" : "uint64BitsToDouble(0x7FF8000000000000ul)",
                  type};
    return Term{infinity ? "uintBitsToFloat(0x7F800000u)" : "uintBitsToFloat(0x7FC00000u)", type};
  }
  return error(e.line, "numeric_limits::" + e.text);
}

Result<Term> ExpressionPrinter::builtin(const Expr& e, const std::string& name, const std::vector<Term>& arguments) {
  const GlslBuiltin* row = arguments.empty() ? nullptr : glsl_builtin(name, arguments[0].type);
  if (!row || row->arguments != static_cast<int>(arguments.size()))
    return error(e.line, "the call of " + name + ", of which neither GLSL nor engine/kernels has the same bits");
  std::string text = std::string(row->glsl) + "(";
  for (size_t i = 0; i < arguments.size(); ++i) text += (i ? ", " : "") + as(arguments[i], row->argument).text;
  note(row->result);
  return Term{text + ")", row->result};
}

Result<Term> ExpressionPrinter::call(const Expr& e) {
  if (e.path == std::vector<std::string>{"std", "numeric_limits"}) return limit(e);
  std::vector<Term> arguments;
  std::vector<Scalar> types;
  for (const Expr& part : e.parts) {
    HW_TRY(Term argument, term(part));
    types.push_back(argument.type);
    arguments.push_back(std::move(argument));
  }
  const std::string full = joined(e.path, e.text);
  const bool platform = !e.path.empty() && (e.path[0].empty() || e.path[0] == "std");
  const std::string wanted = platform ? "math_f64::" + e.text : full;
  if (!types.empty()) {
    // bits.h is not read; within its own namespace its names stand alone.
    const std::string inside = instance_.body->scope + "::" + full;
    if (platform && glsl_builtin(e.text, types[0])) return builtin(e, e.text, arguments);
    if (!platform && !e.path.empty() && glsl_builtin(full, types[0])) return builtin(e, full, arguments);
    if (!platform && glsl_builtin(inside, types[0])) return builtin(e, inside, arguments);
  }
  const Result<Instance> found = find_body(bodies_, platform ? "" : instance_.body->scope, wanted, types);
  if (!found && platform) return builtin(e, full, arguments);
  if (!found) return error(e.line, found.error().reason);
  HW_TRY(const GlslFunction* const function, callees_.function(*found));
  uses_f64 |= function->uses_f64;
  uses_i64 |= function->uses_i64;
  std::string text = function->name + "(";
  for (size_t i = 0; i < arguments.size(); ++i)
    text += (i ? ", " : "") + as(arguments[i], function->parameters[i]).text;
  return Term{text + ")", function->result};
}

}  // namespace hw::shader
