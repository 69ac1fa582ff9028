// Types of the expression language: a number, a truth value, vectors and square matrices, each of them over a batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hw::expression {

/// What one value of the batch is. As a tensor: the batch's axes, then none (float, bool), one axis of `size` (vector:
/// x y z w) or two (matrix: row, column).
struct Type {
  enum class Kind : uint8_t { scalar, boolean, vector, matrix } kind = Kind::scalar;
  int size = 1;  // vector: 2 to 4 components; matrix: 2 to 4 rows and columns

  static Type boolean() { return {Kind::boolean, 1}; }
  static Type vector(int size) { return {Kind::vector, size}; }
  static Type matrix(int size) { return {Kind::matrix, size}; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_boolean() const { return kind == Kind::boolean; }
  bool is_vector() const { return kind == Kind::vector; }
  bool is_matrix() const { return kind == Kind::matrix; }
  /// Axes after those of the batch: 0, 1 or 2.
  int axes() const { return is_vector() ? 1 : is_matrix() ? 2 : 0; }
  int components() const { return is_matrix() ? size * size : size; }
  bool operator==(const Type&) const = default;
};

/// "float", "bool", "vec3", "mat4".
std::string name(Type type);
/// The type of that name; nothing: there is none.
std::optional<Type> type_named(std::string_view name);

}  // namespace hw::expression
