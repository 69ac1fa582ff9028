// A program's runs: launched op by op, recorded and replayed, timed, and looked at by a probe.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/backend/gpu/gpu_executable.h"
#include "engine/backend/value_probe.h"
#include "engine/core/codes.h"
#include "engine/core/thread_clock.h"

namespace hw::gpu {

static Error cancelled() {
  return {codes::cancelled, "", "The run was cancelled.", ""};
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
  }
  if (!probe) share_in_regions();
  for (size_t i = 0; i < launches_.size(); ++i) timings_[i] += runs * shares_[i];
  const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  for (double& share : shares_) share = total > 0 ? share / total : 0;
  timed_ = ran_ && !probe;  // the first run also loads kernels
  untimed_ = 0;
  return ok();
}

void GpuExecutable::share_in_regions() {
  for (const Region& region : regions_) {
    const auto begin = shares_.begin() + static_cast<std::ptrdiff_t>(region.first);
    const auto end = begin + static_cast<std::ptrdiff_t>(region.count);
    const double each = std::accumulate(begin, end, 0.0) / static_cast<double>(region.count);
    std::fill(begin, end, each);
  }
}

Status GpuExecutable::launch_by_levels() {
  std::vector<std::vector<const Launch*>> levels(one_by_one_ ? 0 : levels_.count);
  for (size_t i = 0; i < launches_.size(); ++i) {
    size_t level = one_by_one_ ? levels.size() : levels_.first[i];
    if (one_by_one_) levels.resize(level + launches(i, false).size());
    for (const Launch& launch : launches(i, false)) levels[level++].push_back(&launch);
  }
  for (const auto& level : levels) {
    if (!level.empty()) device_->driver->begin_level();
    for (const Launch* launch : level) HW_CHECK((*launch)(*device_->driver));
  }
  return ok();
}

Result<bool> GpuExecutable::record() {
  Driver& driver = *device_->driver;
  // What fails here has done nothing yet: the launches themselves report whether the device has failed.
  const std::optional<DeviceWork> before = driver.work();
  bool recorded = bool(driver.begin_recording());
  if (recorded) {
    try {
      recorded = bool(launch_by_levels());
    } catch (...) {
      (void)driver.end_recording();
      throw;
    }
    auto made = driver.end_recording();
    recorded = recorded && made;
    if (recorded) {
      recording_ = std::move(*made);
      if (before) {
        work_ = *driver.work() - *before;
        work_->spared = spared_bytes();
      }
    }
  }
  cannot_record_ = !recorded;
  if (!recorded) HW_CHECK(device_->at(driver.wait(), ""));
  return recorded;
}

size_t GpuExecutable::spared_bytes() const {
  const Program& p = *program_;
  const auto bytes_of = [&](const std::vector<ValueId>& values) {
    size_t bytes = 0;
    for (size_t k = 0; k < values.size(); ++k)
      if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values[k]) ==
          values.begin() + static_cast<std::ptrdiff_t>(k))
        bytes += plan::value_bytes(p[values[k]]);
    return bytes;
  };
  size_t spared = 0;
  for (const Region& region : regions_) {
    for (size_t i = region.first; i <= region.last(); ++i)
      spared += bytes_of(p.instrs[i].in) + bytes_of(p.instrs[i].out);
    spared -= bytes_of(region.inputs) + bytes_of(region.outputs);
  }
  for (size_t i = 0; i < fused_.size(); ++i)
    if (fused_[i]) spared += 2 * bytes_of(p.instrs[i].out);
  return spared;
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

}  // namespace hw::gpu
