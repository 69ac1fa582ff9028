// Borders around tensors, whose widths may follow from symbolic sizes.
#include <algorithm>

#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

/// Along one axis; negative: so many are taken away.
struct Border {
  int64_t before, after, multiple = 1;
};

/// What is known of the widths: two of each of `count` axes. Error: they are computed, or not as many.
Result<std::vector<SizeFormulaPtr>> widths_of(Importer& im, const OnnxNode& n, size_t count) {
  std::vector<SizeFormulaPtr> widths;
  const auto formulas = n.has("pads") || !im.has(n, 1) || im.bound(n, 1) ? std::nullopt : im.formulas(n.inputs[1]);
  if (formulas) {
    widths = formulas->elements;
  } else {
    HW_TRY(const auto pads, im.attribute_or_input(n, "pads", 1));
    if (!pads) return unsupported("its sizes are not given.");
    for (const int64_t width : *pads) widths.push_back(size_formula(width, width));
  }
  if (widths.size() != 2 * count) return unsupported("its sizes are not two an axis.");
  for (const SizeFormulaPtr& width : widths)
    if (std::max(width->here, width->other) > kMost || std::min(width->here, width->other) < -kMost)
      return unsupported("very large padding.");
  return widths;
}

/// The border of an axis with this size in either graph.
Result<Border> border_of(Importer& im, const SizeFormula& before, const SizeFormula& after, int64_t here,
                         int64_t other) {
  if (before.op != SizeFormula::Op::number)
    return unsupported("its padding in front of an axis follows from a symbolic size.");
  if (after.op == SizeFormula::Op::number) return Border{before.here, after.here};
  const auto behind = width_behind(after, here, other, before.here, im.formula_steps());
  if (!behind || before.here < 0)
    return unsupported("its padding behind an axis follows from a symbolic size, but does not fill it to a multiple.");
  // Else sizes of before and after could be taken for each other, or those after for a number.
  if (after.here == after.other || here + after.here == other + after.other)
    return im.unsuited("its padding to a multiple of " + std::to_string(behind->multiple) +
                       " is alike at both of the sizes that are tried.");
  return Border{before.here, behind->width, behind->multiple};
}

/// The same without the elements that negative widths take away.
Result<Wire> cropped(Importer& im, const Wire& x, int64_t axis, Border& border) {
  if (border.before >= 0 && border.after >= 0) return x;
  HW_TRY(const Wire y, im.add("slice", {{"x", x}},
                              {{"axis", axis},
                               {"begin", std::max<int64_t>(0, -border.before)},
                               {"end", std::min<int64_t>(0, border.after)}}));
  border.before = std::max<int64_t>(0, border.before);
  border.after = std::max<int64_t>(0, border.after);
  return y;
}

Status pad(Importer& im, const OnnxNode& n) {
  HW_TRY(Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const SizedDims dims, im.sized_dims(x));
  HW_TRY(const auto filled, im.number(n, 2));
  const std::string mode = n.text("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
    return unsupported("padding as " + mode + ".");
  std::vector<int64_t> axes;
  if (im.has(n, 3)) {
    HW_TRY(axes, im.integers(n, 3));
  } else {
    for (size_t d = 0; d < dims.here.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  }
  HW_TRY(const auto widths, widths_of(im, n, axes.size()));
  std::vector<double> along, before, after, multiples;
  for (size_t i = 0; i < axes.size(); ++i) {
    HW_TRY(const int64_t axis, im.axis(x, axes[i]));
    const auto d = static_cast<size_t>(axis);
    HW_TRY(Border border, border_of(im, *widths[i], *widths[i + axes.size()], dims.here[d], dims.other[d]));
    HW_TRY(x, cropped(im, x, axis, border));
    if (border.before == 0 && border.after == 0 && border.multiple == 1) continue;
    along.push_back(static_cast<double>(axis));
    before.push_back(static_cast<double>(border.before));
    after.push_back(static_cast<double>(border.after));
    multiples.push_back(static_cast<double>(border.multiple));
  }
  if (!along.empty()) {
    HW_TRY(const Wire wide, im.as_float(x));
    HW_TRY(const Wire padded, im.add("pad", {{"x", wide}},
                                     {{"axes", along},
                                      {"before", before},
                                      {"after", after},
                                      {"multiples", multiples},
                                      {"mode", mode},
                                      {"value", n.has("value") ? n.real("value", 0) : filled.value_or(0)}}));
    HW_TRY(x, im.cast(padded, given.dtype));
  }
  im.set(n, 0, x);
  return ok();
}

}  // namespace

std::span<const RuleRow> pad_rules() {
  static constexpr RuleRow kRows[]{{"Pad", pad}};
  return kRows;
}

}  // namespace hw::interop
