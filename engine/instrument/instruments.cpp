#include "engine/instrument/instruments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "engine/core/magnitudes.h"
#include "engine/core/parallel.h"
#include "engine/core/thread_clock.h"
#include "engine/program/op_text.h"

namespace hw {

std::optional<double> InstrumentReading::headroom_bits() const {
  if (look.largest <= 0) return std::nullopt;
  return std::log2(info(dtype).max) - std::log2(look.largest);
}

std::string InstrumentReading::label() const {
  if (kind == Kind::inner) return node + ": " + name;
  const std::string value = node + "." + name;
  return gradient ? "grad(" + value + ")" : value;
}

Instruments::Instruments(const TrainingPlan& plan, InstrumentSettings settings, const GradientHistory* earlier)
    : program_(plan.program),
      seed_(plan.settings.seed),
      meter_(plan, earlier),
      paths_(plan, meter_.subjects()),
      budget_(settings.budget),
      pace_(settings) {
  using Place = InstrumentReading::Kind;
  const Program& p = *program_;
  const auto add_both = [&](Place kind, const std::string& node, const std::string& name, ValueId value) {
    add(kind, false, node, name, value, 1);
    const auto gradient = plan.gradients.find(value);
    if (gradient == plan.gradients.end()) return;
    const auto unscale = plan.unscale.find(value);
    add(kind, true, node, name, gradient->second, unscale == plan.unscale.end() ? 1 : unscale->second);
  };
  for (const auto& [socket, arg] : plan.sockets) {
    const Val* value = std::get_if<Val>(&arg);
    if (value && *value) add_both(Place::wire, socket.node, socket.socket, value->id);
  }
  for (const Param& param : p.params) {
    const size_t dot = param.name.find('.');
    add_both(Place::parameter, param.name.substr(0, dot), param.name.substr(dot + 1), param.view);
  }
  std::set<ValueId> shown;
  for (const Item& item : items_) shown.insert(item.value);
  std::map<std::string, int> made;  // by node and op: how many
  for (const Instr& instr : p.instrs) {
    for (ValueId id : instr.out) {
      if (shown.contains(id)) continue;
      const std::string& node = p.nodes[instr.node];
      const std::string op = op_text(instr) + (instr.backward ? " (backward)" : "");
      const int number = ++made[node + "\n" + op];
      add(Place::inner, instr.backward, node, number == 1 ? op : op + " " + std::to_string(number), id, 1);
    }
  }

  std::vector<size_t> at(p.values.size(), p.instrs.size());  // where it is made, or first read
  for (size_t i = p.instrs.size(); i-- > 0;) {
    for (const auto* list : {&p.instrs[i].in, &p.instrs[i].out})
      for (ValueId id : *list) at[id] = i;
  }
  std::stable_sort(items_.begin(), items_.end(),
                   [&](const Item& a, const Item& b) { return at[a.value] < at[b.value]; });
  std::vector<ValueId> probed;
  std::map<ValueId, size_t> slots;
  for (Item& item : items_) {
    if (p[item.value].storage == Storage::constant) continue;
    const auto [slot, fresh] = slots.try_emplace(item.value, probed.size());
    if (fresh) probed.push_back(item.value);
    item.slot = slot->second;
  }
  probe_.emplace(p, probed);
}

void Instruments::add(InstrumentReading::Kind kind, bool gradient, const std::string& node, const std::string& name,
                      ValueId value, double unscale) {
  const Value& v = (*program_)[value];
  if (!info(v.dtype).is_float || v.storage == Storage::input) return;
  Item item;
  item.value = value;
  item.unscale = unscale;
  item.reading.kind = kind;
  item.reading.gradient = gradient;
  item.reading.node = node;
  item.reading.name = name;
  item.reading.dtype = v.dtype;
  item.reading.dims = v.dims;
  if (kind != InstrumentReading::Kind::inner) {
    const bool wire = kind == InstrumentReading::Kind::wire;
    item.followed = meter_.find(wire ? GradientSeries::Kind::wire : GradientSeries::Kind::parameter, node, name);
  }
  for (const auto& [id, tensor] : program_->constants) {
    if (id != value) continue;
    item.reading.look = look_of(magnitudes_of(tensor), tensor.size());
    item.reading.sample = measure(tensor);
  }
  items_.push_back(std::move(item));
}

ValueProbe* Instruments::begin_step(uint64_t step, const States& states, bool is_last) {
  looking_ = pace_.due(step, is_last);
  if (!looking_) return nullptr;
  step_ = step;
  begun_ = thread_seconds();
  probe_->begin(seed_, step);
  meter_.before(*probe_, states);
  probe_->add_seconds(thread_seconds() - begun_);
  return &*probe_;
}

void Instruments::end_step(double seconds, double loss_scale, const States& states) {
  ++steps_;
  if (!looking_) return pace_.stepped(seconds, 0, false);
  ++looks_;
  readings_.reset();
  const double begin = thread_seconds();
  meter_.after(*probe_, states, step_, loss_scale, why_no_look());
  for (Item& item : items_) {
    InstrumentReading& r = item.reading;
    r.size = size_at_last_look(item);
    if (!item.slot) continue;
    r.step = step_;
    r.look = probe_->look(*item.slot);
    if (r.gradient) r.gradient_scale = loss_scale / item.unscale;
    if (r.look.infs + r.look.nans > 0 && !r.first_bad_step) r.first_bad_step = step_;
    r.total_infs += r.look.infs;
    r.total_nans += r.look.nans;
    if (r.underflow() <= r.worst_underflow) continue;
    r.worst_underflow = r.underflow();
    r.worst_underflow_step = step_;
  }
  const double end = thread_seconds();
  // Small pieces of looking are timed by a clock that goes on while another program has the core.
  const double looking = std::min(probe_->seconds() + (end - begin), end - begun_);
  pace_.stepped(seconds + (end - begin), looking, true);
  last_look_ = looking;
}

std::string Instruments::why_no_look() const {
  char text[96];
  std::snprintf(text, sizeof text, "looking took %.3g ms a step, and may take %.3g %% of the time", last_look_ * 1e3,
                budget_ * 100);
  return text;
}

GradientSize Instruments::size_at_last_look(const Item& item) const {
  GradientSize size;
  if (!item.followed) return size;
  const GradientSize& all = meter_.last(*item.followed);
  const InstrumentReading& r = item.reading;
  if (r.gradient) size.norm = all.norm, size.rms = all.rms;
  if (!r.gradient && r.kind == InstrumentReading::Kind::parameter) size.weight = all.weight, size.update = all.update;
  return size;
}

std::shared_ptr<const InstrumentReadings> Instruments::readings() {
  if (readings_ || looks_ == 0) return readings_;
  const double begin = thread_seconds();
  std::vector<TensorStatistics> samples(probe_->values().size());
  parallel_for(static_cast<int64_t>(samples.size()),
               [&](int64_t k) { samples[static_cast<size_t>(k)] = measure(probe_->sample(static_cast<size_t>(k))); });
  auto all = std::make_shared<InstrumentReadings>();
  for (Item& item : items_) {
    if (item.slot) item.reading.sample = samples[*item.slot];
    all->readings.push_back(item.reading);
    const double norm = item.reading.kind == InstrumentReading::Kind::wire ? item.reading.size.norm : 0;
    if (!std::isfinite(norm) || norm <= 0) continue;
    all->least_norm = all->least_norm > 0 ? std::min(all->least_norm, norm) : norm;
    all->most_norm = std::max(all->most_norm, norm);
  }
  all->gradients = meter_.history();
  all->verdicts = paths_.judge(*all->gradients);
  pace_.worked_out(thread_seconds() - begin);
  all->looks = looks_;
  all->steps = steps_;
  all->cost = pace_.cost();
  readings_ = std::move(all);
  return readings_;
}

}  // namespace hw
