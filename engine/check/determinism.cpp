#include "engine/check/determinism.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/check/begin_training.h"
#include "engine/check/with_threads.h"
#include "engine/graph/edit.h"
#include "engine/program/op_text.h"
#include "engine/program/updates.h"
#include "engine/program/widen_program.h"
#include "engine/run/memory_estimate.h"

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

/// The program as it is, and the one whose ops are cut from one another, at one number of threads.
struct Runner {
  int threads = 0;
  std::shared_ptr<States> states, cut_states;
  std::unique_ptr<Executable> whole, cut;
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

class Determinism {
 public:
  Determinism(TrainingPlan plan, std::shared_ptr<Device> device, const DeterminismOptions& options)
      : plan_(std::move(plan)),
        p_(*plan_.program),
        cut_(cut_at_ops(p_)),
        made_(all_made(p_)),
        device_(std::move(device)),
        o_(options) {}

  Result<DeterminismReport> run() {
    HW_CHECK(check_memory());
    for (const int threads : o_.threads) HW_CHECK(add_runner(threads));
    HW_CHECK(begin_training(plan_, *runners_.front().states, o_.weights.get(), o_.partial_weights));
    describe();
    const auto parts = static_cast<double>(o_.steps * runners_.size());
    double done = 0;
    for (uint64_t step = 0; step < o_.steps; ++step) {
      std::vector<std::pair<std::string, Tensor>> before;
      for (const std::string& name : runners_.front().states->names())
        before.emplace_back(name, runners_.front().states->read(name));
      for (Runner& runner : runners_) {
        HW_CHECK(run_step(runner, step, before));
        HW_CHECK(&runner == &runners_.front() ? remember() : compare(runner, step));
        if (o_.progress) o_.progress(++done / parts);
      }
    }
    for (size_t i = 0; i < report_.items.size() && !report_.first; ++i)
      if (report_.items[i].verdict == DeterminismVerdict::differs) report_.first = i;
    return std::move(report_);
  }

 private:
  Status check_memory() const {
    const size_t copies = 2 * o_.threads.size() + 3;  // executables; what the first made; what is read
    MemoryEstimate needed;
    for (const Value& v : p_.values) {
      const size_t bytes = bytes_of(v);
      (v.storage == Storage::temp ? needed.activations : needed.parameters) += copies * bytes;
    }
    HW_CHECK(check_fits(needed, available_memory()));
    return check_all_values(p_, *device_, nullptr);
  }

  Status add_runner(int threads) {
    const WithThreads set(threads);
    std::vector<ValueId> keep;
    for (const Instr& instr : p_.instrs) keep.insert(keep.end(), instr.out.begin(), instr.out.end());
    const uint64_t seed = plan_.settings.seed;
    Runner r{threads, {}, {}, {}, {}};
    HW_TRY(r.states, device_->prepare_states(p_, nullptr, seed, nullptr));
    HW_TRY(r.cut_states, device_->prepare_states(*cut_.program, nullptr, seed, nullptr));
    HW_TRY(r.whole, device_->compile(plan_.program, r.states, keep));
    HW_TRY(r.cut, device_->compile(cut_.program, r.cut_states, keep));
    runners_.push_back(std::move(r));
    return ok();
  }

  void describe() {
    report_.threads = o_.threads;
    report_.steps = o_.steps;
    report_.seed = plan_.settings.seed;
    report_.device = device_->id();
    for (const Made& m : made_) {
      const Instr& instr = p_.instrs[m.instr];
      DeterminismItem item;
      item.node = p_.nodes[instr.node];
      item.name = p_[m.id].name;
      item.op = op_text(instr);
      item.pass = pass_of(instr);
      item.dtype = p_[m.id].dtype;
      item.dims = p_[m.id].dims;
      item.implementation = runners_.front().whole->kernel_info(m.instr).implementation;
      report_.items.push_back(std::move(item));
    }
  }

  Status run_step(Runner& r, uint64_t step, const std::vector<std::pair<std::string, Tensor>>& before) {
    const WithThreads threads(r.threads);
    StepInputs inputs;
    inputs.seed = plan_.settings.seed;
    inputs.step = step;
    inputs.starts_sums = true;
    inputs.learning_rate = learning_rate_at(plan_.settings, step, plan_.settings.steps);
    inputs.cancel = o_.cancel;
    for (const auto& [name, state] : before) {
      HW_CHECK(r.states->write(name, state));
      HW_CHECK(r.cut_states->write(name, state));
    }
    HW_CHECK(r.whole->run(inputs));
    for (const Port& port : cut_.handed) {
      HW_TRY(const Tensor value, runners_.front().whole->read(port.value));
      HW_CHECK(r.cut->write_input(port.name, value));
    }
    return r.cut->run(inputs);
  }

  Result<Tensor> read(const Runner& r, const Made& m, bool cut) const {
    if (m.state) return (cut ? r.cut_states : r.states)->read(p_[m.id].name);
    return (cut ? r.cut : r.whole)->read(m.id);
  }

  Status remember() {
    first_.clear();
    for (const Made& m : made_) {
      HW_TRY(Tensor whole, read(runners_.front(), m, false));
      HW_TRY(Tensor cut, read(runners_.front(), m, true));
      first_.emplace_back(std::move(whole), std::move(cut));
    }
    return ok();
  }

  Status compare(const Runner& r, uint64_t step) {
    std::vector<bool> other(p_.values.size(), false);  // has other bits in the whole program
    std::set<std::string> other_states;
    for (size_t i = 0; i < made_.size(); ++i) {
      const Made& m = made_[i];
      bool tainted = false;
      for (const ValueId in : p_.instrs[m.instr].in)
        tainted = tainted || other[in] || other_states.contains(p_[in].name);
      HW_TRY(const Tensor whole, read(r, m, false));
      HW_TRY(const Tensor cut, read(r, m, true));
      const auto in_whole = difference(first_[i].first, whole), alone = difference(first_[i].second, cut);
      if (in_whole && m.state) other_states.insert(p_[m.id].name);
      if (in_whole && !m.state) other[m.id] = true;
      if (!in_whole && !alone) continue;
      note(report_.items[i], alone ? *alone : *in_whole, alone || !tainted, r.threads, step);
    }
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
  const Program& p_;
  const CutProgram cut_;
  const std::vector<Made> made_;
  const std::shared_ptr<Device> device_;
  const DeterminismOptions& o_;
  std::vector<Runner> runners_;
  std::vector<std::pair<Tensor, Tensor>> first_;  // by item: what the first runner made, whole and cut
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
  HW_TRY(const std::string trainer, find_trainer(graph));
  Graph plain = without_pins(graph);
  HW_CHECK(apply_edits(plain, {SetParam{trainer, "accumulate", int64_t{1}}}));
  HW_TRY(TrainingPlan plan, plan_training(plain, assets));
  return Determinism(std::move(plan), device, options).run();
}

}  // namespace hw
