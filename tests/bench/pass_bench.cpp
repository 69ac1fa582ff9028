#include "tests/bench/pass_bench.h"

#include <chrono>
#include <cstdio>

#include "engine/backend/backend.h"
#include "engine/devices/devices.h"
#include "engine/passes/program_passes.h"
#include "engine/precision/paired_time.h"
#include "engine/program/builder.h"
#include "engine/program/product_bias.h"

namespace hw::bench {
namespace {

struct Evaluation {
  std::shared_ptr<Device> device;
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;

  Result<double> ms() {
    const auto begin = std::chrono::steady_clock::now();
    HW_CHECK(executable->run({}));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }
};

std::shared_ptr<const Program> convolutions(Dims x_dims, int layers) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_training(false);
  const int64_t channels = x_dims[1];
  Val x = b.input("x", DType::f32, std::move(x_dims));
  for (int i = 0; i < layers; ++i) {
    const std::string layer = std::to_string(i);
    b.set_node("block_" + layer);
    const auto param = [&](const char* name, Dims dims, double scale) {
      return b.param(name + layer, DType::f32, std::move(dims), {Init::Kind::uniform, scale});
    };
    ConvAttr attr;
    attr.pad_begin = attr.pad_end = {1, 1};
    const Val y = product_with_bias(b, Op::conv2d, x, param("weight", {channels, channels, 3, 3}, 0.05), Val{}, attr);
    const Val one = b.constant(Tensor::from_f64(DType::f32, {}, {{1.0}}));
    const Val rows[] = {param("mean", {1, channels}, 0.1), b.add(param("variance", {1, channels}, 0.5), one)};
    const Val z =
        b.emit(Op::batch_norm, {y, b.concat(rows, 0), param("scale", {channels}, 1), param("shift", {channels}, 1)},
               BatchNormAttr{1e-5, false})[0];
    x = b.relu(z);
  }
  program->outputs.push_back({"y", x.id});
  return b.status() ? program : nullptr;
}

/// y = ReLU(a · y · x + x), again and again.
std::shared_ptr<const Program> pointwise(Dims x_dims, int turns) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_training(false);
  const Val x = b.input("x", DType::f32, std::move(x_dims));
  Val y = x;
  for (int i = 0; i < turns; ++i) y = b.relu(b.add(b.mul(b.scale(y, 0.5), x), x));
  program->outputs.push_back({"y", y.id});
  return b.status() ? program : nullptr;
}

Result<Evaluation> evaluation(const std::shared_ptr<const Program>& program) {
  Evaluation e;
  HW_TRY(e.device, make_device("cpu"));
  HW_TRY(e.states, e.device->prepare_states(*program, nullptr, 1, nullptr));
  HW_TRY(e.executable, e.device->compile(program, e.states));
  const Value& x = (*program)[program->inputs[0].value];
  const auto count = static_cast<size_t>(element_count(x.dims));
  HW_CHECK(e.executable->write_input("x", Tensor::from_f64(x.dtype, x.dims, std::vector<double>(count, 0.5))));
  return e;
}

Status print_pair(const char* what, const Dims& dims, const std::shared_ptr<const Program>& plain, int rounds) {
  HW_TRY(Evaluation without, evaluation(plain));
  HW_TRY(Evaluation with, evaluation(apply_passes(*plain, {"cpu", {}}).program));
  PairedTime time;
  for (int round = 0; round < rounds; ++round) {
    HW_TRY(const double base, without.ms());
    HW_TRY(const double other, with.ms());
    time.add(base, other);
  }
  std::printf("passes, %s of %s, evaluated, %zu pairs:\n", what, to_string(dims).c_str(), time.pairs());
  std::printf("  without %.2f ms, with all passes %.2f ms (medians)\n", time.base_ms(), time.other_ms());
  std::printf("  with / without: %.3f +- %.3f\n\n", time.ratio(), time.noise());
  return ok();
}

}  // namespace

Status print_passes(int rounds) {
  for (const Dims& dims : {Dims{8, 64, 56, 56}, Dims{8, 256, 14, 14}, Dims{1, 64, 56, 56}})
    HW_CHECK(print_pair("6 × conv 3×3 + batch norm + ReLU", dims, convolutions(dims, 6), rounds));
  for (const Dims& dims : {Dims{8, 64, 56, 56}, Dims{4, 3, 512, 512}, Dims{1, 64, 512, 512}})
    HW_CHECK(print_pair("3 × ReLU(a · y · x + x)", dims, pointwise(dims, 3), rounds));
  return ok();
}

}  // namespace hw::bench
