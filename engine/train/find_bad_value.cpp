#include "engine/train/find_bad_value.h"

#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/train/first_bad_value.h"
#include "engine/train/training_run.h"

namespace hw {

Result<BadValueFound> find_bad_value(const Graph& graph, Assets& assets, const BadValueSearch& search) {
  HW_TRY(const std::shared_ptr<Device> device, make_device(search.device));
  HW_TRY(const auto run,
         TrainingRun::make_looking(graph, device, assets, search.weights.get(), search.given, search.seed));
  for (const auto& [name, tensor] : search.states)
    if (run->states()->has(name)) HW_CHECK(run->states()->write(name, tensor));
  const auto watch = watch_for_bad_values();
  HW_CHECK(run->set_watch(watch));
  BadValueFound found;
  for (; found.steps < search.steps; ++found.steps) {
    const uint64_t step = search.first + found.steps;
    if (search.progress)
      search.progress(static_cast<double>(found.steps) / static_cast<double>(search.steps),
                      "step " + std::to_string(step + 1));
    const auto done = run->step(step, search.first + search.steps, search.cancel);
    if (done) continue;
    if (done.error().code == codes::cancelled) {
      found.stopped = true;
      return found;
    }
    const auto bad = watch->explain(*run, search.cancel);
    if (!bad) return done.error();
    found.bad = *bad;
    return found;
  }
  return found;
}

}  // namespace hw
