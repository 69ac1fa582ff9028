// Document: new, load, save, and the weights beside the graph.
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QtGlobal>
#include <future>

#include "app/document/document.h"
#include "app/document/text.h"
#include "engine/core/exceptions.h"
#include "engine/graph/foreign_names.h"
#include "engine/io/asset_refs.h"
#include "engine/io/checkpoint_file.h"
#include "engine/io/graph_file.h"
#include "engine/io/reach.h"
#include "engine/io/weights_file.h"

namespace hw::app {
namespace {

std::filesystem::path to_path(const QString& path) {
  return std::filesystem::path(path.toStdU16String());
}

QString weights_path(const QString& graphPath) {
  const QFileInfo graph(graphPath);
  return graph.path() + QLatin1Char('/') + graph.completeBaseName() + QStringLiteral(".safetensors");
}

struct FoundStates {
  std::shared_ptr<const Checkpoint> states;  // null: there are none of these weights
  std::optional<Error> problem;              // why what lies there is not taken
};

/// The optimiser's state beside weights that were read from `path`.
FoundStates states_beside(const std::filesystem::path& path) {
  const std::filesystem::path file = optimiser_file(path);
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return {};
  auto read = guarded([&] { return read_checkpoint(file); });
  if (!read) return {nullptr, read.error()};
  if (has_optimiser(path) && read->unsound.empty()) return {std::make_shared<const Checkpoint>(std::move(*read)), {}};
  return {nullptr, Error{codes::weights_mismatch, file.string(),
                         "the optimiser's state does not belong to the weights beside it.",
                         "The weights are used; training begins with a new optimiser."}};
}

/// What was promised, or null where nobody is left to keep it.
std::shared_ptr<const Checkpoint> taken(const std::shared_future<std::shared_ptr<const Checkpoint>>& states) {
  try {
    return states.get();
  } catch (const std::future_error&) {
    return nullptr;
  }
}

/// The weights, or those of the states where these have some, and the states beside them; without states none stay
/// there that would belong to other weights.
Status save_with_states(const Graph& flat, const std::shared_ptr<const std::map<std::string, Tensor>>& weights,
                        const std::shared_ptr<const Checkpoint>& states, const std::filesystem::path& path) {
  const WeightsFile file{with_foreign_names(flat, states && states->weights ? *states->weights : *weights),
                         {{"format", "halfwire"}, {kChecksum, ""}}};
  HW_CHECK(save_weights(file, path));
  if (!states) {
    std::error_code ignored;
    std::filesystem::remove(optimiser_file(path), ignored);
    return ok();
  }
  Checkpoint kept = *states;
  kept.of_weights = checksum_of(file);
  return save_checkpoint(kept, optimiser_file(path));
}

FileStamp stamp_of(const QString& path) {
  const QFileInfo file(path);
  return {file.lastModified(), file.size()};
}

}  // namespace

void Document::newDocument() {
  replace(Graph{}, {});
}

bool Document::load(const QUrl& file, bool asCopy) {
  const QString path = file.isLocalFile() ? file.toLocalFile() : file.toString();
  auto graph = read_graph(to_path(path));
  if (!graph) {
    refuse(graph.error());
    return false;
  }
  const QFileInfo info(path);
  if (asCopy) {
    replace(std::move(*graph), {}, info.completeBaseName());
    return true;
  }
  replace(std::move(*graph), info.absoluteFilePath());
  noteFile();
  readWeights(path_);
  return true;
}

void Document::restore(Graph graph, const QString& path, const QString& name, const FileStamp& stamp) {
  replace(std::move(graph), path, name);
  undo_.resetClean();
  if (path_.isEmpty()) return;
  fileStamp_ = stamp;
  readWeights(path_);
}

bool Document::changedOutside() const {
  if (path_.isEmpty()) return false;
  return !QFileInfo::exists(path_) || stamp_of(path_) != fileStamp_;
}

void Document::noteFile() {
  fileStamp_ = stamp_of(path_);
}

bool Document::save() {
  if (path_.isEmpty()) {
    refuse({codes::file_unwritable, "", "The graph has no file yet.", "Choose a name with Save As."});
    return false;
  }
  return saveTo(path_);
}

bool Document::saveAs(const QUrl& file) {
  QString path = QFileInfo(file.isLocalFile() ? file.toLocalFile() : file.toString()).absoluteFilePath();
  if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".halfwire");
  if (!saveTo(path)) return false;
  path_ = path;
  noteFile();
  Q_EMIT fileChanged();
  return true;
}

