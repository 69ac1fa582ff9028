#include "tests/bench/field_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "engine/backend/backend.h"
#include "engine/core/codes.h"
#include "tests/bench/floors.h"
#include "tests/bench/quantile.h"

namespace hw::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the floors need of a program.
struct Field {
  HashGridAttr grid;
  ValueId position = kNoValue, touched = kNoValue;
  Sampled sampled;
};

Result<Field> field_of(const Program& program) {
  Field field;
  for (const Instr& i : program.instrs) {
    if (i.op == Op::hash_grid) {
      field.grid = *std::get_if<HashGridAttr>(&i.attr);
      field.position = i.in[0];
    }
    if (const auto* update = std::get_if<UpdateAttr>(&i.attr); update && update->has_touched)
      field.touched = i.in.back();
    if (const auto* surface = std::get_if<SampleSurfaceAttr>(&i.attr)) field.sampled = surface->mesh;
    if (const auto* image = std::get_if<SampleImageAttr>(&i.attr)) field.sampled = image->image;
  }
  if (field.position == kNoValue || field.touched == kNoValue) {
    return Error{codes::no_trainer, "bench", "the program trains no hash grid.",
                 "Measure a field: a hash grid, an MLP, Adam."};
  }
  return field;
}

/// The floors for the positions and touched blocks of one step.
Result<std::unique_ptr<Floors>> floors_of(const Field& field, const std::shared_ptr<const Program>& program,
                                          Device& device, const std::shared_ptr<States>& states,
                                          const StepInputs& inputs, int64_t& touched) {
  const ValueId keep[] = {field.position, field.touched};
  auto probe = device.compile(program, states, keep);
  if (!probe) return probe.error();
  if (const Status s = (*probe)->run(inputs); !s) return s.error();
  std::vector<float> positions;
  for (double x : (*probe)->read(field.position)->to_f64()) positions.push_back(static_cast<float>(x));
  touched = 0;
  for (double x : (*probe)->read(field.touched)->to_f64()) touched += x != 0;
  return std::make_unique<Floors>(field.grid, std::move(positions), touched, field.sampled);
}

}  // namespace

Status print_field(const std::string& title, std::shared_ptr<const Program> program, int64_t points, ValueId loss,
                   int rounds, int steps, bool per_op) {
  const auto field = field_of(*program);
  if (!field) return field.error();
  auto device = make_device("cpu");
  if (!device) return device.error();
  auto states = (*device)->prepare_states(*program, nullptr, 1, nullptr);
  if (!states) return states.error();
  StepInputs inputs;
  inputs.seed = 1;
  inputs.learning_rate = 1e-2;
  int64_t touched = 0;
  auto floors = floors_of(*field, program, **device, *states, inputs, touched);
  if (!floors) return floors.error();

  auto executable = (*device)->compile(program, *states);
  if (!executable) return executable.error();
  for (int i = 0; i < 3; ++i) {
    ++inputs.step;
    if (const Status s = (*executable)->run(inputs); !s) return s;
  }
  (*executable)->reset_timings();

  std::vector<double> engine, sums, ratios, triads;
  std::map<std::string, std::vector<double>> parts;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> seconds;
    for (int i = 0; i < steps; ++i) {
      ++inputs.step;
      const double begin = now();
      if (const Status s = (*executable)->run(inputs); !s) return s;
      seconds.push_back(now() - begin);
    }
    engine.push_back(median(seconds));
    const std::pair<const char*, double> now_parts[] = {{"sampler", (*floors)->sampler()},
                                                        {"hash grid forward", (*floors)->hash_forward()},
                                                        {"hash grid backward", (*floors)->hash_backward()},
                                                        {"products (oneDNN)", (*floors)->products()},
                                                        {"Adam traffic", (*floors)->adam()}};
    double sum = 0;
    for (const auto& [name, value] : now_parts) {
      parts[name].push_back(value);
      sum += value;
    }
    sums.push_back(sum);
    ratios.push_back(sum / engine.back());
    triads.push_back((*floors)->triad_bandwidth());
  }

  const auto n = static_cast<double>(points);
  const uint32_t parameters = 2 * field->grid.table_entries();
  std::printf("%s: %lld points a step, %u parameters, %lld of %u blocks of 16 touched\n", title.c_str(),
              static_cast<long long>(points), parameters, static_cast<long long>(touched), (parameters + 15) / 16);
  std::printf("temporaries %.1f MiB; loss after %llu steps: %.6f\n",
              static_cast<double>((*executable)->temp_bytes()) / (1 << 20),
              static_cast<unsigned long long>(inputs.step), (*executable)->read(loss)->to_f64()[0]);
  std::printf("engine: %8.2f ms a step = %.2f M samples/s (median of %d)\n", median(engine) * 1e3,
              n / median(engine) / 1e6, rounds);
  std::printf("floors (medians):\n");
  for (const auto& [name, values] : parts)
    std::printf("  %-20s %8.2f ms  %8.2f Mpts/s\n", name.c_str(), median(values) * 1e3, n / median(values) / 1e6);
  std::printf("  %-20s %8.2f ms\n", "sum", median(sums) * 1e3);
  std::printf("  %-20s %8.1f GB/s\n", "triad", median(triads) / 1e9);
  std::printf("floors / engine: %.2f (median of %d)\n\n", median(ratios), rounds);
  if (!per_op) return ok();
  std::printf("per op, ms a step:\n");
  const std::vector<double>& timings = (*executable)->timings();
  for (size_t i = 0; i < timings.size(); ++i) {
    const Instr& instr = program->instrs[i];
    const KernelInfo k = (*executable)->kernel_info(i);
    std::printf("  %2zu %-22s %-10s %8.3f  %s\n", i, std::string(info(instr.op).name).c_str(),
                program->nodes[instr.node].c_str(), timings[i] * 1e3 / (rounds * steps), k.implementation.c_str());
  }
  std::printf("\n");
  return ok();
}

}  // namespace hw::bench
