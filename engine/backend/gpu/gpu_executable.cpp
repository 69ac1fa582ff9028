#include "engine/backend/gpu/gpu_executable.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/backend/value_probe.h"
#include "engine/core/codes.h"
#include "engine/core/thread_clock.h"
#include "engine/program/op_spec.h"
#include "engine/program/op_text.h"

namespace hw::gpu {
namespace {

std::string text(DType dtype, const Dims& dims) {
  return std::string(name(dtype)) + to_string(dims);
}

Error cancelled() {
  return {codes::cancelled, "", "The run was cancelled.", ""};
}

std::vector<DType> dtypes_of(const Program& p, const Instr& i) {
  std::vector<DType> dtypes;
  for (const auto* list : {&i.in, &i.out})
    for (ValueId v : *list) dtypes.push_back(p[v].dtype);
  return dtypes;
}

Error no_kernel(const Program& p, const Instr& i, const std::string& device, const Error& said) {
  std::string dtypes;
  for (DType d : dtypes_of(p, i)) dtypes += (dtypes.empty() ? "" : ", ") + std::string(name(d));
  return {codes::unsupported, p.nodes[i.node],
          device + " has no kernel for " + std::string(info(i.op).name) + " with " + dtypes +
              (said.reason.empty() ? "." : ": " + said.reason),
          said.remedy.empty() ? "Put a Cast before it, or choose the cpu device." : said.remedy};
}

}  // namespace

// `sizes_only`: no memory is there yet.
class GpuExecutable::Memory : public OpMemory {
 public:
  Memory(GpuExecutable& executable, bool sizes_only) : e_(executable), sizes_only_(sizes_only) {}

  void* value(ValueId v) override { return sizes_only_ ? nullptr : e_.data_[v]; }
  void* scratch(size_t offset, size_t bytes) override {
    if (!sizes_only_) return static_cast<std::byte*>(e_.scratch_.data()) + offset;
    e_.scratch_bytes_ = std::max(e_.scratch_bytes_, offset + bytes);
    return nullptr;
  }
  Result<const void*> constant(const void* data, size_t bytes) override {
    if (sizes_only_) return static_cast<const void*>(nullptr);
    HW_TRY(Buffer buffer, e_.device_->take(bytes, "", "what a node reads"));
    if (bytes > 0) HW_CHECK(e_.device_->driver->upload(buffer.data(), data, bytes));
    e_.temp_bytes_ += buffer.bytes();
    e_.own_.push_back(std::move(buffer));
    return static_cast<const void*>(e_.own_.back().data());
  }
  size_t resident_bytes() const override { return e_.device_->driver->resident_bytes(); }
  Result<const void*> from_host(size_t bytes, FillBatch fill) override {
    if (sizes_only_) return static_cast<const void*>(nullptr);
    return e_.host_batches_.add(bytes, std::move(fill), "");
  }
  const StepData* step() override { return sizes_only_ ? nullptr : static_cast<const StepData*>(e_.step_.data()); }

