// halfwire_bench: samples a second of a training step of the neural texture, beside what the machine can do at best,
// measured in turns so that a busy machine slows both; then convolutions and
// precisions. Arguments: [rounds] [steps a round] [cpu
// threads].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "engine/backend/backend.h"
#include "engine/core/parallel.h"
#include "tests/bench/conv_bench.h"
#include "tests/bench/floors.h"
#include "tests/bench/neural_texture.h"
#include "tests/bench/precision_bench.h"

namespace {

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int fail(const hw::Error& e) {
  std::fprintf(stderr, "%s\n", e.text().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hw;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5, steps = argc > 2 ? std::atoi(argv[2]) : 10;
  if (argc > 3) set_thread_count(std::atoi(argv[3]));
  const auto mesh = bench::textured_sphere(64, 128, 1024);
  const bench::NeuralTexture t = bench::neural_texture({}, mesh);
  auto device = make_device("cpu");
  if (!device) return fail(device.error());
  auto states = (*device)->prepare_states(*t.program, nullptr, 1, nullptr);
  if (!states) return fail(states.error());

  // Positions and touched blocks of one step, for the floors.
  const ValueId keep[] = {t.position.id, t.touched.id};
  auto probe = (*device)->compile(t.program, *states, keep);
  if (!probe) return fail(probe.error());
  StepInputs inputs;
  inputs.seed = 1;
  inputs.learning_rate = 1e-2;
  if (const Status s = (*probe)->run(inputs); !s) return fail(s.error());
  std::vector<float> positions;
  for (double x : (*probe)->read(t.position.id)->to_f64()) positions.push_back(static_cast<float>(x));
  int64_t touched = 0;
  for (double x : (*probe)->read(t.touched.id)->to_f64()) touched += x != 0;
  probe->reset();
  HashGridAttr grid;
  for (const Instr& i : t.program->instrs)
    if (i.op == Op::hash_grid) grid = *std::get_if<HashGridAttr>(&i.attr);
  bench::Floors floors(grid, std::move(positions), touched, mesh);

  auto executable = (*device)->compile(t.program, *states);
  if (!executable) return fail(executable.error());
  for (int i = 0; i < 3; ++i) {
    ++inputs.step;
    if (const Status s = (*executable)->run(inputs); !s) return fail(s.error());
  }
  (*executable)->reset_timings();

  std::vector<double> engine, sums, ratios, triads;
  std::map<std::string, std::vector<double>> parts;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> seconds;
    for (int i = 0; i < steps; ++i) {
      ++inputs.step;
      const double begin = now();
      if (const Status s = (*executable)->run(inputs); !s) return fail(s.error());
      seconds.push_back(now() - begin);
    }
    engine.push_back(median(seconds));
    const std::pair<const char*, double> now_parts[] = {{"sampler", floors.sampler()},
                                                        {"hash grid forward", floors.hash_forward()},
                                                        {"hash grid backward", floors.hash_backward()},
                                                        {"products (oneDNN)", floors.products()},
                                                        {"Adam traffic", floors.adam()}};
    double sum = 0;
    for (const auto& [name, value] : now_parts) {
      parts[name].push_back(value);
      sum += value;
    }
    sums.push_back(sum);
    ratios.push_back(sum / engine.back());
    triads.push_back(floors.triad_bandwidth());
  }

  const auto points = static_cast<double>(t.points);
  std::printf("%s; neural texture, %lld points a step, %u parameters, %lld of %u blocks of 16 touched\n",
              (*device)->description().c_str(), static_cast<long long>(t.points), 2 * grid.table_entries(),
              static_cast<long long>(touched), (2 * grid.table_entries() + 15) / 16);
  std::printf("temporaries %.1f MiB; loss after %llu steps: %.6f\n",
              static_cast<double>((*executable)->temp_bytes()) / (1 << 20),
              static_cast<unsigned long long>(inputs.step), (*executable)->read(t.loss.id)->to_f64()[0]);
  std::printf("\nengine: %8.2f ms a step = %.2f M samples/s (median of %d)\n", median(engine) * 1e3,
              points / median(engine) / 1e6, rounds);
  std::printf("floors (medians):\n");
  for (const auto& [name, values] : parts)
    std::printf("  %-20s %8.2f ms  %8.2f Mpts/s\n", name.c_str(), median(values) * 1e3, points / median(values) / 1e6);
  std::printf("  %-20s %8.2f ms\n", "sum", median(sums) * 1e3);
  std::printf("  %-20s %8.1f GB/s\n", "triad", median(triads) / 1e9);
  std::printf("floors / engine: %.2f (median of %d)\n\nper op, ms a step:\n", median(ratios), rounds);
  const std::vector<double>& timings = (*executable)->timings();
  for (size_t i = 0; i < timings.size(); ++i) {
    const Instr& instr = t.program->instrs[i];
    const KernelInfo k = (*executable)->kernel_info(i);
    std::printf("  %2zu %-22s %-10s %8.3f  %s\n", i, std::string(info(instr.op).name).c_str(),
                t.program->nodes[instr.node].c_str(), timings[i] * 1e3 / (rounds * steps), k.implementation.c_str());
  }
  bench::print_convolutions(rounds);
  bench::print_conversions(rounds);
  bench::print_wide_mlp(rounds);
  return 0;
}
