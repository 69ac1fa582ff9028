// A value while it is lowered: a constant, a whole tensor, components one by one, or both of the latter.
#pragma once

#include <map>
#include <optional>

#include "engine/expression/type.h"
#include "engine/program/builder.h"

namespace hw::expression {

struct Item {
  Type type;
  std::optional<double> constant;  // float, or bool as 0 and 1
  Val whole;                       // with the axes of its components
  std::vector<Item> parts;         // floats, row by row

  static Item of_number(double value, Type type = {}) { return {type, value, {}, {}}; }
  static Item of_value(Type type, Val whole) { return {type, {}, whole, {}}; }
};

/// Turns items from one form to another, each once.
class Items {
 public:
  Items(OpBuilder& b, DType dtype) : b_(b), dtype_(dtype) {}
  OpBuilder& builder() { return b_; }

  /// As one tensor; remembered in the item.
  Val whole(Item& item);
  /// Component `k`, row by row.
  Item part(const Item& item, int k);
  /// Fills `parts`.
  void split(Item& item);
  /// A tensor that stretches over values with `axes` axes of components: a float before vectors and matrices.
  Val stretching(Item& item, int axes);
  /// As one tensor of these sizes.
  Val stretched(Item& item, Dims dims);
  /// A number as a tensor without axes.
  Val number(double value, Type type = {});

 private:
  Val as_float(Val mask);
  Val as_bool(Val x);
  OpBuilder& b_;
  const DType dtype_;
  std::map<std::pair<ValueId, int>, Val> taken_;  // components of whole values
};

}  // namespace hw::expression
