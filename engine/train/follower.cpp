#include "engine/train/follower.h"

#include "engine/core/exceptions.h"
#include "engine/train/training_run.h"

namespace hw {
namespace {

/// A run with the states that rank 0 has.
Result<std::unique_ptr<TrainingRun>> prepare(const std::shared_ptr<Communicator>& ranks, const RankStart& start,
                                             std::shared_ptr<Device> device, Assets& assets) {
  TrainingProgress progress;
  std::vector<std::string> notes;
  HW_TRY(auto run,
         TrainingRun::make(start.graph, std::move(device), assets, progress, nullptr, "", true, notes, ranks));
  Checkpoint states;
  states.states = start.states;
  states.begun = start.begun;
  states.seed = run->plan().settings.seed;
  HW_CHECK(run->restore(states));
  return run;
}

}  // namespace

Status follow(const std::shared_ptr<Communicator>& ranks, Assets& assets,
              const std::function<Result<std::shared_ptr<Device>>(const std::string& id)>& devices) {
  Result<std::unique_ptr<TrainingRun>> run = Error{};
  while (true) {
    HW_TRY(const std::optional<RankOrder> order, ranks->broadcast({}));
    if (!order) return ok();
    if (order->start) {
      run = Error{};  // its memory first
      run = guarded([&]() -> Result<std::unique_ptr<TrainingRun>> {
        HW_TRY(auto device, devices(order->start->device));
        return prepare(ranks, *order->start, std::move(device), assets);
      });
    }
    if (!run) {
      HW_TRY(const auto reports, ranks->all_gather({{}, {}, run.error()}));
      continue;
    }
    (*run)->set_settings(order->settings);
    // Rank 0 knows of the failure, or gets it with the next step.
    const auto done = guarded([&] { return (*run)->step(order->step, order->steps, nullptr); });
    if (!done) run = done.error();
  }
}

}  // namespace hw
