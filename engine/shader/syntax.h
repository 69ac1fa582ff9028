// The bodies of engine/kernels as read, without types and without a language to print them in. The subset of C++ is
// what these structures can hold.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hw::shader {

struct TypeName {
  std::string name;  // "float", "uint32_t", "auto", a template parameter
};

struct Expr {
  enum class Kind : uint8_t {
    number,  // text: as written
    name,    // text; path
    prefix,  // text: the operator; parts: its operand
    infix,   // text: the operator; parts: left, right
    choice,  // parts: condition, then, else
    call,    // text: the function's name; path; type: the template argument; parts: arguments
    cast,    // type; parts: what is converted
    index,   // parts: array, index
    list,    // {a, b, …}
  } kind = Kind::number;
  int line = 0;
  std::string text;
  std::vector<std::string> path;  // {"math"} of math::exp; {""} of ::exp
  TypeName type;
  std::vector<Expr> parts;
};

inline Expr make_expr(Expr::Kind kind, int line, std::string text = {}) {
  Expr e;
  e.kind = kind;
  e.line = line;
  e.text = std::move(text);
  return e;
}

struct Declared {
  std::string name;
  std::vector<Expr> size;     // of an array: one, or none where the initial values say it
  std::vector<Expr> initial;  // one or none
  bool array = false;
};

struct Statement {
  enum class Kind : uint8_t {
    declare,  // type; declared
    assign,   // text: = += …; exprs: place, value
    call,     // exprs: the call
    result,   // exprs: what is returned; none in a function of void
    branch,   // exprs: condition; inner: then, and else where there is one
    loop,     // inner: declaration, step, body; exprs: condition
    block,    // inner
  } kind = Kind::block;
  int line = 0;
  std::string text;
  TypeName type;
  std::vector<Declared> declared;
  std::vector<Expr> exprs;
  std::vector<Statement> inner;
};

inline Statement make_statement(Statement::Kind kind, int line) {
  Statement s;
  s.kind = kind;
  s.line = line;
  return s;
}

struct Parameter {
  TypeName type;
  std::string name;        // empty: not used
  bool reference = false;  // written to
};

/// A function: `template <class T> HW_BODY T name(T x, …) { … }`.
struct Body {
  std::string file;
  int line = 0;
  std::string comment;  // the lines above it
  std::string scope;    // namespaces within hw::kernels: "math", "unary", ""
  std::string name;
  std::vector<std::string> templates;  // names of types
  TypeName result;
  std::vector<Parameter> parameters;
  std::vector<Statement> block;

  std::string full_name() const { return scope.empty() ? name : scope + "::" + name; }
};

/// `inline constexpr float kName = …;`
struct Constant {
  std::string file;
  int line = 0;
  std::string scope = {}, name;
  TypeName type;
  Expr value;
};

struct Bodies {
  std::vector<Body> bodies;
  std::vector<Constant> constants;
};

}  // namespace hw::shader
