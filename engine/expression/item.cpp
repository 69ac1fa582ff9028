#include "engine/expression/item.h"

#include <algorithm>

#include "engine/program/vector_ops.h"

namespace hw::expression {

Val Items::number(double value, Type type) {
  const double values[] = {value};
  return b_.constant(Tensor::from_f64(type.is_boolean() ? DType::boolean : dtype_, {}, values));
}

Val Items::whole(Item& item) {
  if (item.whole || !b_.status()) return item.whole;
  if (item.constant) return item.whole = number(*item.constant, item.type);
  const Type type = item.type;
  const auto is_constant = [](const Item& part) { return part.constant.has_value(); };
  if (std::ranges::all_of(item.parts, is_constant)) {
    std::vector<double> values;
    for (const Item& part : item.parts) values.push_back(*part.constant);
    return item.whole =
               b_.constant(Tensor::from_f64(dtype_, Dims(static_cast<size_t>(type.axes()), type.size), values));
  }
  std::vector<Val> scalars;
  for (Item& part : item.parts) scalars.push_back(whole(part));
  const Val row = vector_ops::combined(b_, scalars);
  if (!type.is_matrix() || !b_.status()) return item.whole = row;
  Dims dims = b_[row].dims;
  dims.back() = type.size;
  dims.push_back(type.size);
  return item.whole = b_.reshape(row, std::move(dims));
}

Item Items::part(const Item& item, int k) {
  if (item.constant || item.type.components() == 1) return item;
  if (!item.parts.empty()) return item.parts[static_cast<size_t>(k)];
  if (!b_.status()) return Item::of_number(0);
  Val& taken = taken_[{item.whole.id, k}];
  if (!taken) {
    Val row = item.whole;
    if (item.type.is_matrix()) {
      Dims dims = b_[row].dims;
      dims.pop_back();
      dims.back() = item.type.components();
      row = b_.reshape(row, std::move(dims));
    }
    taken = vector_ops::component(b_, row, k);
  }
  return Item::of_value({}, taken);
}

void Items::split(Item& item) {
  if (!item.parts.empty()) return;
  std::vector<Item> parts;
  for (int k = 0; k < item.type.components(); ++k) parts.push_back(part(item, k));
  item.parts = std::move(parts);
}

Val Items::stretching(Item& item, int axes) {
  const Val v = whole(item);
  if (!b_.status() || item.type.axes() > 0 || axes == 0 || b_[v].dims.empty()) return v;
  if (!item.type.is_boolean()) return vector_ops::with_axes(b_, v, axes);
  return as_bool(vector_ops::with_axes(b_, as_float(v), axes));
}

Val Items::stretched(Item& item, Dims dims) {
  const Val v = whole(item);
  if (!b_.status() || b_[v].dims == dims) return v;
  if (!item.type.is_boolean()) return b_.broadcast_to(v, std::move(dims));
  return as_bool(b_.broadcast_to(as_float(v), std::move(dims)));
}

// What changes sizes takes floats alone.
Val Items::as_float(Val mask) {
  return b_.where(mask, number(1), number(0));
}
Val Items::as_bool(Val x) {
  return b_.compare(CompareFn::not_equal, x, number(0));
}

}  // namespace hw::expression
