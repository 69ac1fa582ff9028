// Whether a rewritten graph computes what the graph did, on the data of the graph itself.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>

#include "engine/backend/backend.h"
#include "engine/io/asset/assets.h"
#include "engine/rewrite/rewrite.h"

namespace hw {

/// An output of the graph, one of the rewritten graph, and the exact result: the graph as it was, in f64.
struct OutputEquivalence {
  SameOutput output;
  DType dtype = DType::f32;  // of the rewritten one, or what values on the way to it are rounded to
  double largest = 0;        // magnitude of the exact result
  double before = 0;         // the largest distance of the graph's result from it
  double after = 0;          // of the rewritten graph's
  double difference = 0;     // between the two
  int64_t elements = 0;      // of all batches
  int64_t nans = 0;          // of these, NaN in all three results: nothing is compared there
  int64_t lost = 0;          // NaN or Inf in the graph's own result and finite in the exact one
  int64_t lost_exact = 0;    // NaN or Inf in the exact result, where the graph's own has another value
  /// Twice the graph's own rounding error, and what two results in this dtype may be apart: see tolerance().
  double allowed() const;
  bool holds() const { return after <= allowed() && std::isfinite(allowed()); }  // false for NaN, too
  /// Not where the limit is as large as the values, so that whatever the rewritten graph computed would hold (an output
  /// of zeros aside), nor where all is NaN.
  bool proves() const { return (largest == 0 || allowed() < largest) && (elements == 0 || nans < elements); }
  /// The graph's own result or the exact one is lost where the other is not: nothing can be held against them.
  bool is_lost() const { return lost + lost_exact > 0; }
};

struct Equivalence {
  std::vector<OutputEquivalence> outputs;
  int batches = 0;
  bool holds() const;
  /// Every output proves something.
  bool proves() const;
  /// The output that is nearest to, or furthest beyond, what is allowed. Asserts that there is one.
  const OutputEquivalence& worst() const;
};

struct EquivalenceOptions {
  uint64_t seed = 0;
  int batches = 4;                            // of the graph's data
  const std::atomic<bool>* cancel = nullptr;  // set → HW-R004
  std::function<void(double)> progress = {};  // share that is done; on the calling thread
};

/// Runs both graphs, each with its weights, and the exact one, in evaluation mode. The graphs are flattened; `places`
/// make `after` of `before`. Errors: those of lower(), the device's, HW-F005, HW-R001 before memory is taken.
Result<Equivalence> check_equivalence(const Graph& before, const Weights& weights, const Graph& after,
                                      const Weights& changed, std::span<const Rewrite> places,
                                      std::span<const SameOutput> outputs, Assets& assets, Device& device,
                                      const EquivalenceOptions& options);

/// Every parameter of what these outputs depend on, as it is initially for a seed. Errors: as above.
Result<Weights> initial_weights(const Graph& flat, std::span<const SocketRef> outputs, Assets& assets, Device& device,
                                uint64_t seed);

}  // namespace hw
