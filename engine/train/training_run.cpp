#include "engine/train/training_run.h"

#include <algorithm>

#include "engine/plan/memory_estimate.h"
#include "engine/train/lasting_states.h"

namespace hw {
namespace {

void add_all(const Program& program, std::vector<ValueId>& keep) {
  for (const Instr& instr : program.instrs) keep.insert(keep.end(), instr.out.begin(), instr.out.end());
}

}  // namespace

Status TrainingRun::compile() {
  std::vector<ValueId> keep = inspected_.kept(plan_);
  if (watch_) add_all(*plan_.program, keep);
  if (executable_) HW_CHECK(settle());
  updates_.reset();
  executable_.reset();
  HW_TRY(executable_, device_->compile(plan_.program, states_, keep));
  for (const auto& [socket, value] : given_)
    if (plan_.sockets.contains(socket)) HW_CHECK(executable_->write_input(socket.node + "." + socket.socket, value));
  part_sums_.clear();
  for (const PartSums& sums : plan_.part_sums) {
    HW_TRY(std::unique_ptr<Executable> made, device_->compile(sums.program, states_, {}));
    for (const auto& [name, value] : sums.program->inputs)
      for (const auto& [socket, given] : given_)
        if (name == socket.node + "." + socket.socket) HW_CHECK(made->write_input(name, given));
    part_sums_.push_back(std::move(made));
  }
  if (plan_.updates) {
    std::vector<SharedInput> gradients;
    for (const auto& [name, value] : plan_.handed) {
      const bool shown = std::find(keep.begin(), keep.end(), value) != keep.end();
      gradients.push_back({name, executable_.get(), value, !shown});
    }
    std::vector<ValueId> keep_updates = plan_.not_finite;
    if (watch_) add_all(*plan_.updates, keep_updates);
    HW_TRY(updates_, device_->compile(plan_.updates, states_, keep_updates, gradients));
  }
  timed_steps_ = 0;
  return ok();
}

Status TrainingRun::inspect(const std::string& node) {
  if (node == inspected_.node()) return ok();
  inspected_.change(node);
  return compile();
}

Status TrainingRun::set_watch(std::shared_ptr<TrainingWatch> watch) {
  if (watch_ == watch) return ok();
  if (watch) HW_CHECK(check_all_values(plan_.programs(), *device_, states_.get()));
  watch_ = std::move(watch);
  return compile();
}

void TrainingRun::set_instruments(const std::optional<InstrumentSettings>& settings, const GradientHistory* earlier) {
  instruments_.reset();
  if (settings) instruments_.emplace(plan_, *settings, earlier);
}

std::shared_ptr<const InstrumentReadings> TrainingRun::readings() {
  return instruments_ ? instruments_->readings() : nullptr;
}

std::shared_ptr<const Weights> TrainingRun::read_weights() const {
  auto weights = std::make_shared<Weights>();
  const auto states = lasting_states(plan_);
  for (const Param& param : plan_.program->params) {
    const Value& view = (*plan_.program)[param.view];
    const std::string average = param.name + kAverage;
    const bool averaged = averages() && states.contains(average);
    weights->emplace(param.name, averaged ? states_->read(average).to(view.dtype) : states_->read(view.name));
  }
  return weights;
}

Status TrainingRun::with_weights(const Weights* weights, const std::function<Status()>& work) {
  if (!weights && !averages()) return work();
  const auto write = [this](const Weights& values) -> Status {
    for (const Param& param : plan_.program->params)
      HW_CHECK(states_->write((*plan_.program)[param.view].name, values.at(param.name)));
    return ok();
  };
  Weights own;
  for (const Param& param : plan_.program->params)
    own.emplace(param.name, states_->read((*plan_.program)[param.view].name));
  const std::shared_ptr<const Weights> of_now = weights ? nullptr : read_weights();
  struct PutBack {
    const std::function<Status()>& act;
    ~PutBack() { (void)act(); }
  };
  const std::function<Status()> put_back = [&] { return write(own); };
  const PutBack at_the_end{put_back};
  HW_CHECK(write(weights ? *weights : *of_now));
  return work();
}

std::map<std::string, Tensor> TrainingRun::read_states() const {
  return read_lasting_states(plan_, *states_);
}

Status TrainingRun::check_statistics() const {
  return hw::check_statistics(plan_, *states_);
}

Status TrainingRun::restore(const Checkpoint& checkpoint, std::vector<std::string>* notes) {
  exchange_->lose_step();
  HW_TRY(auto begun, restore_states(plan_, *states_, checkpoint, notes));
  return count_moments_from(std::move(begun));
}

Status TrainingRun::count_moments_from(std::map<std::string, uint64_t> begun) {
  if (begun == plan_.begun) return ok();
  plan_.set_begun(std::move(begun));
  return compile();
}

std::map<std::string, double> TrainingRun::node_ms() const {
  std::map<std::string, double> ms;
  if (timed_steps_ == 0) return ms;
  const auto add = [&](const Program& program, const std::vector<double>& timings) {
    for (size_t i = 0; i < timings.size(); ++i)
      ms[program.nodes[program.instrs[i].node]] += timings[i] * 1e3 / static_cast<double>(timed_steps_);
  };
  add(*plan_.program, executable_->timings());
  if (updates_) add(*plan_.updates, updates_->timings());
  ms.erase("");
  return ms;
}

std::vector<TransferReading> TrainingRun::transfers() const {
  std::vector<TransferReading> all;
  if (timed_steps_ == 0) return all;
  const auto add = [&](const Program& program, const Executable& executable) {
    const std::vector<Transfer> transfers = executable.transfers();
    std::map<ValueId, std::string> makers;
    for (const Transfer& t : transfers) makers[t.value];
    for (const Instr& instr : program.instrs)
      for (const ValueId v : instr.out)
        if (const auto made = makers.find(v); made != makers.end()) made->second = program.nodes[instr.node];
    for (const Transfer& t : transfers) {
      const double a_step = 1 / static_cast<double>(timed_steps_);
      const double bytes = static_cast<double>(t.bytes) * static_cast<double>(t.times);
      all.push_back({program[t.value].name, makers[t.value], t.from, t.to, bytes * a_step, t.seconds * 1e3 * a_step});
    }
  };
  add(*plan_.program, *executable_);
  if (updates_) add(*plan_.updates, *updates_);
  std::stable_sort(all.begin(), all.end(),
                   [](const TransferReading& a, const TransferReading& b) { return a.bytes > b.bytes; });
  return all;
}

std::optional<DeviceWork> TrainingRun::device_work() const {
  std::optional<DeviceWork> work = executable_->device_work();
  if (!work) return {};
  const DeviceWork one = *work;
  for (size_t part = 1; part < plan_.micro_batches(); ++part) *work += one;
  if (!updates_) return work;
  const auto updates = updates_->device_work();
  return updates ? std::optional(*work += *updates) : std::nullopt;
}

std::map<std::string, NodeKernels> TrainingRun::node_kernels() const {
  return node_kernels_of(*plan_.program, *executable_, plan_.gradients);
}

size_t TrainingRun::memory_bytes() const {
  size_t bytes = executable_->temp_bytes() + (updates_ ? updates_->temp_bytes() : 0);
  for (const auto& [name, state] : states_of(plan_)) bytes += bytes_of(*state);
  return bytes;
}

size_t TrainingRun::states_bytes() const {
  size_t bytes = 0;
  for (const auto& [name, state] : lasting_states(plan_)) bytes += bytes_of(*state);
  return bytes;
}

}  // namespace hw
