#include "engine/instrument/gradient_meter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/convert.h"
#include "engine/core/parallel.h"

namespace hw {
namespace {

constexpr double kUnknown = GradientSize::kUnknown;

double sum_of_squares(const Tensor& tensor) {
  std::array<double, 4096> block;
  const auto* bytes = static_cast<const std::byte*>(tensor.data());
  double sum = 0;
  for (int64_t at = 0; at < tensor.size(); at += static_cast<int64_t>(block.size())) {
    const size_t n = std::min(block.size(), static_cast<size_t>(tensor.size() - at));
    convert(DType::f64, block.data(), tensor.dtype(), bytes + static_cast<size_t>(at) * size_of(tensor.dtype()), n);
    for (size_t i = 0; i < n; ++i) sum += block[i] * block[i];
  }
  return sum;
}

/// How many elements each of `samples` stands for.
double stretch(int64_t elements, size_t samples) {
  return samples > 0 ? static_cast<double>(elements) / static_cast<double>(samples) : 1;
}

/// Not finite is Inf, whichever of the two it is.
double or_infinite(double value) {
  return std::isfinite(value) ? value : INFINITY;
}

double ratio(double change, double weight) {
  return weight > 0 ? or_infinite(change / weight) : kUnknown;
}

/// Sums the squares of a stored gradient, all elements; Inf where one is not finite, NaN where it was not seen.
double squares_of(ValueId gradient, const ValueProbe& probe, int64_t elements) {
  if (gradient == kNoValue || !probe.wants(gradient)) return kUnknown;
  const size_t slot = probe.slot(gradient);
  const ValueLook look = probe.look(slot);
  if (look.count == 0) return kUnknown;
  if (look.infs + look.nans > 0) return INFINITY;
  const Tensor& sample = probe.sample(slot);
  const double sum = sum_of_squares(sample) * stretch(elements, static_cast<size_t>(sample.size()));
  // A sample may miss the few that are not 0; the largest is of every element.
  return sum > 0 ? sum : look.largest * look.largest;
}

/// See GradientSize; `gradient`: of the places of `before` and `after`.
double lost_share(const std::vector<double>& gradient, const std::vector<double>& before,
                  const std::vector<double>& after) {
  if (gradient.size() != before.size() || after.size() != before.size()) return kUnknown;
  size_t with_gradient = 0, lost = 0;
  for (size_t e = 0; e < gradient.size(); ++e) {
    if (!std::isfinite(gradient[e])) return kUnknown;  // of a step that loss scaling may have left out
    if (gradient[e] == 0) continue;
    ++with_gradient;
    lost += after[e] == before[e] ? 1 : 0;
  }
  return with_gradient > 0 ? static_cast<double>(lost) / static_cast<double>(with_gradient) : kUnknown;
}

}  // namespace

/// Sums of squares over one subject or a node's; NaN: nothing is known of it.
struct GradientMeter::Sums {
  double gradient = kUnknown, weight = kUnknown, change = kUnknown;
  double elements = 0;  // of the gradient

