// Ops that make an element of a point's several: sums, softmax, norms.
#include <limits>

#include "engine/core/shape.h"
#include "engine/shader/field/op_texts.h"
#include "engine/shader/field/text_parts.h"

namespace hw::shader::op_texts {
namespace {

// A point's elements around an axis, as loops: over lines along it.
struct Lines {
  int64_t count, size, step;
  // The index of element j of line i.
  std::string at(const std::string& j = "j") const {
    const std::string first = step == 1
                                  ? (count == 1 ? "" : "i * " + text(size) + " + ")
                                  : "i / " + text(step) + " * " + text(size * step) + " + i % " + text(step) + " + ";
    return first + (step == 1 ? j : j + " * " + text(step));
  }
};
Lines lines_along(const Dims& dims, int axis) {
  Lines lines{1, dims[static_cast<size_t>(axis)], 1};
  for (size_t d = 1; d < dims.size(); ++d) {
    const bool behind = static_cast<int>(d) > axis;
    if (static_cast<int>(d) != axis) lines.count *= dims[d];
    if (behind) lines.step *= dims[d];
  }
  return lines;
}
void open(PointText& t, int64_t lines) {
  t.line(lines == 1 ? "{" : loop("i", lines) + "{");
}

}  // namespace

Status fold(PointText& t, const Instr& instr) {
  const Value &from = t.program()[instr.in[0]], &to = t.program()[instr.out[0]];
  const Operand x = t.operand(instr.in[0]);
  const Dims in(from.dims.begin() + 1, from.dims.end()), out(to.dims.begin() + 1, to.dims.end());
  const Scalar real =
      scalar_of(from.dtype) == Scalar::f64 || scalar_of(to.dtype) == Scalar::f64 ? Scalar::f64 : Scalar::f32;
  if (scalar_of(from.dtype) == Scalar::f64 && to.dtype != DType::f64)
    return t.error(instr.out[0], "a shader would round twice from f64 to " + std::string(name(to.dtype)) + ".");
  const auto* reduce = std::get_if<ReduceAttr>(&instr.attr);
  const bool largest = reduce && reduce->fn == ReduceFn::max;
  const int64_t outs = t.count(instr.out[0]), ins = t.count(instr.in[0]);
  const std::string folded = t.declare("folded", real, outs);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string begin = number(!reduce ? 0 : largest ? -infinity : infinity, real);
  t.line((outs == 1 ? "" : loop("i", outs)) + place(folded, outs, "i") + " = " + begin + ";");
  const std::string sum = place(folded, outs, stretched_index(out, in, "i"));
  std::string element = t.element(x, "i");
  if (real == Scalar::f64 && scalar_of(from.dtype) == Scalar::f32) element = "double(" + element + ")";
  if (!reduce) {
    t.line(loop("i", ins) + sum + " += " + element + ";");
  } else {  // NaN wins
    const std::string better = element + (largest ? " > " : " < ") + sum + " || " + element + " != " + element;
    t.line(loop("i", ins) + sum + " = " + better + " ? " + element + " : " + sum + ";");
  }
  return t.fill(instr.out[0], reduce ? (largest ? "max" : "min") : "sum",
                [&](const std::string& index) -> Result<std::string> { return place(folded, outs, index); });
}

Status softmax(PointText& t, const Instr& instr) {
  const SoftmaxAttr& attr = *std::get_if<SoftmaxAttr>(&instr.attr);
  const Value& out = t.program()[instr.out[0]];
  const Operand x = t.operand(instr.in[0]);
  const Scalar real = scalar_of(out.dtype);
  const Lines lines = lines_along(out.dims, attr.axis);
  const int64_t count = t.count(instr.out[0]);
  const std::string name = t.declare(instr.out[0], "softmax"), element = t.element(x, lines.at());
  open(t, lines.count);
  const std::string most = t.declare("most", real, 1, t.element(x, lines.at("0")));
  t.line(loop("j", lines.size) + most + " = " + element + " > " + most + " || " + element + " != " + element + " ? " +
         element + " : " + most + ";");
  const std::string sum = t.declare("total", real, 1, number(0, real));
  HW_TRY(const std::string power, t.call("math::exp", real, {element + " - " + most}));
  t.line(loop("j", lines.size) + sum + " += " + power + ";");
  HW_TRY(const std::string log, t.call("math::log", real, {sum}));
  HW_TRY(const std::string stored,
         t.stored(out.dtype, attr.log ? element + " - " + most + " - " + log : power + " / " + sum));
  t.line(loop("j", lines.size) + place(name, count, lines.at()) + " = " + stored + ";");
  t.line("}");
  return ok();
}

Status softmax_grad(PointText& t, const Instr& instr) {
  const SoftmaxAttr& attr = *std::get_if<SoftmaxAttr>(&instr.attr);
  const Value& out = t.program()[instr.out[0]];
  const Scalar real = scalar_of(out.dtype);
  const Lines lines = lines_along(out.dims, attr.axis);
  const int64_t count = t.count(instr.out[0]);
  const std::string g = t.element(t.operand(instr.in[0]), lines.at()),
                    y = t.element(t.operand(instr.in[1]), lines.at());
  const std::string name = t.declare(instr.out[0], "softmax_grad");
  open(t, lines.count);
  const std::string sum = t.declare("total", real, 1, number(0, real));
  t.line(loop("j", lines.size) + sum + " += " + (attr.log ? g : g + " * " + y) + ";");
  HW_TRY(const std::string power, t.call("math::exp", real, {y}));
  HW_TRY(const std::string stored,
         t.stored(out.dtype, attr.log ? g + " - " + power + " * " + sum : y + " * (" + g + " - " + sum + ")"));
  t.line(loop("j", lines.size) + place(name, count, lines.at()) + " = " + stored + ";");
  t.line("}");
  return ok();
}

Status group_norm(PointText& t, const Instr& instr) {
  const GroupNormAttr& attr = *std::get_if<GroupNormAttr>(&instr.attr);
  const Value& out = t.program()[instr.out[0]];
  const Scalar real = scalar_of(out.dtype);
  const int64_t count = t.count(instr.out[0]);
  const Lines lines{count / attr.group_size, attr.group_size, 1};
  const std::string x = t.element(t.operand(instr.in[0]), lines.at());
  const std::string channel =
      (attr.inner == 1 ? "(" + lines.at() + ")" : "(" + lines.at() + ") / " + text(attr.inner)) + " % " +
      text(attr.channels);
  const std::string scale = t.element(t.operand(instr.in[1]), channel),
                    bias = t.element(t.operand(instr.in[2]), channel);
  const std::string name = t.declare(instr.out[0], "group_norm");
  open(t, lines.count);
  const std::string mean = t.declare("mean", real, 1, number(0, real));
  t.line(loop("j", lines.size) + mean + " += " + x + ";");
  t.line(mean + " /= " + number(static_cast<double>(lines.size), real) + ";");
  const std::string variance = t.declare("variance", real, 1, number(0, real));
  t.line(loop("j", lines.size) + variance + " += (" + x + " - " + mean + ") * (" + x + " - " + mean + ");");
  t.line(variance + " /= " + number(static_cast<double>(lines.size), real) + ";");
  const std::string deviation = "sqrt(" + variance + " + " + number(attr.epsilon, real) + ")";
  HW_TRY(const std::string stored,
         t.stored(out.dtype, "(" + x + " - " + mean + ") / " + deviation + " * " + scale + " + " + bias));
  t.line(loop("j", lines.size) + place(name, count, lines.at()) + " = " + stored + ";");
  t.line("}");
  return ok();
}

Status batch_norm(PointText& t, const Instr& instr) {
  const BatchNormAttr& attr = *std::get_if<BatchNormAttr>(&instr.attr);
  const Value& out = t.program()[instr.out[0]];
  const Operand x = t.operand(instr.in[0]), moments = t.operand(instr.in[1]), scale = t.operand(instr.in[2]),
                bias = t.operand(instr.in[3]);
  const Scalar real = scalar_of(out.dtype);
  const int64_t channels = out.dims[1], inner = t.count(instr.out[0]) / channels;
  return t.fill(instr.out[0], "batch_norm", [&](const std::string& index) -> Result<std::string> {
    const std::string c = inner == 1 ? index : index + " / " + text(inner);
    return "(" + t.element(x, index) + " - " + t.element(moments, c) + ") / sqrt(" +
           t.element(moments, text(channels) + " + " + c) + " + " + number(attr.epsilon, real) + ") * " +
           t.element(scale, c) + " + " + t.element(bias, c);
  });
}

}  // namespace hw::shader::op_texts
