// A training run from its graph: the plan, states that are taken over or made, the loss scale.
#include <algorithm>
#include <set>

#include "engine/core/nearest_names.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/pass_plan.h"
#include "engine/plan/write_weights.h"
#include "engine/train/bad_sources.h"
#include "engine/train/initialise_update_counts.h"
#include "engine/train/training_run.h"

namespace hw {
namespace {

constexpr size_t kMostListed = 4;  // parameters in a note

/// The loss scale's state in the program of gradients; kNoValue: no loss scaling.
ValueId loss_scale_of(const TrainingPlan& plan) {
  const auto& values = plan.program->values;
  for (ValueId v = 0; v < values.size() && !plan.scaled.empty(); ++v)
    if (values[v].storage == Storage::state && values[v].name == plan.trainer + kLossScale) return v;
  return kNoValue;
}

}  // namespace

Result<std::unique_ptr<TrainingRun>> TrainingRun::make(const Graph& graph, std::shared_ptr<Device> device,
                                                       Assets& assets, TrainingProgress& progress,
                                                       const Weights* initial, const std::string& inspected,
                                                       bool update, std::vector<std::string>& notes,
                                                       std::shared_ptr<Communicator> ranks, GivenValues given) {
  HW_TRY(TrainingPlan plan, plan_training(graph, assets, update, true, ranks->size(), given, true));
  return make_of(std::move(plan), graph, std::move(device), progress, initial, inspected, update, notes,
                 std::move(ranks), std::move(given));
}

Result<std::unique_ptr<TrainingRun>> TrainingRun::make_looking(const Graph& graph, std::shared_ptr<Device> device,
                                                               Assets& assets, const Weights* weights,
                                                               GivenValues given, std::optional<uint64_t> seed) {
  TrainingPlan plan;
  if (has_trainer(graph)) {
    HW_TRY(plan, plan_training(graph, assets, false, true, 1, given, true));
  } else {
    HW_TRY(plan, plan_pass(graph, assets, given));
  }
  plan.settings.seed = seed.value_or(plan.settings.seed);
  TrainingProgress progress;
  std::vector<std::string> notes;
  return make_of(std::move(plan), graph, std::move(device), progress, weights, "", false, notes, one_rank(),
                 std::move(given));
}

Result<std::unique_ptr<TrainingRun>> TrainingRun::make_of(TrainingPlan plan, const Graph& graph,
                                                          std::shared_ptr<Device> device, TrainingProgress& progress,
                                                          const Weights* initial, const std::string& inspected,
                                                          bool update, std::vector<std::string>& notes,
                                                          std::shared_ptr<Communicator> ranks, GivenValues given) {
  std::unique_ptr<TrainingRun> run(new TrainingRun);
  run->plan_ = std::move(plan);
  run->plan_.allow_device_passes();  // what must be readable is kept: see compile()
  run->given_ = std::move(given);
  // A run that updates nothing looks at the part of its own rank.
  run->exchange_.emplace(std::move(ranks), !update, *run->plan_.program);
  run->device_ = std::move(device);
  run->graph_ = std::make_shared<const Graph>(graph);
  HW_CHECK(check_memory(run->plan_, *run->device_, progress.states.get()));
  const bool fresh = !progress.states;
  std::vector<std::string> made;
  std::vector<double> scale_before;
  if (const std::string scale = run->plan_.trainer + kLossScale; progress.states && progress.states->has(scale))
    scale_before = progress.states->read(scale).to_f64();
  if (scale_before.size() < loss_scale_state::kBadCounts) scale_before.clear();  // no loss scale's, from a file
  // One that is switched off, or was, has not counted the updates since.
  if (run->plan_.scaled.empty() || (progress.scaling && progress.scaling->first == TrainSettings::LossScaling::none))
    scale_before.clear();
  for (const auto& program : run->plan_.programs()) {
    HW_TRY(progress.states, run->device_->prepare_states(*program, progress.states, run->plan_.settings.seed, &made));
  }
  if (fresh && progress.step > 0)
    notes.push_back("The weights start anew: those of the device before cannot go on here.");
  run->states_ = progress.states;
  const std::set<std::string> made_set(made.begin(), made.end());
  Weights begun_with;
  for (const Param& param : run->plan_.program->params) {
    if (!made_set.contains((*run->plan_.program)[param.view].name)) continue;
    const auto loaded = initial ? initial->find(param.name) : Weights::const_iterator{};
    if (initial && loaded != initial->end()) {
      begun_with.insert(*loaded);
    } else if (!fresh) {
      notes.push_back(param.name + " starts anew: its shape or dtype changed.");
    }
  }
  for (const std::string& note : run->plan_.unreached)
    if (update && std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  HW_CHECK(write_weights(*run->plan_.program, *run->states_, begun_with));
  const auto all = states_of(run->plan_);
  for (const Param& param : run->plan_.program->params) {
    const std::string average = param.name + kAverage;
    if (!made_set.contains(average)) continue;
    const Tensor now = run->states_->read((*run->plan_.program)[param.master].name);
    HW_CHECK(run->states_->write(average, now.to(all.at(average)->dtype)));
  }
  const auto updates =
      scale_before.empty() ? progress.step : static_cast<uint64_t>(scale_before[loss_scale_state::kUpdates]);
  for (const Param& param : run->plan_.program->params) {
    if (!made_set.contains(param.name + kUpdates) || made_set.contains(param.name + kFirstMoment)) continue;
    const auto begun = progress.begun.find(param.name + kFirstMoment);
    const uint64_t before = begun == progress.begun.end() ? 0 : std::min(updates, begun->second);
    HW_CHECK(initialise_update_counts(*run->states_, param.name, updates - before, &notes));
  }
  std::vector<std::string> anew;  // parameters that stay
  const std::string first_moment(update_row(run->plan_.settings.optimiser.update).states[0]);
  for (const Param& param : run->plan_.program->params) {
    if (!made_set.contains(param.name + first_moment) || updates == 0) continue;
    progress.begun[param.name + first_moment] = updates;
    if (!made_set.contains((*run->plan_.program)[param.view].name)) anew.push_back(param.name);
  }
  if (!anew.empty()) notes.push_back("The optimiser begins anew for " + listed(anew, kMostListed) + ".");
  run->plan_.set_begun(progress.begun);
  HW_CHECK(run->begin_loss_scale(progress, scale_before, update));
  run->results_ = StepResults(loss_scale_of(run->plan_));
  run->inspected_ = InspectedNode(inspected, update);
  HW_CHECK(run->compile());
  for (const BadSource& source : bad_sources(*run->plan_.program, {})) notes.push_back(source.text);
  return run;
}

Status TrainingRun::begin_loss_scale(TrainingProgress& progress, const std::vector<double>& before, bool update) {
  const TrainSettings& s = plan_.settings;
  const std::pair setting{s.loss_scaling, s.loss_scale};
  const bool goes_on = !before.empty() && progress.scaling == setting;
  if (goes_on && !update) return ok();
  progress.scaling = setting;
  if (plan_.scaled.empty()) return ok();
  const std::string name = plan_.trainer + kLossScale;
  std::vector<double> state(states_->read(name).to_f64().size(), 0.0);
  state[loss_scale_state::kScale] = goes_on ? before[loss_scale_state::kScale] : s.loss_scale;
  state[loss_scale_state::kClean] = goes_on ? before[loss_scale_state::kClean] : 0;
  state[loss_scale_state::kUpdates] =
      before.empty() ? static_cast<double>(progress.step) : before[loss_scale_state::kUpdates];
  return states_->write(name, Tensor::from_f64(DType::f64, {static_cast<int64_t>(state.size())}, state));
}

}  // namespace hw
