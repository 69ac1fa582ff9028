// Compare: a question to two tensors, answered with bool.
#include "engine/node/shapes.h"

namespace hw::nodes::compare {

static void declare(NodeDecl& d) {
  d.title("Compare").category("Math").summary("Compares two tensors element by element; the answer is bool.");
  d.doc(
      "`y = a ⋛ b`, true or false for every element, dtype bool. NaN equals nothing and lies on no side; not_equal is "
      "true for it.\n\nShapes broadcast as in Add. Both inputs have one dtype: floats or whole numbers (i64 exactly "
      "below 2^53). No gradient passes. Where takes the result as its condition; Cast makes numbers 0 and 1 of it.");
  d.source("NumPy, `numpy.less` and its siblings; IEEE 754 comparisons");
  d.keywords("equal less greater threshold condition mask boolean");
  std::vector<std::string> choices;
  for (const FunctionInfo& row : compare_table()) choices.emplace_back(row.name);
  d.choice("operation", "less", choices).docs("What is asked of a and b.");
  d.input("a").dtype_group("T");
  d.input("b").dtype_group("T");
  d.output("y").dtypes({DType::boolean});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(Shapes out, shapes::broadcast(a, "a", "b"));
  out[0].dtype = DType::boolean;
  return out;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  size_t row = 0;
  while (compare_table()[row].name != a.params().text("operation")) ++row;
  return {b.compare(static_cast<CompareFn>(row), a.in("a"), a.in("b"))};
}

static Examples examples() {
  const std::string why = "the result is bool";
  Examples all;
  for (const FunctionInfo& row : compare_table())
    all.push_back({.name = std::string(row.name),
                   .inputs = {{"a", DType::f32, {9, 7}, {"N", "C"}}, {"b", DType::f32, {9, 1}, {"N", "C"}}},
                   .params = {{"operation", std::string(row.name)}},
                   .no_gradient_because = why});
  all.push_back({.name = "whole_numbers",
                 .inputs = {{"a", DType::i64, {30}, {"N"}, 0, 3}, {"b", DType::i64, {30}, {"N"}, 0, 3}},
                 .params = {{"operation", std::string("equal")}},
                 .no_gradient_because = why});
  return all;
}

}  // namespace hw::nodes::compare

HW_NODE(compare)
