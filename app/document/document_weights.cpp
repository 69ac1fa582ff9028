#include "app/document/document_weights.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "app/document/allow_remedy.h"
#include "app/document/task.h"
#include "app/document/text.h"
#include "app/workspace/set_aside.h"
#include "app/workspace/weights_beside.h"
#include "engine/core/exceptions.h"
#include "engine/graph/weights/convert_weights.h"
#include "engine/io/asset/asset_refs.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::app {
namespace {

bool is_out_of_reach(const Diagnostic& problem) {
  return problem.code == codes::asset_refused;
}

std::filesystem::path file_beside(const QString& graphPath) {
  return workspace::weights_file(to_path(graphPath));
}

}  // namespace

DocumentWeights::DocumentWeights(const Graph& graph, const Validator& validator)
    : graph_(graph), validator_(validator) {
  work_.setMaxThreadCount(1);
}

DocumentWeights::~DocumentWeights() {
  work_.waitForDone();
}

/// `then` gets the Result of `work` on the GUI thread, where by then `count`, a member, is still what it is now.
template <class Work, class Then>
void DocumentWeights::start(const int* count, Work work, Then then) {
  start_work(work_, this, std::move(work), [count, before = *count, then = std::move(then)](auto result) {
    if (*count == before) then(std::move(result));
  });
}

void DocumentWeights::set(std::shared_ptr<const Weights> tensors) {
  if (tensors == learnt_.weights) return;
  dropUnfitted();
  learnt_ = {std::move(tensors), nullptr};
  if (!learnt_.weights) setTrained(false);
  setModified(differs());
  Q_EMIT learntChanged();
}

void DocumentWeights::replace(const Learnt& learnt) {
  dropUnfitted();
  learnt_ = learnt;
  setTrained(false);
  setModified(differs());
  Q_EMIT replaced();
  Q_EMIT learntChanged();
}

void DocumentWeights::move(const MovedNodes& moved) {
  for (auto* weights : {&learnt_.weights, &unfitted_}) {
    if (!*weights) continue;
    auto now = **weights;
    move_keys(now, moved);
    *weights = std::make_shared<const Weights>(std::move(now));
  }
  if (learnt_.states) {
    auto now = std::make_shared<Checkpoint>(*learnt_.states);
    move_nodes(*now, moved);
    learnt_.states = std::move(now);
  }
  if (load_) move_keys(load_->names, moved);
  setModified(differs());
  Q_EMIT learntChanged();
}

void DocumentWeights::load(const Weights& tensors, std::map<std::string, std::string> names, WeightsTaken taken,
                           OtherDtypes others) {
  load_.reset();
  ++loads_;
  Graph named = graph_;
  named.weight_names = names;
  auto fitted = std::make_shared<FittedWeights>(fit_weights(named, validator_, tensors, taken, others));
  if (!fitted->problems.empty()) return Q_EMIT refused(as_error(fitted->problems));
  load_ = {tensors, std::move(names), taken, others};
  start(
      &loads_,
      [fitted]() -> Result<Weights> {
        Weights own = converted(std::move(*fitted));
        HW_CHECK(copy_mapped(own, {}));
        return own;
      },
      [this, notes = fitted->notes](Result<Weights> own) {
        const Load asked = *std::exchange(load_, std::nullopt);
        if (!own) return Q_EMIT refused(own.error());
        if (asked.stale) return load(asked.tensors, asked.names, asked.taken, asked.others);
        Q_EMIT explained(tr("Load Weights"), notes);
        Q_EMIT loadReady(asked.names, std::make_shared<const Weights>(*std::move(own)));
      });
}

void DocumentWeights::clear() {
  ++generation_;
  ++loads_;
  load_.reset();
  graphPath_.clear();
  source_.clear();
  learnt_ = {};
  saved_.reset();
  setTrained(false);
  reading_ = false;
  savedInRun_ = false;
  dropUnfitted();
  setModified(false);
}

void DocumentWeights::open(const QString& graphPath, const Reach& reach) {
  graphPath_ = graphPath;
  const std::filesystem::path file = file_beside(graphPath);
  std::error_code ec;
  if (std::filesystem::exists(file, ec)) readWithin(reach, file);
}

void DocumentWeights::readWithin(const Reach& reach, const std::filesystem::path& file) {
  source_ = file;
  if (const Status may = workspace::may_read_weights(reach, file); !may) {
    problems_ = {weights_problem(may.error())};
    problems_.front().remedies.push_back(allow_remedy());
    return Q_EMIT problemsChanged();
  }
  read(file, file != file_beside(graphPath_));
}

