// Where the samples of a batch lie in values, and where an op leaves them: what vmap does with its batch axis.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/program/program.h"

namespace hw {

/// The samples lie along `axis` of a value: element i of it belongs to sample i / inner % count. `pieces`: how many
/// come from each of several batches that follow one another there; empty: they are of one.
struct SampleAxis {
  int axis = 0;
  int64_t inner = 1, count = 1;
  std::vector<int64_t> pieces = {};
  bool operator==(const SampleAxis&) const = default;
};

/// What is known of an input of an op.
struct SampledInput {
  std::optional<SampleAxis> at;  // none: it is not made of samples
  uint32_t alike = 0;            // bit d: all elements along axis d are equal
  bool any = false;              // not made of samples, and fits wherever they lie
};

/// keeps: each sample of the outputs is made of that sample of the inputs, and what is the same for all. sums: the
/// outputs are sums over the samples of such. mixes: neither, as far as can be seen.
enum class SampleEffect : uint8_t { keeps, sums, mixes };
struct SampleMove {
  SampleEffect effect = SampleEffect::mixes;
  SampleAxis at = {};  // keeps: in every output
};

/// Where an op leaves the samples; one of its inputs at least is made of samples.
SampleMove move_samples(const Program& program, const Instr& instr, std::span<const SampledInput> in);

}  // namespace hw
