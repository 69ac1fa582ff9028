#include "engine/node/dtype_join.h"

#include <vector>

#include "engine/node/declaration.h"

namespace hw {

std::optional<DType> join(DType a, DType b, std::span<const DType> allowed) {
  if (a == b) return a;
  const std::vector<DType> floats = running_floats();
  if (allowed.empty()) allowed = floats;
  std::optional<DType> best;
  for (const DType candidate : allowed) {
    if (!info(candidate).storable || !embeds(a, candidate) || !embeds(b, candidate)) continue;
    const bool given = candidate == a || candidate == b;
    if (!best || info(candidate).bits < info(*best).bits || (given && info(candidate).bits == info(*best).bits))
      best = candidate;
  }
  return best;
}

std::string cast_effect(DType from, DType to) {
  if (embeds(from, to)) return "exact";
  const DTypeInfo &a = info(from), &b = info(to);
  if (!a.is_float || !b.is_float) return "converts numbers";
  std::string text;
  if (b.mantissa_bits < a.mantissa_bits)
    text =
        "rounds " + std::to_string(a.mantissa_bits + 1) + " significant bits to " + std::to_string(b.mantissa_bits + 1);
  if (b.exponent_bits < a.exponent_bits)
    text += std::string(text.empty() ? "" : ", ") + "the range shrinks to that of " + std::string(name(to));
  return text;
}

}  // namespace hw
