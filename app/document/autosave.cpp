#include "app/document/autosave.h"

#include <algorithm>
#include <utility>

namespace hw::app {
namespace {

constexpr int kRestPerWrite = 4;

}  // namespace

Autosave::Autosave(Document& document, Recovery& recovery, QObject* parent)
    : QObject(parent), document_(document), recovery_(recovery) {
  soon_.setSingleShot(true);
  soon_.setInterval(kKeepMs);
  connect(&soon_, &QTimer::timeout, this, &Autosave::keep);
  connect(&document, &Document::historyChanged, this, &Autosave::edited);
  connect(&document, &Document::validationChanged, this, &Autosave::edited);  // one that merged into the edit before
  for (const auto change : {&Document::modifiedChanged, &Document::fileChanged})
    connect(&document, change, this, &Autosave::look);
  connect(document.weights(), &DocumentWeights::learntChanged, this, &Autosave::look);
  connect(&recovery, &Recovery::kept, this, &Autosave::kept);
  // What was to be saved on closing is not: it is kept on.
  connect(document.weights(), &DocumentWeights::refused, this, [this] {
    if (document_.weights()->writing()) edited();
  });
}

Autosave::~Autosave() {
  if (forgotten_) {  // until they are in the file, what is kept stays
    document_.weights()->written() ? drop() : keep();
  } else if (soon_.isActive()) {
    keep();
  }
}

void Autosave::restore(UnsavedGraph unsaved) {
  // For a moment without changes.
  document_.restore(std::move(unsaved.graph), unsaved.path, unsaved.title, unsaved.file, unsaved.weights);
  soon_.stop();  // it is kept as it is
  name_ = unsaved.kept;
}

void Autosave::edited() {
  forgotten_ = false;
  look();
}

void Autosave::look() {
  const bool unsaved = !forgotten_ && (document_.edited() || document_.weights()->unsaved());
  if (unsaved) {
    if (keeping_)
      again_ = true;
    else if (!soon_.isActive())
      soon_.start();
  } else if (!document_.weights()->writing()) {  // until they are in the file, what is kept stays
    drop();
  }
}

void Autosave::forget() {
  forgotten_ = true;
  soon_.stop();
  look();
}

void Autosave::drop() {
  soon_.stop();
  if (!name_.isEmpty()) recovery_.drop(name_);
  name_.clear();
  keeping_ = again_ = false;  // what is under way is of a name that is gone
  keptWeights_.reset();
  keptStates_.reset();
}

void Autosave::keep() {
  if (name_.isEmpty()) name_ = recovery_.freshName();
  const DocumentWeights& learnt = *document_.weights();
  WeightsToKeep weights;
  // What is still being read, or does not fit the graph yet, is what is kept already.
  weights.any = learnt.unsaved() || learnt.writing() || learnt.pending() || learnt.unfitted();
  const bool same = learnt.tensors() == keptWeights_ && learnt.states() == keptStates_;
  if (learnt.training() || (weights.any && learnt.tensors() && !same)) {
    weights.newer = learnt.now();
    keptWeights_ = learnt.tensors();
    keptStates_ = learnt.states();
  }
  keeping_ = true;
  UnsavedGraph unsaved;
  unsaved.graph = document_.graph();
  unsaved.path = document_.path();
  unsaved.file = document_.file().stamp();
  unsaved.title = document_.title();
  unsaved.when = QDateTime::currentDateTime();
  unsaved.kept = name_;
  recovery_.keep(std::move(unsaved), std::move(weights));
}

void Autosave::kept(const QString& name, int ms, bool whole) {
  if (name != name_) return;
  keeping_ = false;
  if (!whole) {  // the next keep() writes them anew
    keptWeights_.reset();
    keptStates_.reset();
  }
  soon_.setInterval(std::max(kKeepMs, kRestPerWrite * ms));
  if (std::exchange(again_, false) || document_.weights()->training()) look();
}

}  // namespace hw::app