  static void add(double& sum, double more) {
    if (!std::isnan(more)) sum = std::isnan(sum) ? more : sum + more;
  }
  GradientSize size() const {
    GradientSize s;
    if (!std::isnan(gradient)) {
      s.norm = or_infinite(std::sqrt(gradient));
      s.rms = elements > 0 ? s.norm / std::sqrt(elements) : 0;
    }
    if (!std::isnan(weight)) s.weight = or_infinite(std::sqrt(weight));
    if (!std::isnan(change)) s.update = ratio(std::sqrt(change), s.weight);
    return s;
  }
};

GradientMeter::GradientMeter(const TrainingPlan& plan, const GradientHistory* earlier) {
  const Program& p = *plan.program;
  // By value: where it is made, or first read; what is read at an instruction comes before what that makes.
  std::vector<size_t> at(p.values.size(), 2 * p.instrs.size());
  for (size_t i = p.instrs.size(); i-- > 0;) {
    for (ValueId id : p.instrs[i].out) at[id] = 2 * i + 1;
    for (ValueId id : p.instrs[i].in) at[id] = 2 * i;
  }
  struct Found {
    size_t at;
    GradientSeries series;
    Subject subject;
  };
  std::vector<Found> all;
  const auto find = [&](GradientSeries::Kind kind, const std::string& node, const std::string& name, ValueId value) {
    Found f{at[value], {kind, node, name, element_count(p[value].dims)}, {}};
    if (const auto gradient = plan.gradients.find(value); gradient != plan.gradients.end())
      f.subject.gradient = gradient->second;
    if (const auto unscale = plan.unscale.find(value); unscale != plan.unscale.end())
      f.subject.unscale = unscale->second;
    for (const auto& [id, tensor] : p.constants)
      if (id == f.subject.gradient) f.subject.constant = sum_of_squares(tensor);
    return f;
  };
  for (const auto& [socket, arg] : plan.sockets) {
    const Val* value = std::get_if<Val>(&arg);
    if (!value || !*value || !plan.gradients.contains(value->id)) continue;
    // The gradient of the loss, and of numbers that it is summed from, is a factor and says nothing.
    const Value& v = p[value->id];
    if (value->id != plan.loss && (!v.dims.empty() || v.storage == Storage::state))
      all.push_back(find(GradientSeries::Kind::wire, socket.node, socket.socket, value->id));
  }
  for (const Param& param : p.params) {
    const size_t dot = param.name.find('.');
    Found f = find(GradientSeries::Kind::parameter, param.name.substr(0, dot), param.name.substr(dot + 1), param.view);
    f.subject.master = p[param.master].name;
    f.subject.narrow = info(p[param.master].dtype).bits < info(DType::f32).bits;
    f.subject.trainable = param.trainable && f.subject.gradient != kNoValue;
    all.push_back(std::move(f));
  }
  std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.at < b.at; });

  GradientSubjects subjects;
  std::map<std::string, size_t> nodes;
  for (Found& f : all) {
    const auto [node, fresh] = nodes.try_emplace(f.series.node, subjects.nodes.size());
    if (fresh) subjects.nodes.push_back(f.series.node);
    f.subject.node = node->second;
    index_[{f.series.kind, f.series.node, f.series.name}] = subjects_.size();
    subjects.series.push_back(std::move(f.series));
    subjects_.push_back(std::move(f.subject));
  }
  recorder_.emplace(std::move(subjects), earlier);
  last_.resize(subjects_.size());
}

void GradientMeter::before(const ValueProbe& probe, const States& states) {
  for (size_t i = 0; i < subjects_.size(); ++i) {
    Subject& s = subjects_[i];
    if (s.master.empty()) continue;
    s.places = probe.places(recorder_->subjects().series[i].elements);
    s.before = states.sample(s.master, s.places);
  }
}

void GradientMeter::after(const ValueProbe& probe, const States& states, uint64_t step, double loss_scale,
                          const std::string& why) {
  const std::vector<GradientSeries>& series = recorder_->subjects().series;
  std::vector<Sums> sums(subjects_.size()), nodes(recorder_->subjects().nodes.size());
  std::vector<double> lost(subjects_.size(), kUnknown);
  for (Subject& s : subjects_)
    if (s.trainable && !s.before.empty()) s.after = states.sample(s.master, s.places);
  parallel_for(static_cast<int64_t>(sums.size()), [&](int64_t i) {
    const auto k = static_cast<size_t>(i);
    const Subject& s = subjects_[k];
    const double scale = s.unscale / loss_scale;
    sums[k].gradient = s.constant ? *s.constant : squares_of(s.gradient, probe, series[k].elements);
    sums[k].gradient *= scale * scale;
    sums[k].elements = static_cast<double>(series[k].elements);
    if (s.before.empty()) return;
    const double by = stretch(series[k].elements, s.before.size());
    double weight = 0, change = 0;
    for (const double w : s.before) weight += w * w;
    sums[k].weight = or_infinite(weight * by);
    if (!s.trainable) return;
    for (size_t e = 0; e < s.after.size(); ++e) change += (s.after[e] - s.before[e]) * (s.after[e] - s.before[e]);
    sums[k].change = or_infinite(change * by);
    if (s.narrow && s.gradient != kNoValue && probe.wants(s.gradient))
      lost[k] = lost_share(probe.sample(probe.slot(s.gradient)).to_f64(), s.before, s.after);
  });
  GradientLook look;
  look.step = step;
  for (size_t i = 0; i < sums.size(); ++i) {
    look.series.push_back(sums[i].size());
    look.series.back().lost = lost[i];
    Sums& node = nodes[subjects_[i].node];
    if (series[i].kind == GradientSeries::Kind::wire) {
      Sums::add(node.gradient, sums[i].gradient);
      node.elements += sums[i].elements;
    } else if (subjects_[i].trainable) {
      Sums::add(node.weight, sums[i].weight);
      Sums::add(node.change, sums[i].change);
    }
  }
  for (const Sums& node : nodes) look.nodes.push_back(node.size());
  last_ = look.series;
  recorder_->add(std::move(look), why);
}

std::optional<size_t> GradientMeter::find(GradientSeries::Kind kind, const std::string& node,
                                          const std::string& name) const {
  const auto found = index_.find({kind, node, name});
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace hw
