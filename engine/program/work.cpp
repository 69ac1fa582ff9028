#include "engine/program/work.h"

#include "engine/program/op_spec.h"

namespace hw {
namespace {

double elements(const Program& p, ValueId v) {
  return static_cast<double>(element_count(p[v].dims));
}

/// `whole` elements for each entry of the first axis of `by`.
double share(double whole, const Dims& by) {
  return by.empty() || by.front() == 0 ? 0 : whole / static_cast<double>(by.front());
}

double last(const Program& p, ValueId v, size_t from_end) {
  const Dims& dims = p[v].dims;
  return dims.size() < from_end ? 1.0 : static_cast<double>(dims[dims.size() - from_end]);
}

}  // namespace

namespace products {

double matmul(const Program& p, const Instr& i) {
  return 2 * elements(p, i.out[0]) * last(p, i.in[0], 1);
}

double batch_matmul(const Program& p, const Instr& i) {
  return 2 * elements(p, i.out[0]) * last(p, i.in[0], std::get<MatmulAttr>(i.attr).transpose_a ? 2 : 1);
}

double matmul_tn(const Program& p, const Instr& i) {
  return 2 * elements(p, i.in[0]) * last(p, i.in[1], 1);
}

// (x, weight [O, C / groups, kh, kw]) → [N, O, H', W']
double conv2d(const Program& p, const Instr& i) {
  return 2 * elements(p, i.out[0]) * share(elements(p, i.in[1]), p[i.in[1]].dims);
}

// (g [N, O, H', W'], weight)
double conv2d_grad_input(const Program& p, const Instr& i) {
  return 2 * elements(p, i.in[0]) * share(elements(p, i.in[1]), p[i.in[1]].dims);
}

// (x, g) → weight
double conv2d_grad_weight(const Program& p, const Instr& i) {
  return 2 * elements(p, i.in[1]) * share(elements(p, i.out[0]), p[i.out[0]].dims);
}

}  // namespace products

Work work_of(const Program& p, const Instr& i) {
  const ProductsRule products = spec(i.op).products;
  Work work{products ? products(p, i) : 0, 0};
  for (const auto* list : {&i.in, &i.out})
    for (const ValueId v : *list) work.bytes += elements(p, v) * info(p[v].dtype).bits / 8;
  return work;
}

}  // namespace hw
