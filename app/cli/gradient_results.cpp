#include "app/cli/gradient_results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

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
ordered_json number_json(double value) {
  if (std::isnan(value)) return nullptr;
  return std::isinf(value) ? ordered_json("inf") : ordered_json(value);
}

std::string text_of(const GradientVerdict& verdict) {
  return to_text(verdict, [](const std::string& node) { return node; });
}

}  // namespace

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
                        {"factor", number_json(v.factor)},
                        {"node", v.node},
                        {"node_factor", number_json(v.node_factor)},
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
                        {"gradient_norm", number_json(size.norm)},
                        {"gradient_rms", number_json(size.rms)},
                        {"weight_norm", number_json(size.weight)},
                        {"update_weight", number_json(size.update)},
                        {"updates_lost", number_json(size.lost)},
                        {"sampled", sampled(s)},
                        {"elements", s.elements}});
    }
  }
  return {{"sizes_are", kSizesAre}, {"looks", history.looks.size()}, {"verdicts", verdicts}, {"values", values}};
}

void print_verdicts(const InstrumentReadings& readings) {
  for (const GradientVerdict& v : readings.verdicts) std::printf("%s\n", text_of(v).c_str());
}

}  // namespace hw::cli
