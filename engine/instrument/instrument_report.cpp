#include "engine/instrument/instrument_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/instrument/format_rounded.h"

namespace hw {
namespace {

constexpr double kWorthSaying = 1e-3;
constexpr double kWorthAMark = 1e-2;
constexpr double kAmpleBits = 8;
constexpr double kLeastDecades = 2;  // of a heat map of gradient norms: small differences stay small

constexpr InstrumentQuantityInfo kQuantities[] = {
    {InstrumentQuantity::underflow, "underflow", "Underflow",
     "Not 0 when computed, 0 when stored; every element counted."},
    {InstrumentQuantity::zero, "zero", "Zeros", "Stored as 0; every element counted."},
    {InstrumentQuantity::subnormal, "subnormal", "Subnormal",
     "Below the dtype's smallest normal number: fewer bits. Every element counted."},
    {InstrumentQuantity::saturated, "saturated", "Saturated", "At the dtype's largest number; every element counted."},
    {InstrumentQuantity::not_finite, "not_finite", "Inf and NaN", "Counted in every element of every look."},
    {InstrumentQuantity::headroom, "headroom", "Headroom",
     "Doublings left before the dtype's largest number, of the largest of every element."},
    {InstrumentQuantity::gradient_norm, "gradient_norm", "Gradient Norm",
     "How large the gradient of each output is; beyond 4,096 elements an estimate of 4,096 sampled.", "smallest",
     "largest"},
    {InstrumentQuantity::update, "update", "Update / Weight",
     "What a step changes of the weights; 1e-3 is usual. Beyond 4,096 weights an estimate of 4,096 sampled.", "usual",
     "far off"},
};

double heat_of_share(double share) {
  return share > 0 ? std::clamp(std::log10(share / 1e-4) / 4, 0.0, 1.0) : 0;
}

/// By how far an update is off the usual one.
double heat_of_update(double update) {
  const double off = std::log10(update / kUsualUpdate);
  const double most = std::log10((off < 0 ? kLeastUpdate : kMostUpdate) / kUsualUpdate);
  return std::clamp((std::abs(off) - 1) / (std::abs(most) - 1), 0.0, 1.0);
}

double heat_of_norm(double norm, const InstrumentReadings& among) {
  if (std::isinf(norm)) return 1;
  if (norm <= 0 || among.least_norm <= 0) return 0;
  const double decades = std::log10(among.most_norm / among.least_norm);
  return std::clamp(std::log10(norm / among.least_norm) / std::max(decades, kLeastDecades), 0.0, 1.0);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string bits_text(double bits) {
  char text[24];
  std::snprintf(text, sizeof text, "%.1f bits", bits);
  return text;
}

double trouble(const InstrumentReading& r) {
  if (r.look.infs + r.look.nans > 0) return 2;
  return std::max({r.underflow(), r.worst_underflow * 0.01, r.total_infs + r.total_nans > 0 ? 2 * kWorthSaying : 0.0});
}

}  // namespace

std::span<const InstrumentQuantityInfo> instrument_quantities() {
  return kQuantities;
}

std::optional<double> heat(const InstrumentReading& r, InstrumentQuantity quantity, const InstrumentReadings* among) {
  switch (quantity) {
    case InstrumentQuantity::underflow:
      return r.sees_rounding() ? std::optional(heat_of_share(r.underflow())) : std::nullopt;
    case InstrumentQuantity::zero:
      return heat_of_share(r.zero());
    case InstrumentQuantity::subnormal:
      return heat_of_share(r.subnormal());
    case InstrumentQuantity::saturated:
      return heat_of_share(r.saturated());
    case InstrumentQuantity::not_finite:
      return r.total_infs + r.total_nans > 0 ? 1 : 0;
    case InstrumentQuantity::headroom: {
      const auto bits = r.headroom_bits();
      if (!bits) return std::nullopt;
      return std::clamp(1 - *bits / kAmpleBits, 0.0, 1.0);
    }
    case InstrumentQuantity::gradient_norm:
      if (r.kind != InstrumentReading::Kind::wire || std::isnan(r.size.norm) || !among) return std::nullopt;
      return heat_of_norm(r.size.norm, *among);
    case InstrumentQuantity::update:
      return std::isnan(r.size.update) ? std::nullopt : std::optional(heat_of_update(r.size.update));
  }
  return std::nullopt;
}

std::string percent_text(double share) {
  if (share <= 0) return "0";
  if (share < 1e-4) return "< 0.01 %";
  char text[16];
  std::snprintf(text, sizeof text, share < 0.01 ? "%.2f %%" : share < 0.1 ? "%.1f %%" : "%.0f %%", share * 100);
  return text;
}

bool is_troubled(const InstrumentReading& r) {
  return trouble(r) >= kWorthAMark;
}

std::string size_text(const InstrumentReading& r) {
  std::string text;
  if (r.gradient && !std::isnan(r.size.norm))
    text = "gradient norm " + format_rounded(r.size.norm) + ", " + format_rounded(r.size.rms) + " an element";
  if (!std::isnan(r.size.weight)) text = "norm " + format_rounded(r.size.weight);
  if (!std::isnan(r.size.update)) text += ", update/weight " + format_rounded(r.size.update);
  return text.empty() ? text : text + sampled_text(r);
}

std::string sampled_text(const InstrumentReading& r) {
  const bool whole = element_count(r.dims) <= ValueProbe::kSamples;
  return whole ? "" : " (of " + grouped(ValueProbe::kSamples) + " sampled)";
}

std::string histogram_text(const InstrumentReading& r) {
  if (!r.is_sampled()) return "";
  return "histogram of " + grouped(r.sample.count) + " sampled, of " + grouped(r.look.count);
}

std::string count_text(int64_t part, int64_t of, bool whole) {
  const double share = of > 0 ? static_cast<double>(part) / static_cast<double>(of) : 0;
  if (part <= 0 || share >= 1e-4) return percent_text(share);
  return whole ? grouped(part) + " (" + percent_text(share) + ")" : grouped(part);
}

std::string facts(const InstrumentReading& r) {
  std::string text = count_text(r.look.zeros, r.look.count) + " zeros";
  if (const auto bits = r.headroom_bits()) {
    text += ", magnitudes 2^" + std::to_string(std::ilogb(r.look.smallest)) + " … 2^" +
            std::to_string(std::ilogb(r.look.largest)) + ", " + bits_text(*bits) + " of headroom";
  }
  return text;
}

std::string value_text(const InstrumentReading& r, InstrumentQuantity quantity) {
  switch (quantity) {
    case InstrumentQuantity::underflow:
      return r.sees_rounding() ? count_text(r.look.losses.underflowed, r.look.losses.rounded) : "";
    case InstrumentQuantity::zero:
      return count_text(r.look.zeros, r.look.count);
    case InstrumentQuantity::subnormal:
      return count_text(r.look.subnormal, r.look.count);
    case InstrumentQuantity::saturated:
      return count_text(r.look.saturated, r.look.count);
    case InstrumentQuantity::not_finite:
      return grouped(r.total_infs) + " Inf, " + grouped(r.total_nans) + " NaN";
    case InstrumentQuantity::headroom: {
      const auto bits = r.headroom_bits();
      return bits ? bits_text(*bits) : "";
    }
    case InstrumentQuantity::gradient_norm:
      return std::isnan(r.size.norm) ? "" : format_rounded(r.size.norm);
    case InstrumentQuantity::update:
      return std::isnan(r.size.update) ? "" : format_rounded(r.size.update);
  }
  return "";
}

std::vector<std::string> troubles(const InstrumentReading& r) {
  std::vector<std::string> list;
  const std::string dtype(name(r.dtype));
  if (r.total_infs + r.total_nans > 0) {
    list.push_back(grouped(r.look.infs) + " Inf and " + grouped(r.look.nans) + " NaN in " + grouped(r.look.count) +
                   " elements; so far " + grouped(r.total_infs) + " and " + grouped(r.total_nans) +
                   ", the first at step " + std::to_string(*r.first_bad_step + 1));
  }
  if (r.overflow() > 0)
    list.push_back(count_text(r.look.losses.overflowed, r.look.losses.rounded) + " overflows " + dtype +
                   ": finite when computed, Inf or NaN as stored");
  if (r.underflow() >= kWorthSaying)
    list.push_back(percent_text(r.underflow()) + " underflows " + dtype +
                   ": computed as numbers other than 0, stored as 0");
  if (r.saturated() >= kWorthSaying)
    list.push_back(percent_text(r.saturated()) + " is saturated at " + number(info(r.dtype).max));
  if (r.subnormal() >= kWorthSaying)
    list.push_back(percent_text(r.subnormal()) + " is subnormal, below " + number(info(r.dtype).min_normal) +
                   ": stored with fewer bits than " + dtype + " has");
  return list;
}

std::vector<std::string> worst_of(const InstrumentReadings& readings, size_t count) {
  std::vector<const InstrumentReading*> order;
  for (const InstrumentReading& r : readings.readings)
    if (trouble(r) >= kWorthSaying) order.push_back(&r);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return trouble(*a) > trouble(*b); });
  if (order.size() > count) order.resize(count);
  std::vector<std::string> lines;
  for (const InstrumentReading* r : order) lines.push_back(r->label() + ": " + troubles(*r).front());
  return lines;
}

}  // namespace hw
