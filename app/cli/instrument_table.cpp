#include "app/cli/instrument_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/instrument/instrument_report.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;
constexpr size_t kWorst = 8;
constexpr char kCountsAre[] =
    "of every element in the last step looked at, micro-batches together; shares are of elements, underflow and "
    "overflow of those rounded. Parameters as that step read them, before its update. octaves: of sampled elements";

bool is_shown(const InstrumentReading& r) {
  return r.kind != InstrumentReading::Kind::inner || r.underflow() > 0 || r.overflow() > 0 ||
         r.total_infs + r.total_nans > 0;
}

std::string range_text(const InstrumentReading& r) {
  if (r.look.largest <= 0) return "all 0";
  char text[32];
  std::snprintf(text, sizeof text, "2^%d … 2^%d", std::ilogb(r.look.smallest), std::ilogb(r.look.largest));
  return text;
}

/// "12 %"; below 0.01 % the count: "52".
std::string part_text(int64_t part, int64_t of) {
  return count_text(part, of, false);
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

}  // namespace

void print_instruments(const InstrumentReadings& all) {
  char cost[64] = "too few to tell what looking took";
  if (all.is_cost_measured())
    std::snprintf(cost, sizeof cost, "looking took %.1f %% of the processor time of the steps", all.cost * 100);
  std::printf("\ninstruments: %llu of %llu step%s looked at; %s\n", static_cast<unsigned long long>(all.looks),
              static_cast<unsigned long long>(all.steps), all.steps == 1 ? "" : "s", cost);
  size_t wide = 5;
  for (const InstrumentReading& r : all.readings)
    if (is_shown(r)) wide = std::max(wide, r.label().size());
  std::printf("%-*s  dtype   underflow      zero  subnormal  saturated     Inf     NaN  headroom  magnitudes\n",
              static_cast<int>(wide), "value");
  for (const InstrumentReading& r : all.readings) {
    if (!is_shown(r)) continue;
    const auto headroom = r.headroom_bits();
    char bits[16] = "";
    if (headroom) std::snprintf(bits, sizeof bits, "%.1f", *headroom);
    std::printf("%-*s  %-6s  %9s  %8s  %9s  %9s  %6lld  %6lld  %8s  %s\n", static_cast<int>(wide), r.label().c_str(),
                std::string(name(r.dtype)).c_str(),
                r.sees_rounding() ? part_text(r.look.losses.underflowed, r.look.losses.rounded).c_str() : "-",
                part_text(r.look.zeros, r.look.count).c_str(), part_text(r.look.subnormal, r.look.count).c_str(),
                part_text(r.look.saturated, r.look.count).c_str(), static_cast<long long>(r.total_infs),
                static_cast<long long>(r.total_nans), bits, range_text(r).c_str());
  }
  std::printf(
      "Every element is counted; below 0.01 %% the count itself is shown. underflow: not 0 when computed, 0 as stored "
      "(-: stored as it was computed, or not seen: on a GPU).\nInf, NaN: in all looks; the rest is of the last, "
      "parameters as its step read "
      "them, before the update\n");
  const auto worst = worst_of(all, kWorst);
  if (!worst.empty()) std::printf("\nmost is lost here:\n");
  for (const std::string& line : worst) std::printf("  %s\n", line.c_str());
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

}  // namespace hw::cli
