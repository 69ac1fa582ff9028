// Vectors along the last axis, ranges, spreads and losses of pairs as operators of ONNX.
#include <algorithm>

#include "app/interop/onnx/exporter.h"
#include "engine/node/shapes.h"

namespace hw::interop {
namespace {

/// The sum is in f32 (f64), rounded once.
Status dot_product(Exporter& ex) {
  const DType dtype = ex.type_in("a").dtype, wide = wide_of(dtype);
  const auto products = ex.converted(ex.add("Mul", {ex.in("a"), ex.in("b")}), dtype, wide);
  const auto sum = ex.reduce("ReduceSum", products, {-1}, false, dtype == wide ? ex.out("y") : "");
  if (dtype != wide) ex.converted(sum, wide, dtype, ex.out("y"));
  return ok();
}

Status swizzle(Exporter& ex) {
  std::vector<int64_t> order;
  for (const char letter : ex.params().text("components")) {
    const std::string_view names = std::string_view("xyzw").find(letter) != std::string_view::npos ? "xyzw" : "rgba";
    order.push_back(static_cast<int64_t>(names.find(letter)));
  }
  ex.add("Gather", {ex.in("v"), ex.integers_value(order)}, {{"axis", int64_t{-1}}}, ex.out("y"));
  return ok();
}

Status separate_vector(Exporter& ex) {
  const int64_t count = ex.params().integer("components");
  for (int64_t i = 0; i < count; ++i) {
    const std::string socket(1, "xyzw"[i]);
    if (!ex.wants(socket)) continue;
    Tensor which(DType::i64, {});
    *which.as<int64_t>() = i;
    ex.add("Gather", {ex.in("v"), ex.initializer(std::move(which))}, {{"axis", int64_t{-1}}}, ex.out(socket));
  }
  return ok();
}

/// x · scale + offset, with both numbers from f64.
Status remap(Exporter& ex) {
  const Params& p = ex.params();
  const DType dtype = ex.type_in("x").dtype, wide = wide_of(dtype);
  const double from = p.real("from_min"), to = p.real("to_min"), end = p.real("to_max");
  const double scale = (end - to) / (p.real("from_max") - from);
  const bool clamps = p.boolean("clamp");
  const auto scaled = ex.add("Mul", {ex.converted(ex.in("x"), dtype, wide), ex.scalar(wide, scale)});
  const auto plain = dtype == wide && !clamps ? ex.out("y") : "";
  std::string y = ex.add("Add", {scaled, ex.scalar(wide, to - from * scale)}, {}, plain);
  if (clamps)
    y = ex.add("Clip", {y, ex.scalar(wide, std::min(to, end)), ex.scalar(wide, std::max(to, end))}, {},
               dtype == wide ? ex.out("y") : "");
  if (dtype != wide) ex.converted(y, wide, dtype, ex.out("y"));
  return ok();
}

/// In f32 (f64), which IsInf takes in every opset.
Status is_finite(Exporter& ex) {
  const DType dtype = ex.type_in("x").dtype;
  const std::string& what = ex.params().text("what");
  const auto x = ex.converted(ex.in("x"), dtype, wide_of(dtype));
  if (what != "finite") {
    ex.add(what == "nan" ? "IsNaN" : "IsInf", {x}, {}, ex.out("y"));
    return ok();
  }
  ex.add("Not", {ex.add("Or", {ex.add("IsNaN", {x}), ex.add("IsInf", {x})})}, {}, ex.out("y"));
  return ok();
}

Status variance(Exporter& ex) {
  const Shape& shape = ex.type_in("x").shape;
  const std::vector<int64_t> axes = ex.integers("axes");
  double count = 1;
  for (size_t d = 0; d < shape.rank(); ++d) {
    const bool reduced = axes.empty() || std::ranges::any_of(axes, [&](int64_t axis) {
                           return shapes::wrap_axis(axis, shape.rank()) == static_cast<int64_t>(d);
                         });
    if (reduced && !shape[d].known()) return unsupported("the number of its elements is symbolic.");
    if (reduced) count *= static_cast<double>(shape[d].size);
  }
  const bool keep = ex.params().boolean("keep");
  const DType dtype = ex.type_in("x").dtype, wide = wide_of(dtype);
  const auto x = ex.converted(ex.in("x"), dtype, wide);
  const auto off = ex.add("Sub", {x, ex.reduce("ReduceMean", x, axes, true)});
  std::string y = ex.reduce("ReduceMean", ex.add("Mul", {off, off}), axes, keep);
  if (ex.params().integer("correction") == 1) y = ex.add("Mul", {y, ex.scalar(wide, count / (count - 1))});
  if (ex.params().boolean("deviation")) y = ex.add("Sqrt", {y});
  ex.converted(y, wide, dtype, ex.out("y"));
  return ok();
}

/// The mean of |prediction - target|, or of its square.
Status loss_of_pair(Exporter& ex) {
  const auto off = ex.add("Sub", {ex.in("prediction"), ex.in("target")});
  const auto each = ex.node().type == "l1" ? ex.add("Abs", {off}) : ex.add("Mul", {off, off});
  ex.reduce("ReduceMean", each, {}, false, ex.out("loss"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_vector_rules() {
  static constexpr ExportRow kRows[]{
      {"dot_product", dot_product},
      {"is_finite", is_finite},
      {"l1", loss_of_pair},
      {"mse", loss_of_pair},
      {"remap", remap},
      {"swizzle", swizzle},
      {"separate_vector", separate_vector},
      {"variance", variance},
  };
  return kRows;
}

}  // namespace hw::interop
