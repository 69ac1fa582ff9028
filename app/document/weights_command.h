// WeightsCommand: the part of an undo step that gives the document other weights.
#pragma once

#include <QUndoCommand>
#include <utility>

#include "app/document/document_weights.h"

namespace hw::app {

/// Pushed, the document has other weights; undone, those from before, and redone, what it had learnt until then.
class WeightsCommand : public QUndoCommand {
 public:
  WeightsCommand(DocumentWeights& weights, std::shared_ptr<const Weights> tensors)
      : weights_(weights), other_{std::move(tensors), {}} {}

  void redo() override { exchange(); }
  void undo() override { exchange(); }

 private:
  void exchange() {
    const DocumentWeights::Learnt now = weights_.learnt();
    weights_.replace(std::exchange(other_, now));
  }
  DocumentWeights& weights_;
  DocumentWeights::Learnt other_;  // that the document does not have now
};

}  // namespace hw::app