 private:
  GpuExecutable& e_;
  bool sizes_only_;
};

Result<std::unique_ptr<Executable>> GpuExecutable::make(std::shared_ptr<const Program> program,
                                                        std::shared_ptr<GpuStates> states,
                                                        std::span<const ValueId> keep,
                                                        std::span<const SharedInput> shared) {
  HW_CHECK(states->device()->usable());
  std::unique_ptr<GpuExecutable> e(new GpuExecutable(std::move(program), std::move(states)));
  HW_CHECK(e->prepare(keep, shared));
  return std::unique_ptr<Executable>(std::move(e));
}

GpuExecutable::~GpuExecutable() {
  if (!steps_) return;
  (void)device_->driver->wait();
  device_->driver->release_pinned(steps_);
  device_->release_marks(first_mark_);
}

Status GpuExecutable::prepare(std::span<const ValueId> keep, std::span<const SharedInput> shared) {
  const Program& p = *program_;
  HW_CHECK(check_states());
  timings_.assign(p.instrs.size(), 0.0);
  infos_.resize(p.instrs.size());
  fused_ = fused_biases(p, keep);
  Memory sizes(*this, true);
  HW_CHECK(plan_instructions(sizes));
  const std::vector<bool> own(p.values.size(), false);
  const plan::MemoryPlan memory_plan = plan::plan_memory(p, steps_of(p, fused_), keep, own);
  HW_TRY(arena_, device_->take(memory_plan.arena_bytes, where_of(p, memory_plan.largest), "temporary values"));
  HW_TRY(scratch_, device_->take(scratch_bytes_, where_of(p, memory_plan.largest), "scratch for its kernels"));
  HW_TRY(step_, device_->take(sizeof(StepData), "", "the step's numbers"));
  auto steps = device_->driver->allocate_pinned(kAhead * sizeof(StepData));
  if (!steps) return device_->at(steps.error(), "");
  steps_ = *steps;
  first_mark_ = device_->take_marks(p.instrs.size() + 1 + 2 * kAhead);
  temp_bytes_ = memory_plan.arena_bytes + scratch_bytes_;
  HW_CHECK(place_values(memory_plan, shared));
  Memory memory(*this, false);
  HW_CHECK(plan_instructions(memory));
  temp_bytes_ += host_batches_.bytes();
  return ok();
}

Status GpuExecutable::check_states() const {
  for (const Value& v : program_->values)
    if (v.storage == Storage::state && !states_->fits(v))
      return Error{codes::weights_mismatch, v.name, "The state is not " + text(v.dtype, v.dims) + ".",
                   "Prepare the states for this program."};
  return ok();
}

Status GpuExecutable::place_values(const plan::MemoryPlan& memory_plan, std::span<const SharedInput> shared) {
  const Program& p = *program_;
  data_.assign(p.values.size(), nullptr);
  for (const SharedInput& input : shared)
    for (const Port& port : p.inputs)
      if (port.name == input.name)
        data_[port.value] = dynamic_cast<const GpuExecutable&>(*input.from).data_[input.value];
  const auto own = [&](ValueId v) -> Result<void*> {
    HW_TRY(Buffer buffer, device_->take(plan::value_bytes(p[v]), where_of(p, v), "inputs and constants"));
    own_.push_back(std::move(buffer));
    return own_.back().data();
  };
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const plan::ValuePlace& place = memory_plan.values[v];
    if (place.place == plan::Place::arena) data_[v] = static_cast<std::byte*>(arena_.data()) + place.offset;
    if (place.place == plan::Place::state) {
      held_states_.push_back(states_->memory(p[v].name));
      data_[v] = held_states_.back()->data();
    }
    if (place.place != plan::Place::input || data_[v]) continue;
    HW_TRY(data_[v], own(v));
    HW_CHECK(device_->at(device_->driver->clear(data_[v], plan::value_bytes(p[v])), p[v].name));
  }
  for (const auto& [v, tensor] : p.constants) {
    HW_TRY(data_[v], own(v));
    if (tensor.bytes() > 0)
      HW_CHECK(device_->at(device_->driver->upload(data_[v], tensor.data(), tensor.bytes()), p[v].name));
  }
  return ok();
}

Status GpuExecutable::plan_instructions(OpMemory& memory) {
  launches_.assign(program_->instrs.size(), {});
  with_bias_.assign(program_->instrs.size(), {});
  loss_counts_.assign(program_->instrs.size(), {});
  for (size_t i = 0; i < launches_.size(); ++i) HW_CHECK(plan_instruction(memory, i));
  return ok();
}

Status GpuExecutable::plan_instruction(OpMemory& memory, size_t i) {
  const Program& p = *program_;
  const auto plan = [&](const Instr& instr, bool adds_bias, std::vector<Launch>& launches) -> Status {
    OpContext c(p, instr, memory);
    if (fused_[i]) c.set_bias(memory.value(fused_[i]->bias), adds_bias);
    const Status status =
        takes_dtypes(instr.op, dtypes_of(p, instr)) ? device_->driver->plan(c) : Error{codes::unsupported, "", "", ""};
    if (!status) {
      if (status.error().code == codes::unsupported) return no_kernel(p, instr, device_->driver->id(), status.error());
      return device_->at(status, node_of(i));
    }
    infos_[i] = c.info;
    launches = c.take_launches();
    loss_counts_[i] = {c.take_look_launches(), c.losses()};
    return ok();
  };
  HW_CHECK(plan(p.instrs[i], false, launches_[i]));
  if (i > 0 && fused_[i - 1]) infos_[i] = infos_[i - 1];  // what runs when no value is observed
  if (!fused_[i]) return ok();
  Instr with_bias = p.instrs[i];
  with_bias.out = {fused_[i]->sum};
  return plan(with_bias, true, with_bias_[i]);
}

const std::vector<Launch>& GpuExecutable::launches(size_t instr, bool looked_at) const {
  static const std::vector<Launch> none;
  if (!looked_at && fused_[instr]) return with_bias_[instr];
  return !looked_at && instr > 0 && fused_[instr - 1] ? none : launches_[instr];
}

