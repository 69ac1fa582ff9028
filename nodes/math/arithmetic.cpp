// The nodes that are one arithmetic op each, with NumPy broadcasting: sum, difference, product.
#include <array>

#include "engine/node/row_nodes.h"

namespace hw::nodes::arithmetic {

struct Row {
  Val (OpBuilder::*op)(Val, Val);
  const char *id, *title, *summary, *doc, *source, *keywords;
};

static constexpr std::array kRows{
    Row{.op = &OpBuilder::add,
        .id = "add",
        .title = "Add",
        .summary = "Adds two tensors, with broadcasting.",
        .doc = "`y = a + b`",
        .source = "NumPy, `numpy.add`; broadcasting as in NumPy",
        .keywords = "plus sum bias residual skip"},
    Row{.op = &OpBuilder::sub,
        .id = "sub",
        .title = "Subtract",
        .summary = "Subtracts one tensor from another, with broadcasting.",
        .doc = "`y = a - b`",
        .source = "NumPy, `numpy.subtract`; broadcasting as in NumPy",
        .keywords = "minus difference"},
    Row{.op = &OpBuilder::mul,
        .id = "mul",
        .title = "Multiply",
        .summary = "Multiplies two tensors element by element, with broadcasting.",
        .doc = "`y = a · b`",
        .source = "NumPy, `numpy.multiply`; broadcasting as in NumPy",
        .keywords = "times product hadamard scale mask gate"},
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

  static Lowered lower(OpBuilder& b, const LowerArgs& a) { return {(b.*row.op)(a.in("a"), a.in("b"))}; }

  static Examples examples() {
    const auto pair = [](std::string name, Dims a, Dims b, std::vector<std::string> axes = {}) {
      return Example{.name = std::move(name),
                     .inputs = {{"a", DType::f32, std::move(a), axes}, {"b", DType::f32, std::move(b), axes}}};
    };
    return {pair("same_shape", {9, 7}, {9, 7}, {"N", "C"}), pair("per_channel", {2, 5, 3}, {3}),
            pair("outer", {4, 1}, {1, 6}), pair("scalar", {}, {3, 2})};
  }
};

static const bool registered = register_rows<Node, kRows.size()>(shape);

}  // namespace hw::nodes::arithmetic
