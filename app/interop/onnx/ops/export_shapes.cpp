// Sizes, axes and parts of tensors as operators of ONNX.
#include <algorithm>
#include <limits>

#include "app/interop/onnx/exporter.h"
#include "app/interop/onnx/opset_dtypes.h"
#include "engine/core/codes.h"
#include "engine/node/shapes.h"

namespace hw::interop {
namespace {

/// The shape input of a Reshape from `from` to `to`. A symbolic size is 0, which copies that of the axis in its place,
/// or −1, which follows from the others.
Result<std::vector<int64_t>> sizes_of(const Shape& from, const Shape& to) {
  std::vector<int64_t> sizes;
  int open = 0;
  for (size_t d = 0; d < to.rank(); ++d) {
    const bool keeps = !to[d].symbol.empty() && d < from.rank() && from[d].symbol == to[d].symbol;
    if (!to[d].known() && !keeps) ++open;
    sizes.push_back(to[d].known() ? to[d].size : keeps ? 0 : -1);
  }
  if (open > 1) return unsupported("two of its sizes follow from symbolic ones.");
  return sizes;
}

/// A Reshape to what the node's output has for sizes.
Status reshaped(Exporter& ex) {
  HW_TRY(const WireType type, ex.type_out("y"));
  HW_TRY(const std::vector<int64_t> sizes, sizes_of(ex.type_in("x").shape, type.shape));
  ex.add("Reshape", {ex.in("x"), ex.integers_value(sizes)}, {}, ex.out("y"));
  return ok();
}

/// i64 [1]: the size of an input along an axis.
std::string size_along(Exporter& ex, const std::string& socket, int64_t axis) {
  return ex.add("Gather", {ex.add("Shape", {ex.in(socket)}), ex.integers_value({axis})}, {{"axis", int64_t{0}}});
}

/// A Reshape whose axes before `first` stay, then `middle`, then those of x from `behind` on, whatever their sizes.
void reshape_middle(Exporter& ex, int64_t first, const std::vector<std::string>& middle, size_t behind) {
  std::vector<std::string> parts(static_cast<size_t>(first), ex.integers_value({0}));
  parts.insert(parts.end(), middle.begin(), middle.end());
  for (size_t d = behind; d < ex.rank("x"); ++d) parts.push_back(size_along(ex, "x", static_cast<int64_t>(d)));
  ex.add("Reshape", {ex.in("x"), ex.add("Concat", parts, {{"axis", int64_t{0}}})}, {}, ex.out("y"));
}

/// Whether Reshape can get the sizes of the output as numbers.
bool has_plain_sizes(Exporter& ex) {
  const auto type = ex.type_out("y");
  return type && sizes_of(ex.type_in("x").shape, type->shape);
}

Status flatten(Exporter& ex) {
  if (has_plain_sizes(ex)) return reshaped(ex);
  reshape_middle(ex, ex.axis("first", "x"), {ex.integers_value({-1})}, static_cast<size_t>(ex.axis("last", "x")) + 1);
  return ok();
}

Status unflatten(Exporter& ex) {
  if (has_plain_sizes(ex)) return reshaped(ex);
  const int64_t axis = ex.axis("axis", "x");
  std::vector<std::string> parts;
  for (const int64_t size : ex.integers("sizes"))
    parts.push_back(size == 0 ? size_along(ex, "like", ex.axis("like_axis", "like")) : ex.integers_value({size}));
  reshape_middle(ex, axis, parts, static_cast<size_t>(axis) + 1);
  return ok();
}

Status indices(Exporter& ex) {
  const std::string size = ex.add("Squeeze", {size_along(ex, "x", ex.axis("axis", "x")), ex.integers_value({0})});
  ex.add("Range", {ex.scalar(DType::i64, 0), size, ex.scalar(DType::i64, 1)}, {}, ex.out("y"));
  return ok();
}

/// Squeeze or Unsqueeze, which need no other sizes.
Status along_axes(Exporter& ex) {
  const std::vector<int64_t> axes = ex.integers("axes");
  if (axes.empty()) return reshaped(ex);
  ex.add(ex.node().type == "squeeze" ? "Squeeze" : "Unsqueeze", {ex.in("x"), ex.integers_value(axes)}, {}, ex.out("y"));
  return ok();
}

Status transpose(Exporter& ex) {
  const size_t rank = ex.rank("x");
  std::vector<int64_t> order;
  for (const int64_t axis : ex.integers("axes")) order.push_back(shapes::wrap_axis(axis, rank));
  for (size_t d = rank; order.size() < rank;) order.push_back(static_cast<int64_t>(--d));
  ex.add("Transpose", {ex.in("x")}, {{"perm", order}}, ex.out("y"));
  return ok();
}

std::vector<std::string> all_inputs(Exporter& ex) {
  std::vector<std::string> values;
  for (const std::string& socket : ex.wired_inputs()) values.push_back(ex.in(socket));
  return values;
}

Status concat(Exporter& ex) {
  ex.add("Concat", all_inputs(ex), {{"axis", ex.axis("axis", "a")}}, ex.out("y"));
  return ok();
}

Status stack(Exporter& ex) {
  const int64_t axis = shapes::wrap_axis(ex.params().integer("axis"), ex.rank("a") + 1);
  std::vector<std::string> parts;
  for (const std::string& input : all_inputs(ex))
    parts.push_back(ex.add("Unsqueeze", {input, ex.integers_value({axis})}));
  ex.add("Concat", parts, {{"axis", axis}}, ex.out("y"));
  return ok();
}

Status slice(Exporter& ex) {
  const int64_t end = ex.params().integer("end"), step = ex.params().integer("step");
  std::vector<std::string> inputs{ex.in("x"), ex.integers_value({ex.params().integer("begin")}),
                                  ex.has("like") ? size_along(ex, "like", ex.axis("like_axis", "like"))
                                                 : ex.integers_value({end == 0 ? (int64_t{1} << 31) - 1 : end}),
                                  ex.integers_value({ex.axis("axis", "x")})};
  if (step != 1) inputs.push_back(ex.integers_value({step}));
  ex.add("Slice", inputs, {}, ex.out("y"));
  return ok();
}

Status flip(Exporter& ex) {
  std::vector<int64_t> axes = ex.integers("axes");
  for (size_t d = 0; ex.integers("axes").empty() && d < ex.rank("x"); ++d) axes.push_back(static_cast<int64_t>(d));
  const auto same = [&](int64_t value) { return ex.integers_value(std::vector<int64_t>(axes.size(), value)); };
  ex.add("Slice", {ex.in("x"), same(-1), same(std::numeric_limits<int64_t>::min()), ex.integers_value(axes), same(-1)},
         {}, ex.out("y"));
  return ok();
}

Status split(Exporter& ex) {
  const int64_t axis = ex.axis("axis", "x");
  HW_TRY(const WireType a, ex.type_out("a"));
  HW_TRY(const WireType b, ex.type_out("b"));
  const int64_t first = a.shape[static_cast<size_t>(axis)].size, second = b.shape[static_cast<size_t>(axis)].size;
  if (first < 0 || second < 0) return unsupported("the size of its axis is symbolic.");
  ex.add("Split", {ex.in("x"), ex.integers_value({first, second})}, {{"axis", axis}}, ex.out("a"));
  ex.model().graph.nodes.back().outputs.push_back(ex.out("b"));
  return ok();
}

Status gather(Exporter& ex) {
  ex.add("Gather", {ex.in("x"), ex.index("index")}, {{"axis", ex.axis("axis", "x")}}, ex.out("y"));
  return ok();
}

Status gather_elements(Exporter& ex) {
  if (ex.rank("index") != ex.rank("x")) return unsupported("its index has other axes than x.");
  ex.add("GatherElements", {ex.in("x"), ex.index("index")}, {{"axis", ex.axis("axis", "x")}}, ex.out("y"));
  return ok();
}

Status expand(Exporter& ex) {
  HW_TRY(const WireType type, ex.type_out("y"));
  std::vector<int64_t> sizes;
  for (const Axis& axis : type.shape.axes()) sizes.push_back(axis.known() ? axis.size : 1);  // 1: as it is
  ex.add("Expand", {ex.in("x"), ex.integers_value(sizes)}, {}, ex.out("y"));
  return ok();
}

Status tile(Exporter& ex) {
  std::vector<int64_t> repeats = ex.integers("repeats");
  while (repeats.size() < ex.rank("x")) repeats.insert(repeats.begin(), 1);
  auto x = ex.in("x");
  if (repeats.size() > ex.rank("x")) return unsupported("it repeats along axes that x does not have.");
  ex.add("Tile", {x, ex.integers_value(repeats)}, {}, ex.out("y"));
  return ok();
}

/// i64 [rank]: what stands behind each axis, of which some are widened to a multiple.
std::string widths_behind(Exporter& ex, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                          const std::vector<int64_t>& multiples) {
  std::vector<int64_t> both, up;
  for (size_t d = 0; d < before.size(); ++d) {
    both.push_back(before[d] + after[d]);
    up.push_back(multiples[d] - 1);
  }
  const auto grown = ex.add("Add", {ex.add("Shape", {ex.in("x")}), ex.integers_value(both)});
  const auto times = ex.add("Div", {ex.add("Add", {grown, ex.integers_value(up)}), ex.integers_value(multiples)});
  const auto filled = ex.add("Mul", {times, ex.integers_value(multiples)});
  return ex.add("Add", {ex.add("Sub", {filled, grown}), ex.integers_value(after)});
}

Status pad(Exporter& ex) {
  const size_t rank = ex.rank("x");
  std::vector<int64_t> front(rank, 0), behind(rank, 0), multiples(rank, 1);
  const std::vector<int64_t> axes = ex.integers("axes"), before = ex.integers("before"), after = ex.integers("after"),
                             of = ex.integers("multiples");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(shapes::wrap_axis(axes[i], rank));
    front[axis] = before[before.size() == 1 ? 0 : i];
    behind[axis] = after[after.size() == 1 ? 0 : i];
    multiples[axis] = of[of.size() == 1 ? 0 : i];
  }
  const std::string& mode = ex.params().text("mode");
  if (mode == "wrap" && ex.opset() < 19) return lacks(ex.opset(), "Pad with the mode wrap", 19);
  std::string pads;
  if (std::ranges::any_of(multiples, [](int64_t m) { return m > 1; })) {
    pads = ex.add("Concat", {ex.integers_value(front), widths_behind(ex, front, behind, multiples)},
                  {{"axis", int64_t{0}}});
  } else {
    front.insert(front.end(), behind.begin(), behind.end());
    pads = ex.integers_value(front);
  }
  const Exporter::Attributes how = mode == "constant" ? Exporter::Attributes() : Exporter::Attributes{{"mode", mode}};
  ex.add("Pad", {ex.in("x"), pads, ex.scalar(ex.type_in("x").dtype, ex.params().real("value"))}, how, ex.out("y"));
  return ok();
}

/// ONNX's OneHot counts negative numbers from the end; here they are off everywhere.
Status one_hot(Exporter& ex) {
  const DType dtype = ex.params().dtype("dtype");
  const int64_t classes = ex.params().integer("classes");
  std::vector<double> places;
  for (int64_t i = 0; i < classes; ++i) places.push_back(static_cast<double>(i));
  const auto column = ex.add("Unsqueeze", {ex.in("index"), ex.integers_value({-1})});
  const auto all = ex.initializer(Tensor::from_f64(ex.type_in("index").dtype, {classes}, places));
  ex.add("Where",
         {ex.add("Equal", {column, all}), ex.scalar(dtype, ex.params().real("on")),
          ex.scalar(dtype, ex.params().real("off"))},
         {}, ex.out("y"));
  return ok();
}

Status top_k(Exporter& ex) {
  ex.add("TopK", {ex.in("x"), ex.integers_value({ex.params().integer("k")})},
         {{"axis", ex.axis("axis", "x")}, {"largest", int64_t{ex.params().boolean("smallest") ? 0 : 1}}},
         ex.out("values"));
  ex.model().graph.nodes.back().outputs.push_back(ex.out("indices"));
  return ok();
}

/// SpaceToDepth that keeps the pixels of a channel together, by operators of before opset 28.
Status space_to_depth_by_parts(Exporter& ex) {
  const int64_t block = ex.params().integer("block");
  const Shape& x = ex.type_in("x").shape;
  const auto scaled = [&](size_t axis, int64_t by, int64_t per) {
    return x[axis].known() ? x[axis].size * by / per : int64_t{-1};
  };
  const int64_t channels = scaled(1, block * block, 1), h = scaled(2, 1, block), w = scaled(3, 1, block);
  if ((channels < 0) + (h < 0) + (w < 0) > 1)
    return lacks(ex.opset(), "SpaceToDepth of channels first, and two of its sizes are symbolic", 28);
  const auto parts = ex.add("Reshape", {ex.in("x"), ex.integers_value({0, 0, h, block, w, block})});
  const auto moved = ex.add("Transpose", {parts}, {{"perm", std::vector<int64_t>{0, 1, 3, 5, 2, 4}}});
  ex.add("Reshape", {moved, ex.integers_value({0, channels, h, w})}, {}, ex.out("y"));
  return ok();
}

Status depth_to_space(Exporter& ex) {
  const bool inverse = ex.params().boolean("inverse"), blocks = ex.params().text("order") == "blocks_first";
  if (inverse && !blocks && ex.opset() < 28) return space_to_depth_by_parts(ex);
  Exporter::Attributes attributes{{"blocksize", ex.params().integer("block")}};
  if (!inverse || ex.opset() >= 28) attributes["mode"] = std::string(blocks ? "DCR" : "CRD");
  ex.add(inverse ? "SpaceToDepth" : "DepthToSpace", {ex.in("x")}, attributes, ex.out("y"));
  return ok();
}

Status patchify(Exporter& ex) {
  const Shape& x = ex.type_in("x").shape;
  const int64_t p = ex.params().integer("size");
  for (const size_t d : {1, 2, 3})
    if (!x[d].known()) return unsupported("the size of its pictures is symbolic.");
  const int64_t rows = x[2].size / p, columns = x[3].size / p;
  const auto parts = ex.add("Reshape", {ex.in("x"), ex.integers_value({0, 0, rows, p, columns, p})});
  const auto moved = ex.add("Transpose", {parts}, {{"perm", std::vector<int64_t>{0, 2, 4, 3, 5, 1}}});
  ex.add("Reshape", {moved, ex.integers_value({0, rows * columns, p * p * x[1].size})}, {}, ex.out("tokens"));
  return ok();
}

Status triangle(Exporter& ex) {
  if (ex.params().real("value") != 0) return unsupported("ONNX fills the other side with zeros alone.");
  Tensor diagonal(DType::i64, {});
  *diagonal.as<int64_t>() = ex.params().integer("diagonal");
  ex.add("Trilu", {ex.in("x"), ex.initializer(std::move(diagonal))},
         {{"upper", int64_t{ex.params().text("keep") == "upper" ? 1 : 0}}}, ex.out("y"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_shape_rules() {
  static constexpr ExportRow kRows[]{
      {"concat", concat},
      {"depth_to_space", depth_to_space},
      {"expand", expand},
      {"flatten", flatten},
      {"flip", flip},
      {"gather", gather},
      {"gather_elements", gather_elements},
      {"indices", indices},
      {"one_hot", one_hot},
      {"pad", pad},
      {"patchify", patchify},
      {"reshape", reshaped},
      {"slice", slice},
      {"split", split},
      {"squeeze", along_axes},
      {"stack", stack},
      {"tile", tile},
      {"top_k", top_k},
      {"transpose", transpose},
      {"triangle", triangle},
      {"unflatten", unflatten},
      {"unsqueeze", along_axes},
  };
  return kRows;
}

}  // namespace hw::interop
