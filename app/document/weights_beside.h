// The files beside a graph's file that keep its weights, and the optimiser's state that belongs to them.
#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "engine/io/file/reach.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw::app {

// `file` is that of the weights: weights_file(). What touches files is for a worker thread, save the two that say so.

/// The weights of a graph's file: the same stem, .safetensors. The optimiser's state: .optimiser.safetensors.
QString weights_file(const QString& graphPath);

/// Whether both files may be read, where they are. Error HW-A006. On any thread: nothing is opened.
Status may_read_weights(const Reach& reach, const QString& file);

struct WeightsBeside {
  Weights tensors;                           // in memory of their own
  std::shared_ptr<const Checkpoint> states;  // of these weights; null: there are none
  std::optional<Error> problem;              // why states that lie there are not taken
};
/// The error is that of the weights.
Result<WeightsBeside> read_weights_beside(const QString& file);

/// Writes the weights, or those of the states where these have some, and the states beside them; without states none
/// stay there that would belong to other weights. `flat` knows what parameters are called in other tools.
Status save_weights_beside(const Graph& flat, const Weights& weights, const Checkpoint* states, const QString& file);

/// Copies a file of weights and the optimiser's state beside it, as they are. Error HW-F002.
Status copy_weights_beside(const QString& from, const QString& to);

/// Renames weights of another graph, "duck.previous.safetensors" or, where such lie there,
/// "duck.previous-2.safetensors" and so on; the optimiser's state goes with them. The new name; "": none lie there.
/// Error HW-F002. On any thread.
Result<QString> set_weights_aside(const QString& file);

}  // namespace hw::app
