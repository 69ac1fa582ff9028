#include "engine/compare/determinism.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/compare/scoped_thread_count.h"
#include "engine/graph/edit.h"
#include "engine/plan/initialise_states.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/step_stages.h"
#include "engine/program/op_text.h"
#include "engine/program/updates.h"
#include "engine/program/widen_program.h"

namespace hw {
namespace {

std::optional<BitDifference> difference(const Tensor& a, const Tensor& b) {
  const size_t size = size_of(a.dtype()), count = a.bytes() / size;
  const auto *x = static_cast<const char*>(a.data()), *y = static_cast<const char*>(b.data());
  if (count == 0 || std::memcmp(x, y, a.bytes()) == 0) return std::nullopt;
  BitDifference d;
  for (size_t i = count; i-- > 0;) {
    if (std::memcmp(x + i * size, y + i * size, size) == 0) continue;
    ++d.elements;
    d.index = static_cast<int64_t>(i);
  }
  d.a = a.to_f64()[static_cast<size_t>(d.index)];
  d.b = b.to_f64()[static_cast<size_t>(d.index)];
  return d;
}

/// A program as it is, and the one whose ops are cut from one another, at one number of threads.
struct Executables {
  std::shared_ptr<States> cut_states;
  std::unique_ptr<Executable> whole, cut;
};

/// All programs of a training at one number of threads, by part.
struct ThreadsRun {
  int threads = 0;
  std::shared_ptr<States> states;
  std::vector<Executables> pairs;
  std::set<std::string> other_handed;  // inputs of the updates that have other bits than the first runner's
};

/// What an op made: a value, or a state that it wrote.
struct Made {
  size_t instr = 0;
  ValueId id = kNoValue;
  bool state = false;
};

std::vector<Made> all_made(const Program& p) {
  std::vector<Made> made;
  for (size_t i = 0; i < p.instrs.size(); ++i) {
    const Instr& instr = p.instrs[i];
    for (const ValueId id : instr.out) made.push_back({i, id, false});
    std::set<ValueId> written;  // a view may be its own master
    for (size_t k = 0; k < written_inputs(instr); ++k)
      if (const ValueId id = instr.in[k]; p[id].storage == Storage::state && written.insert(id).second)
        made.push_back({i, id, true});
  }
  return made;
}

/// One of TrainingPlan::programs().
struct ComparedProgram {
  std::shared_ptr<const Program> program;
  CutProgram cut;
  std::vector<Made> made;
  size_t first_item = 0;                         // of the report
  std::vector<std::pair<Tensor, Tensor>> first;  // by `made`: what the first runner made, whole and cut
};

class Determinism {
 public:
  Determinism(TrainingPlan plan, std::shared_ptr<Device> device, const DeterminismOptions& options)
      : plan_(std::move(plan)), device_(std::move(device)), o_(options) {
    for (const auto& program : plan_.programs())
      parts_.push_back({program, cut_at_ops(*program), all_made(*program), 0, {}});
  }

  Result<DeterminismReport> run() {
    HW_CHECK(check_memory());
    for (const int threads : o_.threads) HW_CHECK(add_runner(threads));
    HW_CHECK(initialise_states(plan_, *runners_.front().states, o_.weights.get(), o_.partial_weights));
    describe();
    for (uint64_t step = 0; step < o_.steps; ++step) HW_CHECK(run_step(step));
    for (size_t i = 0; i < report_.items.size() && !report_.first; ++i)
      if (report_.items[i].verdict == DeterminismVerdict::differs) report_.first = i;
    return std::move(report_);
  }

 private:
  Status check_memory() const {
    const size_t copies = 2 * o_.threads.size() + 3;  // executables; what the first made; what is read
    MemoryEstimate needed;
    for (const ComparedProgram& part : parts_)
      for (const Value& v : part.program->values) {
        const size_t bytes = bytes_of(v);
        (v.storage == Storage::temp ? needed.activations : needed.parameters) += copies * bytes;
      }
    HW_CHECK(check_fits(needed, available_memory()));
    return check_all_values(plan_.programs(), *device_, nullptr);
  }

