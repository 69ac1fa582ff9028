#include "engine/backend/cpu/runtime/strips.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "engine/backend/plan/regions.h"
#include "engine/core/parallel.h"
#include "engine/core/thread_clock.h"

namespace hw::cpu {
namespace {

Operand at_strip(const StripOperand& from, int64_t first, int64_t count, std::byte* strips) {
  Operand o = from.at_tile;
  if (from.in_strip)
    o.data = strips + from.offset;
  else if (!from.one_number)
    o.data += static_cast<size_t>(first) * size_of(o.dtype);
  o.rows = 1;
  o.row_elems = from.one_number ? 1 : count;
  return o;
}

/// Elements [first, first + count). `seconds`: by call, what they take is added; null: it is not measured.
void run_strip(std::span<const StripCall> calls, int64_t first, int64_t count, std::byte* strips, double* seconds) {
  std::vector<Operand> in, out;
  double begin = seconds ? steady_seconds() : 0;
  for (size_t k = 0; k < calls.size(); ++k) {
    in.clear();
    out.clear();
    for (const StripOperand& o : calls[k].in) in.push_back(at_strip(o, first, count, strips));
    for (const StripOperand& o : calls[k].out) out.push_back(at_strip(o, first, count, strips));
    calls[k].kernel->run({}, in.data(), out.data());
    if (!seconds) continue;
    const double end = steady_seconds();
    seconds[k] += end - begin;
    begin = end;
  }
}

}  // namespace

void run_strips_of(std::span<const StripCall> calls, int64_t first, int64_t count, std::byte* strips, double* seconds) {
  for (int64_t at = 0; at < count; at += plan::kStrip)
    run_strip(calls, first + at, std::min(plan::kStrip, count - at), strips, seconds);
}

void run_strips(std::span<const StripCall> calls, std::span<std::byte* const> strips, std::span<double> seconds) {
  constexpr int64_t kMeasured = 8;  // one strip of so many
  const int64_t count = calls[0].out[0].at_tile.size();
  std::vector<double> measured(calls.size(), 0);
  std::atomic<int64_t> next{0};
  const double begin = steady_seconds();
  const auto work = [&](int64_t thread) {
    int64_t done = 0;
    for (int64_t first; (first = next.fetch_add(plan::kStrip, std::memory_order_relaxed)) < count; ++done)
      run_strip(calls, first, std::min(plan::kStrip, count - first), strips[static_cast<size_t>(thread)],
                thread == 0 && done % kMeasured == 0 ? measured.data() : nullptr);
  };
  const auto threads = static_cast<int64_t>(strips.size());
  if (threads == 1)
    work(0);
  else
    parallel_for(threads, work);
  const double spent = steady_seconds() - begin, sum = std::accumulate(measured.begin(), measured.end(), 0.0);
  for (size_t k = 0; k < calls.size(); ++k)
    seconds[k] += spent * (sum > 0 ? measured[k] / sum : 1.0 / static_cast<double>(calls.size()));
}

}  // namespace hw::cpu
