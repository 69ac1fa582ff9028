// Products with a given matrix, and lookups in given tables.
#include "engine/core/shape.h"
#include "engine/shader/field/op_texts.h"
#include "engine/shader/field/text_parts.h"

namespace hw::shader::op_texts {
namespace {

// "i * 3 + j"; without the first where there is one row.
std::string at(const std::string& row, int64_t rows, int64_t size, const std::string& within) {
  return rows == 1 ? within : row + " * " + text(size) + " + " + within;
}
// A factor as a product takes it.
Result<std::string> factor(PointText& t, const std::string& x, const MatmulAttr& attr) {
  if (!attr.compute) return x;
  return t.stored(*attr.compute, x);
}

}  // namespace

Status matmul(PointText& t, const Instr& instr) {
  const MatmulAttr& attr = *std::get_if<MatmulAttr>(&instr.attr);
  const Operand a = t.operand(instr.in[0]), b = t.operand(instr.in[1]);
  const Value& out = t.program()[instr.out[0]];
  const int64_t inner = a.dims.back(), columns = out.dims.back(), rows = t.count(instr.out[0]) / columns;
  const Scalar real = scalar_of(out.dtype);
  if (attr.compute && real == Scalar::f64)
    return t.error(instr.out[0], "a shader would round twice from f64 to " + std::string(name(*attr.compute)) + ".");
  const std::string result = t.declare(instr.out[0], "matmul");
  if (rows > 1) t.line(loop("i", rows) + "{");
  if (columns > 1) t.line(loop("j", columns) + "{");
  const std::string column = columns > 1 ? "j" : "0";
  const std::string sum = t.declare("total", real, 1, number(0, real));
  const std::string weight = attr.transpose_b ? at(column, columns, inner, "k")
                             : columns == 1   ? "k"
                                              : "k * " + text(columns) + " + j";
  HW_TRY(const std::string x, factor(t, t.element(a, at("i", rows, inner, "k")), attr));
  HW_TRY(const std::string w, factor(t, t.element(b, weight), attr));
  t.line(loop("k", inner) + sum + " += " + x + " * " + w + ";");
  const std::string whole = instr.in.size() < 3 ? sum : sum + " + " + t.element(t.operand(instr.in[2]), column);
  HW_TRY(const std::string stored, t.stored(out.dtype, whole));
  t.line(place(result, rows * columns, at("i", rows, columns, column)) + " = " + stored + ";");
  if (columns > 1) t.line("}");
  if (rows > 1) t.line("}");
  return ok();
}

// As engine/kernels/hash_grid.h.
Status hash_grid(PointText& t, const Instr& instr) {
  const HashGridAttr& grid = *std::get_if<HashGridAttr>(&instr.attr);
  const Operand x = t.operand(instr.in[0]), table = t.operand(instr.in[1]);
  const Value& out = t.program()[instr.out[0]];
  if (x.dtype != DType::f32 || scalar_of(table.dtype) != Scalar::f32)
    return t.error(instr.out[0], "no shader is made of a hash grid in f64.");
  const std::string node = t.program().nodes[instr.node];
  std::vector<double> scale, resolution, offset, entries, dense;
  for (const HashGridLevel& level : grid.levels) {
    scale.push_back(static_cast<double>(level.scale));
    resolution.push_back(level.resolution);
    offset.push_back(level.offset);
    entries.push_back(level.entries);
    dense.push_back(level.dense);
  }
  const std::string scales = t.constants(node + "_scale", Scalar::f32, scale) + "[level]";
  const std::string resolutions = t.constants(node + "_resolution", Scalar::u32, resolution) + "[level]";
  const std::string offsets = t.constants(node + "_offset", Scalar::u32, offset) + "[level]";
  const std::string sizes = t.constants(node + "_entries", Scalar::u32, entries) + "[level]";
  const std::string denses = t.constants(node + "_dense", Scalar::u32, dense) + "[level]";
  const std::string d = text(grid.dims), f = text(grid.features);

  const std::string name = t.declare(instr.out[0], "hash_grid");
  t.line("for (int level = 0; level < " + text(static_cast<int64_t>(grid.levels.size())) + "; ++level) {");
  t.line("uint cell[" + d + "];");
  t.line("float upper[" + d + "];  // weight of the upper corner along an axis");
  t.line("for (int axis = 0; axis < " + d + "; ++axis) {");
  t.line("precise float at = fma(" + scales + ", " + t.element(x, "axis") + ", 0.5);");
  t.line("float low = floor(at);");
  t.line("bool fits = low >= -2147483648.0 && low < 2147483648.0;");
  t.line("cell[axis] = fits ? uint(int(low)) : 0x80000000u;");
  t.line("upper[axis] = at - low;");
  if (grid.smoothstep) t.line("upper[axis] *= upper[axis] * (3.0 - 2.0 * upper[axis]);");
  t.line("}");
  t.line("float sum[" + f + "];");
  t.line("for (int feature = 0; feature < " + f + "; ++feature) sum[feature] = 0.0;");
  t.line("for (int corner = 0; corner < " + text(int64_t{1} << grid.dims) + "; ++corner) {");
  t.line("float weight = 1.0;");
  t.line("uint dense = 0u, hashed = 0u, stride = 1u;");
  t.line("for (int axis = 0; axis < " + d + "; ++axis) {");
  t.line("int above = corner >> axis & 1;");
  t.line("weight *= above == 1 ? upper[axis] : 1.0 - upper[axis];");
  t.line("uint at = cell[axis] + uint(above);");
  t.line("dense += at * stride;");
  t.line("stride *= " + resolutions + ";");
  t.line("hashed ^= at * (axis == 0 ? 1u : axis == 1 ? 2654435761u : 805459861u);");
  t.line("}");
  t.line("int entry = int(" + offsets + " + (" + denses + " != 0u ? dense : hashed) % " + sizes + ");");
  t.line("for (int feature = 0; feature < " + f + "; ++feature)");
  t.line("  sum[feature] += weight * " + t.element(table, "entry * " + f + " + feature") + ";");
  t.line("}");
  HW_TRY(const std::string stored, t.stored(out.dtype, "sum[feature]"));
  t.line(loop("feature", grid.features) + place(name, t.count(instr.out[0]), "level * " + f + " + feature") + " = " +
         stored + ";");
  t.line("}");
  return ok();
}

// As engine/kernels/triplane.h.
Status triplane(PointText& t, const Instr& instr) {
  const Operand x = t.operand(instr.in[0]), planes = t.operand(instr.in[1]);
  const Value& out = t.program()[instr.out[0]];
  if (x.dtype != DType::f32 || scalar_of(planes.dtype) != Scalar::f32)
    return t.error(instr.out[0], "no shader is made of a triplane in f64.");
  const std::string channels = text(planes.dims[1]), height = text(planes.dims[2]), width = text(planes.dims[3]);

  const std::string name = t.declare(instr.out[0], "triplane");
  t.line("for (int plane = 0; plane < 3; ++plane) {  // xy, xz, yz");
  t.line("int low[2], high[2];  // along the width, along the height");
  t.line("float weight[2];");
  t.line("for (int axis = 0; axis < 2; ++axis) {");
  t.line("int size = axis == 0 ? " + width + " : " + height + ";");
  t.line("int along = axis == 0 ? (plane == 2 ? 1 : 0) : (plane == 0 ? 1 : 2);");
  t.line("precise float at = fma(" + t.element(x, "along") + ", float(size), -0.5);");
  t.line("bool inside = at > 0.0 && at < float(size - 1);");
  t.line("low[axis] = inside ? int(floor(at)) : at > 0.0 ? size - 1 : 0;");
  t.line("high[axis] = inside ? low[axis] + 1 : low[axis];");
  t.line("weight[axis] = inside ? at - floor(at) : at == at ? 0.0 : at;");
  t.line("}");
  t.line("for (int channel = 0; channel < " + channels + "; ++channel) {");
  t.line("int first = (plane * " + channels + " + channel) * " + text(planes.dims[2] * planes.dims[3]) + ";");
  t.line("int above = first + low[1] * " + width + ", below = first + high[1] * " + width + ";");
  t.line("float top = " + t.element(planes, "above + low[0]") + " * (1.0 - weight[0]) + " +
         t.element(planes, "above + high[0]") + " * weight[0];");
  t.line("float bottom = " + t.element(planes, "below + low[0]") + " * (1.0 - weight[0]) + " +
         t.element(planes, "below + high[0]") + " * weight[0];");
  HW_TRY(const std::string stored, t.stored(out.dtype, "top * (1.0 - weight[1]) + bottom * weight[1]"));
  t.line(name + "[plane * " + channels + " + channel] = " + stored + ";");
  t.line("}");
  t.line("}");
  return ok();
}

}  // namespace hw::shader::op_texts
