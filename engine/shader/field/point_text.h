// The text of a field function while it is written: its variables, loops and the functions that it calls.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "engine/shader/field/field_shader.h"
#include "engine/shader/field/point_program.h"

namespace hw::shader {

/// An operand of an op: a variable that holds what one point has of a value, or a tensor of `weights`.
struct Operand {
  DType dtype = DType::f32;
  Dims dims;         // of a variable: without the axis of the points
  std::string name;  // of the variable; empty: a tensor
  size_t word = 0;   // of the tensor
};

/// What an op is computed in: f64 of f64, f32 of other floats, bool of bool. i64: an f32 that is whole, what a cast of
/// one makes. Nothing: it has no such type.
Scalar scalar_of(DType dtype);
/// Element `index` of `to`, in row-major order, as an index into what has `dims` and stretches to it as NumPy's do.
std::string stretched_index(const Dims& dims, const Dims& to, const std::string& index);

class PointText {
 public:
  /// All outlive it. `gives_numbers`: texts do not depend on what number() is given.
  PointText(const Program& program, const PointProgram& points, const Bodies& bodies, bool gives_numbers = false);

  const Program& program() const { return program_; }

  // ---- operands
  Operand operand(ValueId value);
  /// Its element: "mlp[i]", "load_f16(16, i)".
  std::string element(const Operand& operand, const std::string& index);
  /// The element that belongs to element `index` of `to`.
  std::string element(const Operand& operand, const Dims& to, const std::string& index);

  // ---- expressions
  /// A call of a body of engine/kernels: `arguments`, then numbers.
  Result<std::string> call(const std::string& body, Scalar real, const std::vector<std::string>& arguments,
                           const std::vector<double>& numbers = {});
  /// `text`, f32 or f64 by the dtype, rounded to what `dtype` can store.
  Result<std::string> stored(DType dtype, const std::string& text, bool saturate = false);
  /// A number that an op has as its setting: a constant, or where numbers are given, a parameter `k0` of the function.
  std::string number(double value, Scalar type);
  /// An array of constants, written before the function; its name.
  std::string constants(const std::string& name, Scalar type, const std::vector<double>& values);

  // ---- statements
  /// The node whose ops come next, as a comment.
  void node(uint32_t node);
  /// A line, indented; a "}" at its begin closes a block, a "{" at its end opens one.
  void line(const std::string& text);
  /// A variable for a value that an op of `what` makes. Its name.
  std::string declare(ValueId value, std::string_view what);
  /// A variable of its own, "total_2"; of one element it begins with `initial`.
  std::string declare(const std::string& name, Scalar type, int64_t count, const std::string& initial = "");
  /// The value is what the variable of `from` holds already.
  void alias(ValueId value, const Operand& from);
  /// Each element of a value, from the text of its index: what `make` gives, rounded to the value's dtype.
  using Make = std::function<Result<std::string>(const std::string& index)>;
  Status fill(ValueId value, std::string_view what, const Make& make, bool saturate = false);
  /// Elements of a value at one point.
  int64_t count(ValueId value) const { return element_count(program_[value].dims) / points_.points; }

  Error error(ValueId value, const std::string& why) const;

  // ---- what was written
  /// What stands before the function: bodies that it calls, loads, constants. After all lines.
  Result<std::string> preamble();
  const std::string& lines() const { return body_; }
  /// "vec3 position, float time": the variables.
  const std::string& arguments() const { return arguments_; }
  GlslNeeds needs() const;
  const std::vector<FieldVariable>& variables() const { return inputs_; }
  const std::vector<GivenTensor>& given() const { return given_; }
  size_t words() const { return words_; }
  /// What number() was given, with their types, where numbers are given.
  struct GivenNumber {
    double value;
    Scalar type;
  };
  const std::vector<GivenNumber>& numbers() const { return numbers_; }

 private:
  std::string unique(const std::string& name);
  std::string load(DType dtype);

  const Program& program_;
  const PointProgram& points_;
  GlslLibrary library_;
  std::map<ValueId, std::string> variables_;
  std::vector<GivenTensor> given_;
  size_t words_ = 0;
  std::set<std::string> names_;
  std::set<DType> loads_;
  std::string constants_, body_, arguments_;
  std::vector<FieldVariable> inputs_;
  bool gives_numbers_;
  std::vector<GivenNumber> numbers_;
  uint32_t node_ = 0;
  size_t depth_ = 1;
  GlslNeeds needs_;
};

}  // namespace hw::shader
