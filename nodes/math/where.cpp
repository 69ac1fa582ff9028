// Where: chooses between two tensors by a condition.
#include "engine/node/shapes.h"

namespace hw::nodes::where {

static void declare(NodeDecl& d) {
  d.title("Where").category("Math").summary("Takes each element from one tensor or the other, by a condition.");
  d.doc(
      "`y = condition ? a : b`, element by element. The condition is bool, from Compare. All three shapes broadcast "
      "together; `a` and `b` have one dtype, and so has `y`. The gradient goes to the side that was taken; of the "
      "other nothing passes, NaN and Inf included.");
  d.source("NumPy, `numpy.where`");
  d.keywords("select choose if condition mask switch mix");
  d.input("condition").docs("True: a, false: b.").dtypes({DType::boolean});
  d.input("a").dtype_group("T", running_floats());
  d.input("b").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(Shapes sides, shapes::broadcast(a, "a", "b"));
  auto all = hw::broadcast(sides[0].shape, a.shape("condition"));
  if (!all) {
    Error error = all.error();
    error.where = "condition";
    return error;
  }
  return Shapes{shapes::tensor(a.dtype("a"), std::move(*all))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.where(a.in("condition"), a.in("a"), a.in("b"))};
}

static Examples examples() {
  return {
      {.name = "same_shape",
       .inputs = {{"condition", DType::boolean, {9, 7}, {"N", "C"}},
                  {"a", DType::f32, {9, 7}, {"N", "C"}},
                  {"b", DType::f32, {9, 7}, {"N", "C"}}}},
      {.name = "per_row",
       .inputs = {{"condition", DType::boolean, {12, 1}, {}},
                  {"a", DType::f32, {12, 5}, {}},
                  {"b", DType::f32, {5}, {}}}},
      {.name = "stretched",
       .inputs = {{"condition", DType::boolean, {8, 4}, {}}, {"a", DType::f32, {}, {}}, {"b", DType::f32, {8, 1}, {}}}},
  };
}

}  // namespace hw::nodes::where

HW_NODE(where)
