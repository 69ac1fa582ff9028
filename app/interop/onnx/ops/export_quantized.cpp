// Numbers of few bits and the floats that they stand for as QuantizeLinear and DequantizeLinear.
#include <algorithm>

#include "app/interop/onnx/exporter.h"

namespace hw::interop {
namespace {

bool is_half(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16;
}

/// x ÷ scale is in f32 for halves too: before opset 23 the operator does not say in what, then in the scale's dtype.
Status quantize(Exporter& ex) {
  const DType from = ex.type_in("x").dtype, by = ex.type_in("scale").dtype;
  const auto widened = [&](const char* socket, DType dtype) {
    return ex.converted(ex.in(socket), dtype, is_half(dtype) ? DType::f32 : dtype);
  };
  std::vector<std::string> inputs{widened("x", from), widened("scale", by)};
  if (ex.has("zero_point")) {
    inputs.push_back(ex.in("zero_point"));
  } else {  // of the sizes of the scales
    const Shape& scales = ex.type_in("scale").shape;
    if (!scales.fully_known()) return unsupported("the number of its scales is symbolic.");
    Tensor zeros(DType::f64, scales.dims());
    std::fill_n(zeros.as<double>(), zeros.size(), 0.0);
    inputs.push_back(ex.initializer(zeros.to(ex.params().dtype("to"))));
  }
  ex.add("QuantizeLinear", inputs, {{"axis", ex.params().integer("axis")}}, ex.out("y"));
  return ok();
}

/// Computed in f32 and rounded once to the scale's dtype, which opset 17 has in f32 alone.
Status dequantize(Exporter& ex) {
  const DType to = ex.type_in("scale").dtype, wide = is_half(to) ? DType::f32 : to;
  std::vector<std::string> inputs{ex.in("x"), ex.converted(ex.in("scale"), to, wide)};
  if (ex.has("zero_point")) inputs.push_back(ex.in("zero_point"));
  const Exporter::Attributes attributes{{"axis", ex.params().integer("axis")}};
  if (to == wide)
    ex.add("DequantizeLinear", inputs, attributes, ex.out("y"));
  else
    ex.converted(ex.add("DequantizeLinear", inputs, attributes), wide, to, ex.out("y"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_quantized_rules() {
  static constexpr ExportRow kRows[]{{"dequantize_linear", dequantize}, {"quantize_linear", quantize}};
  return kRows;
}

}  // namespace hw::interop
