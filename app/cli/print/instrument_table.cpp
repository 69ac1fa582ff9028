#include "app/cli/print/instrument_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/workspace/instrument_results.h"
#include "engine/instrument/instrument_report.h"

namespace hw::cli {
namespace {

constexpr size_t kWorst = 8;

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

void print_verdicts(const InstrumentReadings& readings) {
  for (const GradientVerdict& v : readings.verdicts) std::printf("%s\n", workspace::text_of(v).c_str());
}

}  // namespace hw::cli
