#include "tests/bench/strict_bench.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/dnnl/dnnl_descs.h"
#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/io/asset/assets.h"
#include "engine/io/graph/graph_file.h"
#include "engine/plan/training_plan.h"
#include "engine/precision/paired_time.h"
#include "engine/program/builder.h"
#include "tests/bench/planned_step.h"

namespace hw::bench {
namespace {

using Memory = dnnl::memory;

double ms_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// A weight gradient of a step: sizes of both factors, and how it is called.
struct Gradient {
  Op op;
  Dims a, b, out;
  Attr attr;
  DType dtype;
  std::string text() const { return std::string(info(op).name) + " " + to_string(a) + " x " + to_string(b); }
};

std::vector<double> numbers(const Dims& dims) {
  std::vector<double> v(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < v.size(); ++i) v[i] = std::sin(static_cast<double>(i % 9973));
  return v;
}

/// The op as a program of its own.
class Engine {
 public:
  static Result<Engine> make(const Gradient& g) {
    Engine e;
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const Val out = b.emit(g.op, {b.input("a", g.dtype, g.a), b.input("b", g.dtype, g.b)}, g.attr)[0];
    HW_CHECK(b.status());
    program->outputs.push_back({"out", out.id});
    HW_TRY(const auto device, make_device("cpu"));
    HW_TRY(e.states_, device->prepare_states(*program, nullptr, 1, nullptr));
    HW_TRY(e.executable_, device->compile(program, e.states_));
    HW_CHECK(e.executable_->write_input("a", Tensor::from_f64(g.dtype, g.a, numbers(g.a))));
    HW_CHECK(e.executable_->write_input("b", Tensor::from_f64(g.dtype, g.b, numbers(g.b))));
    return e;
  }
  void run() { (void)executable_->run({}); }

 private:
  std::shared_ptr<States> states_;
  std::unique_ptr<Executable> executable_;
};

/// The same by oneDNN on all threads, from and to row-major memory.
class Threaded {
 public:
  explicit Threaded(const Gradient& g) : stream_(cpu::dnnl_engine()) {
    type_ = g.dtype == DType::bf16 ? Memory::data_type::bf16 : Memory::data_type::f32;
    if (g.op == Op::matmul_tn)
      product(g);
    else
      convolution(g);
  }
  void run() {
    omp_set_num_threads(thread_count());
    for (auto& [primitive, arguments] : calls_) primitive.execute(stream_, arguments);
    stream_.wait();
  }

 private:
  Memory filled(const Memory::desc& desc) {
    Memory memory(desc, cpu::dnnl_engine());
    std::memset(memory.get_data_handle(), 0x3f, desc.get_size());
    return memory;
  }
  void product(const Gradient& g) {
    const int64_t n = g.a.back(), m = g.b.back(), k = element_count(g.a) / n;
    const Memory::desc a({n, k}, type_, Memory::dims{1, n}), b({k, m}, type_, Memory::dims{m, 1});
    const Memory::desc c({n, m}, Memory::data_type::f32, Memory::dims{m, 1});
    const dnnl::matmul::primitive_desc desc = cpu::matmul_desc(a, b, c, {});
    calls_.emplace_back(dnnl::matmul(desc),
                        Arguments{{DNNL_ARG_SRC, filled(a)}, {DNNL_ARG_WEIGHTS, filled(b)}, {DNNL_ARG_DST, filled(c)}});
  }
  void convolution(const Gradient& g) {
    const auto& attr = std::get<ConvAttr>(g.attr);
    const auto any = Memory::format_tag::any, nchw = Memory::format_tag::nchw;
    const auto f32 = Memory::data_type::f32;
    const auto pair = [](const Pair& p, int64_t less = 0) { return Memory::dims{p[0] - less, p[1] - less}; };
    const cpu::ConvSteps steps{pair(attr.stride), pair(attr.dilation, 1), pair(attr.pad_begin), pair(attr.pad_end)};
    const Memory::desc x(g.a, type_, any), w(g.out, type_, any), y(g.b, type_, any), dw(g.out, f32, any);
    const auto forward = cpu::conv_desc(true, x, w, {}, y, steps, {});
    const auto desc = cpu::conv_grad_weight_desc(x, dw, y, steps, {}, forward);
    const Memory in = reordered(filled({g.a, type_, nchw}), desc.src_desc());
    const Memory gradient = reordered(filled({g.b, type_, nchw}), desc.diff_dst_desc());
    const Memory out = filled(desc.diff_weights_desc());
    calls_.emplace_back(dnnl::convolution_backward_weights(desc),
                        Arguments{{DNNL_ARG_SRC, in}, {DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_DIFF_WEIGHTS, out}});
    reordered(out, {g.out, f32, nchw});
  }
  Memory reordered(const Memory& from, const Memory::desc& to) {
    if (from.get_desc() == to) return from;
    const Memory memory = filled(to);
    calls_.emplace_back(dnnl::reorder(from, memory), Arguments{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, memory}});
    return memory;
  }

