// Policy: what a graph does where dtypes meet.
#pragma once

#include <optional>
#include <string_view>

#include "engine/core/dtype.h"

namespace hw {

/// strict: every clash is an error until someone mends it. negotiate: visible casts are placed with the least loss, see
/// negotiate.h. autocast: nodes compute in the dtypes of the autocast lists, see autocast.h. Either way what runs is an
/// ordinary graph: a policy makes edits, it is no hidden mode.
enum class Policy : uint8_t { strict, negotiate, autocast };

/// A graph's policy; `low`: autocast's narrow dtype, f16 or bf16.
struct Precision {
  Policy policy = Policy::strict;
  DType low = DType::bf16;
  bool operator==(const Precision&) const = default;
};

/// "strict", "negotiate", "autocast".
constexpr std::string_view name(Policy policy) {
  constexpr std::string_view names[] = {"strict", "negotiate", "autocast"};
  return names[static_cast<size_t>(policy)];
}

constexpr std::optional<Policy> policy_from_name(std::string_view text) {
  for (const Policy policy : {Policy::strict, Policy::negotiate, Policy::autocast}) {
    if (name(policy) == text) return policy;
  }
  return std::nullopt;
}

}  // namespace hw