void DocumentWeights::recover(const QString& graphPath, const QString& file) {
  graphPath_ = graphPath;
  read(to_path(file), true);
  Q_EMIT modifiedChanged();
}

void DocumentWeights::read(const std::filesystem::path& file, bool unsaved) {
  reading_ = true;
  readUnsaved_ = unsaved;
  source_ = file;
  start(
      &generation_, [file] { return guarded_at(file.string(), [&] { return workspace::read_weights_beside(file); }); },
      [this](Result<workspace::WeightsBeside> read) {
        reading_ = false;
        learnt_.states = read ? read->states : nullptr;
        if (!read) {
          Q_EMIT settled();
          return Q_EMIT refused(read.error());
        }
        if (read->problem) Q_EMIT refused(*read->problem);
        take(std::make_shared<const Weights>(std::move(read->tensors)), WeightsTaken::all_or_nothing);
        if (!problems_.empty()) Q_EMIT refused(as_error(problems_));
      });
}

void DocumentWeights::extendReach(const Reach& reach) {
  if (std::erase_if(problems_, is_out_of_reach) == 0) return;
  Q_EMIT problemsChanged();
  readWithin(reach, source_);
}

void DocumentWeights::save(const QString& graphPath) {
  const bool elsewhere = graphPath != graphPath_;
  graphPath_ = graphPath;
  const std::filesystem::path file = file_beside(graphPath);
  const bool none = !learnt_.weights && !trained_ && !training_;
  if (none && (elsewhere || readUnsaved_) && (reading_ || unfitted_)) {
    readUnsaved_ = false;
    writeFiles([this, from = source_, file]() -> Result<LearntWeights::Written> {
      HW_CHECK(setAside(file));
      HW_CHECK(workspace::copy_weights_beside(from, file));
      return LearntWeights::Written{};
    });
    Q_EMIT modifiedChanged();
  } else if (none && (elsewhere || saved_) && busy()) {
    writeFiles([this, file]() -> Result<LearntWeights::Written> {
      HW_CHECK(setAside(file));
      return LearntWeights::Written{};
    });
  } else if (none && (elsewhere || saved_)) {
    if (const Status aside = setAside(file); !aside) Q_EMIT refused(aside.error());
  }
  if (training_ || (!none && (modified_ || elsewhere))) write(elsewhere);
  if (none && elsewhere && std::ranges::any_of(problems_, is_out_of_reach))
    // After what is said of files that were set aside: it is the last that is seen.
    post(this, [this, lost = source_] {
      Q_EMIT explained(tr("Saved without weights"),
                       {tr("%1 was not allowed to be read, so the copy has no weights. To give it these, allow reading "
                           "them under Problems and save again.")
                            .arg(from_path(lost))
                            .toStdString()});
    });
  // A run's save has what is not published yet: whatever the document holds next is another.
  saved_ = training_ ? std::make_shared<const Weights>() : learnt_.weights;
  savedInRun_ = training_;
  setModified(false);
}

void DocumentWeights::setTraining(bool on) {
  training_ = on;
  if (!on && std::exchange(savedInRun_, false)) Q_EMIT modifiedChanged();
  Q_EMIT learntChanged();
}

LearntWeights DocumentWeights::now() const {
  // Weights and the optimiser's state are of one step: what is trained meanwhile belongs to the next save.
  auto answer = std::make_shared<std::promise<std::shared_ptr<const Checkpoint>>>();
  LearntWeights now{graph_, learnt_.weights, answer->get_future().share(), keepsOptimiser_};
  if (statesSource_)
    statesSource_([answer](std::shared_ptr<const Checkpoint> c) { answer->set_value(std::move(c)); });
  else
    answer->set_value(nullptr);
  return now;
}

void DocumentWeights::write(bool elsewhere) {
  writeFiles([this, elsewhere, file = file_beside(graphPath_), now = now()]() -> Result<LearntWeights::Written> {
    if (elsewhere) HW_CHECK(setAside(file));
    return now.write(file);
  });
}

Status DocumentWeights::setAside(const std::filesystem::path& file) {
  HW_TRY(workspace::KeptAside kept, workspace::set_aside_with_optimiser(file));
  if (kept.weights.empty() && kept.optimiser.empty()) return ok();
  // The destructor waits for the thread that this is called on.
  post(this, [this, file, kept = std::move(kept)] {
    const QString text = kept.weights.empty()
                             ? tr("The state of an optimiser lay where that of %1 would. It is kept as %2.")
                             : tr("%1 held other weights. They are kept as %2.");
    Q_EMIT explained(tr("Weights set aside"),
                     {text.arg(from_path(file.filename()), to_q(kept.weights.empty() ? kept.optimiser : kept.weights))
                          .toStdString()});
  });
  return ok();
}

