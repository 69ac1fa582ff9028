// Expressions of one instance of a body, as GLSL with their types.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/shader/glsl_body.h"
#include "engine/shader/term.h"

namespace hw::shader {

struct Variable {
  std::string glsl;
  Scalar type = Scalar::nothing;
  bool array = false, narrowed = false;
};

class ExpressionPrinter {
 public:
  ExpressionPrinter(const Instance& instance, const Bodies& bodies, Callees& callees)
      : instance_(instance), bodies_(bodies), callees_(callees) {}

  std::map<std::string, Variable> variables;
  std::set<std::string> wide;  // parameters that are read as f64
  bool uses_f64 = false, uses_i64 = false;

  Result<Term> term(const Expr& e);
  /// As `type`.
  Result<Term> term(const Expr& e, Scalar type);
  /// `term` as `type`; reading a narrowed parameter as f64 is noted.
  Term as(const Term& term, Scalar type);
  Scalar type_of(const TypeName& type) const { return scalar_of(type, instance_.body->templates, instance_.types); }
  void note(Scalar type);
  Error error(int line, const std::string& what) const;

 private:
  Result<Term> name(const Expr& e);
  Result<Term> prefix(const Expr& e);
  Result<Term> infix(const Expr& e);
  Result<Term> choice(const Expr& e);
  Result<Term> call(const Expr& e);
  Result<Term> limit(const Expr& e);
  Result<Term> builtin(const Expr& e, const std::string& name, const std::vector<Term>& arguments);

  const Instance& instance_;
  const Bodies& bodies_;
  Callees& callees_;
};

}  // namespace hw::shader
