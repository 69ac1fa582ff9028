#include "engine/shader/glsl_body.h"

#include <algorithm>

#include "engine/shader/expression_printer.h"
#include "engine/shader/glsl_words.h"

namespace hw::shader {
namespace {

std::string glsl_name(const std::string& scope, const std::string& name) {
  std::string full = scope.empty() ? "hw" : scope;
  for (size_t at; (at = full.find("::")) != std::string::npos;) full.replace(at, 2, "_");
  return full + "_" + name;
}

// "precise float".
std::string declared_type(Scalar type) {
  return (is_float(type) ? "precise " : "") + std::string(glsl_type(type));
}

bool reads(const Expr& e, const std::string& name) {
  return (e.kind == Expr::Kind::name && e.text == name) ||
         std::ranges::any_of(e.parts, [&](const Expr& part) { return reads(part, name); });
}
// Other than by setting it as a whole.
bool reads(const std::vector<Statement>& block, const std::string& name) {
  return std::ranges::any_of(block, [&](const Statement& s) {
    const bool sets = s.kind == Statement::Kind::assign && s.text == "=" && s.exprs[0].kind == Expr::Kind::name;
    for (size_t i = sets ? 1 : 0; i < s.exprs.size(); ++i)
      if (reads(s.exprs[i], name)) return true;
    for (const Declared& d : s.declared)
      for (const Expr& initial : d.initial)
        if (reads(initial, name)) return true;
    return reads(s.inner, name);
  });
}

class BodyPrinter {
 public:
  BodyPrinter(const Instance& instance, const Bodies& bodies, Callees& callees, const std::set<std::string>& wide)
      : body_(*instance.body), out_(instance, bodies, callees), wide_(wide), instance_(instance) {}

  const std::set<std::string>& wide() const { return out_.wide; }

  Result<GlslFunction> run() {
    GlslFunction f{.name = glsl_name(body_.scope, body_.name)};
    f.result = out_.type_of(body_.result);
    if (f.result == Scalar::nothing && body_.result.name != "void") return unknown(body_.result, body_.line);
    result_ = f.result;
    if (f.name.find("__") != std::string::npos) return out_.error(body_.line, "\"" + f.name + "\", a name with __");
    text_ = body_.comment + declared_type(f.result) + " " + f.name + "(";
    out_.note(f.result);
    for (const Parameter& p : body_.parameters) {
      if (!f.parameters.empty()) text_ += ", ";
      HW_TRY(const Scalar type, parameter(p));
      f.parameters.push_back(type);
    }
    text_ += ")";
    HW_CHECK(block(body_.block));
    f.text = text_ + "\n";
    f.uses_f64 = out_.uses_f64;
    f.uses_i64 = out_.uses_i64;
    return f;
  }

 private:
  Error unknown(const TypeName& type, int line) const {
    return out_.error(line, "the type \"" + type.name + "\" here");
  }

  Result<Scalar> parameter(const Parameter& p) {
    const Scalar type = out_.type_of(p.type);
    if (type == Scalar::nothing) return unknown(p.type, body_.line);
    const bool f32 = std::ranges::count(instance_.types, Scalar::f32) > 0;
    const bool narrowed = f32 && p.type.name == "double" && !p.reference && !wide_.contains(p.name);
    const Scalar printed = narrowed ? Scalar::f32 : type;
    out_.note(printed);
    if (p.reference) text_ += reads(body_.block, p.name) ? "inout " : "out ";
    text_ += p.reference ? declared_type(printed) : glsl_type(printed);
    if (p.name.empty()) return printed;
    const std::string name = glsl_variable(p.name);
    text_ += " " + name;
    out_.variables[p.name] = {name, type, false, narrowed};
    return printed;
  }

  void line() { text_ += "\n" + std::string(2 * depth_, ' '); }

  // { … }, behind what is on the line.
  Status block(const std::vector<Statement>& statements) {
    text_ += " {";
    ++depth_;
    const auto outside = out_.variables;
    for (const Statement& s : statements) HW_CHECK(statement(s));
    out_.variables = outside;
    --depth_;
    line();
    text_ += "}";
    return ok();
  }
  Status inner(const Statement& s) {
    return s.kind == Statement::Kind::block ? block(s.inner) : block(std::vector<Statement>{s});
  }

  Status statement(const Statement& s) {
    line();
    switch (s.kind) {
      case Statement::Kind::declare:
        return declaration(s);
      case Statement::Kind::assign:
      case Statement::Kind::call: {
        HW_CHECK(s.kind == Statement::Kind::call ? call(s) : action(s));
        text_ += ";";
        return ok();
      }
      case Statement::Kind::result: {
        text_ += "return";
        if (!s.exprs.empty()) {
          HW_TRY(const Term value, out_.term(s.exprs[0], result_));
          text_ += " " + value.text;
        }
        text_ += ";";
        return ok();
      }
      case Statement::Kind::branch: {
        HW_TRY(const Term condition, out_.term(s.exprs[0], Scalar::boolean));
        text_ += "if (" + condition.text + ")";
        HW_CHECK(inner(s.inner[0]));
        if (s.inner.size() < 2) return ok();
        text_ += " else";
        return inner(s.inner[1]);
      }
      case Statement::Kind::loop:
        return loop(s);
      case Statement::Kind::block:
        return block(s.inner);
    }
    return ok();
  }