  Status add_runner(int threads) {
    const ScopedThreadCount set(threads);
    const uint64_t seed = plan_.settings.seed;
    ThreadsRun r{threads, {}, {}, {}};
    for (const ComparedProgram& part : parts_) {
      const Program& p = *part.program;
      std::vector<ValueId> keep;
      for (const Instr& instr : p.instrs) keep.insert(keep.end(), instr.out.begin(), instr.out.end());
      Executables pair;
      HW_TRY(r.states, device_->prepare_states(p, r.states, seed, nullptr));
      HW_TRY(pair.cut_states, device_->prepare_states(*part.cut.program, nullptr, seed, nullptr));
      HW_TRY(pair.whole, device_->compile(part.program, r.states, keep));
      HW_TRY(pair.cut, device_->compile(part.cut.program, pair.cut_states, keep));
      r.pairs.push_back(std::move(pair));
    }
    runners_.push_back(std::move(r));
    return ok();
  }

  void describe() {
    report_.threads = o_.threads;
    report_.steps = o_.steps;
    report_.seed = plan_.settings.seed;
    report_.device = device_->id();
    for (const StepStage& stage : stages_of(plan_, {0, last_step(), 0, nullptr})) {
      ComparedProgram& part = parts_[stage.program];
      const Program& p = *part.program;
      part.first_item = report_.items.size();
      for (const Made& m : part.made) {
        const Instr& instr = p.instrs[m.instr];
        DeterminismItem item;
        item.node = p.nodes[instr.node];
        item.name = p[m.id].name;
        item.op = op_text(instr);
        item.pass = pass_of(instr);
        item.dtype = p[m.id].dtype;
        item.dims = p[m.id].dims;
        item.implementation = runners_.front().pairs[stage.program].whole->kernel_info(m.instr).implementation;
        report_.items.push_back(std::move(item));
      }
    }
  }

  Status run_step(uint64_t step) {
    const std::vector<StepStage> stages = stages_of(plan_, {step, last_step(), 0, o_.cancel});
    const auto runs = static_cast<double>(o_.steps * count_runs(stages));
    for (const StepStage& stage : stages) {
      for (const StepInputs& inputs : stage.runs) {
        HW_CHECK(run_part(stage.program, stage.kind, inputs, step));
        if (o_.progress) o_.progress(++runs_done_ / runs);
      }
    }
    return ok();
  }

  /// The end of the Train node's run, or of this one where it is longer.
  uint64_t last_step() const { return std::max(o_.steps, static_cast<uint64_t>(plan_.settings.steps)); }

  /// At every number of threads, from the states that the first has.
  Status run_part(size_t k, StepStage::Kind kind, const StepInputs& inputs, uint64_t step) {
    std::vector<std::pair<std::string, Tensor>> before;
    for (const std::string& name : runners_.front().states->names())
      before.emplace_back(name, runners_.front().states->read(name));
    for (ThreadsRun& runner : runners_) {
      HW_CHECK(run_at(runner, k, kind, inputs, before));
      HW_CHECK(&runner == &runners_.front() ? remember(k) : compare(runner, k, step));
    }
    return ok();
  }

  Status run_at(ThreadsRun& r, size_t k, StepStage::Kind kind, const StepInputs& inputs,
                const std::vector<std::pair<std::string, Tensor>>& before) {
    const ScopedThreadCount threads(r.threads);
    Executables& pair = r.pairs[k];
    for (const auto& [name, state] : before) {
      HW_CHECK(r.states->write(name, state));
      if (pair.cut_states->has(name)) HW_CHECK(pair.cut_states->write(name, state));
    }
    // Gradients to the updates: as a whole the runner's own, op by op the first's.
    for (const auto& [name, value] : plan_.handed) {
      if (kind != StepStage::Kind::updates) break;
      HW_CHECK(pair.whole->take_input(name, *r.pairs.front().whole, value));
      HW_CHECK(pair.cut->take_input(name, *runners_.front().pairs.front().whole, value));
    }
    HW_CHECK(pair.whole->run(inputs));
    for (const Port& port : parts_[k].cut.boundary) {
      HW_TRY(const Tensor value, runners_.front().pairs[k].whole->read(port.value));
      HW_CHECK(pair.cut->write_input(port.name, value));
    }
    return pair.cut->run(inputs);
  }

