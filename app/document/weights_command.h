// WeightsCommand: the part of an undo step that gives the document other weights.
#pragma once

#include <QUndoCommand>

#include "app/document/document.h"

namespace hw::app {

/// The document's weights are `after` from when it is pushed on, and `before` when it is undone.
class WeightsCommand : public QUndoCommand {
 public:
  using Weights = std::shared_ptr<const std::map<std::string, Tensor>>;
  WeightsCommand(Document& document, Weights before, Weights after)
      : document_(document), before_(std::move(before)), after_(std::move(after)) {}

  void redo() override { document_.setWeights(after_); }
  void undo() override { document_.setWeights(before_); }

 private:
  Document& document_;
  const Weights before_, after_;
};

}  // namespace hw::app