bool Document::saveTo(const QString& path) {
  const Status saved = save_graph(graph_, to_path(path));
  if (!saved) {
    refuse(saved.error());
    return false;
  }
  if (weights_ && (weightsModified_ || path != path_)) writeWeights(path);
  if (!weights_ && path != path_) setWeightsAside(path);
  endMerge();
  undo_.setClean();
  setWeightsModified(false);
  if (path == path_) noteFile();
  return true;
}

void Document::replace(Graph graph, const QString& path, const QString& name) {
  ++generation_;
  endMerge();
  graph_ = std::move(graph);
  flat_.reset(graph_);
  validator_.reset(flat_.graph());
  shown_.open(graph_, {});
  weights_.reset();
  states_.reset();
  reading_ = false;
  dropUnfitted();
  selectedNodes_.clear();
  selectedLinks_.clear();
  selectedFrames_.clear();
  activeNode_.clear();
  path_ = path;
  name_ = name;
  allowed_.clear();
  undo_.clear();
  setWeightsModified(false);
  Q_EMIT shownAboutToChange();
  Q_EMIT shownChanged();
  Q_EMIT reset();
  Q_EMIT policyChanged();
  Q_EMIT selectionChanged();
  Q_EMIT fileChanged();
  Q_EMIT modifiedChanged();
  Q_EMIT historyChanged();
  Q_EMIT emptyChanged();
}

void Document::allow(const QString& file) {
  if (allowed_.contains(file)) return;
  allowed_.append(file);
  const auto refused = [](const Diagnostic& d) { return d.code == codes::asset_refused; };
  if (std::erase_if(weightProblems_, refused) > 0) {
    Q_EMIT weightProblemsChanged();
    readWeights(path_);
  }
  Q_EMIT allowedChanged();
}

Remedy Document::allowRemedy() {
  return {tr("Allow Reading It").toStdString(), {}};
}

void Document::allowChosen(const NodeType& type, const ParamDecl& param, const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (param.type != ParamDecl::Type::path || !text || type.decl.outputs().empty()) return;
  const Kind kind = type.decl.outputs().front().kind;
  const QString path = to_q(*text);
  if (path.isEmpty() || path.startsWith(QLatin1String("asset:"))) return;
  const QString folder = path_.isEmpty() ? QStringLiteral(".") : QFileInfo(path_).absolutePath();
  const QFileInfo file(QDir(folder), path);
  allow(kind == Kind::dataset && file.isFile() ? file.absolutePath() : file.absoluteFilePath());
}

Status Document::checkReach(const QString& file) const {
  Reach reach(to_path(QFileInfo(path_).absolutePath()));
  for (const QString& more : allowed_) reach.allow(to_path(more));
  return reach.check(to_path(file), file.toStdString());
}