  using Arguments = std::unordered_map<int, Memory>;
  dnnl::stream stream_;
  Memory::data_type type_;
  std::vector<std::pair<dnnl::primitive, Arguments>> calls_;
};

bool is_gradient(const Program& p, const Instr& i) {
  if (i.op != Op::matmul_tn && i.op != Op::conv2d_grad_weight) return false;
  const auto* conv = std::get_if<ConvAttr>(&i.attr);
  const DType dtype = p[i.in[0]].dtype;
  return (dtype == DType::f32 || dtype == DType::bf16) && !(conv && conv->groups != 1);
}

/// The share of the step that each instruction of the gradients takes.
Result<std::vector<double>> shares(const TrainingPlan& plan, int steps) {
  HW_TRY(const auto device, make_device("cpu"));
  HW_TRY(PlannedStep step, PlannedStep::make(*device, plan));
  StepInputs inputs;
  inputs.starts_sums = true;
  for (int s = 0; s <= steps; ++s) {
    inputs.step = static_cast<uint64_t>(s);
    HW_CHECK(step.run(inputs));
    if (s == 0) step.reset_timings();
  }
  std::vector<double> share = step.gradients->timings();
  double all = 0;
  for (const Executable* part : {step.gradients.get(), step.updates.get()})
    for (const double t : part->timings()) all += t;
  for (double& t : share) t /= all;
  return share;
}

Status print_graph(const std::filesystem::path& file, int rounds) {
  HW_TRY(const Graph graph, read_graph(file));
  FileAssets assets(file.parent_path());
  const auto plan = plan_training(graph, assets);
  if (!plan) {
    std::printf("  %s: %s\n", file.stem().c_str(), plan.error().reason.c_str());
    return ok();
  }
  const Program& p = *plan->program;
  HW_TRY(const std::vector<double> share, shares(*plan, 2 * rounds));
  std::map<std::string, std::pair<Gradient, double>> found;  // text → one of them, share of all
  double left_out = 0;
  for (size_t i = 0; i < p.instrs.size(); ++i) {
    const Instr& instr = p.instrs[i];
    if (instr.op != Op::matmul_tn && instr.op != Op::conv2d_grad_weight) continue;
    if (!is_gradient(p, instr)) {
      left_out += share[i];
      continue;
    }
    const Gradient g{instr.op,   p[instr.in[0]].dims, p[instr.in[1]].dims, p[instr.out[0]].dims,
                     instr.attr, p[instr.in[0]].dtype};
    found.try_emplace(g.text() + " " + std::string(name(g.dtype)), g, 0.0).first->second.second += share[i];
  }
  double saved = 0, total = 0;
  std::printf("\n  %s\n", file.stem().c_str());
  for (const auto& [text, what] : found) {
    HW_TRY(Engine engine, Engine::make(what.first));
    Threaded threaded(what.first);
    PairedTime time;
    for (int r = 0; r <= rounds; ++r) {
      const double other = ms_of([&] { threaded.run(); });
      time.add(other, ms_of([&] { engine.run(); }));
    }
    const double ratio = time.ratio();
    saved += what.second * std::max(0.0, 1 - 1 / ratio);
    total += what.second;
    std::printf("    %-58s engine %8.3f ms  oneDNN threaded %8.3f ms  ratio %5.2f ± %.2f  %5.1f %% of a step\n",
                text.c_str(), time.other_ms(), time.base_ms(), ratio, time.noise(), 100 * what.second);
  }
  std::printf(
      "    weight gradients are %.1f %% of a step (%.1f %% more not compared); oneDNN where it is faster would save "
      "%.1f %% of it\n",
      100 * total, 100 * left_out, 100 * saved);
  return ok();
}

}  // namespace

Status print_strict_cost(int rounds) {
  std::printf("\nstrict order of sums, %d threads (medians of %d pairs):\n", thread_count(), rounds);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HALFWIRE_EXAMPLES))
    if (entry.path().extension() == ".halfwire") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) HW_CHECK(print_graph(file, rounds));
  return ok();
}

}  // namespace hw::bench