  Result<Tensor> read(const ThreadsRun& r, size_t k, const Made& m, bool cut) const {
    const Executables& pair = r.pairs[k];
    if (m.state) return (cut ? pair.cut_states : r.states)->read((*parts_[k].program)[m.id].name);
    return (cut ? pair.cut : pair.whole)->read(m.id);
  }

  Status remember(size_t k) {
    ComparedProgram& part = parts_[k];
    part.first.clear();
    for (const Made& m : part.made) {
      HW_TRY(Tensor whole, read(runners_.front(), k, m, false));
      HW_TRY(Tensor cut, read(runners_.front(), k, m, true));
      part.first.emplace_back(std::move(whole), std::move(cut));
    }
    return ok();
  }

  Status compare(ThreadsRun& r, size_t k, uint64_t step) {
    const ComparedProgram& part = parts_[k];
    const Program& p = *part.program;
    std::vector<bool> other(p.values.size(), false);  // has other bits in the whole program
    for (const Port& port : p.inputs) other[port.value] = r.other_handed.contains(port.name);
    std::set<std::string> other_states;
    for (size_t i = 0; i < part.made.size(); ++i) {
      const Made& m = part.made[i];
      bool tainted = false;
      for (const ValueId in : p.instrs[m.instr].in) tainted = tainted || other[in] || other_states.contains(p[in].name);
      HW_TRY(const Tensor whole, read(r, k, m, false));
      HW_TRY(const Tensor cut, read(r, k, m, true));
      const auto in_whole = difference(part.first[i].first, whole), alone = difference(part.first[i].second, cut);
      if (in_whole && m.state) other_states.insert(p[m.id].name);
      if (in_whole && !m.state) other[m.id] = true;
      if (!in_whole && !alone) continue;
      note(report_.items[part.first_item + i], alone ? *alone : *in_whole, alone || !tainted, r.threads, step);
    }
    r.other_handed.clear();
    for (const auto& [name, value] : plan_.handed)
      if (k == 0 && other[value]) r.other_handed.insert(name);
    return ok();
  }

  static void note(DeterminismItem& item, BitDifference difference, bool by_itself, int threads, uint64_t step) {
    const bool worse = by_itself && item.verdict != DeterminismVerdict::differs;
    if (worse) item.differences.clear();  // those that were inherited
    if (worse || item.verdict == DeterminismVerdict::same)
      item.verdict = by_itself ? DeterminismVerdict::differs : DeterminismVerdict::inherited;
    if (!by_itself && item.verdict == DeterminismVerdict::differs) return;
    difference.threads = threads;
    difference.step = step;
    const auto known = [&](const BitDifference& d) { return d.threads == threads; };
    if (std::none_of(item.differences.begin(), item.differences.end(), known)) item.differences.push_back(difference);
  }

  const TrainingPlan plan_;
  const std::shared_ptr<Device> device_;
  const DeterminismOptions& o_;
  std::vector<ThreadsRun> runners_;
  std::vector<ComparedProgram> parts_;
  double runs_done_ = 0;  // of the programs, by all runners
  DeterminismReport report_;
};

}  // namespace

std::string_view name(DeterminismVerdict verdict) {
  static constexpr std::string_view names[] = {"same bits", "inherited", "differs"};
  return names[static_cast<size_t>(verdict)];
}

Result<DeterminismReport> check_determinism(const Graph& graph, Assets& assets, const std::shared_ptr<Device>& device,
                                            const DeterminismOptions& options) {
  const auto wrong = [](int count) { return count < 1 || count > 1024; };
  if (options.threads.size() < 2 || std::any_of(options.threads.begin(), options.threads.end(), wrong))
    return Error{codes::bad_usage, "", "at least two numbers of threads are compared, each from 1 to 1024.",
                 "Write them like 1,2,3,8."};
  HW_TRY(TrainingPlan plan, plan_training(without_pins(graph), assets, true, true, 1, {}, true));
  return Determinism(std::move(plan), device, options).run();
}

}  // namespace hw
