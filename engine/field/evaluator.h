// FieldEvaluator: a field (position → colour, …) as a function, for whoever shows or bakes it.
#pragma once

#include <array>

#include "engine/backend/backend.h"
#include "engine/core/color_field.h"
#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw {

/// Where a field is evaluated: for each domain variable the viewer has, its components point by point.
struct FieldPoints {
  size_t count = 0;
  std::map<std::string, std::span<const float>, std::less<>> variables;  // "position": count · 3, "pixel": count · 2
};

/// A wire as a viewer shows it.
struct Field {
  SocketRef from;  // an output
  FieldUse use;
};
/// What is wired to the input of `viewer`, a node of a known type, that shows a field. Nothing: it has none, or it is
/// open.
std::optional<Field> field_into(const Graph& graph, const Node& viewer);

/// A field lowered once for blocks of a fixed number of points, evaluation mode, on any device.
/// Thread safe: calls are served one after the other, on the thread that calls; set_weights takes effect with the next
/// call.
class FieldEvaluator {
 public:
  /// Nodes with a device of their own run there where this machine has it, all others on `device` (make_device), which
  /// is the evaluator's alone from now on. Errors: HW-G00x when it is not a field of the viewer's variables, HW-S002
  /// when it has other channels, and what lowering reports.
  static Result<std::shared_ptr<FieldEvaluator>> make(const Graph& graph, const Field& field,
                                                      const std::shared_ptr<Assets>& assets,
                                                      std::shared_ptr<Device> device, int64_t block = 1 << 14);
  virtual ~FieldEvaluator() = default;
  /// As Evaluation::continue_from.
  virtual void continue_from(FieldEvaluator& before) = 0;
  /// Comes first. Parameters that `weights` (null: none) lacks have their initial values for `seed`. Errors HW-F005,
  /// HW-R001, HW-R002, HW-R007; after one it must be called again.
  virtual Status set_weights(std::shared_ptr<const Weights> weights, uint64_t seed) = 0;
  /// Channels [n·C] as f32 at points that hold every variable of the field's use. `cancel` is read between blocks and
  /// between ops: HW-R004.
  virtual Result<std::vector<float>> evaluate(const FieldPoints& points, const std::atomic<bool>* cancel = nullptr) = 0;
  /// The same at positions, normals [n·3] in mesh space.
  Result<std::vector<float>> evaluate(std::span<const std::array<float, 3>> positions,
                                      std::span<const std::array<float, 3>> normals,
                                      const std::atomic<bool>* cancel = nullptr);
  /// What the C values of a point are.
  virtual Channels channels() const = 0;
  /// Names of the parameters that the field depends on, as in Weights.
  virtual std::vector<std::string> parameters() const = 0;
};

/// The colours of a field whose channels are that.
Result<std::vector<std::array<float, 3>>> evaluate_colors(FieldEvaluator& field,
                                                          std::span<const std::array<float, 3>> positions,
                                                          std::span<const std::array<float, 3>> normals);
/// The same as a function that keeps the field, whose weights must be set. Null gives an empty function.
ColorField color_field(std::shared_ptr<FieldEvaluator> field);

}  // namespace hw
