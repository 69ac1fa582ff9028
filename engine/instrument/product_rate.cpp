#include "engine/instrument/product_rate.h"

#include <algorithm>
#include <functional>

#include "engine/core/thread_clock.h"
#include "engine/program/builder.h"
#include "engine/program/work.h"

namespace hw {

namespace {

/// The rate of the only op of a program.
Result<double> rate_of(Device& device, const std::function<std::vector<Val>(OpBuilder&)>& op) {
  constexpr int kRuns = 6;
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const std::vector<Val> y = op(b);
  HW_CHECK(b.status());
  program->outputs.push_back({"y", y[0].id});
  HW_TRY(const std::shared_ptr<States> states, device.prepare_states(*program, nullptr, 0, nullptr));
  HW_TRY(const std::unique_ptr<Executable> executable, device.compile(program, states));
  for (const Port& input : program->inputs) {
    const Value& x = (*program)[input.value];
    std::vector<double> numbers(static_cast<size_t>(element_count(x.dims)));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 7) - 3;
    HW_CHECK(executable->write_input(input.name, Tensor::from_f64(x.dtype, x.dims, numbers)));
  }
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double begin = steady_seconds();
    HW_CHECK(executable->run({}));
    if (executable->is_asynchronous()) HW_CHECK(executable->read(y[0].id));
    const double seconds = steady_seconds() - begin;
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  return work_of(*program, program->instrs.back()).products / best;
}

}  // namespace

Result<double> measure_product_rate(Device& device, DType dtype) {
  const auto weights = [&](OpBuilder& b, Dims dims) {
    return b.param("weight", dtype, std::move(dims), {Init::Kind::uniform, 0.1});
  };
  HW_TRY(const double dense, rate_of(device, [&](OpBuilder& b) {
           const Val x = b.input("x", dtype, {2048, 1024}), weight = weights(b, {1024, 1024});
           return b.emit(Op::matmul, {x, weight}, MatmulAttr{});
         }));
  HW_TRY(const double convolved, rate_of(device, [&](OpBuilder& b) {
           ConvAttr attr;
           attr.pad_begin = attr.pad_end = {1, 1};
           const Val x = b.input("x", dtype, {8, 64, 56, 56}), weight = weights(b, {64, 64, 3, 3});
           return b.emit(Op::conv2d, {x, weight}, attr);
         }));
  return std::max(dense, convolved);
}

std::map<std::string, double> products_by_node(const Program& program) {
  std::map<std::string, double> products;
  for (const Instr& instr : program.instrs) products[program.nodes[instr.node]] += work_of(program, instr).products;
  return products;
}

}  // namespace hw
