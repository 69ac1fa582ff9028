// What nodes that draw samples of a data set have in common: batch size and shuffling.
#pragma once

#include "engine/node/node_type.h"

namespace hw::data_rows {

/// `batch_size` and `shuffle`.
inline void declare(NodeDecl& d, int64_t batch_size) {
  d.integer("batch_size", batch_size).docs("Samples at each step.").range(1, 1 << 20).logarithmic().batch();
  d.boolean("shuffle", true).docs("A new order in every epoch.");
}

/// The rows that they ask for.
inline SampleRowsAttr attr(const LowerArgs& a) {
  SampleRowsAttr rows;
  rows.data = a.dataset("data");
  rows.rows = a.params().integer("batch_size");
  rows.shuffle = a.params().boolean("shuffle");
  return rows;
}

}  // namespace hw::data_rows