void Document::readWeights(const QString& graphPath) {
  const QString path = weights_path(graphPath);
  if (!QFileInfo::exists(path)) return;
  Status allowed = checkReach(path);
  const QString optimiser = QString::fromStdU16String(optimiser_file(to_path(path)).u16string());
  if (allowed && QFileInfo::exists(optimiser)) allowed = checkReach(optimiser);
  if (!allowed) {
    weightProblems_ = {weights_problem(allowed.error())};
    weightProblems_.front().remedies.push_back(allowRemedy());
    Q_EMIT weightProblemsChanged();
    return;
  }
  reading_ = true;
  fileWork_.start([self = QPointer<Document>(this), path, generation = generation_] {
    auto file = std::make_shared<Result<WeightsFile>>(guarded([&]() -> Result<WeightsFile> {
      HW_TRY(WeightsFile read, read_weights(to_path(path)));
      HW_CHECK(copy_mapped(read.tensors, to_path(path)));
      return read;
    }));
    auto states = *file ? states_beside(to_path(path)) : FoundStates{};
    // The destructor waits for this thread, so the document is there to receive the call.
    QMetaObject::invokeMethod(
        self.data(),
        [self, file, states = std::move(states), generation] {
          if (!self || self->generation_ != generation) return;
          self->reading_ = false;
          self->states_ = states.states;
          if (states.problem) self->refuse(*states.problem);
          if (!*file) {
            Q_EMIT self->weightsSettled();
            return self->refuse(file->error());
          }
          self->takeWeights(std::make_shared<const std::map<std::string, Tensor>>(std::move((**file).tensors)));
          if (!self->weightProblems_.empty()) self->refuse(as_error(self->weightProblems_));
        },
        Qt::QueuedConnection);
  });
}

void Document::takePartialWeights() {
  if (unfitted_) takeWeights(std::exchange(unfitted_, nullptr), WeightsTaken::what_fits);
}

void Document::loadWeights(const std::map<std::string, Tensor>& tensors, std::map<std::string, std::string> names,
                           WeightsTaken taken, OtherDtypes others) {
  Graph named = flat_.graph();
  named.weight_names = names;
  auto work = std::make_shared<FittedWeights>(fit_weights(named, validator_, tensors, taken, others));
  if (!work->problems.empty()) return refuse(as_error(work->problems));
  explain(tr("Load Weights"), work->notes);
  fileWork_.start([self = QPointer<Document>(this), work, names = std::move(names), generation = generation_] {
    using Tensors = std::map<std::string, Tensor>;
    auto own = std::make_shared<Result<Tensors>>(guarded([&]() -> Result<Tensors> {
      Tensors all = converted(std::move(*work));
      HW_CHECK(copy_mapped(all, {}));
      return all;
    }));
    QMetaObject::invokeMethod(
        self.data(),
        [self, own, names, generation] {
          if (!self || self->generation_ != generation) return;
          if (!*own) return self->refuse(own->error());
          self->pushRewritten(tr("Load Weights"), {SetWeightNames{names}},
                              std::make_shared<const Tensors>(std::move(**own)));
        },
        Qt::QueuedConnection);
  });
}

void Document::takeWeights(std::shared_ptr<const std::map<std::string, Tensor>> loaded, WeightsTaken taken) {
  ++fitting_;
  FittedWeights fitted = fit_weights(flat_.graph(), validator_, *loaded, taken);
  weightProblems_ = std::move(fitted.problems);
  for (Diagnostic& d : weightProblems_)
    if (d.code == codes::weights_mismatch)
      for (const QString& remedy : {tr("Map Weights…"), tr("Take the Weights That Fit")})
        d.remedies.push_back({remedy.toStdString(), {}, Remedy::Kind::other, DType::f32});
  if (taken == WeightsTaken::what_fits) explain(tr("Take the Weights That Fit"), fitted.notes);
  unfitted_ = std::move(loaded);
  if (weightProblems_.empty() && fitted.conversions.empty()) {
    tookWeights(std::move(fitted.tensors));
  } else if (weightProblems_.empty()) {
    auto work = std::make_shared<FittedWeights>(std::move(fitted));
    fileWork_.start([self = QPointer<Document>(this), work, fitting = fitting_] {
      using Tensors = std::map<std::string, Tensor>;
      auto tensors =
          std::make_shared<Result<Tensors>>(guarded([&]() -> Result<Tensors> { return converted(std::move(*work)); }));
      QMetaObject::invokeMethod(
          self.data(),
          [self, tensors, fitting] {
            if (!self || self->fitting_ != fitting) return;
            if (*tensors) {
              self->tookWeights(std::move(**tensors));
            } else {
              self->refuse(tensors->error());
            }
            Q_EMIT self->weightsSettled();
          },
          Qt::QueuedConnection);
    });
  }
  Q_EMIT weightProblemsChanged();
  if (!weightsPending()) Q_EMIT weightsSettled();
}

