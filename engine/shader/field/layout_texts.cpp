// Ops that move elements within a point.
#include <cassert>
#include <numeric>

#include "engine/core/shape.h"
#include "engine/shader/field/op_texts.h"
#include "engine/shader/field/text_parts.h"

namespace hw::shader::op_texts {
namespace {

int64_t product(Dims::const_iterator from, Dims::const_iterator to) {
  return std::accumulate(from, to, int64_t{1}, std::multiplies<>());
}

// Sizes of a value around an axis of the program's: at one point in front of it, of it, behind it.
struct Around {
  int64_t outer, size, inner;
  Around(const Dims& dims, int axis)
      : outer(product(dims.begin() + 1, dims.begin() + axis)),
        size(dims[static_cast<size_t>(axis)]),
        inner(product(dims.begin() + axis + 1, dims.end())) {
    assert(axis > 0 && "the axis of the points");
  }
  int64_t block() const { return size * inner; }
};

// Element `index` of what has blocks of `from` elements, as one of blocks of `to`, `shift` behind their begin.
std::string moved(const std::string& index, int64_t outer, int64_t from, int64_t to, int64_t shift) {
  const std::string add = shift == 0 ? "" : shift > 0 ? " + " + text(shift) : " - " + text(-shift);
  if (outer == 1) return index == "0" && shift >= 0 ? text(shift) : index + add;
  return index + " / " + text(from) + " * " + text(to) + " + " + index + " % " + text(from) + add;
}

// A statement for each of `count` elements i; of one, it does not name i.
void set_each(PointText& t, int64_t count, const std::string& statement) {
  if (count > 0) t.line(count == 1 ? statement : loop("i", count) + statement);
}

}  // namespace

Status concat(PointText& t, const Instr& instr) {
  const int axis = std::get_if<AxisAttr>(&instr.attr)->axis;
  const Value& out = t.program()[instr.out[0]];
  const Around all(out.dims, axis);
  std::vector<Operand> parts;
  for (const ValueId in : instr.in) parts.push_back(t.operand(in));
  const std::string name = t.declare(instr.out[0], "concat");
  int64_t begin = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    const Around part(t.program()[instr.in[k]].dims, axis);
    const int64_t count = part.outer * part.block();
    const std::string index = count == 1 ? "0" : "i";
    const std::string to = moved(index, part.outer, part.block(), all.block(), begin);
    set_each(t, count, place(name, t.count(instr.out[0]), to) + " = " + t.element(parts[k], index) + ";");
    begin += part.block();
  }
  return ok();
}

Status slice(PointText& t, const Instr& instr) {
  const AxisAttr& attr = *std::get_if<AxisAttr>(&instr.attr);
  const Around from(t.program()[instr.in[0]].dims, attr.axis), to(t.program()[instr.out[0]].dims, attr.axis);
  const Operand x = t.operand(instr.in[0]);
  return t.fill(instr.out[0], "slice", [&](const std::string& index) -> Result<std::string> {
    return t.element(x, moved(index, to.outer, to.block(), from.block(), attr.begin * from.inner));
  });
}

Status pad(PointText& t, const Instr& instr) {
  const AxisAttr& attr = *std::get_if<AxisAttr>(&instr.attr);
  const Value& out = t.program()[instr.out[0]];
  const Around from(t.program()[instr.in[0]].dims, attr.axis), to(out.dims, attr.axis);
  const Operand x = t.operand(instr.in[0]);
  HW_CHECK(t.fill(instr.out[0], "pad",
                  [&](const std::string&) -> Result<std::string> { return number(attr.fill, scalar_of(out.dtype)); }));
  const std::string name = t.operand(instr.out[0]).name;
  const int64_t count = from.outer * from.block();
  const std::string index = count == 1 ? "0" : "i";
  const std::string to_index = moved(index, from.outer, from.block(), to.block(), attr.begin * from.inner);
  set_each(t, count, place(name, t.count(instr.out[0]), to_index) + " = " + t.element(x, index) + ";");
  return ok();
}

Status transpose(PointText& t, const Instr& instr) {
  const std::vector<int>& order = std::get_if<PermuteAttr>(&instr.attr)->order;
  const Dims &from = t.program()[instr.in[0]].dims, &to = t.program()[instr.out[0]].dims;
  const Operand x = t.operand(instr.in[0]);
  return t.fill(instr.out[0], "transpose", [&](const std::string& index) -> Result<std::string> {
    std::string sum;
    for (size_t d = 1; d < to.size(); ++d) {
      if (to[d] == 1) continue;
      const auto axis = static_cast<Dims::difference_type>(d), source = static_cast<Dims::difference_type>(order[d]);
      const int64_t below = product(to.begin() + axis + 1, to.end()),
                    step = product(from.begin() + source + 1, from.end());
      sum += (sum.empty() ? "" : " + ") + index + " / " + text(below) + " % " + text(to[d]) + " * " + text(step);
    }
    return t.element(x, sum.empty() || index == "0" ? "0" : sum);
  });
}

}  // namespace hw::shader::op_texts