Result<ValueId> GpuExecutable::input(const std::string& name, DType dtype, const Dims& dims) const {
  for (const Port& port : program_->inputs) {
    if (port.name != name) continue;
    const Value& v = (*program_)[port.value];
    if (dtype != v.dtype || dims != v.dims)
      return Error{dtype == v.dtype ? codes::size_mismatch : codes::dtype_mismatch, name,
                   "Expected " + text(v.dtype, v.dims) + ", got " + text(dtype, dims) + ".", ""};
    return port.value;
  }
  return Error{codes::unknown_socket, name, "The program has no such input.", ""};
}

Status GpuExecutable::write_input(const std::string& name, const Tensor& tensor) {
  HW_TRY(const ValueId v, input(name, tensor.dtype(), tensor.dims()));
  if (tensor.empty()) return Error{codes::size_mismatch, name, "The tensor is empty.", ""};
  HW_CHECK(device_->usable());
  if (tensor.bytes() == 0) return ok();
  return device_->at(device_->driver->upload(data_[v], tensor.data(), tensor.bytes()), name);
}

Status GpuExecutable::take_input(const std::string& name, const Executable& from, ValueId value) {
  const auto* there = dynamic_cast<const GpuExecutable*>(&from);
  if (!there || there->device_ != device_) return Executable::take_input(name, from, value);
  HW_CHECK(there->check_readable(value));
  const Value& given = (*there->program_)[value];
  HW_TRY(const ValueId v, input(name, given.dtype, given.dims));
  HW_CHECK(device_->usable());
  const size_t bytes = plan::value_bytes(given);
  return bytes == 0 ? ok() : device_->at(device_->driver->copy(data_[v], there->data_[value], bytes), name);
}

Status GpuExecutable::run(const StepInputs& step, ValueProbe* probe) {
  HW_CHECK(device_->usable());
  if (probe) probe->use_lanes(1);
  if (step.cancelled()) return cancelled();
  if (untimed_ >= kTimedEvery) timed_ = false;
  bool by_itself = probe || !ran_ || !timed_ || cannot_record_;
  if (!by_itself && !recording_) {
    HW_TRY(const bool recorded, record());
    by_itself = !recorded;
  }
  wait_for_replays(by_itself ? 0 : kAhead - 1);
  HW_CHECK(write_step(step));
  HW_CHECK(host_batches_.deliver(step));
  if (probe) HW_CHECK(look_at_states(*probe));
  HW_CHECK(by_itself ? launch_all(step, probe) : replay(step));
  ran_ = true;
  return ok();
}

Status GpuExecutable::launch_all(const StepInputs& step, ValueProbe* probe) {
  Driver& driver = *device_->driver;
  HW_CHECK(device_->at(driver.set_mark(first_mark_), ""));
  for (size_t i = 0; i < launches_.size(); ++i) {
    if (step.cancelled()) {
      HW_CHECK(device_->at(driver.wait(), ""));
      return cancelled();
    }
    const ProductCounts before = driver.products();
    for (const Launch& launch : launches(i, probe)) {
      const Status launched = device_->at(launch(driver), node_of(i));
      if (launched) continue;
      (void)driver.wait();  // nothing of the step runs on behind the error
      return launched;
    }
    note_products(i, before);
    HW_CHECK(device_->at(driver.set_mark(first_mark_ + i + 1), node_of(i)));
    if (probe) HW_CHECK(look(*probe, i));
  }
  HW_CHECK(prefetch_after(step));
  HW_CHECK(device_->at(driver.wait(), ""));
  shares_.assign(launches_.size(), 0.0);
  const double runs = cold_ && !probe ? 2 : 1;  // it stands for the very first run, too
  if (runs > 1) timings_.assign(timings_.size(), 0.0);
  cold_ = !ran_;
  for (size_t i = 0; i < launches_.size(); ++i) {
    shares_[i] = driver.seconds_between(first_mark_ + i, first_mark_ + i + 1);
    timings_[i] += runs * shares_[i];
  }
  const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  for (double& share : shares_) share = total > 0 ? share / total : 0;
  timed_ = ran_ && !probe;  // the first run also loads kernels
  untimed_ = 0;
  return ok();
}

Result<bool> GpuExecutable::record() {
  Driver& driver = *device_->driver;
  // What fails here has done nothing yet: the launches themselves report whether the device has failed.
  bool recorded = bool(driver.begin_recording());
  if (recorded) {
    try {
      for (size_t i = 0; i < launches_.size() && recorded; ++i)
        for (const Launch& launch : launches(i, false)) recorded = recorded && launch(driver);
    } catch (...) {
      (void)driver.end_recording();
      throw;
    }
    auto made = driver.end_recording();
    recorded = recorded && made;
    if (recorded) recording_ = std::move(*made);
  }
  cannot_record_ = !recorded;
  if (!recorded) HW_CHECK(device_->at(driver.wait(), ""));
  return recorded;
}

