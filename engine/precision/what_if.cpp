#include "engine/precision/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace hw {
namespace {

double mean(std::span<const double> losses) {
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
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
  HW_TRY(const auto a, PrecisionTrial::make(base, o.device, assets, o.start, o.given));
  HW_TRY(const auto b, PrecisionTrial::make(changed, o.device, assets, o.start, o.given));
  report.base.bytes = a->bytes();
  report.changed.bytes = b->bytes();
  if (o.start.states.empty()) HW_CHECK(b->take_states(a->states()));

  struct Side {
    PrecisionTrial& trial;
    WhatIfSide& report;
    std::vector<double> losses, held_out;
    bool goes_on() const { return !trial.failed(); }
    double last_loss() const { return goes_on() ? trial.last_loss() : std::nan(""); }
  } sides[] = {{*a, report.base, {}, {}}, {*b, report.changed, {}, {}}};
  Side &of_base = sides[0], &of_changed = sides[1];
  PairedLoss paired;
  const uint64_t end = o.start.step + o.steps, window = end - held_out_window(o.steps);
  const uint64_t schedule = std::max(o.schedule_steps, end);
  for (uint64_t step = o.start.step; step < end && (of_base.goes_on() || of_changed.goes_on()); ++step) {
    // In turns, so that none is always the one with cold caches.
    Side* order[] = {&of_base, &of_changed};
    if (step % 2) std::swap(order[0], order[1]);
    for (Side* side : order) {
      if (!side->goes_on()) continue;
      HW_CHECK(side->trial.step(step, schedule, o.cancel));
      if (side->goes_on()) side->losses.push_back(side->trial.last_loss());
    }
    const bool both = of_base.goes_on() && of_changed.goes_on();
    if (both) report.time.add(a->last_ms(), b->last_ms());
    for (Side* side : {&of_base, &of_changed}) {
      if (step < window || !side->goes_on()) continue;
      HW_TRY(const HeldOutResult held, side->trial.held_out({report.held_out_seed, step - window, 1}, o.cancel));
      side->held_out.push_back(held.loss);
    }
    if (both && step >= window) paired.add(of_base.held_out.back(), of_changed.held_out.back());
    if (o.progress) o.progress({step - o.start.step + 1, o.steps, of_base.last_loss(), of_changed.last_loss()});
  }
  for (Side& side : sides) {
    side.report.loss = mean_of_last(side.losses);
    side.report.held_out_loss = mean(side.held_out);
    side.report.failed = side.trial.failed();
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  report.loss_rise = report.changed.failed ? kInf : report.base.failed ? -kInf : paired.rise();
  report.loss_noise = paired.noise();
  report.base.ms_per_step = report.time.base_ms();
  report.changed.ms_per_step = report.time.other_ms();
  report.output_error = kInf;
  if (report.base.failed || report.changed.failed) return report;
  HW_CHECK(b->take_states(a->states()));
  HW_TRY(const HeldOutResult exact, a->held_out({report.held_out_seed, 0, 4}, o.cancel));
  HW_TRY(const HeldOutResult rounded, b->held_out({report.held_out_seed, 0, 4}, o.cancel));
  report.output_error = output_error(rounded.outputs, exact.outputs);
  return report;
}

}  // namespace hw
