#include "engine/expression/check_call.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/expression/names.h"

namespace hw::expression {
namespace {

std::string types_of(const Expr& e) {
  std::string text;
  for (size_t i = 0; i < e.args.size(); ++i)
    text += (i == 0 ? "" : i + 1 == e.args.size() ? " and " : ", ") + name(e.args[i]->type);
  return text;
}

bool is_number(Type t) {
  return t.is_scalar() || t.is_vector();
}

// Floats and vectors of one size; nothing: they do not go together.
std::optional<Type> stretched(const std::vector<ExprPtr>& args) {
  Type joint;
  for (const ExprPtr& arg : args) {
    if (!is_number(arg->type)) return std::nullopt;
    if (arg->type.is_scalar()) continue;
    if (joint.is_vector() && !(joint == arg->type)) return std::nullopt;
    joint = arg->type;
  }
  return joint;
}

std::optional<Type> product(Type a, Type b) {
  if (a.is_boolean() || b.is_boolean()) return std::nullopt;
  if (a.is_scalar()) return b;
  if (b.is_scalar()) return a;
  if (a.size != b.size) return std::nullopt;
  return a.is_vector() ? a : b;  // vec·vec, vec·mat, mat·vec → vec; mat·mat → mat
}

Status check_constructor(Expr& e, Type type) {
  const auto& args = e.args;
  const std::string text = name(type);
  const auto sized = [&](Type t) { return std::ranges::all_of(args, [&](const ExprPtr& a) { return a->type == t; }); };
  e.type = type;
  if (type.is_boolean()) return type_error(e.place, "there is no conversion to bool.", "Compare: x != 0.");
  if (type.is_scalar()) {
    if (args.size() == 1 && (args[0]->type.is_scalar() || args[0]->type.is_boolean())) return ok();
    return type_error(e.place, "float takes one float or bool, got " + (args.empty() ? "nothing" : types_of(e)) + ".",
                      "Take a component: v.x.");
  }
  if (args.size() == 1 && (args[0]->type.is_scalar() || args[0]->type == type)) return ok();
  if (type.is_matrix()) {
    const auto size = static_cast<size_t>(type.size);
    if ((args.size() == size && sized(Type::vector(type.size))) || (args.size() == size * size && sized(Type{})))
      return ok();
    return type_error(e.place,
                      text + " takes 1 float (of the diagonal), " + std::to_string(size) + " rows vec" +
                          std::to_string(size) + " or " + std::to_string(size * size) + " floats row by row, got " +
                          (args.empty() ? "nothing" : types_of(e)) + ".",
                      "");
  }
  int count = 0;
  for (const ExprPtr& arg : args) {
    if (!is_number(arg->type))
      return type_error(arg->place, text + " is made of floats and vectors, got a " + name(arg->type) + ".", "");
    count += arg->type.size;
  }
  if (count == type.size) return ok();
  return type_error(e.place,
                    text + " needs " + std::to_string(type.size) + " components, got " + std::to_string(count) + ".",
                    "One float alone fills them all: " + text + "(0).");
}

Status check_function(Expr& e, const Function& f) {
  const auto& args = e.args;
  const auto refuse = [&](const std::string& takes) {
    return type_error(e.place, std::string(f.name) + " takes " + takes + ", got " + types_of(e) + ".",
                      "It is " + std::string(f.usage) + ".");
  };
  const bool vectors = std::ranges::all_of(args, [&](const ExprPtr& a) { return a->type.is_vector(); }) &&
                       std::ranges::all_of(args, [&](const ExprPtr& a) { return a->type == args[0]->type; });
  switch (f.rule) {
    case Rule::map: {
      const auto joint = stretched(args);
      if (!joint) return refuse(args.size() == 1 ? "a float or a vector" : "floats and vectors of one size");
      e.type = *joint;
      return ok();
    }
    case Rule::dot:
    case Rule::distance:
      if (!vectors) return refuse("two vectors of one size");
      e.type = Type{};
      return ok();
    case Rule::cross:
      if (!vectors || args[0]->type.size != 3) return refuse("two vec3");
      e.type = args[0]->type;
      return ok();
    case Rule::length:
    case Rule::normalize:
      if (!vectors) return refuse("a vector");
      e.type = f.rule == Rule::length ? Type{} : args[0]->type;
      return ok();
    case Rule::transpose:
      if (!args[0]->type.is_matrix()) return refuse("a matrix");
      e.type = args[0]->type;
      return ok();
    case Rule::select:
      if (!args[0]->type.is_boolean() || !(args[1]->type == args[2]->type) || args[1]->type.is_boolean())
        return refuse("a bool and two numbers, vectors or matrices of one type");
      e.type = args[1]->type;
      return ok();
  }
  return ok();
}

}  // namespace

Status check_operator(Expr& e) {
  const Type a = e.args[0]->type;
  if (e.kind == Expr::Kind::unary) {
    e.type = a;
    if (e.text == "!" && !a.is_boolean())
      return type_error(e.place, "\"!\" takes a bool, got a " + name(a) + ".", "Compare: x == 0.");
    if (e.text == "-" && a.is_boolean())
      return type_error(e.place, "\"-\" takes a number, got a bool.", "Write ! for not.");
    return ok();
  }
  if (e.kind == Expr::Kind::choose) {
    if (!a.is_boolean())
      return type_error(e.place, "\"?\" takes a bool on its left, got a " + name(a) + ".", "Compare: x > 0 ? a : b.");
    e.type = e.args[1]->type;
    if (!(e.args[1]->type == e.args[2]->type) || e.type.is_boolean())
      return type_error(e.place,
                        "both sides of \":\" must be numbers, vectors or matrices of one type, got " +
                            name(e.args[1]->type) + " and " + name(e.args[2]->type) + ".",
                        "");
    return ok();
  }
  const Type b = e.args[1]->type;
  const auto refuse = [&](const std::string& takes, std::string remedy = {}) {
    return type_error(e.place, "\"" + e.text + "\" takes " + takes + ", got " + types_of(e) + ".", std::move(remedy));
  };
  if (e.text == "&&" || e.text == "||") {
    e.type = Type::boolean();
    return a.is_boolean() && b.is_boolean() ? ok() : refuse("two bools", "Compare first: x > 0 && y > 0.");
  }
  if (e.text == "+" || e.text == "-" || e.text == "/") {
    const auto joint = stretched(e.args);
    const bool matrices = e.text == "/" ? a.is_matrix() && b.is_scalar() : a.is_matrix() && a == b;
    if (!joint && !matrices)
      return refuse(e.text == "/" ? "floats and vectors of one size, or a matrix and a float"
                                  : "two of one size, or a vector and a float");
    e.type = joint.value_or(a);
    return ok();
  }
  if (e.text == "*") {
    const auto joint = product(a, b);
    if (!joint) return refuse("floats, vectors and matrices of one size");
    e.type = *joint;
    return ok();
  }
  e.type = Type::boolean();
  const bool equality = e.text == "==" || e.text == "!=";
  if ((a.is_scalar() && b.is_scalar()) || (equality && a.is_boolean() && b.is_boolean())) return ok();
  return refuse(equality ? "two floats or two bools" : "two floats", "Compare component by component: a.x < b.x.");
}

Status check_call(Expr& e, const std::vector<std::string>& names) {
  if (const auto type = type_named(e.text)) return check_constructor(e, *type);
  const Function* f = find_function(e.text);
  if (!f) {
    if (std::ranges::find(names, e.text) != names.end())
      return error_at(codes::expression_name, e.place, "\"" + e.text + "\" is a value, no function.",
                      "A product needs its sign: " + e.text + "*(..).");
    std::vector<std::string> known{"vec2", "vec3", "vec4", "mat2", "mat3", "mat4", "float"};
    for (const Function& row : functions()) known.emplace_back(row.name);
    const std::string meant = nearest(e.text, known);
    return error_at(codes::expression_name, e.place, "there is no function \"" + e.text + "\".",
                    meant.empty() ? "See the documentation of Expression." : "Did you mean \"" + meant + "\"?");
  }
  if (e.args.size() != f->args)
    return type_error(e.place,
                      e.text + " takes " + std::to_string(f->args) + (f->args == 1 ? " argument" : " arguments") +
                          ", got " + std::to_string(e.args.size()) + ".",
                      "It is " + std::string(f->usage) + ".");
  return check_function(e, *f);
}

}  // namespace hw::expression
