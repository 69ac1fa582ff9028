#include "tests/bench/field_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "engine/backend/backend.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "tests/bench/floors.h"
#include "tests/bench/planned_step.h"
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
    if (i.op == Op::hash_grid_grad_table) field.touched = i.out[1];
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
Result<std::unique_ptr<Floors>> floors_of(const Field& field, const TrainingPlan& plan, Device& device,
                                          const StepInputs& inputs, int64_t& touched) {
  const ValueId keep[] = {field.position, field.touched};
  HW_TRY(PlannedStep probe, PlannedStep::make(device, plan, keep));
  HW_CHECK(probe.gradients->run(inputs));
  std::vector<float> positions;
  for (double x : probe.gradients->read(field.position)->to_f64()) positions.push_back(static_cast<float>(x));
  touched = 0;
  for (double x : probe.gradients->read(field.touched)->to_f64()) touched += x != 0;
  return std::make_unique<Floors>(field.grid, std::move(positions), touched, field.sampled);
}

}  // namespace

Status print_field(const std::string& title, const TrainingPlan& plan, int rounds, int steps, bool per_op) {
  HW_TRY(const Field field, field_of(*plan.program));
  HW_TRY(const auto device, make_device("cpu"));
  StepInputs inputs;
  inputs.seed = 1;
  inputs.learning_rate = 1e-2;
  int64_t touched = 0;
  HW_TRY(const auto floors, floors_of(field, plan, *device, inputs, touched));

  HW_TRY(PlannedStep step, PlannedStep::make(*device, plan));
  for (int i = 0; i < 3; ++i) {
    ++inputs.step;
    HW_CHECK(step.run(inputs));
  }
  step.reset_timings();

  std::vector<double> engine, sums, ratios, triads;
  std::map<std::string, std::vector<double>> parts;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> seconds;
    for (int i = 0; i < steps; ++i) {
      ++inputs.step;
      const double begin = now();
      HW_CHECK(step.run(inputs));
      seconds.push_back(now() - begin);
    }
    engine.push_back(median(seconds));
    const std::pair<const char*, double> now_parts[] = {{"sampler", floors->sampler()},
                                                        {"hash grid forward", floors->hash_forward()},
                                                        {"hash grid backward", floors->hash_backward()},
                                                        {"products (oneDNN)", floors->products()},
                                                        {"Adam traffic", floors->adam()}};
    double sum = 0;
    for (const auto& [name, value] : now_parts) {
      parts[name].push_back(value);
      sum += value;
    }
    sums.push_back(sum);
    ratios.push_back(sum / engine.back());
    triads.push_back(floors->triad_bandwidth());
  }

  const auto n = static_cast<double>(plan.batch);
  const uint32_t parameters = 2 * field.grid.table_entries();
  std::printf("%s: %lld points a step, %u parameters, %lld of %u blocks of 16 touched\n", title.c_str(),
              static_cast<long long>(plan.batch), parameters, static_cast<long long>(touched), (parameters + 15) / 16);
  std::printf("temporaries %.1f MiB; loss after %llu steps: %.6f\n", static_cast<double>(step.temp_bytes()) / (1 << 20),
              static_cast<unsigned long long>(inputs.step), step.gradients->read(plan.loss)->to_f64()[0]);
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
  const std::vector<double>& timings = step.gradients->timings();
  for (size_t i = 0; i < timings.size(); ++i) {
    const Instr& instr = plan.program->instrs[i];
    const KernelInfo k = step.gradients->kernel_info(i);
    std::printf("  %2zu %-22s %-10s %8.3f  %s\n", i, std::string(info(instr.op).name).c_str(),
                plan.program->nodes[instr.node].c_str(), timings[i] * 1e3 / (rounds * steps), k.implementation.c_str());
  }
  std::printf("\n");
  return ok();
}

}  // namespace hw::bench
