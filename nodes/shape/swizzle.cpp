// Swizzle: components of a vector in another order, repeated or left out.
#include <algorithm>

#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::swizzle {

// Which component each letter of xyzw or rgba means.
static Result<std::vector<int>> order_of(const Params& p, int64_t size) {
  const std::string& text = p.text("components");
  std::vector<int> order;
  for (const std::string_view letters : {"xyzw", "rgba"}) {
    order.clear();
    for (const char letter : text)
      if (const size_t at = letters.find(letter); at < static_cast<size_t>(std::min<int64_t>(size, 4)))
        order.push_back(static_cast<int>(at));
    if (order.size() == text.size() && !text.empty() && text.size() <= 4) return order;
  }
  const auto known = static_cast<size_t>(std::clamp<int64_t>(size, 0, 4));
  return Error{codes::bad_parameter, "components",
               "must be one to four letters of " + std::string("xyzw").substr(0, known) + " or " +
                   std::string("rgba").substr(0, known) + " for a vector of " + std::to_string(size) + ", got \"" +
                   text + "\".",
               "Such as yx."};
}

static void declare(NodeDecl& d) {
  d.title("Swizzle").category("Shape").summary("Puts the components of a vector in another order.");
  d.doc(
      "Each letter of `components` names one component of `v`: xyzw or rgba. `zyx` turns [N, 3] round, `xy` takes two "
      "of them, `xxxx` makes four of one. The gradient of a component is the sum of those of all its copies; one that "
      "is left out gets none.");
  d.source("GLSL, vector components");
  d.keywords("swizzle reorder components xyz rgb bgr channels shuffle mix");
  d.text("components", "zyx").docs("Letters of xyzw or rgba.");
  d.input("v").labelled("Vector").dtype_group("T", running_floats()).with_axes(".. C");
  d.output("y").dtype_group("T").with_axes(".. C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t size, shapes::last_size(a, "v"));
  HW_TRY(const std::vector<int> order, order_of(a.params(), size));
  Shape out = a.shape("v");
  out[out.rank() - 1].size = static_cast<int64_t>(order.size());
  return Shapes{shapes::tensor(a.dtype("v"), out)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val v = a.in("v");
  if (!b.status()) return {Val{}};
  const auto order = order_of(a.params(), b[v].dims.back());
  if (!order) {
    b.fail(order.error());
    return {Val{}};
  }
  const std::vector<std::string> axes = b[v].axes;
  const Val y = vector_ops::swizzled(b, v, *order);
  if (b.status() && b[y].storage == Storage::temp) b.set_axes(y, axes);
  return {y};
}

static Examples examples() {
  const auto letters = [](const char* text) { return ParamMap{{"components", std::string(text)}}; };
  return {
      {.name = "reversed", .inputs = {{"v", DType::f32, {9, 3}, {"N", "C"}}}},
      {.name = "repeated", .inputs = {{"v", DType::f32, {7, 2}, {}}}, .params = letters("xyyx")},
      {.name = "colour", .inputs = {{"v", DType::f32, {2, 3, 4}, {"H", "W", "C"}}}, .params = letters("bgr")},
  };
}

}  // namespace hw::nodes::swizzle

HW_NODE(swizzle)