void DocumentWeights::writeFiles(std::function<Result<LearntWeights::Written>()> work) {
  ++writing_;
  start_work(
      work_, this,
      [this, file = file_beside(graphPath_), work = std::move(work)] {
        auto saved = guarded([&] { return guarded_at(file.string(), work); });
        lost_ = !saved;
        return saved;
      },
      [this, generation = generation_, training = training_](const Result<LearntWeights::Written>& saved) {
        if (!saved && generation_ == generation) {
          saved_.reset();
          setModified(true);
        }
        if (saved && saved->written && training && generation_ == generation) Q_EMIT savedInRun(saved->step);
        if (!saved) Q_EMIT refused(saved.error());
        --writing_;
        Q_EMIT learntChanged();
      });
}

bool DocumentWeights::written() {
  work_.waitForDone();
  return !lost_.exchange(false);
}

QString DocumentWeights::savedFile() const {
  const bool saved = learnt_.weights && !learnt_.weights->empty() && !modified_ && !graphPath_.isEmpty();
  return saved ? from_path(file_beside(graphPath_)) : QString();
}

void DocumentWeights::fitAgain() {
  if (load_) load_->stale = true;
  if (unfitted_) take(unfitted_, WeightsTaken::all_or_nothing);
}

void DocumentWeights::takePartial() {
  if (unfitted_) take(std::exchange(unfitted_, nullptr), WeightsTaken::what_fits);
}

void DocumentWeights::take(std::shared_ptr<const Weights> read, WeightsTaken taken) {
  ++fitting_;
  FittedWeights fitted = fit_weights(graph_, validator_, *read, taken);
  problems_ = std::move(fitted.problems);
  for (Diagnostic& d : problems_)
    if (d.code == codes::weights_mismatch)
      for (const QString& remedy : {tr("Map Weights…"), tr("Take the Weights That Fit")})
        d.remedies.push_back({remedy.toStdString(), {}, Remedy::Kind::other, DType::f32});
  if (taken == WeightsTaken::what_fits) Q_EMIT explained(tr("Take the Weights That Fit"), fitted.notes);
  unfitted_ = std::move(read);
  if (problems_.empty() && fitted.conversions.empty()) {
    took(std::move(fitted.tensors));
  } else if (problems_.empty()) {
    start(
        &fitting_,
        [work = std::make_shared<FittedWeights>(std::move(fitted))]() -> Result<Weights> {
          return converted(std::move(*work));
        },
        [this](Result<Weights> tensors) {
          if (tensors)
            took(*std::move(tensors));
          else
            Q_EMIT refused(tensors.error());
          Q_EMIT settled();
        });
  }
  Q_EMIT problemsChanged();
  if (!pending()) Q_EMIT settled();
}

void DocumentWeights::took(Weights tensors) {
  unfitted_.reset();
  learnt_.weights = std::make_shared<const Weights>(std::move(tensors));
  saved_ = readUnsaved_ ? nullptr : learnt_.weights;
  setTrained(false);
  setModified(readUnsaved_);
  Q_EMIT loaded();
  Q_EMIT learntChanged();
}

void DocumentWeights::dropUnfitted() {
  ++fitting_;
  if (!unfitted_ && problems_.empty()) return;
  unfitted_.reset();
  problems_.clear();
  Q_EMIT problemsChanged();
}

void DocumentWeights::setKeepsOptimiser(bool on) {
  if (on == keepsOptimiser_) return;
  keepsOptimiser_ = on;
  Q_EMIT keepsOptimiserChanged();
}

void DocumentWeights::noteTrained() {
  setTrained(true);
  setModified(true);
}

void DocumentWeights::setTrained(bool on) {
  if (on == trained_) return;
  trained_ = on;
  Q_EMIT trainedChanged();
}

bool DocumentWeights::differs() const {
  return learnt_.weights && !learnt_.weights->empty() ? learnt_.weights != saved_ : saved_ != nullptr;
}

void DocumentWeights::setModified(bool modified) {
  if (modified == modified_) return;
  modified_ = modified;
  Q_EMIT modifiedChanged();
}

}  // namespace hw::app
