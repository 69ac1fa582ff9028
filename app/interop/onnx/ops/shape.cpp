// Axes in another order, joined and repeated.
#include <algorithm>

#include "app/interop/onnx/rules.h"
#include "engine/core/tensor_rows.h"
#include "engine/node/many_inputs.h"

namespace hw::interop {
namespace {

Status transpose(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("transpose", {{"x", x}}, {{"axes", numbers(n.integers("perm"))}}));
  im.set(n, 0, y);
  return ok();
}

Status concat(Importer& im, const OnnxNode& n) {
  std::vector<const Tensor*> constants;
  for (size_t i = 0; i < n.inputs.size(); ++i)
    if (const Tensor* value = im.constant(n, i)) constants.push_back(value);
  const bool lists = std::ranges::all_of(
      constants, [](const Tensor* t) { return t->dims().size() == 1 && !info(t->dtype()).is_float; });
  const auto alike = [&](const Tensor* t) { return t->dtype() == constants.front()->dtype(); };
  if (!constants.empty() && constants.size() == n.inputs.size() && lists && std::ranges::all_of(constants, alike)) {
    Tensor joined = *constants.front();
    for (size_t i = 1; i < constants.size(); ++i) joined = joined_rows(joined, *constants[i]);
    im.set(n, 0, std::move(joined));
    return ok();
  }
  std::vector<Wire> parts;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    if (const Tensor* value = im.constant(n, i); value && value->size() == 0) continue;  // keys of no earlier tokens
    HW_TRY(parts.emplace_back(), im.in(n, i));
  }
  HW_TRY(const Wire y, joined(im, parts, n.integer("axis", 1), "concat"));
  im.set(n, 0, y);
  return ok();
}

Status expand(Importer& im, const OnnxNode& n) {
  HW_TRY(const SizedDims wanted, sizes_in(im, n, "shape", 1));
  HW_TRY(const SizedDims dims, im.sized_dims(n, 0));
  HW_TRY(Wire x, im.in(n, 0));
  const size_t rank = std::max(wanted.here.size(), dims.here.size());
  const size_t more = rank - dims.here.size(), unasked = rank - wanted.here.size();
  std::vector<double> sizes(rank, -1);
  std::vector<size_t> symbolic;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t is = d < more ? 1 : dims.here[d - more], is_other = d < more ? 1 : dims.other[d - more];
    const int64_t asked = d < unasked ? 1 : wanted.here[d - unasked],
                  asked_other = d < unasked ? 1 : wanted.other[d - unasked];
    if (asked == asked_other && asked != 1) sizes[d] = static_cast<double>(asked);
    if (asked == asked_other || (asked == is && asked_other == is_other)) continue;
    if (is != 1 || is_other != 1) return unsupported("it stretches an axis that is not of size 1.");
    symbolic.push_back(d);
  }
  const bool as_it_is = more == 0 && std::ranges::count(sizes, -1) == static_cast<int64_t>(rank);
  if (!as_it_is || symbolic.empty()) {
    HW_TRY(x, im.add("expand", {{"x", x}}, {{"shape", sizes}}));
  }
  for (const size_t d : symbolic) {
    HW_TRY(x, im.stretched(x, static_cast<int64_t>(d), wanted.here[d - unasked], wanted.other[d - unasked]));
  }
  im.set(n, 0, x);
  return ok();
}

Status tile(Importer& im, const OnnxNode& n) {
  HW_TRY(SizedDims repeats, sizes_in(im, n, "repeats", 1));
  HW_TRY(const SizedDims dims, im.sized_dims(n, 0));
  HW_TRY(Wire x, im.in(n, 0));
  for (size_t d = 0; d < std::min(repeats.here.size(), dims.here.size()); ++d) {
    if (!repeats.symbolic(d)) continue;
    if (dims.here[d] != 1 || dims.other[d] != 1) return unsupported("it repeats an axis a symbolic number of times.");
    HW_TRY(x, im.stretched(x, static_cast<int64_t>(d), repeats.here[d], repeats.other[d]));
    repeats.here[d] = 1;
  }
  HW_TRY(const Wire y, im.add("tile", {{"x", x}}, {{"repeats", numbers(repeats.here)}}));
  im.set(n, 0, y);
  return ok();
}

Status depth_to_space(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const bool inverse = n.op == "SpaceToDepth";
  const bool blocks_first = n.text("mode", "DCR") == "DCR";
  HW_TRY(const Wire y, im.add("depth_to_space", {{"x", x}},
                              {{"block", n.integer("blocksize", 1)},
                               {"order", std::string(blocks_first ? "blocks_first" : "channels_first")},
                               {"inverse", inverse}}));
  im.set(n, 0, y);
  return ok();
}

Status trilu(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const auto k, im.number(n, 1));
  constexpr auto most = static_cast<double>(kMost);
  const auto diagonal = static_cast<int64_t>(std::clamp(k.value_or(0), -most, most));
  HW_TRY(const Wire wide, im.as_float(x));
  HW_TRY(const Wire y,
         im.add("triangle", {{"x", wide}},
                {{"keep", std::string(n.integer("upper", 1) != 0 ? "upper" : "lower")}, {"diagonal", diagonal}}));
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

}  // namespace

std::span<const RuleRow> shape_rules() {
  static constexpr RuleRow kRows[]{
      {"Concat", concat}, {"DepthToSpace", depth_to_space}, {"Expand", expand}, {"SpaceToDepth", depth_to_space},
      {"Tile", tile},     {"Transpose", transpose},         {"Trilu", trilu},
  };
  return kRows;
}

}  // namespace hw::interop
