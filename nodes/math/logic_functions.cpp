// And, Or, Xor and Not of bool tensors: comparisons of bools, false being less than true.
#include <array>

#include "engine/node/row_nodes.h"

namespace hw::nodes::logic_functions {

static Val negated(OpBuilder& b, Val x) {
  return b.status() ? b.compare(CompareFn::equal, x, b.constant(Tensor::zeros(DType::boolean, {}))) : Val{};
}

struct Row {
  Val (*lowered)(OpBuilder&, Val a, Val b);  // Not takes a twice
  bool one_input;
  const char *id, *title, *summary, *doc, *source, *keywords;
};

static constexpr std::array kRows{
    Row{.lowered = [](OpBuilder& b, Val x, Val y) { return b.compare(CompareFn::greater, x, negated(b, y)); },
        .one_input = false,
        .id = "logical_and",
        .title = "And",
        .summary = "True where both tensors are true, with broadcasting.",
        .doc = "`y = a and b`, bool.",
        .source = "NumPy, `numpy.logical_and`; ONNX, And; broadcasting as in NumPy",
        .keywords = "logic boolean both conjunction mask And"},
    Row{.lowered = [](OpBuilder& b, Val x, Val y) { return b.compare(CompareFn::greater_equal, x, negated(b, y)); },
        .one_input = false,
        .id = "logical_or",
        .title = "Or",
        .summary = "True where one of two tensors is true, or both, with broadcasting.",
        .doc = "`y = a or b`, bool.",
        .source = "NumPy, `numpy.logical_or`; ONNX, Or; broadcasting as in NumPy",
        .keywords = "logic boolean either disjunction mask Or"},
    Row{.lowered = [](OpBuilder& b, Val x, Val y) { return b.compare(CompareFn::not_equal, x, y); },
        .one_input = false,
        .id = "logical_xor",
        .title = "Xor",
        .summary = "True where exactly one of two tensors is true, with broadcasting.",
        .doc = "`y = a ≠ b`, bool.",
        .source = "NumPy, `numpy.logical_xor`; ONNX, Xor; broadcasting as in NumPy",
        .keywords = "logic boolean exclusive or different mask Xor"},
    Row{.lowered = [](OpBuilder& b, Val x, Val) { return negated(b, x); },
        .one_input = true,
        .id = "logical_not",
        .title = "Not",
        .summary = "Makes true of false, and false of true.",
        .doc = "`y = not a`, bool.",
        .source = "NumPy, `numpy.logical_not`; ONNX, Not",
        .keywords = "logic boolean negate invert mask Not"},
};

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(Shapes out, shapes::broadcast(a, "a", a.in("b") ? "b" : "a"));
  out[0].dtype = DType::boolean;
  return out;
}

template <size_t I>
struct Node {
  static constexpr const Row& row = kRows[I];

  static void declare(NodeDecl& d) {
    declare_row(d, row,
                "Compare makes bools of numbers, Where chooses by them, Cast makes numbers 0 and 1 of them. No "
                "gradient passes.");
    d.input("a").dtypes({DType::boolean});
    if (!row.one_input) d.input("b").dtypes({DType::boolean});
    d.output("y").dtypes({DType::boolean});
  }

  static Lowered lower(OpBuilder& b, const LowerArgs& a) {
    return {row.lowered(b, a.in("a"), a.in(row.one_input ? "a" : "b"))};
  }

  static Examples examples() {
    const std::string why = "the result is bool";
    if (row.one_input)
      return {{.name = "mask", .inputs = {{"a", DType::boolean, {9, 7}, {"N", "C"}}}, .no_gradient_because = why}};
    return {{.name = "same_shape",
             .inputs = {{"a", DType::boolean, {9, 7}, {"N", "C"}}, {"b", DType::boolean, {9, 7}, {"N", "C"}}},
             .no_gradient_because = why},
            {.name = "per_channel",
             .inputs = {{"a", DType::boolean, {6, 5, 3}, {}}, {"b", DType::boolean, {3}, {}}},
             .no_gradient_because = why}};
  }
};

static const bool registered = register_rows<Node, kRows.size()>(shape);

}  // namespace hw::nodes::logic_functions
