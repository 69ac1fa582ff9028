#include "engine/program/work.h"

namespace hw {
namespace {

double elements(const Program& p, ValueId v) {
  return static_cast<double>(element_count(p[v].dims));
}

/// `whole` elements for each entry of the first axis of `by`.
double share(double whole, const Dims& by) {
  return by.empty() || by.front() == 0 ? 0 : whole / static_cast<double>(by.front());
}

double products_of(const Program& p, const Instr& i) {
  const auto last = [&](ValueId v, size_t from_end) {
    const Dims& dims = p[v].dims;
    return dims.size() < from_end ? 1.0 : static_cast<double>(dims[dims.size() - from_end]);
  };
  switch (i.op) {
    case Op::matmul:
      return 2 * elements(p, i.out[0]) * last(i.in[0], 1);
    case Op::batch_matmul:
      return 2 * elements(p, i.out[0]) * last(i.in[0], std::get<MatmulAttr>(i.attr).transpose_a ? 2 : 1);
    case Op::matmul_tn:
      return 2 * elements(p, i.in[0]) * last(i.in[1], 1);
    case Op::conv2d:  // (x, weight [O, C / groups, kh, kw]) → [N, O, H', W']
      return 2 * elements(p, i.out[0]) * share(elements(p, i.in[1]), p[i.in[1]].dims);
    case Op::conv2d_grad_input:  // (g [N, O, H', W'], weight)
      return 2 * elements(p, i.in[0]) * share(elements(p, i.in[1]), p[i.in[1]].dims);
    case Op::conv2d_grad_weight:  // (x, g) → weight
      return 2 * elements(p, i.in[1]) * share(elements(p, i.out[0]), p[i.out[0]].dims);
    default:
      return 0;
  }
}

}  // namespace

Work work_of(const Program& p, const Instr& i) {
  Work work{products_of(p, i), 0};
  for (const auto* list : {&i.in, &i.out})
    for (const ValueId v : *list) work.bytes += elements(p, v) * static_cast<double>(size_of(p[v].dtype));
  return work;
}

}  // namespace hw
