#include "engine/rewrite/equivalence.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/core/dtype_tolerance.h"
#include "engine/evaluate/evaluation.h"
#include "engine/graph/precision/precision_plan.h"

namespace hw {
namespace {

constexpr double kOwnErrors = 2;

/// In evaluation mode, as it was lowered. `weights` may be null; `widened`: in the dtypes of the graph.
Result<Evaluation> prepare(const Graph& flat, std::span<const SocketRef> outputs, Assets& assets, Device& device,
                           uint64_t seed, const Weights* weights, bool widened = false) {
  // Lives no longer than the device.
  const std::shared_ptr<Device> on(std::shared_ptr<void>(), &device);
  HW_TRY(Evaluation made,
         Evaluation::make(flat, outputs, assets, on, {.passes_off = every_pass(), .pinned = PinnedNodes::ignored}));
  Weights wide;
  if (weights && widened) {
    wide = *weights;
    for (const Param& param : made.program().params)
      if (const auto found = wide.find(param.name); found != wide.end())
        found->second = found->second.to(made.program()[param.view].dtype);
    weights = &wide;
  }
  HW_CHECK(made.set_weights(weights, seed, Lacking::refused));
  return made;
}

double apart(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::abs(a - b);  // infinities alike are no NaN
}

/// The larger; NaN stays.
void raise(double& most, double value) {
  if (!std::isnan(most) && !(value <= most)) most = value;
}

Status compare(OutputEquivalence& found, const Tensor& exact, const Tensor& before, const Tensor& after) {
  if (before.size() != after.size() || exact.size() != after.size())
    return Error{codes::size_mismatch, found.output.after.node,
                 "makes " + to_string(after.dims()) + " in place of " + to_string(before.dims()) + ".", ""};
  const std::vector<double> e = exact.to_f64(), b = before.to_f64(), a = after.to_f64();
  found.elements += exact.size();
  for (size_t i = 0; i < e.size(); ++i) {
    if (std::isnan(e[i]) && std::isnan(b[i]) && std::isnan(a[i])) {
      ++found.nans;
      continue;
    }
    if (std::isfinite(e[i])) raise(found.largest, std::abs(e[i]));
    found.lost += std::isfinite(e[i]) && !std::isfinite(b[i]);
    found.lost_exact += !std::isfinite(e[i]) && apart(b[i], e[i]) != 0;
    raise(found.before, apart(b[i], e[i]));
    raise(found.after, apart(a[i], e[i]));
    raise(found.difference, apart(a[i], b[i]));
  }
  return ok();
}

}  // namespace

double OutputEquivalence::allowed() const {
  return kOwnErrors * before + tolerance(dtype).relative * largest;
}

bool Equivalence::holds() const {
  return !outputs.empty() && std::ranges::all_of(outputs, &OutputEquivalence::holds);
}

bool Equivalence::proves() const {
  return std::ranges::all_of(outputs, &OutputEquivalence::proves);
}

const OutputEquivalence& Equivalence::worst() const {
  assert(!outputs.empty());
  const auto share = [](const OutputEquivalence& o) {
    const double of_allowed = o.after == 0 ? 0 : o.after / o.allowed();
    return std::isfinite(of_allowed) && std::isfinite(o.allowed()) ? of_allowed : INFINITY;
  };
  return *std::ranges::max_element(outputs, {}, share);
}

Result<Weights> initial_weights(const Graph& flat, std::span<const SocketRef> outputs, Assets& assets, Device& device,
                                uint64_t seed) {
  HW_TRY(const Evaluation graph, prepare(flat, outputs, assets, device, seed, nullptr));
  Weights weights;
  for (const Param& param : graph.program().params) weights[param.name] = graph.read(param);
  return weights;
}

Result<Equivalence> check_equivalence(const Graph& before, const Weights& weights, const Graph& after,
                                      const Weights& changed, std::span<const Rewrite> places,
                                      std::span<const SameOutput> outputs, Assets& assets, Device& device,
                                      const EquivalenceOptions& options) {
  std::vector<SocketRef> old, fresh;
  for (const SameOutput& output : outputs) {
    old.push_back(output.before);
    fresh.push_back(output.after);
  }
  Graph wide = before;
  HW_CHECK(apply_edits(wide, unify(before, DType::f64).edits));
  std::vector<SocketRef> in_wide;  // Casts that round are none there
  for (const SocketRef& output : old) in_wide.push_back(read_instead(before, wide, output).value_or(output));
  HW_TRY(Evaluation exact, prepare(wide, in_wide, assets, device, options.seed, &weights, true));
  HW_TRY(Evaluation first, prepare(before, old, assets, device, options.seed, &weights));
  HW_TRY(Evaluation second, prepare(after, fresh, assets, device, options.seed, &changed));
  Equivalence found;
  found.batches = options.batches;
  for (size_t i = 0; i < outputs.size(); ++i) found.outputs.push_back({outputs[i], second.value(i).dtype});
  for (const Rewrite& place : places)
    if (place.rounded)
      for (OutputEquivalence& output : found.outputs) output.dtype = *place.rounded;
  for (int batch = 0; batch < options.batches; ++batch) {
    double share = batch;
    for (Evaluation* graph : {&exact, &first, &second}) {
      if (options.progress) options.progress(share / options.batches);
      HW_CHECK(graph->run(options.cancel, static_cast<uint64_t>(batch)));
      share += 1.0 / 3;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      HW_TRY(const Tensor e, exact.read(i));
      HW_TRY(const Tensor b, first.read(i));
      HW_TRY(const Tensor a, second.read(i));
      HW_CHECK(compare(found.outputs[i], e, b, a));
    }
  }
  return found;
}

}  // namespace hw
