// X-ray: a graph beside its f64 shadow. Per value the error that its node introduced and the error it inherited.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "engine/core/rounding_error.h"
#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw {

struct XrayOptions {
  std::string device = "cpu";              // what the graph really runs on
  std::string shadow = "cpu";              // what computes in f64: "cpu", or "ref", slow and with formulas of its own
  std::optional<uint64_t> seed;            // default: the Train node's, else 0
  uint64_t step = 0;                       // which of a run, 0-based: random draws and batches
  std::shared_ptr<const Weights> weights;  // null: initial ones for the seed. All parameters must be there
  bool partial_weights = false;            // initial ones for those that `weights` lack; else they are refused
  std::map<std::string, Tensor> states;    // by state name, as in a Checkpoint: masters too; written after `weights`
  bool masters = false;                    // the shadow's weights are the masters, not the stored, rounded ones
  size_t worst = 3;                        // elements reported a value
  GivenValues given;                       // outputs whose values are given, as wires of the graph carry them
  /// Share that is done, in [0, 1], and what goes on. On the calling thread; may be empty.
  std::function<void(double, const std::string&)> progress;
  const std::atomic<bool>* cancel = nullptr;
};

/// One element, with what the op that made it read, where it read one element of each input.
struct XrayElement {
  int64_t index = 0;  // flat, row major
  double value = 0, reference = 0;
  ElementError error;
  std::vector<std::pair<std::string, double>> inputs;  // name or op of the input, its real value
};

/// A value that a node hands out: an output socket ("mlp.y"), the gradient of a wire or parameter ("grad(mlp.x)", by
/// the node that computes it), or a part of a gradient.
struct XrayItem {
  std::string node, name, op;  // op: the last one of the node's, which made the value
  bool backward = false;
  DType dtype = DType::f32;
  Dims dims;
  RoundingError introduced;   // against the node's own ops in f64 on the node's real inputs
  RoundingError inherited;    // those f64 results against the shadow's: what the inputs' errors became
  RoundingError total;        // against the shadow
  double gradient_scale = 1;  // a gradient is stored this many times the true one: Gradient Scale nodes, loss scale
  double bits_lost = 0;       // total.bits_left of the worst input (at most what the dtype holds), minus its own
  std::vector<XrayElement> worst_introduced;  // reference: f64 on real inputs
  std::vector<XrayElement> worst_total;       // reference: the shadow
  /// Where an error is introduced: numbers that the node computes with and its dtype does not hold, "1e-08 is 0 in
  /// f16".
  std::vector<std::string> causes;
};

struct XrayReport {
  std::vector<XrayItem> items;  // in the order they are computed
  /// Index: the first that becomes Inf or NaN while f64 does not; else the largest introduced error, relative to its
  /// tensor.
  std::optional<size_t> worst;
  std::string remedy;              // where `worst` becomes Inf or NaN: what is to be kept wide; else empty
  std::optional<size_t> steepest;  // index: most bits lost, where that is at least one
  bool training = false;           // forward and backward in training mode; else forward in evaluation mode
  std::string device, shadow;
  uint64_t seed = 0, step = 0;
};

/// A graph with a Train node: its loss's cone, forward and backward, as a training step computes it; nothing is
/// updated. Gradients are compared as they are stored, loss scale included: `states` may hold it, else it is the Train
/// node's. Else all that the graph's last outputs depend on. Needs about 32 bytes for every element of every value.
/// Errors: what lowering and the device report, HW-F005 for weights that do not fit, HW-R001, HW-R002, HW-R004, HW-G003
/// for an empty graph. Any thread.
Result<XrayReport> xray(const Graph& graph, Assets& assets, const XrayOptions& options);

}  // namespace hw
