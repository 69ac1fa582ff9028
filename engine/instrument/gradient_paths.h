// GradientPaths: the ways that gradients take from the loss back to the weights, and what becomes of them on the way.
#pragma once

#include <functional>
#include <map>

#include "engine/instrument/gradient_history.h"
#include "engine/plan/training_plan.h"

namespace hw {

/// Thresholds, of a gradient's norm at the end of a path against the wire next to the loss. Layers that keep variances
/// (He et al. 2015) change it by less than ten either way; at four decades Adam's epsilon and the range of f16, about
/// twelve decades with subnormals, begin to matter.
inline constexpr double kVanishes = 1e-4, kExplodes = 1e4;
/// Thresholds, of update ÷ weight. About 1e-3 is usual (CS231n, Neural Networks Part 3, "Ratio of weights:updates");
/// below the least, f32 rounds most of an update away, above the most, weights forget themselves in ten steps.
inline constexpr double kUsualUpdate = 1e-3, kLeastUpdate = 1e-6, kMostUpdate = 1e-1;

/// Share of a parameter's updates that leave its elements as they were: beyond it most of what is learnt is lost.
inline constexpr double kMostLost = 0.5;

struct GradientVerdict {
  enum class Kind : uint8_t {
    not_finite,     // the gradient holds Inf or NaN
    zero,           // exactly 0 from some node on
    vanishes,       // below kVanishes
    explodes,       // above kExplodes
    small_updates,  // never above kLeastUpdate in the whole history
    large_updates,  // above kMostUpdate
    lost_updates,   // of a parameter, more than kMostLost of them
  } kind;
  /// Nodes from the loss back to the weights that are worst off. Updates: the node alone.
  std::vector<std::string> path;
  double factor = 1;  // norm at the path's end ÷ at its start; updates: the ratio
  /// The one that contributes most, or where the zeros or the Inf and NaN begin.
  std::string node;
  double node_factor = 1;  // what it alone contributes: norm at its input ÷ at its output
  /// The factors are estimates: of a tensor on the path, or of a weight, ValueProbe::kSamples elements were measured.
  bool sampled = false;
  /// Lost updates: the parameter, its dtype, and how many others lose theirs too. `factor`: the share that is lost.
  std::string parameter = {};
  DType dtype = DType::f32;
  size_t others = 0;
};

/// For the user, nodes named by `name_of`: "Gradient vanishes along mlp → encoder: ×3e-6, most of it in sigmoid
/// (×1e-4), of 4,096 sampled."
std::string to_text(const GradientVerdict& verdict, const std::function<std::string(const std::string&)>& name_of);

class GradientPaths {
 public:
  /// `subjects` of the same plan.
  GradientPaths(const TrainingPlan& plan, const GradientSubjects& subjects);

  /// At most one verdict of a kind, the worst, but of lost updates one for each of kMostNamed parameters. Verdicts are
  /// of the medians of the last kLooks looks, since one odd step, such as one that loss scaling leaves out, says
  /// nothing; small updates are those of all looks. Large updates are judged from kLeastLooks looks and kSettled steps
  /// on: at first, weights leave initial values that may be small by design (a hash grid's are 1e-4).
  std::vector<GradientVerdict> judge(const GradientHistory& history) const;

  static constexpr size_t kLooks = 9, kLeastLooks = 3, kMostNamed = 4;
  static constexpr uint64_t kSettled = 20;

 private:
  /// A value that stands on wires and has a gradient.
  struct Wire {
    size_t series = 0;
    std::string node;                 // that makes it
    std::vector<size_t> toward_loss;  // wires made of it
    bool starts = false;              // next to the loss
    bool ends = false;                // made of trainable parameters, or one of them
    bool sampled = false;             // its norm is an estimate
  };
  struct Walk;
  void judge_lost(const GradientHistory& history, std::vector<GradientVerdict>& verdicts) const;
  void judge_walks(const std::vector<double>& norms, std::vector<GradientVerdict>& verdicts) const;

  std::vector<Wire> wires_;  // in the order of the forward pass
  std::string loss_node_;
  std::map<size_t, DType> narrow_;  // parameters that are updated in less than f32, by series
};

}  // namespace hw
