// halfwire_device_bench: training steps of the neural texture and of a photograph on one device, beside what the same
// device reaches in plain copies and products. Needs no oneDNN. Arguments: [device] [steps].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "engine/backend/backend.h"
#include "engine/devices/devices.h"
#include "tests/bench/arguments.h"
#include "tests/bench/neural_texture.h"

namespace hw::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// tiny-cuda-nn's config_hash.json on a picture made here: L16 F2 T2^15, base 16, scale 1.5, two hidden layers of 64.
NeuralTexture photograph(int64_t points) {
  NeuralTexture t;
  t.points = points;
  t.program = std::make_shared<Program>();
  OpBuilder b(*t.program);
  b.set_node("photograph");
  SampleImageAttr image;
  image.image = textured_sphere(2, 3, 1024)->parts[0].texture;
  image.points = points;
  image.random.stream = 1;
  const std::vector<Val> sampled = b.emit(Op::sample_image, {}, image);
  t.position = sampled[0];
  b.set_node("encoder");
  const HashGridAttr grid = make_hash_grid(2, 16, 2, 15, 16, 1.5, false);
  const Val table = b.param("table", DType::f16, {grid.table_entries(), 2}, {Init::Kind::uniform, 1e-4, 0});
  t.encoded = b.hash_grid(t.position, table, grid);
  b.set_node("mlp");
  Val x = b.gradient_scale(t.encoded, 128, true);
  int64_t width = 32;
  for (int layer = 0; layer < 3; ++layer) {
    const int64_t out = layer == 2 ? 3 : 64;
    const double bound = std::sqrt(6.0 / static_cast<double>(width));
    const Val w = b.param("w" + std::to_string(layer), DType::f16, {out, width}, {Init::Kind::uniform, bound, 0});
    x = b.matmul(x, w, true);
    if (layer < 2) x = b.relu(x);
    width = out;
  }
  t.colour = b.cast(x, DType::f32);
  train_with_adam(b, t, sampled[1]);
  return t;
}

size_t bytes_of(const Value& v) {
  return byte_count(v.dtype, element_count(v.dims));
}

/// What the device reaches in plain work.
struct Ceilings {
  double bytes = 0;                    // a second, read and written, by scaling
  std::map<DType, double> operations;  // a second, by products of each dtype
};

/// Multiplications and additions of a product or convolution; 0: it is neither.
double operations_of(const Program& p, const Instr& i) {
  const auto size = [&](ValueId v) { return static_cast<double>(element_count(p[v].dims)); };
  switch (i.op) {
    case Op::matmul:
    case Op::conv2d:  // each output: the products with one row of the weight
      return 2 * size(i.out[0]) *
             (i.op == Op::matmul ? static_cast<double>(p[i.in[0]].dims.back())
                                 : size(i.in[1]) / static_cast<double>(p[i.in[1]].dims[0]));
    case Op::matmul_tn:
      return 2 * size(i.in[0]) * static_cast<double>(p[i.in[1]].dims.back());
    default:
      return 0;
  }
}

/// The kernels that take most of a step, beside the ceilings. Bytes are those of the operands, each counted once: what
/// stays in a cache may exceed memory's ceiling, and what is gathered stays below it.
void print_slowest(const Program& p, const Executable& e, const Ceilings& ceilings) {
  std::vector<size_t> order(p.instrs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return e.timings()[a] > e.timings()[b]; });
  double total = 0;
  for (const double seconds : e.timings()) total += seconds;
  std::printf("  %-22s %-12s %10s %7s %9s %6s %9s %6s  %s\n", "op", "node", "us", "share", "GB/s", "of max", "TFLOP/s",
              "of max", "kernel");
  for (size_t k = 0; k < std::min<size_t>(12, order.size()); ++k) {
    const Instr& i = p.instrs[order[k]];
    const double seconds = e.timings()[order[k]];
    if (seconds <= 0) break;
    size_t bytes = 0;
    for (const auto* list : {&i.in, &i.out})
      for (ValueId v : *list) bytes += bytes_of(p[v]);
    const double rate = static_cast<double>(bytes) / seconds;
    std::printf("  %-22s %-12s %10.1f %6.1f%% %9.1f %5.0f%%", std::string(info(i.op).name).c_str(),
                p.nodes[i.node].c_str(), seconds * 1e6, 100 * seconds / total, rate * 1e-9,
                100 * rate / ceilings.bytes);
    const KernelInfo kernel = e.kernel_info(order[k]);
    const auto most = ceilings.operations.find(kernel.compute);
    if (const double operations = operations_of(p, i) / seconds; operations > 0 && most != ceilings.operations.end())
      std::printf(" %9.2f %5.0f%%", operations * 1e-12, 100 * operations / most->second);
    else
      std::printf(" %9s %6s", "", "");
    std::printf("  %s\n", kernel.implementation.c_str());
  }
}

