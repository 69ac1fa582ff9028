// How each value of a program that computes a part of a batch depends on the samples of that part.
#pragma once

#include <set>

#include "engine/program/builder.h"
#include "engine/program/sample_axis.h"

namespace hw {

/// What one value depends on. Neither `at` nor `own`: it is the same in all parts.
struct SampleState {
  std::optional<SampleAxis> at;  // a row for each sample
  /// Linear, so far, in numbers that were made of all samples of the part: in a mean of the batch it is the mean over
  /// the parts. `sum`: in a sum over samples, which is added up over the parts; `plain`: one that nothing multiplied.
  bool own = false, sum = false, plain = false;
  double factor = 1;                // sum: what it was multiplied by
  int64_t summed = 1, samples = 1;  // sum: elements, samples
  size_t from = 0;                  // own: the op that made it of all samples
  ValueId number = kNoValue;  // a trained number of all parts that it is made of: its gradient must be that of all
  int shares = 0;             // how often it was multiplied by the part's share of the samples
  uint32_t alike = 0;         // bit d: the same in all parts, and all elements along axis d are equal
  bool reported = false;      // made of what was reported already

  bool differs() const { return at || own; }
};

/// What makes of a part's samples something that is not that of the whole batch.
struct MixedSamples {
  size_t instr = 0;           // in the program
  ValueId number = kNoValue;  // OfBatch::of: its value is that of the whole batch, but not its gradient
};

/// Follows a program, which may grow, from its first op on. What is not proven is mixed. Draws with an axis of samples
/// have it first; others, which each part makes for itself, count as the same in all parts.
class SampleStates {
 public:
  /// OfBatch::of of the numbers that stand for more than their part: `whole` are put in place of what the part has, the
  /// others are linear on their way to the loss.
  struct Numbers {
    std::set<ValueId> whole, linear;
  };
  /// `share`: of the samples. Without `numbers` all of those that are marked are of the whole batch, and gradients do
  /// not matter.
  SampleStates(const Program& program, double share, std::optional<Numbers> numbers = {})
      : p_(program), share_(share), numbers_(std::move(numbers)) {}

  void follow(const std::vector<OpBuilder::OfBatch>& marks, const std::vector<OpBuilder::SamePlaces>& places);
  const SampleState& operator[](ValueId id) const { return states_[id]; }
  const std::vector<MixedSamples>& mixed() const { return mixed_; }

 private:
  SampleState drawn(const Instr& instr, const Value& value);
  SampleState made(size_t i);
  SampleState marked(size_t i, const OpBuilder::OfBatch& mark);
  SampleState mixes(size_t i, ValueId number = kNoValue);
  bool adds_up(const Instr& instr, SampleState& out) const;
  void scaled(const Instr& instr, SampleState& out) const;
  std::optional<SampleState> said(size_t i);
  uint32_t alike(const Instr& instr) const;
  std::vector<SampledInput> inputs(const Instr& instr) const;
  void put(ValueId id, const SampleState& state);

  const Program& p_;
  const double share_;
  const std::optional<Numbers> numbers_;
  const std::vector<OpBuilder::SamePlaces>* places_ = nullptr;  // while it follows
  std::vector<SampleState> states_;
  std::vector<bool> own_, of_number_, differs_, trained_;  // by value
  std::set<int64_t> counts_;                               // of samples that sources draw
  std::vector<MixedSamples> mixed_;
  size_t instr_ = 0, constant_ = 0, param_ = 0;  // the next ones
};

}  // namespace hw