  Status loop(const Statement& s) {
    const auto outside = out_.variables;
    text_ += "for (";
    HW_CHECK(declaration(s.inner[0]));
    HW_TRY(const Term condition, out_.term(s.exprs[0], Scalar::boolean));
    text_ += " " + condition.text + "; ";
    HW_CHECK(action(s.inner[1]));
    text_ += ")";
    HW_CHECK(inner(s.inner[2]));
    out_.variables = outside;
    return ok();
  }

  // What goes into a call without a result is no part of a precise value, but where it has a name of its own.
  Status call(const Statement& s) {
    Statement declaration;
    declaration.type.name = "auto";
    Expr named = s.exprs[0];
    for (Expr& part : named.parts) {
      if (part.kind == Expr::Kind::name || part.kind == Expr::Kind::number) continue;
      Declared argument;
      argument.name = "argument_" + std::to_string(arguments_++);
      argument.initial.push_back(part);
      HW_CHECK(declared(declaration, argument));
      line();
      part = make_expr(Expr::Kind::name, s.line, argument.name);
    }
    HW_TRY(const Term printed, out_.term(named));
    text_ += printed.text;
    return ok();
  }

  Status action(const Statement& s) {
    HW_TRY(const Term place, out_.term(s.exprs[0]));
    if (!place.narrowed.empty()) return out_.error(s.line, "a parameter that is assigned to");
    if (s.text == "=") {
      HW_TRY(const Term value, out_.term(s.exprs[1], place.type));
      text_ += place.text + " = " + value.text;
      return ok();
    }
    // a op= b: a = a op b, in the type that C++ has for that.
    Expr both = make_expr(Expr::Kind::infix, s.line, s.text.substr(0, s.text.size() - 1));
    both.parts = s.exprs;
    HW_TRY(const Term value, out_.term(both, place.type));
    text_ += place.text + " = " + value.text;
    return ok();
  }

  Status declaration(const Statement& s) {
    for (size_t i = 0; i < s.declared.size(); ++i) {
      if (i) line();
      HW_CHECK(declared(s, s.declared[i]));
    }
    return ok();
  }

  Status declared(const Statement& s, const Declared& d) {
    const std::string name = glsl_variable(d.name);
    Scalar type = out_.type_of(s.type);
    if (d.array) return array(s, d, type, name);
    std::string initial;
    if (!d.initial.empty()) {
      HW_TRY(const Term value, out_.term(d.initial[0]));
      if (s.type.name == "auto") type = value.type;
      initial = " = " + out_.as(value, type).text;
    }
    if (type == Scalar::nothing) return unknown(s.type, s.line);
    out_.note(type);
    text_ += declared_type(type) + " " + name + initial + ";";
    out_.variables[d.name] = {name, type, false, false};
    return ok();
  }

  Status array(const Statement& s, const Declared& d, Scalar type, const std::string& name) {
    if (type == Scalar::nothing) return unknown(s.type, s.line);
    std::string size, values;
    if (!d.size.empty()) {
      HW_TRY(const Term count, out_.term(d.size[0], Scalar::i32));
      size = count.text;
    }
    if (!d.initial.empty()) {
      const Expr& list = d.initial[0];
      if (list.kind != Expr::Kind::list) return out_.error(s.line, "an array whose initial value is no list");
      if (size.empty()) size = std::to_string(list.parts.size());
      for (const Expr& part : list.parts) {
        HW_TRY(const Term value, out_.term(part, type));
        values += (values.empty() ? "" : ", ") + value.text;
      }
      values = " = " + std::string(glsl_type(type)) + "[](" + values + ")";
    }
    if (size.empty()) return out_.error(s.line, "an array without a size");
    text_ += (values.empty() ? declared_type(type) : "const " + std::string(glsl_type(type))) + " " + name + "[" +
             size + "]" + values + ";";
    out_.variables[d.name] = {name, type, true, false};
    return ok();
  }

  const Body& body_;
  ExpressionPrinter out_;
  const std::set<std::string>& wide_;
  const Instance& instance_;
  Scalar result_ = Scalar::nothing;
  std::string text_;
  size_t depth_ = 0;
  int arguments_ = 0;
};

}  // namespace

Result<GlslFunction> print_body(const Instance& instance, const Bodies& bodies, Callees& callees) {
  // Each round widens the parameters that the one before read as f64.
  for (std::set<std::string> wide;;) {
    BodyPrinter printer(instance, bodies, callees, wide);
    HW_TRY(GlslFunction function, printer.run());
    if (printer.wide().empty()) return function;
    const std::set<std::string> found = printer.wide();
    wide.insert(found.begin(), found.end());
  }
}

Result<GlslFunction> print_constant(const Constant& constant, const Bodies& bodies, Callees& callees) {
  Body nowhere;
  nowhere.file = constant.file;
  nowhere.scope = constant.scope;
  const Instance instance{&nowhere, {}};
  ExpressionPrinter out(instance, bodies, callees);
  GlslFunction f{.name = glsl_name(constant.scope, constant.name), .result = out.type_of(constant.type)};
  HW_TRY(const Term value, out.term(constant.value, f.result));
  f.text = "const " + std::string(glsl_type(f.result)) + " " + f.name + " = " + value.text + ";\n";
  f.uses_f64 = out.uses_f64;
  f.uses_i64 = out.uses_i64;
  return f;
}

}  // namespace hw::shader