Status print_training(const char* name, const NeuralTexture& t, Device& device, int steps, const Ceilings& ceilings) {
  HW_TRY(const auto states, device.prepare_states(*t.program, nullptr, 1, nullptr));
  HW_TRY(const auto executable, device.compile(t.program, states));
  StepInputs step;
  step.seed = 1;
  step.learning_rate = 1e-2;
  const auto run = [&](int count) -> Status {
    for (int i = 0; i < count; ++i, ++step.step) HW_CHECK(executable->run(step));
    return ok();
  };
  HW_CHECK(run(5));
  HW_TRY(const Tensor before, executable->read(t.loss.id));
  const double begin = now();
  HW_CHECK(run(steps));
  HW_TRY(const Tensor after, executable->read(t.loss.id));  // waits for the last step
  const double seconds = (now() - begin) / steps;
  std::printf("%s: %lld points a step, %.3f ms, %.2f million points/s; loss %.5f to %.5f; %zu MiB of temporaries\n",
              name, static_cast<long long>(t.points), seconds * 1e3, static_cast<double>(t.points) / seconds * 1e-6,
              before.to_f64()[0], after.to_f64()[0], executable->temp_bytes() >> 20);
  executable->reset_timings();
  HW_CHECK(run(1));
  print_slowest(*t.program, *executable, ceilings);
  return ok();
}

/// Seconds of the last instruction of a program, the median of some runs.
Result<double> seconds_of(Device& device, std::shared_ptr<Program> program) {
  HW_TRY(const auto states, device.prepare_states(*program, nullptr, 1, nullptr));
  HW_TRY(const auto executable, device.compile(program, states));
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    executable->reset_timings();
    HW_CHECK(executable->run({}));
    times.push_back(executable->timings().back());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Result<Ceilings> measure_ceilings(Device& device) {
  Ceilings ceilings;
  constexpr int64_t kElements = int64_t{1} << 26, kSide = 2048;
  auto copies = std::make_shared<Program>();
  OpBuilder b(*copies);
  copies->outputs.push_back({"y", b.scale(b.input("x", DType::f32, {kElements}), 2).id});
  HW_TRY(const double scaled, seconds_of(device, copies));
  ceilings.bytes = 8.0 * kElements / scaled;
  std::printf("scaling 256 MiB: %.1f GB/s\n", ceilings.bytes * 1e-9);
  for (const DType dtype : {DType::f32, DType::tf32, DType::f16, DType::bf16, DType::f8e4m3}) {
    auto product = std::make_shared<Program>();
    OpBuilder p(*product);
    const bool stored = info(dtype).storable;
    const Val x = p.input("x", stored ? dtype : DType::f32, {kSide, kSide});
    product->outputs.push_back({"y", p.matmul(x, x, true, stored ? std::nullopt : std::optional(dtype)).id});
    HW_CHECK(p.status());
    HW_TRY(const double seconds, seconds_of(device, product));
    ceilings.operations[dtype] = 2.0 * kSide * kSide * kSide / seconds;
    std::printf("product of %lld x %lld in %s: %.2f TFLOP/s\n", static_cast<long long>(kSide),
                static_cast<long long>(kSide), std::string(name(dtype)).c_str(), ceilings.operations[dtype] * 1e-12);
  }
  return ceilings;
}

Status run(const std::string& id, int steps) {
  HW_TRY(const auto device, make_device(id));
  std::printf("%s: %s\n", id.c_str(), device->description().c_str());
  HW_TRY(const Ceilings ceilings, measure_ceilings(*device));
  NeuralTextureOptions o;
  o.points = 1 << 18;
  o.mlp = DType::f16;
  HW_CHECK(
      print_training("neural texture", neural_texture(o, textured_sphere(64, 128, 1024)), *device, steps, ceilings));
  return print_training("photograph", photograph(1 << 18), *device, steps, ceilings);
}

}  // namespace
}  // namespace hw::bench

int main(int argc, char** argv) {
  constexpr const char* kUsage = "usage: halfwire_device_bench [device] [steps]";
  hw::bench::expect_at_most(2, argc, kUsage);
  const int steps = hw::bench::number_at(2, argc, argv, 100, kUsage);
  const hw::Status status = hw::bench::run(argc > 1 ? argv[1] : "cpu", steps);
  if (!status) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  return status ? 0 : 1;
}
