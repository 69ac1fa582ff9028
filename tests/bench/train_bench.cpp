// halfwire_bench: samples a second of training steps of the neural texture and of the photograph, each beside what the
// machine can do at best; then instruments, convolutions, precisions, counts of updates and the order of sums.
// Arguments: [rounds] [steps a round] [cpu threads]; or: strict [rounds] [cpu threads], the order of sums alone; or:
// updates [rounds] [cpu threads], counts of updates alone; or: instruments [rounds] [steps] [cpu threads], whole runs
// with and without them; or: compile [nodes] [rounds], from a graph to what is ready to run.
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/io/asset/assets.h"
#include "engine/io/graph/graph_file.h"
#include "engine/plan/training_plan.h"
#include "tests/bench/arguments.h"
#include "tests/bench/compile_bench.h"
#include "tests/bench/conv_bench.h"
#include "tests/bench/field_bench.h"
#include "tests/bench/group_bench.h"
#include "tests/bench/instrument_bench.h"
#include "tests/bench/layout_bench.h"
#include "tests/bench/neural_texture.h"
#include "tests/bench/pass_bench.h"
#include "tests/bench/precision_bench.h"
#include "tests/bench/strict_bench.h"
#include "tests/bench/update_bench.h"

namespace hw::bench {
namespace {

/// On a mesh made here: 2 · 64 · 128 triangles.
Status print_neural_texture(int rounds, int steps) {
  const NeuralTexture t = neural_texture({}, textured_sphere(64, 128, 1024));
  TrainingPlan plan;
  plan.program = t.program;
  plan.loss = t.loss.id;
  plan.batch = t.points;
  return print_field("neural texture", plan, rounds, steps, true);
}

/// The example, with the picture that it names.
Status print_photograph(int rounds, int steps) {
  const std::filesystem::path file = std::filesystem::path(HALFWIRE_EXAMPLES) / "photograph.halfwire";
  const auto graph = read_graph(file);
  if (!graph) return graph.error();
  FileAssets assets(file.parent_path());
  const auto plan = plan_training(*graph, assets);
  if (!plan) return plan.error();
  return print_field("photograph", *plan, rounds, steps, false);
}

}  // namespace
}  // namespace hw::bench

int main(int argc, char** argv) {
  constexpr const char* kUsage =
      "usage: halfwire_bench [rounds] [steps a round] [cpu threads]\n       halfwire_bench strict [rounds] [cpu "
      "threads]\n       halfwire_bench updates [rounds] [cpu threads]\n       halfwire_bench instruments [rounds] "
      "[steps] [cpu threads]\n       halfwire_bench groups [nodes] [rounds]\n       halfwire_bench passes [rounds] "
      "[cpu threads]\n       halfwire_bench layout [rounds]\n       halfwire_bench compile [nodes] [rounds]";
  const bool instruments = argc > 1 && std::strcmp(argv[1], "instruments") == 0;
  const auto number = [&](int at, int otherwise) { return hw::bench::number_at(at, argc, argv, otherwise, kUsage); };
  hw::bench::expect_at_most(instruments ? 4 : 3, argc, kUsage);
  const int threads = number(instruments ? 4 : 3, 0);
  if (threads > 0) hw::set_thread_count(threads);
  if (instruments) {
    const hw::Status s = hw::bench::print_instrumented_runs(number(2, 15), number(3, 200));
    if (!s) std::fprintf(stderr, "%s\n", s.error().text().c_str());
    return s ? 0 : 1;
  }
  if (argc > 1 && std::strcmp(argv[1], "groups") == 0) {
    hw::bench::print_groups(number(2, 10000), number(3, 15));
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "layout") == 0) {
    hw::bench::print_layouts(number(2, 5));
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "compile") == 0) {
    const hw::Status s = hw::bench::print_compilation(number(2, 2000), number(3, 5));
    if (!s) std::fprintf(stderr, "%s\n", s.error().text().c_str());
    return s ? 0 : 1;
  }
  if (argc > 1 && std::strcmp(argv[1], "passes") == 0) {
    const hw::Status s = hw::bench::print_passes(number(2, 30));
    if (!s) std::fprintf(stderr, "%s\n", s.error().text().c_str());
    return s ? 0 : 1;
  }
  if (argc > 1 && std::strcmp(argv[1], "strict") == 0) {
    const hw::Status s = hw::bench::print_strict_cost(number(2, 15));
    if (!s) std::fprintf(stderr, "%s\n", s.error().text().c_str());
    return s ? 0 : 1;
  }
  if (argc > 1 && std::strcmp(argv[1], "updates") == 0) {
    const hw::Status s = hw::bench::print_update_counts(number(2, 40));
    if (!s) std::fprintf(stderr, "%s\n", s.error().text().c_str());
    return s ? 0 : 1;
  }
  const int rounds = number(1, 5), steps = number(2, 10);
  if (const auto device = hw::make_device("cpu")) std::printf("%s\n\n", (*device)->description().c_str());
  for (const auto print : {hw::bench::print_neural_texture, hw::bench::print_photograph}) {
    if (const hw::Status s = print(rounds, steps); !s) {
      std::fprintf(stderr, "%s\n", s.error().text().c_str());
      return 1;
    }
  }
  hw::bench::print_instruments(4 * rounds, steps);
  hw::bench::print_convolutions(rounds);
  hw::bench::print_conversions(rounds);
  hw::bench::print_wide_mlp(rounds);
  for (const auto& s : {hw::bench::print_update_counts(8 * rounds), hw::bench::print_strict_cost(3 * rounds)}) {
    if (s) continue;
    std::fprintf(stderr, "%s\n", s.error().text().c_str());
    return 1;
  }
  return 0;
}
