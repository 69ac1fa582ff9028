// FieldEvaluator: a field (position → colour, …) as a function, for the viewport and image views.
#pragma once

#include <array>

#include "engine/backend/backend.h"
#include "engine/core/color_field.h"
#include "engine/graph/lower.h"
#include "engine/plan/weights.h"

namespace hw {

/// Where a field is evaluated: for each domain variable the viewer has, its components point by point.
struct FieldPoints {
  size_t count = 0;
  std::map<std::string, std::span<const float>, std::less<>> variables;  // "position": count · 3, "pixel": count · 2
};

/// A field lowered once for blocks of a fixed number of points, evaluation mode, on the cpu device.
/// Thread safe: calls are served one after the other; set_weights takes effect with the next call.
class FieldEvaluator {
 public:
  /// `field`: the output socket that the viewer shows; `variables`: the domain variables that the viewer has. Error:
  /// HW-G00x when it is not a field of these, and what lowering reports.
  static Result<std::shared_ptr<FieldEvaluator>> make(const Graph& graph, const SocketRef& field,
                                                      std::shared_ptr<Assets> assets, int64_t block = 1 << 14,
                                                      const std::vector<std::string>& variables = {"position",
                                                                                                   "normal"});
  virtual ~FieldEvaluator() = default;
  /// Parameters that `weights` lacks keep their initial values for `seed`. Error HW-F005.
  virtual Status set_weights(std::shared_ptr<const Weights> weights, uint64_t seed) = 0;
  /// Channels [n·C] as f32 at points that hold every variable given to make(). `cancel` is read between blocks.
  virtual Result<std::vector<float>> evaluate(const FieldPoints& points, const std::atomic<bool>* cancel = nullptr) = 0;
  /// positions, normals [n·3] in mesh space → channels [n·C] as f32. C is channels(). `cancel` is read between blocks.
  Result<std::vector<float>> evaluate(std::span<const std::array<float, 3>> positions,
                                      std::span<const std::array<float, 3>> normals,
                                      const std::atomic<bool>* cancel = nullptr);
  virtual int channels() const = 0;
  /// Names of the parameters that the field depends on, as in Weights.
  virtual std::vector<std::string> parameters() const = 0;
};

/// The first three channels as colours; fewer than three repeat the last: one gives grey.
Result<std::vector<std::array<float, 3>>> evaluate_colors(FieldEvaluator& field,
                                                          std::span<const std::array<float, 3>> positions,
                                                          std::span<const std::array<float, 3>> normals);
/// The same as a function that keeps the field, whose weights must be set. Null gives an empty function.
ColorField color_field(std::shared_ptr<FieldEvaluator> field);

}  // namespace hw
