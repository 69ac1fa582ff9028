// The nodes that are one op of two inputs each, with NumPy broadcasting.
#include <array>

#include "engine/node/row_nodes.h"

namespace hw::nodes::binary_functions {

struct Row {
  Val (*lowered)(OpBuilder&, Val a, Val b);
  const char *id, *title, *summary, *doc, *source, *keywords;
  double lo = -1;  // range of b in the examples
};

template <BinaryFn fn>
Val function(OpBuilder& b, Val x, Val y) {
  return b.binary(fn, x, y);
}

template <Val (OpBuilder::*op)(Val, Val)>
Val arithmetic(OpBuilder& b, Val x, Val y) {
  return (b.*op)(x, y);
}

static constexpr std::array kRows{
    Row{.lowered = arithmetic<&OpBuilder::add>,
        .id = "add",
        .title = "Add",
        .summary = "Adds two tensors, with broadcasting.",
        .doc = "`y = a + b`",
        .source = "NumPy, `numpy.add`; broadcasting as in NumPy",
        .keywords = "plus sum bias residual skip"},
    Row{.lowered = arithmetic<&OpBuilder::sub>,
        .id = "sub",
        .title = "Subtract",
        .summary = "Subtracts one tensor from another, with broadcasting.",
        .doc = "`y = a - b`",
        .source = "NumPy, `numpy.subtract`; broadcasting as in NumPy",
        .keywords = "minus difference"},
    Row{.lowered = arithmetic<&OpBuilder::mul>,
        .id = "mul",
        .title = "Multiply",
        .summary = "Multiplies two tensors element by element, with broadcasting.",
        .doc = "`y = a · b`",
        .source = "NumPy, `numpy.multiply`; broadcasting as in NumPy",
        .keywords = "times product hadamard scale mask gate"},
    Row{.lowered = function<BinaryFn::div>,
        .id = "div",
        .title = "Divide",
        .summary = "Divides one tensor by another, with broadcasting.",
        .doc = "`y = a / b`. Division by 0 gives Inf with the sign of `a`, or NaN for 0 / 0.",
        .source = "NumPy, `numpy.divide`; broadcasting as in NumPy",
        .keywords = "division quotient ratio over",
        .lo = 0.5},
    Row{.lowered = function<BinaryFn::atan2>,
        .id = "atan2",
        .title = "Atan2",
        .summary = "The angle of a vector from its two components, with broadcasting.",
        .doc = "`y = atan2(a, b)`: the angle of the vector `(b, a)` in radians, from -π to π. At `(0, 0)` it is 0, and "
               "its gradient NaN.",
        .source = "NumPy, `numpy.arctan2`; gradient as in PyTorch, `torch.atan2`",
        .keywords = "arctan2 arctangent angle phase polar direction",
        .lo = 0.25},
    Row{.lowered = function<BinaryFn::min>,
        .id = "min",
        .title = "Min",
        .summary = "The smaller of two tensors, element by element, with broadcasting.",
        .doc = "`y = min(a, b)`. NaN on either side gives NaN. Where both are equal, each gets half the gradient.",
        .source = "NumPy, `numpy.minimum`; gradient as in PyTorch, `torch.minimum`",
        .keywords = "minimum smaller least elementwise"},
    Row{.lowered = function<BinaryFn::max>,
        .id = "max",
        .title = "Max",
        .summary = "The larger of two tensors, element by element, with broadcasting.",
        .doc = "`y = max(a, b)`. NaN on either side gives NaN. Where both are equal, each gets half the gradient.",
        .source = "NumPy, `numpy.maximum`; gradient as in PyTorch, `torch.maximum`",
        .keywords = "maximum larger greatest elementwise"},
};

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::broadcast(a, "a", "b");
}

template <size_t I>
struct Node {
  static constexpr const Row& row = kRows[I];

  static void declare(NodeDecl& d) {
    declare_row(d, row,
                "Shapes are aligned at the last axis; a size of 1 or a missing axis stretches. Both inputs have one "
                "dtype, and so has `y`: computed in f32 (f64 for f64) and rounded once.");
    d.input("a").dtype_group("T", running_floats());
    d.input("b").dtype_group("T", running_floats());
    d.output("y").dtype_group("T");
  }

  static Lowered lower(OpBuilder& b, const LowerArgs& a) { return {row.lowered(b, a.in("a"), a.in("b"))}; }

  static Examples examples() {
    const auto pair = [](std::string name, Dims a, Dims b, double range = 1, std::vector<std::string> axes = {}) {
      return Example{.name = std::move(name),
                     .inputs = {{"a", DType::f32, std::move(a), axes, -range, range},
                                {"b", DType::f32, std::move(b), axes, row.lo, 1}}};
    };
    return {pair("same_shape", {9, 7}, {9, 7}, 1, {"N", "C"}), pair("per_channel", {2, 5, 3}, {3}),
            pair("outer", {4, 1}, {1, 6}), pair("scalar", {}, {5, 4}, 0.5)};
  }
};

static const bool registered = register_rows<Node, kRows.size()>(shape);

}  // namespace hw::nodes::binary_functions
