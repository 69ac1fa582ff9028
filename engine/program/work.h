// How much work an instruction is, from its op and its sizes alone: the same on every machine and in every run.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// `products`: multiplications and additions of a matrix product or convolution, two a pair of factors; 0 for other
/// ops. `bytes`: of its inputs and outputs, each once. Any product is more work than what is none.
struct Work {
  double products = 0, bytes = 0;
  friend auto operator<=>(const Work&, const Work&) = default;
};

using ProductsRule = double (*)(const Program&, const Instr&);
namespace products {
double matmul(const Program&, const Instr&);
double batch_matmul(const Program&, const Instr&);
double matmul_tn(const Program&, const Instr&);
double conv2d(const Program&, const Instr&);
double conv2d_grad_input(const Program&, const Instr&);
double conv2d_grad_weight(const Program&, const Instr&);
}  // namespace products

Work work_of(const Program& program, const Instr& instr);

}  // namespace hw
