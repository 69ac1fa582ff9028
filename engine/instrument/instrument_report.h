// What instruments show, in words and as heat: for the CLI's table, the canvas's gauges and its heat map.
#pragma once

#include "engine/instrument/instruments.h"

namespace hw {

/// A quantity that a heat map colours by.
enum class InstrumentQuantity : uint8_t {
  underflow,
  zero,
  subnormal,
  saturated,
  not_finite,
  headroom,
  gradient_norm,
  update,
};
struct InstrumentQuantityInfo {
  InstrumentQuantity quantity;
  std::string_view id;                                  // "underflow"
  std::string_view label;                               // "Underflow"
  std::string_view means;                               // one line for the user
  std::string_view low = "harmless", high = "harmful";  // of the heat
};
std::span<const InstrumentQuantityInfo> instrument_quantities();

/// How much of it there is, 0 (none, or harmless) to 1. Shares on a log scale: 0.01 % and less is 0, 1 % is 0.5, all
/// is 1. Headroom: 8 bits and more is 0, none is 1. Inf or NaN, in any look so far: 1. Gradient norm: of wires, from
/// the least to the most of `among` on a log scale of two decades or more; not known without `among`. Update ÷ weight:
/// 0 within ten times kUsualUpdate either way, 1 from kLeastUpdate down and from kMostUpdate up. None: not known of
/// this value.
std::optional<double> heat(const InstrumentReading& reading, InstrumentQuantity quantity,
                           const InstrumentReadings* among = nullptr);

/// Troubles in plain words, the worst first: "12 % underflows f16: computed as numbers other than 0, stored as 0".
/// Shares below 0.1 % are left out, Inf and NaN never.
std::vector<std::string> troubles(const InstrumentReading& reading);

/// "grad(mlp.layer_0): 12 % underflows f16 …": the readings with most underflow, overflow, Inf or NaN, the worst first.
std::vector<std::string> worst_of(const InstrumentReadings& readings, size_t count);

/// Whether it is worth a mark on the node: an Inf or NaN in the last look, or 1 % and more that underflows.
bool is_troubled(const InstrumentReading& reading);

/// "gradient norm 3.2e-4, 1.1e-7 an element", "norm 12, update/weight 8.1e-4"; where they are estimates "(of 4,096
/// sampled)". "" where neither is known.
std::string size_text(const InstrumentReading& reading);

/// " (of 4,096 sampled)" where norms of the reading are estimates, else "".
std::string sampled_text(const InstrumentReading& reading);

/// "0.5 % zeros, magnitudes 2^-24 … 2^-8, 7.9 bits of headroom": of every element.
std::string facts(const InstrumentReading& reading);

/// "histogram of 4,096 sampled, of 25,165,824"; "" where it is of every element.
std::string histogram_text(const InstrumentReading& reading);

/// What a heat map colours by, in a few characters: "12 %", "52 (< 0.01 %)", "3 Inf, 0 NaN", "7.9 bits", "3.2e-4";
/// "" where it is not known.
std::string value_text(const InstrumentReading& reading, InstrumentQuantity quantity);

/// "12 %", "0.34 %", "< 0.01 %", "0".
std::string percent_text(double share);

/// "12 %", "0.34 %", "0"; below 0.01 % the count itself, "52", and in `whole` words "52 (< 0.01 %)".
std::string count_text(int64_t part, int64_t of, bool whole = true);

}  // namespace hw
