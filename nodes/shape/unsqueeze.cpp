// Unsqueeze: puts in axes of size 1.
#include <algorithm>

#include "engine/node/shapes.h"

namespace hw::nodes::unsqueeze {

// For each axis of y, which of the new ones it is, or −1.
static Result<std::vector<int>> places(const Params& p, size_t rank) {
  HW_TRY(const auto axes, shapes::whole_numbers(p, "axes"));
  const std::string got = "got " + to_string(ParamValue(p.vector("axes"))) + ".";
  if (axes.empty()) return Error{codes::bad_parameter, "axes", "must name an axis, " + got, "-1 is a new last axis."};
  const size_t all = rank + axes.size();
  const auto count = static_cast<int64_t>(all);
  std::vector<int> list(all, -1);
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool inside = axes[i] >= -count && axes[i] < count;
    const size_t at = inside ? static_cast<size_t>(shapes::wrap_axis(axes[i], all)) : 0;
    if (!inside || list[at] >= 0)
      return Error{codes::bad_parameter, "axes",
                   "must name different axes of the " + std::to_string(count) + " that there will be, " + got,
                   "Counted in the result, from 0, or from the end when negative."};
    list[at] = static_cast<int>(i);
  }
  return list;
}

static Result<std::vector<std::string>> names_of(const Params& p) {
  auto names = shapes::axis_names(p, "names");
  if (names.empty() || names.size() == p.vector("axes").size()) return names;
  return Error{codes::bad_parameter, "names",
               "must name each of the new axes or none, got \"" + p.text("names") + "\".", "Separate names by spaces."};
}

static void declare(NodeDecl& d) {
  d.title("Unsqueeze").category("Shape").summary("Puts in axes of size 1.");
  d.doc(
      "`axes` says where the new axes stand in `y`: [N, C] with [2, 3] becomes [N, C, 1, 1], with [0] [1, N, C]. "
      "`names` names them. Any dtype; no element is copied or rounded. Squeeze is the reverse.");
  d.source("NumPy, `numpy.expand_dims`; PyTorch, `torch.unsqueeze`; ONNX, Unsqueeze");
  d.keywords("add insert axis axes dimension expand_dims newaxis reshape broadcast");
  d.vector("axes", {0}).docs("Where the new axes stand in the result, from the end when negative.").range(-9, 8);
  d.text("names", "").docs("Names of the new axes, in the order of `axes`, such as `H W`; empty: none.");
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& x = a.shape("x");
  HW_TRY(const std::vector<int> at, places(a.params(), x.rank()));
  HW_TRY(const auto names, names_of(a.params()));
  Shape y;
  size_t from = 0;
  for (const int fresh : at) {
    if (fresh < 0)
      y.push_back(x[from++]);
    else
      y.push_back({names.empty() ? "" : names[static_cast<size_t>(fresh)], 1, ""});
  }
  return Shapes{shapes::tensor(a.dtype("x"), y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const std::vector<std::string> old = b[x].axes;
  const auto at = places(a.params(), dims.size());
  const auto names = names_of(a.params());
  if (!at || !names) return b.fail(at ? names.error() : at.error()), Lowered{Val{}};
  Dims to;
  std::vector<std::string> axes;
  for (const int fresh : *at) {
    const size_t from =
        to.size() - static_cast<size_t>(std::count_if(at->begin(), at->begin() + static_cast<int64_t>(to.size()),
                                                      [](int i) { return i >= 0; }));
    to.push_back(fresh < 0 ? dims[from] : 1);
    if (fresh < 0)
      axes.push_back(old.empty() ? "" : old[from]);
    else
      axes.push_back(names->empty() ? "" : (*names)[static_cast<size_t>(fresh)]);
  }
  return {b.reshape(x, to, axes)};
}

static Examples examples() {
  return {
      {.name = "first", .inputs = {{"x", DType::f32, {5, 3}, {"N", "C"}}}},
      {.name = "channels_of_a_picture",
       .inputs = {{"x", DType::f32, {5, 3}, {"N", "C"}}},
       .params = {{"axes", std::vector<double>{2, 3}}, {"names", std::string("H W")}}},
      {.name = "around", .inputs = {{"x", DType::f32, {4}, {"T"}}}, .params = {{"axes", std::vector<double>{-1, 0}}}},
      {.name = "of_a_scalar", .inputs = {{"x", DType::f32, {}, {}}}},
  };
}

}  // namespace hw::nodes::unsqueeze

HW_NODE(unsqueeze)
