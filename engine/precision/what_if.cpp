#include "engine/precision/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hw {
namespace {

constexpr size_t kAveraged = 20;

double mean_of_last(const std::vector<double>& losses) {
  const size_t n = std::min(kAveraged, losses.size());
  if (n == 0) return std::nan("");
  return std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(n), losses.end(), 0.0) / static_cast<double>(n);
}

}  // namespace

uint64_t held_out_window(uint64_t steps) {
  return std::min(steps, std::clamp<uint64_t>(steps / 8, 16, 128));
}

Result<WhatIfReport> what_if(const Graph& base, const Graph& changed, Assets& assets, const WhatIfOptions& o) {
  HW_TRY(const std::string trainer, find_trainer(base));
  WhatIfReport report;
  report.steps = o.steps;
  report.seed = train_settings(*base.find(trainer)).seed;
  report.held_out_seed = o.held_out_seed.value_or(report.seed + 1);
  HW_TRY(const auto a, PrecisionTrial::make(base, o.device, assets, o.states));
  HW_TRY(const auto b, PrecisionTrial::make(changed, o.device, assets, o.states));
  report.base.bytes = a->bytes();
  report.changed.bytes = b->bytes();
  if (o.states.empty()) HW_CHECK(b->take_states(a->states()));

  PairedLoss held_out;
  std::vector<double> base_losses, changed_losses;
  const uint64_t end = o.first_step + o.steps, window = end - held_out_window(o.steps);
  const uint64_t schedule = std::max(o.schedule_steps, end);
  for (uint64_t step = o.first_step; step < end; ++step) {
    // In turns, so that none is always the one with cold caches.
    PrecisionTrial* order[] = {a.get(), b.get()};
    if (step % 2) std::swap(order[0], order[1]);
    for (PrecisionTrial* trial : order) {
      if (!trial->failed()) HW_CHECK(trial->step(step, schedule, o.cancel));
    }
    if (a->failed()) return *a->failed();
    base_losses.push_back(a->last_loss());
    if (!b->failed()) {
      changed_losses.push_back(b->last_loss());
      report.time.add(a->last_ms(), b->last_ms());
    }
    if (step >= window) {
      const HeldOut batch{report.held_out_seed, step - window, 1};
      HW_TRY(const HeldOutResult of_base, a->held_out(batch, o.cancel));
      HW_TRY(const HeldOutResult of_changed, b->held_out(batch, o.cancel));
      held_out.add(of_base.loss, of_changed.loss);
    }
    if (o.progress) o.progress({step - o.first_step + 1, o.steps, a->last_loss(), b->last_loss()});
  }
  report.base.loss = mean_of_last(base_losses);
  report.changed.loss = mean_of_last(changed_losses);
  report.base.held_out_loss = held_out.base();
  report.changed.held_out_loss = held_out.other();
  report.changed.failed = b->failed();
  report.loss_rise = b->failed() ? std::numeric_limits<double>::infinity() : held_out.rise();
  report.loss_noise = held_out.noise();
  report.base.ms_per_step = report.time.base_ms();
  report.changed.ms_per_step = report.time.other_ms();
  HW_CHECK(b->take_states(a->states()));
  HW_TRY(const HeldOutResult exact, a->held_out({report.held_out_seed, 0, 4}, o.cancel));
  HW_TRY(const HeldOutResult rounded, b->held_out({report.held_out_seed, 0, 4}, o.cancel));
  report.output_error = output_error(rounded.outputs, exact.outputs);
  return report;
}

}  // namespace hw
