#include "engine/backend/value_probe.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "engine/core/magnitudes.h"
#include "engine/core/parallel.h"
#include "engine/core/philox.h"
#include "engine/core/thread_clock.h"

namespace hw {
namespace {

constexpr int64_t kPiece = 1 << 16;  // elements of a whole value that one thread looks at in one go

int64_t samples_of(int64_t count) {
  return std::min(count, ValueProbe::kSamples);
}

}  // namespace

ValueLook look_of(const Magnitudes& m, int64_t count) {
  ValueLook look;
  look.count = count;
  look.infs = m.infs;
  look.nans = m.nans;
  look.zeros = m.zeros;
  look.subnormal = m.subnormal;
  look.saturated = m.saturated;
  look.smallest = m.smallest;
  look.largest = m.largest;
  return look;
}

ValueLook& ValueLook::operator+=(const ValueLook& other) {
  count += other.count;
  infs += other.infs;
  nans += other.nans;
  zeros += other.zeros;
  subnormal += other.subnormal;
  saturated += other.saturated;
  if (other.smallest > 0) smallest = smallest > 0 ? std::min(smallest, other.smallest) : other.smallest;
  largest = std::max(largest, other.largest);
  losses += other.losses;
  return *this;
}

ValueProbe::ValueProbe(const Program& program, const std::vector<ValueId>& values)
    : program_(program), values_(values), slot_of_(program.values.size(), -1), jitter_(kSamples) {
  for (size_t slot = 0; slot < values.size(); ++slot) {
    const Value& v = program[values[slot]];
    assert(info(v.dtype).is_float);
    slot_of_[values[slot]] = static_cast<int32_t>(slot);
    samples_.push_back(Tensor::zeros(v.dtype, {samples_of(element_count(v.dims))}));
  }
  use_lanes(1);
}

void ValueProbe::begin(uint64_t seed, uint64_t step) {
  seconds_ = 0;
  for (auto& lane : lanes_) std::fill(lane.begin(), lane.end(), ValueLook{});
  static const uint32_t stream = stream_of("value probe");
  for (size_t k = 0; k < jitter_.size(); k += 4) {
    const Philox4 words = philox_block(seed, stream, step, k / 4);
    for (size_t i = 0; i < 4; ++i) jitter_[k + i] = static_cast<double>(uniform01(words[i]));
  }
}

ValueLook ValueProbe::look(size_t k) const {
  ValueLook all;
  for (const auto& lane : lanes_) all += lane[k];
  return all;
}

double ValueProbe::seconds() const {
  double losses = 0;
  for (const auto& lane : lanes_)
    for (const ValueLook& look : lane) losses += look.losses.seconds;
  return seconds_ + losses / static_cast<double>(lanes_.size());
}

void ValueProbe::use_lanes(size_t lanes) {
  while (lanes_.size() < lanes) lanes_.emplace_back(values_.size());
}

RoundingLosses* ValueProbe::losses(ValueId value, size_t lane) {
  return wants(value) ? &lanes_[lane][static_cast<size_t>(slot_of_[value])].losses : nullptr;
}

int64_t ValueProbe::place(int64_t k, int64_t samples, int64_t count) const {
  if (samples == count) return k;
  const double stretch = static_cast<double>(count) / static_cast<double>(samples);
  const double at = (static_cast<double>(k) + jitter_[static_cast<size_t>(k)]) * stretch;
  return std::min(count - 1, static_cast<int64_t>(at));
}

std::vector<int64_t> ValueProbe::places(int64_t count) const {
  std::vector<int64_t> all(static_cast<size_t>(samples_of(count)));
  for (size_t k = 0; k < all.size(); ++k)
    all[k] = place(static_cast<int64_t>(k), static_cast<int64_t>(all.size()), count);
  return all;
}

void ValueProbe::take_samples(size_t slot, int64_t first, int64_t count, const std::byte* elements) {
  Tensor& kept = samples_[slot];
  const int64_t size = element_count(program_[values_[slot]].dims), samples = kept.size();
  const size_t bytes = size_of(kept.dtype());
  auto* to = kept.as<std::byte>();
  const auto copy = [&]<size_t N>(std::integral_constant<size_t, N>) {
    for (int64_t k = std::max<int64_t>(0, first * samples / size - 1); k < samples; ++k) {
      const int64_t at = place(k, samples, size) - first;
      if (at < 0) continue;
      if (at >= count) break;
      std::memcpy(to + static_cast<size_t>(k) * N, elements + static_cast<size_t>(at) * N, N);
    }
  };
  if (bytes == 1) copy(std::integral_constant<size_t, 1>{});
  if (bytes == 2) copy(std::integral_constant<size_t, 2>{});
  if (bytes == 4) copy(std::integral_constant<size_t, 4>{});
  if (bytes == 8) copy(std::integral_constant<size_t, 8>{});
}

void ValueProbe::see(ValueId value, size_t lane, int64_t first, int64_t count, const void* elements) {
  if (!wants(value) || count == 0) return;
  const auto slot = static_cast<size_t>(slot_of_[value]);
  const Magnitudes m = magnitudes_of(program_[value].dtype, elements, count);
  lanes_[lane][slot] += look_of(m, count);
  take_samples(slot, first, count, static_cast<const std::byte*>(elements));
}

void ValueProbe::see_whole(ValueId value, const void* elements, DType master_dtype, const void* master) {
  if (!wants(value)) return;
  const Value& v = program_[value];
  const int64_t count = element_count(v.dims), pieces = (count + kPiece - 1) / kPiece;
  const auto* stored = static_cast<const std::byte*>(elements);
  const auto* before = static_cast<const std::byte*>(master);
  const int64_t threads = std::clamp<int64_t>(pieces, 1, thread_count());
  use_lanes(static_cast<size_t>(threads));
  // Small values are looked at faster than the thread's own clock is read.
  const auto clock = pieces > 1 ? thread_seconds : steady_seconds;
  std::vector<double> spent(static_cast<size_t>(threads));
  std::atomic<int64_t> next{0};
  parallel_for(threads, [&](int64_t thread) {
    const auto lane = static_cast<size_t>(thread);
    const double begin = clock();
    for (int64_t p; (p = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) {
      const int64_t first = p * kPiece, n = std::min(kPiece, count - first);
      const std::byte* piece = stored + static_cast<size_t>(first) * size_of(v.dtype);
      see(value, lane, first, n, piece);
      if (before && master_dtype != v.dtype)
        losses(value, lane)
            ->add(v.dtype, piece, master_dtype, before + static_cast<size_t>(first) * size_of(master_dtype), n);
    }
    spent[lane] = clock() - begin;
  });
  seconds_ += std::accumulate(spent.begin(), spent.end(), 0.0) / static_cast<double>(threads);
}

}  // namespace hw
