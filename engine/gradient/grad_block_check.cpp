#include "engine/gradient/grad_block_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/philox.h"
#include "engine/gradient/perturbed_program.h"

namespace hw {
namespace {

constexpr double kShorter[] = {0.1, 0.01, 0.001};  // of the first step
constexpr double kAside = 0.01;                    // of the root mean square of a block's values
constexpr double kLeastStep = 1e-10;               // of a value, at first: 1e-6 drowns in the rounding of 1e10
constexpr double kShows = 4;                       // times the noise: a derivative that shows in the loss
constexpr double kJump = 0.1;                      // of what a derivative is wrong by: more is no curvature

Result<std::unique_ptr<Executable>> compile(const AdjointRun& run, const PerturbedProgram& perturbed) {
  const std::lock_guard lock(run.reading);
  HW_TRY(auto executable, run.device->compile(perturbed.program, run.states));
  for (const Port& port : perturbed.boundary) {
    HW_TRY(const Tensor stays, run.adjoint->read(port.value));
    HW_CHECK(executable->write_input(port.name, stays));
  }
  return executable;
}

}  // namespace

GradBlockCheck::GradBlockCheck(const AdjointRun& run, const GradCheckOptions& options, const GradBlock& block,
                               const GradPart* part)
    : run_(run), o_(options), part_(part ? std::optional(*part) : std::nullopt) {
  r_.block = block;
  r_.dims = (*run.twin)[block.value].dims;
  perturbation_ = Tensor(DType::f64, r_.dims);
}

Status GradBlockCheck::start() {
  const auto reader = part_ ? std::optional(part_->reader) : std::nullopt;
  const PerturbedProgram perturbed = perturb_value(*run_.twin, run_.loss_id, r_.block.value, false, reader);
  target_ = perturbed.target;
  HW_TRY(forward_, compile(run_, perturbed));
  here_.loss = run_.loss;
  HW_TRY(values_, read(r_.block.value));
  for (const double v : values_)
    if (std::isfinite(v)) largest_value_ = std::max(largest_value_, std::abs(v));
  reach_ = step_for(largest_value_) / o_.epsilon;
  here_.gradient.assign(static_cast<size_t>(perturbation_.size()), 0.0);
  if (part_) {
    for (const ValueId gradient : part_->gradients) HW_CHECK(add_gradient(gradient, here_));
  } else if (r_.block.gradient != kNoValue) {
    HW_CHECK(add_gradient(r_.block.gradient, here_));
  }
  return ok();
}

Result<std::vector<double>> GradBlockCheck::read(ValueId value) const {
  const std::lock_guard lock(run_.reading);
  HW_TRY(const Tensor stored, run_.adjoint->read(value));
  return stored.to_f64();
}

Status GradBlockCheck::add_gradient(ValueId gradient, Point& point) const {
  HW_TRY(const std::vector<double> values, read(gradient));
  for (size_t i = 0; i < values.size(); ++i) point.gradient[i] += r_.block.unscale * values[i];
  return ok();
}

Result<GradResult> GradBlockCheck::check(const std::function<void(double)>& progress) {
  HW_CHECK(start());
  size_t steps = 0;  // of two a derivative
  const auto report_step = [&](size_t derivatives) {
    if (progress) progress(static_cast<double>(steps++) / static_cast<double>(2 * derivatives));
  };
  const Directions directions(here_.gradient, stream_of(r_.block.name), o_.all_up_to);
  std::vector<Taken> taken;
  double largest_adjoint = 0;
  for (const Direction& d : directions.list()) {
    report_step(directions.list().size());
    const double adjoint = along(here_, directions, d);
    HW_TRY(Taken t, take(here_, directions, d, step_along(d)));
    t.derivative.adjoint = adjoint;
    largest_adjoint = std::isfinite(adjoint) ? std::max(largest_adjoint, std::abs(adjoint)) : INFINITY;
    const double largest = std::max(std::abs(adjoint), std::abs(t.derivative.difference));
    r_.largest = std::max(r_.largest, d.index < 0 ? largest / reach_ : largest);
    shows_ = shows_ || !(largest < kShows * noise(step_along(d)));
    taken.push_back(t);
  }
  r_.checks = taken.size();
  bool any_smooth = false;
  for (size_t i = 0; i < taken.size(); ++i) {
    report_step(taken.size());
    HW_TRY(const Finding finding, judge(directions, directions.list()[i], taken[i]));
    const bool is_kink = finding == Finding::kink;
    r_.kinks += is_kink;
    r_.wrong += finding == Finding::wrong;
    r_.unclear += finding == Finding::unclear;
    if (is_kink && any_smooth) continue;
    const GradDerivative& d = taken[i].derivative;
    if (i == 0 || (!is_kink && !any_smooth) || d.error > r_.worst.error) r_.worst = d;
    any_smooth = any_smooth || !is_kink;
  }
  r_.verdict = verdict(largest_adjoint);
  return r_;
}

Result<double> GradBlockCheck::loss_at(const Point& point, const Directions& directions, const Direction& d,
                                       double step) {
  double* by = perturbation_.as<double>();
  const auto size = static_cast<size_t>(perturbation_.size());
  fill(directions, d, step, by);
  if (!point.offset.empty()) std::transform(by, by + size, point.offset.begin(), by, std::plus());
  HW_CHECK(forward_->write_input(kPerturbationPort, perturbation_));
  HW_CHECK(forward_->run(run_.step));
  HW_TRY(const Tensor loss, forward_->read(target_));
  return loss.to_f64().front();
}

/// The derivative along `d`, by steps of `epsilon`.
Result<GradBlockCheck::Taken> GradBlockCheck::take(const Point& point, const Directions& directions, const Direction& d,
                                                   double epsilon) {
  HW_TRY(const double after, loss_at(point, directions, d, epsilon));
  HW_TRY(const double before, loss_at(point, directions, d, -epsilon));
  Taken t;
  t.right = (after - point.loss) / epsilon;
  t.left = (point.loss - before) / epsilon;
  t.derivative.index = d.index;
  t.derivative.difference = (t.left + t.right) / 2;
  return t;
}

void GradBlockCheck::fill(const Directions& directions, const Direction& d, double factor, double* out) const {
  directions.fill(d, factor, out, values_.size());
  if (d.index >= 0 || reach_ == 1) return;
  for (size_t i = 0; i < values_.size(); ++i) out[i] *= step_for(std::abs(values_[i])) / o_.epsilon;
}

double GradBlockCheck::step_for(double value) const {
  return std::isfinite(value) ? std::max(o_.epsilon, kLeastStep * value) : o_.epsilon;
}

double GradBlockCheck::step_along(const Direction& d) const {
  return d.index < 0 ? o_.epsilon : step_for(std::abs(values_[static_cast<size_t>(d.index)]));
}

double GradBlockCheck::along(const Point& point, const Directions& directions, const Direction& d) {
  if (d.index >= 0) return point.gradient[static_cast<size_t>(d.index)];
  double* entries = perturbation_.as<double>();
  fill(directions, d, 1, entries);
  return std::inner_product(point.gradient.begin(), point.gradient.end(), entries, 0.0);
}

double GradBlockCheck::noise(double epsilon) const {
  return 64 * std::numeric_limits<double>::epsilon() * std::abs(run_.loss) / epsilon;
}

double GradBlockCheck::tolerance(double epsilon) const {
  return std::max(o_.absolute * std::min(1.0, r_.largest), noise(epsilon));
}

double GradBlockCheck::error(double a, double b, double epsilon) const {
  if (a == b) return 0;
  const double ratio = std::abs(a - b) / (tolerance(epsilon) + o_.relative * std::abs(b));
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

Result<bool> GradBlockCheck::agrees(const Point& point, const Directions& directions, const Direction& d, Taken& t) {
  const double adjoint = t.derivative.adjoint, at_first = t.derivative.difference;
  const double longest = step_along(d);
  t.derivative.error = error(adjoint, at_first, longest);
  for (const double shorter : kShorter) {
    if (t.derivative.error <= 1) return true;
    const double epsilon = shorter * longest;
    HW_TRY(Taken again, take(point, directions, d, epsilon));
    again.derivative.adjoint = adjoint;
    again.derivative.error = error(adjoint, again.derivative.difference, epsilon);
    const bool is_other = std::abs(again.derivative.difference - at_first) > noise(epsilon);
    if (again.derivative.error <= 1 && !is_other) again.derivative.error = t.derivative.error;
    t = again;
  }
  return t.derivative.error <= 1;
}

Result<GradBlockCheck::Finding> GradBlockCheck::judge(const Directions& directions, const Direction& d, Taken& t) {
  const Taken first = t;
  if (!std::isfinite(t.derivative.difference)) return Finding::unclear;
  HW_TRY(const bool is_right, agrees(here_, directions, d, t));
  if (is_right) return Finding::right;
  // Rounding hides more of short steps, so that the first one counts too.
  const double longest = step_along(d), shortest = *std::rbegin(kShorter) * longest, adjoint = t.derivative.adjoint;
  bool is_kink = false, is_one_side = false;
  for (const auto& [taken, epsilon] : {std::pair(&first, longest), std::pair<const Taken*, double>(&t, shortest)}) {
    if (error(taken->left, taken->right, epsilon) <= 1) continue;
    is_kink = true;
    is_one_side =
        is_one_side || error(adjoint, taken->left, epsilon) <= 1 || error(adjoint, taken->right, epsilon) <= 1;
  }
  if (is_one_side) return Finding::kink;
  if (part_) return Finding::wrong;
  // Several kinks at once, such as equal numbers in many windows of a pool: each may take its own side.
  if (aside_.offset.empty()) HW_CHECK(step_aside());
  const double along_aside = along(aside_, directions, d);
  HW_TRY(Taken beside, take(aside_, directions, d, step_along(d)));
  beside.derivative.adjoint = along_aside;
  HW_TRY(const bool is_right_beside, agrees(aside_, directions, d, beside));
  // Where the sides cancel out, the slope still jumps from the point to the one beside it.
  const double at_first = first.derivative.difference;
  const bool jumps =
      std::abs(beside.derivative.difference - at_first) > kJump * std::abs(first.derivative.adjoint - at_first);
  return is_right_beside && (is_kink || jumps) ? Finding::kink : Finding::wrong;
}

Status GradBlockCheck::step_aside() {
  // A value so large that its step is longer goes by its own size: the others are not moved by that of a mask.
  const auto is_large = [&](double v) { return step_for(std::abs(v)) > o_.epsilon; };
  double squares = 0, count = 0;
  for (const double v : values_)
    if (!is_large(v)) squares += v * v, ++count;
  const double far = kAside * (squares > 0 ? std::sqrt(squares / count) : 1);
  Point point;
  point.offset.resize(values_.size());
  const uint32_t stream = stream_of(r_.block.name);
  for (size_t i = 0; i < point.offset.size(); ++i)
    point.offset[i] = (is_large(values_[i]) ? kAside * std::abs(values_[i]) : far) *
                      (2 * static_cast<double>(uniform01(philox_block(3, stream, 0, i / 4)[i % 4])) - 1);
  std::copy(point.offset.begin(), point.offset.end(), perturbation_.as<double>());
  HW_CHECK(forward_->write_input(kPerturbationPort, perturbation_));
  HW_CHECK(forward_->run(run_.step));
  HW_TRY(const Tensor loss, forward_->read(target_));
  point.loss = loss.to_f64().front();
  point.gradient.assign(point.offset.size(), 0.0);
  if (r_.block.gradient != kNoValue) {
    const PerturbedProgram perturbed = perturb_value(*run_.twin, r_.block.gradient, r_.block.value, true);
    HW_TRY(const auto adjoint, compile(run_, perturbed));
    HW_CHECK(adjoint->write_input(kPerturbationPort, perturbation_));
    HW_CHECK(adjoint->run(run_.step));
    HW_TRY(const Tensor gradient, adjoint->read(perturbed.target));
    point.gradient = gradient.to_f64();
    for (double& g : point.gradient) g *= r_.block.unscale;
  }
  aside_ = std::move(point);
  return ok();
}

GradVerdict GradBlockCheck::verdict(double largest_adjoint) const {
  // Or what rounding leaves of 0: a step as long as the values does not show in the loss.
  const bool is_zero = largest_adjoint <= noise(std::max(1.0, largest_value_));
  if (r_.wrong > 0) return is_zero ? GradVerdict::zero : GradVerdict::wrong;
  if (r_.unclear > 0) return GradVerdict::unclear;
  if (is_zero) return GradVerdict::dead;
  if (!shows_) return GradVerdict::unclear;
  return r_.kinks > 0 ? GradVerdict::kink : GradVerdict::right;
}

}  // namespace hw
