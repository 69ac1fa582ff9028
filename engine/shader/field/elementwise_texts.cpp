// Ops of which an element is made of one element of each input.
#include <algorithm>

#include "engine/program/op_text.h"
#include "engine/shader/field/op_texts.h"
#include "engine/shader/field/text_parts.h"

namespace hw::shader::op_texts {
namespace {

Dims point_dims(const PointText& t, ValueId value) {
  const Dims& dims = t.program()[value].dims;
  return {dims.begin() + 1, dims.end()};
}

// fill() from the texts of the inputs' elements.
template <class F>
Status elementwise(PointText& t, const Instr& instr, std::string_view what, F make, bool saturate = false) {
  const Dims dims = point_dims(t, instr.out[0]);
  return t.fill(
      instr.out[0], what,
      [&](const std::string& index) -> Result<std::string> {
        std::vector<std::string> in;
        for (const ValueId value : instr.in) in.push_back(t.element(t.operand(value), dims, index));
        return make(in, index);
      },
      saturate);
}

Scalar real_of(const PointText& t, const Instr& instr) {
  return scalar_of(t.program()[instr.in[0]].dtype);
}
template <class A>
const A& attr(const Instr& instr) {
  return *std::get_if<A>(&instr.attr);
}

}  // namespace

Status cast(PointText& t, const Instr& instr) {
  const CastAttr& to = attr<CastAttr>(instr);
  const DType dtype = t.program()[instr.in[0]].dtype;
  const Scalar in = scalar_of(dtype), out = scalar_of(to.dtype);
  if (to.stochastic) return t.error(instr.out[0], "no shader is made of stochastic rounding.");
  if (in == Scalar::nothing || out == Scalar::nothing)
    return t.error(instr.out[0], "no shader is made of a cast of " + std::string(name(dtype)) + " to " +
                                     std::string(name(to.dtype)) + ".");
  if (in == Scalar::f64 && info(to.dtype).bits < 32 && out == Scalar::f32)
    return t.error(instr.out[0], "a shader would round twice from f64 to " + std::string(name(to.dtype)) + ".");
  const Operand given = t.operand(instr.in[0]);
  const bool floats = info(dtype).is_float && info(to.dtype).is_float;
  const bool exact =
      floats ? embeds(dtype, to.dtype) : dtype == to.dtype || (dtype == DType::i64 && to.dtype == DType::f32);
  if (exact && in == out && !to.saturate && !given.name.empty()) {
    t.alias(instr.out[0], given);
    return ok();
  }
  const auto make = [&](const auto& x, const std::string&) -> Result<std::string> {
    if (to.dtype == DType::i64) return t.call("narrow::whole", in, x);
    if (out == Scalar::boolean && in != out) return x[0] + " != " + number(0, in);
    return in == out ? x[0] : std::string(glsl_type(out)) + "(" + x[0] + ")";
  };
  return elementwise(t, instr, "cast", make, to.saturate);
}

Status copy(PointText& t, const Instr& instr) {
  const bool reshapes = instr.op == Op::reshape;
  const Operand x = t.operand(instr.in[0]);
  const Dims dims = point_dims(t, instr.out[0]);
  if (!x.name.empty() && (reshapes || x.dims == dims)) {
    t.alias(instr.out[0], x);
    return ok();
  }
  return t.fill(instr.out[0], info(instr.op).name, [&](const std::string& index) -> Result<std::string> {
    return reshapes ? t.element(x, index) : t.element(x, dims, index);
  });
}

Status infix(PointText& t, const Instr& instr) {
  const char* const op = instr.op == Op::add ? " + " : instr.op == Op::sub ? " - " : " * ";
  return elementwise(t, instr, info(instr.op).name,
                     [&](const auto& x, const std::string&) -> Result<std::string> { return x[0] + op + x[1]; });
}

Status scale(PointText& t, const Instr& instr) {
  const std::string factor = t.number(attr<ScaleAttr>(instr).factor, real_of(t, instr));
  return elementwise(t, instr, "scale",
                     [&](const auto& x, const std::string&) -> Result<std::string> { return x[0] + " * " + factor; });
}

Status affine(PointText& t, const Instr& instr) {
  const AffineAttr& a = attr<AffineAttr>(instr);
  const Scalar real = real_of(t, instr);
  const auto table = [&](const char* what, const std::vector<double>& values) -> std::string {
    const bool same = std::ranges::all_of(values, [&](double v) { return v == values[0]; });
    return same ? "" : t.constants(t.program().nodes[instr.node] + "_" + what, real, values);
  };
  const std::string scales = table("scale", a.scale), offsets = table("offset", a.offset);
  const int64_t channels = static_cast<int64_t>(a.scale.size());
  const bool whole = t.count(instr.out[0]) == channels;
  return elementwise(t, instr, "affine", [&](const auto& x, const std::string& index) -> Result<std::string> {
    const std::string c = "[" + (whole ? index : index + " % " + std::to_string(channels)) + "]";
    return t.call("affine", real,
                  {x[0], scales.empty() ? number(a.scale[0], real) : scales + c,
                   offsets.empty() ? number(a.offset[0], real) : offsets + c});
  });
}

Status clamp(PointText& t, const Instr& instr) {
  const ClampAttr& a = attr<ClampAttr>(instr);
  return elementwise(t, instr, "clamp", [&](const auto& x, const std::string&) {
    return t.call(std::string(info(instr.op).name), real_of(t, instr), x, {a.lo, a.hi});
  });
}

Status body(PointText& t, const Instr& instr) {
  return elementwise(t, instr, info(instr.op).name, [&](const auto& x, const std::string&) {
    return t.call(std::string(info(instr.op).name), real_of(t, instr), x);
  });
}

Status unary(PointText& t, const Instr& instr) {
  const UnaryAttr& a = attr<UnaryAttr>(instr);
  const std::string scope = instr.op == Op::unary ? "unary::" : "unary_grad::", fn(info(a.fn).name);
  return elementwise(t, instr, op_text(instr), [&](const auto& x, const std::string&) {
    return t.call(scope + fn, real_of(t, instr), x, {a.a, a.b});
  });
}

Status binary(PointText& t, const Instr& instr) {
  const BinaryAttr& a = attr<BinaryAttr>(instr);
  const std::string scope = instr.op == Op::binary ? "binary::" : a.wrt == 0 ? "binary_grad_a::" : "binary_grad_b::";
  return elementwise(t, instr, op_text(instr), [&](const auto& x, const std::string&) {
    return t.call(scope + std::string(info(a.fn).name), real_of(t, instr), x);
  });
}

Status compare(PointText& t, const Instr& instr) {
  constexpr const char* kSymbols[] = {
#define HW_COMPARE(name, symbol) " " #symbol " ",
#include "engine/program/binary.def"
#undef HW_COMPARE
  };
  if (!info(t.program()[instr.in[0]].dtype).is_float)
    return t.error(instr.out[0],
                   "no shader is made of comparisons of " + std::string(name(t.program()[instr.in[0]].dtype)) + ".");
  const CompareFn fn = attr<CompareAttr>(instr).fn;
  return elementwise(t, instr, info(fn).name, [&](const auto& x, const std::string&) -> Result<std::string> {
    return x[0] + kSymbols[static_cast<size_t>(fn)] + x[1];
  });
}

Status where(PointText& t, const Instr& instr) {
  return elementwise(t, instr, "where", [&](const auto& x, const std::string&) -> Result<std::string> {
    return x[0] + " ? " + x[1] + " : " + x[2];
  });
}

}  // namespace hw::shader::op_texts
