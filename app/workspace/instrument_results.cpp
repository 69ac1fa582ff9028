#include "app/workspace/instrument_results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hw::workspace {

using nlohmann::ordered_json;

namespace {

constexpr char kCountsAre[] =
    "of every element in the last step looked at, micro-batches together; shares are of elements, underflow and "
    "overflow of those rounded. Parameters as that step read them, before its update. octaves: of sampled elements";
constexpr char kSizesAre[] =
    "L2 norms of true gradients (loss scale and gradient scales divided out) and of master weights; update_weight is "
    "the norm of what the step changed in the weights over theirs; updates_lost, known of weights that are updated in "
    "less than f32, the share of elements with a gradient that the step left as they were. Estimates where fewer "
    "elements "
    "are sampled than "
    "there are";

const char* kind_text(GradientSeries::Kind kind) {
  return kind == GradientSeries::Kind::wire ? "wire" : "parameter";
}

const char* kind_text(GradientVerdict::Kind kind) {
  constexpr const char* names[] = {"not_finite",    "zero",          "vanishes",    "explodes",
                                   "small_updates", "large_updates", "lost_updates"};
  return names[static_cast<size_t>(kind)];
}

const char* kind_text(InstrumentReading::Kind kind) {
  switch (kind) {
    case InstrumentReading::Kind::wire:
      return "wire";
    case InstrumentReading::Kind::parameter:
      return "parameter";
    case InstrumentReading::Kind::inner:
      break;
  }
  return "inner";
}

int64_t sampled(const GradientSeries& series) {
  return std::min(series.elements, ValueProbe::kSamples);
}

std::string number(double value) {
  if (std::isnan(value)) return "";
  if (std::isinf(value)) return "inf";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// JSON has no Inf: it becomes text; what is not known, null.
ordered_json size_json(double value) {
  if (std::isnan(value)) return nullptr;
  return std::isinf(value) ? ordered_json("inf") : ordered_json(value);
}

}  // namespace

std::string text_of(const GradientVerdict& verdict) {
  return to_text(verdict, [](const std::string& node) { return node; });
}

std::string gradients_csv(const GradientHistory& history) {
  std::string csv = "step,node,value,kind,gradient_norm,gradient_rms,weight_norm,update_weight,sampled,elements\n";
  for (const auto& look : history.looks) {
    for (size_t k = 0; k < look->series.size(); ++k) {
      const GradientSeries& s = history.subjects->series[k];
      const GradientSize& size = look->series[k];
      csv += std::to_string(look->step + 1) + "," + s.node + "," + s.name + "," + kind_text(s.kind) + "," +
             number(size.norm) + "," + number(size.rms) + "," + number(size.weight) + "," + number(size.update) + "," +
             std::to_string(sampled(s)) + "," + std::to_string(s.elements) + "\n";
    }
  }
  return csv;
}

ordered_json gradients_json(const InstrumentReadings& readings) {
  const GradientHistory& history = *readings.gradients;
  ordered_json verdicts = ordered_json::array(), values = ordered_json::array();
  for (const GradientVerdict& v : readings.verdicts) {
    verdicts.push_back({{"kind", kind_text(v.kind)},
                        {"path", v.path},
                        {"factor", size_json(v.factor)},
                        {"node", v.node},
                        {"node_factor", size_json(v.node_factor)},
                        {"estimated", v.sampled},
                        {"text", text_of(v)}});
    if (!v.parameter.empty()) verdicts.back()["parameter"] = v.parameter;
  }
  if (!history.looks.empty()) {
    const GradientLook& last = *history.looks.back();
    for (size_t k = 0; k < last.series.size(); ++k) {
      const GradientSeries& s = history.subjects->series[k];
      const GradientSize& size = last.series[k];
      values.push_back({{"node", s.node},
                        {"value", s.name},
                        {"kind", kind_text(s.kind)},
                        {"step", last.step + 1},
                        {"gradient_norm", size_json(size.norm)},
                        {"gradient_rms", size_json(size.rms)},
                        {"weight_norm", size_json(size.weight)},
                        {"update_weight", size_json(size.update)},
                        {"updates_lost", size_json(size.lost)},
                        {"sampled", sampled(s)},
                        {"elements", s.elements}});
    }
  }
  return {{"sizes_are", kSizesAre}, {"looks", history.looks.size()}, {"verdicts", verdicts}, {"values", values}};
}

ordered_json instruments_json(const InstrumentReadings& all) {
  ordered_json values = ordered_json::array();
  for (const InstrumentReading& r : all.readings) {
    const auto headroom = r.headroom_bits();
    values.push_back(
        {{"node", r.node},
         {"name", r.name},
         {"kind", kind_text(r.kind)},
         {"pass", r.gradient ? "backward" : "forward"},
         {"dtype", name(r.dtype)},
         {"dims", r.dims},
         {"step", r.step + 1},
         {"elements", r.look.count},
         {"underflow", r.sees_rounding() ? ordered_json(r.underflow()) : ordered_json()},
         {"overflow", r.sees_rounding() ? ordered_json(r.overflow()) : ordered_json()},
         {"zero", r.zero()},
         {"subnormal", r.subnormal()},
         {"saturated", r.saturated()},
         {"counts",
          {{"zero", r.look.zeros},
           {"subnormal", r.look.subnormal},
           {"saturated", r.look.saturated},
           {"rounded", r.look.losses.rounded},
           {"underflow", r.look.losses.underflowed},
           {"overflow", r.look.losses.overflowed}}},
         {"infs", r.look.infs},
         {"nans", r.look.nans},
         {"smallest", r.look.smallest},
         {"largest", r.look.largest},
         {"headroom_bits", headroom ? ordered_json(*headroom) : ordered_json()},
         {"gradient_scale", r.gradient_scale},
         {"total_infs", r.total_infs},
         {"total_nans", r.total_nans},
         {"first_bad_step", r.first_bad_step ? ordered_json(*r.first_bad_step + 1) : ordered_json()},
         {"worst_underflow", r.worst_underflow},
         {"worst_underflow_step", r.worst_underflow_step + 1},
         {"octaves",
          {{"first", r.sample.first}, {"counts", r.sample.bins}, {"sampled", r.sample.count}, {"of", r.look.count}}}});
  }
  return {{"counts_are", kCountsAre},
          {"steps", all.steps},
          {"looked_at", all.looks},
          {"cost", all.is_cost_measured() ? ordered_json(all.cost) : ordered_json()},
          {"values", values}};
}

}  // namespace hw::workspace