void Document::tookWeights(std::map<std::string, Tensor> tensors) {
  unfitted_.reset();
  weights_ = std::make_shared<const std::map<std::string, Tensor>>(std::move(tensors));
  Q_EMIT weightsLoaded();
}

void Document::dropUnfitted() {
  ++fitting_;
  if (!unfitted_ && weightProblems_.empty()) return;
  unfitted_.reset();
  weightProblems_.clear();
  Q_EMIT weightProblemsChanged();
}

void Document::writeWeights(const QString& graphPath) {
  const QString path = weights_path(graphPath);
  // Weights and the optimiser's state are of one step: what is trained meanwhile belongs to the next save.
  auto answer = std::make_shared<std::promise<std::shared_ptr<const Checkpoint>>>();
  std::shared_future<std::shared_ptr<const Checkpoint>> states = answer->get_future().share();
  if (keepsOptimiser_ && statesSource_)
    statesSource_([answer](std::shared_ptr<const Checkpoint> c) { answer->set_value(std::move(c)); });
  else
    answer->set_value(nullptr);
  answer.reset();
  fileWork_.start([self = QPointer<Document>(this), path, flat = flat_.graph(), weights = weights_, states,
                   generation = generation_] {
    const Status saved = guarded([&] { return save_with_states(flat, weights, taken(states), to_path(path)); });
    self->weightsLost_ = !saved;
    if (saved) return;
    QMetaObject::invokeMethod(
        self.data(),
        [self, error = saved.error(), generation] {
          if (!self) return;
          if (self->generation_ == generation) self->setWeightsModified(true);
          self->refuse(error);
        },
        Qt::QueuedConnection);
  });
}

bool Document::weightsWritten() {
  fileWork_.waitForDone();
  return !weightsLost_;
}

void Document::setWeightsAside(const QString& graphPath) {
  const QString path = weights_path(graphPath);
  if (!QFileInfo::exists(path)) return;
  std::error_code ignored;
  std::filesystem::rename(
      to_path(path),
      to_path(path.chopped(QStringLiteral("safetensors").size()) + QStringLiteral("previous.safetensors")), ignored);
}

void Document::setWeights(std::shared_ptr<const std::map<std::string, Tensor>> weights) {
  if (weights == weights_) return;
  dropUnfitted();
  weights_ = std::move(weights);
  states_.reset();
  setWeightsModified(weights_ && !weights_->empty());
}

void Document::replaceLearnt(const Learnt& learnt) {
  dropUnfitted();
  weights_ = learnt.weights;
  states_ = learnt.states;
  setWeightsModified(weights_ && !weights_->empty());
  Q_EMIT weightsReplaced();
}

void Document::moveWeights(const MovedNodes& moved) {
  for (auto* weights : {&weights_, &unfitted_}) {
    if (!*weights) continue;
    auto now = **weights;
    move_keys(now, moved);
    *weights = std::make_shared<const std::map<std::string, Tensor>>(std::move(now));
  }
  if (states_) {
    auto now = std::make_shared<Checkpoint>(*states_);
    move_nodes(*now, moved);
    states_ = std::move(now);
  }
  setWeightsModified(weights_ && !weights_->empty());
}

QString Document::savedWeights() const {
  const bool saved = weights_ && !weights_->empty() && !weightsModified_ && !path_.isEmpty();
  return saved ? weights_path(path_) : QString();
}

void Document::setKeepsOptimiser(bool on) {
  if (on == keepsOptimiser_) return;
  keepsOptimiser_ = on;
  Q_EMIT keepsOptimiserChanged();
}

void Document::setWeightsModified(bool modified) {
  if (modified == weightsModified_) return;
  weightsModified_ = modified;
  Q_EMIT modifiedChanged();
}

void Document::refuse(const Error& error) {
  Q_EMIT refused(to_q(error.code), reason_text(error), to_q(error.remedy));
}

}  // namespace hw::app
