// WeightsCommand: the part of an undo step that gives the document other weights.
#pragma once

#include <QUndoCommand>
#include <optional>
#include <utility>

#include "app/document/document_weights.h"

namespace hw::app {

/// Pushed, the document has other weights; undone, those from before, and redone, what it had learnt until then: the
/// newest step of a run with its optimiser's state. A run that goes on ends. GUI thread.
class WeightsCommand : public QUndoCommand {
 public:
  WeightsCommand(DocumentWeights& weights, std::shared_ptr<const Weights> tensors)
      : weights_(weights), given_{std::move(tensors), {}} {}
  /// A step of its own for what was trained since the document had `before`: pushed, it changes nothing.
  WeightsCommand(const QString& text, DocumentWeights& weights, Learnt before)
      : QUndoCommand(text), weights_(weights), given_(std::move(before)), done_(true) {}

  /// What the document had when this was last made or taken back.
  const Learnt& given() const { return given_; }

  void redo() override {
    if (!std::exchange(done_, false)) exchange();
  }
  void undo() override { exchange(); }

 private:
  void exchange() {
    if (other_) given_ = other_->learnt();
    other_ = weights_.now();
    weights_.replace(given_);
  }
  DocumentWeights& weights_;
  Learnt given_;                        // to the document by the last exchange, or by the first that is to come
  std::optional<LearntWeights> other_;  // that the document does not have now; none: before the first exchange
  bool done_ = false;                   // pushing it changes nothing
};

}  // namespace hw::app