Status GpuExecutable::prefetch_after(const StepInputs& step) {
  StepInputs next = step;
  ++next.step;
  return host_batches_.prefetch(next);
}

Status GpuExecutable::replay(const StepInputs& step) {
  Driver& driver = *device_->driver;
  const size_t mark = mark_of(replays_);
  HW_CHECK(device_->at(driver.set_mark(mark), ""));
  HW_CHECK(device_->at(driver.replay(*recording_), ""));
  HW_CHECK(device_->at(driver.set_mark(mark + 1), ""));
  ++replays_;
  ++untimed_;
  if (host_batches_.bytes() > 0) wait_for_replays(1);
  return prefetch_after(step);
}

Status GpuExecutable::write_step(const StepInputs& step) {
  auto* data = static_cast<StepData*>(steps_) + replays_ % kAhead;
  *data = {step.seed, step.step, step.learning_rate, static_cast<double>(step.update_index()),
           step.starts_sums ? 1 : 0};
  return device_->at(device_->driver->upload(step_.data(), data, sizeof *data), "");
}

void GpuExecutable::wait_for_replays(size_t most) const {
  for (; replays_ - ended_ > most; ++ended_) {
    const double seconds = device_->driver->seconds_between(mark_of(ended_), mark_of(ended_) + 1);
    for (size_t i = 0; i < timings_.size(); ++i) timings_[i] += seconds * shares_[i];
  }
}

void GpuExecutable::note_products(size_t i, const ProductCounts& before) {
  const Driver& driver = *device_->driver;
  const ProductCounts after = driver.products();
  if (after.plain == before.plain) return;
  const bool some = after.plain - before.plain < after.all - before.all;
  infos_[i].implementation = (some ? driver.product_implementation() + " and " : "") + driver.implementation();
  if (fused_[i]) infos_[i + 1] = infos_[i];
}

Result<Tensor> GpuExecutable::fetch_for(ValueProbe& probe, ValueId v) const {
  const double begin = steady_seconds();
  HW_TRY(Tensor tensor, fetch(v));
  probe.add_seconds(steady_seconds() - begin);
  return tensor;
}

Status GpuExecutable::look(ValueProbe& probe, size_t instr) {
  const std::vector<ValueId>& out = program_->instrs[instr].out;
  if (std::none_of(out.begin(), out.end(), [&](ValueId v) { return probe.wants(v); })) return ok();
  HW_CHECK(device_->at(device_->driver->wait(), node_of(instr)));  // what the op takes is not the look's
  for (ValueId v : out) {
    if (!probe.wants(v)) continue;
    HW_TRY(const Tensor tensor, fetch_for(probe, v));
    probe.see_whole(v, tensor.data());
  }
  const LossCount& count = loss_counts_[instr];
  if (!count.counts || !probe.wants(out[0])) return ok();
  const double begin = steady_seconds();
  for (const Launch& launch : count.launches) HW_CHECK(device_->at(launch(*device_->driver), node_of(instr)));
  double losses[3];
  HW_CHECK(device_->at(device_->driver->download(losses, count.counts, sizeof losses), node_of(instr)));
  probe.add_seconds(steady_seconds() - begin);
  RoundingLosses seen;
  seen.rounded = std::llrint(losses[0]);
  seen.underflowed = std::llrint(losses[1]);
  seen.overflowed = std::llrint(losses[2]);
  *probe.losses(out[0], 0) += seen;
  return ok();
}

Status GpuExecutable::look_at_states(ValueProbe& probe) {
  for (const Param& param : program_->params) {
    if (!probe.wants(param.view)) continue;
    HW_TRY(const Tensor view, fetch_for(probe, param.view));
    HW_TRY(const Tensor master, fetch_for(probe, param.master));
    probe.see_whole(param.view, view.data(), master.dtype(), master.data());
  }
  return ok();
}

Result<Tensor> GpuExecutable::fetch(ValueId v) const {
  const Value& value = (*program_)[v];
  Tensor copy(value.dtype, value.dims);
  HW_CHECK(device_->usable());
  if (copy.bytes() > 0)
    HW_CHECK(device_->at(device_->driver->download(copy.data(), data_[v], copy.bytes()), where_of(*program_, v)));
  return copy;
}

Status GpuExecutable::check_readable(ValueId v) const {
  if (data_[v] && (ran_ || (*program_)[v].storage != Storage::temp)) return ok();
  return Error{codes::unsupported, where_of(*program_, v), "The value was not kept readable, or nothing has run yet.",
               ""};
}

Result<Tensor> GpuExecutable::read(ValueId v) const {
  HW_CHECK(check_readable(v));
  return fetch(v);
}

}  // namespace hw::gpu
