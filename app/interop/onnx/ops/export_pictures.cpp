// Pictures at other sizes and positions as operators of ONNX.
#include <cmath>
#include <limits>

#include "app/interop/onnx/exporter.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

/// Factors that give these sizes, in f32 never too small; for `nearest` exactly, as an element is as good as lost by
/// the least error. Error: there are none.
Result<std::vector<double>> factors_of(const Shape& from, const Shape& to, bool nearest) {
  std::vector<double> factors{1, 1};
  for (size_t d = 2; d < to.rank(); ++d) {
    if (!from[d].known() || !to[d].known()) return unsupported("its size follows from a symbolic one.");
    const auto size = static_cast<double>(from[d].size), wanted = static_cast<double>(to[d].size);
    auto factor = static_cast<float>(wanted / size);
    if (nearest && factor * size != wanted) return unsupported("no factor gives its size.");
    if (factor * size < wanted) factor = std::nextafter(factor, std::numeric_limits<float>::infinity());
    factors.push_back(factor);
  }
  return factors;
}

Status resize(Exporter& ex) {
  const Params& p = ex.params();
  const Shape& x = ex.type_in("x").shape;
  HW_TRY(const WireType y, ex.type_out("y"));
  const bool align = p.text("coordinates") == "align_corners";
  const bool fixed = y.shape.fully_known();
  std::vector<double> factors = p.vector("scale");
  const bool is_like = ex.has("like");
  bool by_size = is_like || !p.vector("size").empty();
  if (!by_size) {
    if (factors.size() == 1) factors.assign(x.rank() - 2, factors.front());
    factors.insert(factors.begin(), 2, 1.0);
  }
  // What ONNX aligns is the size before it is rounded down.
  for (size_t d = 2; align && !by_size && d < x.rank(); ++d)
    by_size = !x[d].known() || factors[d] * static_cast<double>(x[d].size) != static_cast<double>(y.shape[d].size);
  std::vector<std::string> inputs{ex.in("x"), ""};
  if (is_like) {
    const std::string kept = ex.add("Shape", {ex.in("x")}, {{"start", int64_t{0}}, {"end", int64_t{2}}});
    const std::string wanted = ex.add("Shape", {ex.in("like")}, {{"start", 2 - static_cast<int64_t>(x.rank())}});
    inputs.insert(inputs.end(), {"", ex.add("Concat", {kept, wanted}, {{"axis", int64_t{0}}})});
  } else if (by_size && fixed) {
    inputs.insert(inputs.end(), {"", ex.integers_value(y.shape.dims())});
  } else {
    if (by_size) {
      HW_TRY(factors, factors_of(x, y.shape, p.text("mode") == "nearest"));
    }
    inputs.push_back(ex.initializer(Tensor::from_f64(DType::f32, {static_cast<int64_t>(factors.size())}, factors)));
  }
  const std::string& rounding = p.text("rounding");
  ex.add("Resize", inputs,
         {{"mode", p.text("mode")},
          {"coordinate_transformation_mode", p.text("coordinates")},
          {"nearest_mode", rounding.starts_with("prefer") ? "round_" + rounding : rounding},
          {"cubic_coeff_a", p.real("cubic_a")}},
         ex.out("y"));
  return ok();
}

Status upsample(Exporter& ex) {
  const bool nearest = ex.params().text("mode") == "nearest", align = ex.params().boolean("align_corners");
  std::vector<double> factors = ex.params().vector("factor");
  if (factors.size() == 1) factors.push_back(factors.front());
  factors.insert(factors.begin(), 2, 1.0);
  ex.add("Resize", {ex.in("x"), "", ex.initializer(Tensor::from_f64(DType::f32, {4}, factors))},
         {{"mode", std::string(nearest ? "nearest" : "linear")},
          {"coordinate_transformation_mode", std::string(nearest ? "asymmetric"
                                                         : align ? "align_corners"
                                                                 : "half_pixel")},
          {"nearest_mode", std::string("floor")}},
         ex.out("y"));
  return ok();
}

Status grid_sample(Exporter& ex) {
  const std::string& mode = ex.params().text("mode");
  ex.add("GridSample", {ex.in("x"), ex.in("grid")},
         {{"mode", std::string(mode == "bilinear" && ex.opset() >= 20 ? "linear" : mode)},
          {"padding_mode", ex.params().text("padding")},
          {"align_corners", int64_t{ex.params().boolean("align_corners") ? 1 : 0}}},
         ex.out("y"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_picture_rules() {
  static constexpr ExportRow kRows[]{{"grid_sample", grid_sample}, {"resize", resize}, {"upsample", upsample}};
  return kRows;
}

}  // namespace hw::interop
