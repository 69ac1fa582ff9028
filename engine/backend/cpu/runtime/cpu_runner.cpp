#include "engine/backend/cpu/runtime/cpu_runner.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <numeric>

#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/backend/value_probe.h"
#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/core/thread_clock.h"

namespace hw::cpu {

void CpuRunner::take_memory(Asked& asked) {
  asked = {plan_.memory().largest, plan_.partial_bytes()};
  partials_ = HugeBuffer(plan_.partial_bytes());
  asked.bytes = plan_.scratch_bytes();
  ensure_threads(1);
}

void CpuRunner::ensure_threads(int threads) {
  while (scratch_.size() < static_cast<size_t>(threads)) {
    scratch_data_.reserve(scratch_.size() + 1);
    scratch_.emplace_back(plan_.scratch_bytes());
    scratch_data_.push_back(scratch_.back().data());
    thread_timings_.emplace_back(timings_.size(), 0.0);
    probe_seconds_.push_back(0);
  }
}

Operand CpuRunner::operand(ValueId v) const {
  const Dims& dims = plan_.program()[v].dims;
  Operand whole = plan_.operand(v, dims.empty() ? 1 : dims[0]);
  whole.data = values_.data(v);
  return whole;
}

Status CpuRunner::run(const StepInputs& step, ValueProbe* probe) {
  assert(!probe || plan_.program().regions != Regions::always);  // it would see no elements
  const int threads = usable_threads();
  try {
    ensure_threads(threads);
    if (probe) probe->use_lanes(scratch_.size());
  } catch (const std::bad_alloc&) {
    return Error{codes::out_of_memory, "",
                 "There is no memory for the scratch space of " + std::to_string(threads) + " threads.",
                 "Use fewer threads."};
  }
  if (probe) look_at_states(*probe);
  const uint64_t version = states_.version();
  const bool same_weights = !probe && weights_version_ == version;
  weights_version_.reset();
  const std::vector<Step>& steps = plan_.steps();
  for (size_t s = 0; s < steps.size(); ++s) {
    if (step.cancelled()) break;
    if (steps[s].of_weights && same_weights) continue;
    if (steps[s].tiled)
      run_tiled(step, s, same_weights, probe);
    else
      run_whole(step, steps[s].instrs[0], probe);
  }
  if (plan_.has_updates()) states_.mark_written();
  if (step.cancelled()) return Error{codes::cancelled, "", "The run was cancelled.", ""};
  weights_version_ = version;
  return ok();
}

void CpuRunner::look_at_states(ValueProbe& probe) const {
  for (const Param& param : plan_.program().params)
    probe.see_whole(param.view, values_.data(param.view), plan_.program()[param.master].dtype,
                    values_.data(param.master));
}

void CpuRunner::run_whole(const StepInputs& step, size_t index, ValueProbe* probe) {
  const Instr& instr = plan_.program().instrs[index];
  std::vector<Operand> in, out;
  for (ValueId v : instr.in) in.push_back(operand(v));
  for (ValueId v : instr.out) {
    out.push_back(operand(v));
    if (probe) out.back().losses = probe->losses(v, 0);
  }
  const double begin = steady_seconds();
  plan_.kernel(index).whole->run({step, scratch_data_}, in.data(), out.data());
  timings_[index] += steady_seconds() - begin;
  for (size_t k = 0; probe && k < out.size(); ++k) probe->see_whole(instr.out[k], out[k].data);
}

void CpuRunner::run_tiled(const StepInputs& inputs, size_t s, bool same_weights, ValueProbe* probe) {
  const Step& step = plan_.steps()[s];
  const TiledStep& tiled = plan_.tiled(s);
  const int64_t chunks = step.chunks();
  // The pool may grow during a run; the scratch does not.
  const auto most = std::min(int64_t{thread_count()}, static_cast<int64_t>(scratch_.size()));
  // Sums do not read each other: where chunks are few, each is a part of its own.
  const auto calls = static_cast<int64_t>(tiled.calls.size());
  const bool apart = chunks < most && std::ranges::all_of(tiled.calls, [&](const TiledCall& call) {
                       return plan_.kernel(call.instr).reduction != nullptr;
                     });
  const int64_t parts = apart ? chunks * calls : chunks;
  const int64_t threads = std::min(parts, most);
  for (const TiledCall& call : tiled.calls) {
    const TileKernel* kernel = plan_.kernel(call.instr).tile.get();
    if (!kernel || chunks == 0 || (call.begins_once && same_weights && !kernel->begins_each_run())) continue;
    const double begin = steady_seconds();
    kernel->begin(call.in.data());
    timings_[call.instr] += steady_seconds() - begin;
  }
  std::atomic<int64_t> next{0};
  const auto work = [&](int64_t thread) {
    const SingleThreadedDnnl single;
    for (int64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) {
      if (inputs.cancelled()) return;
      if (apart)
        run_chunk(inputs, s, part / calls, static_cast<size_t>(part % calls), 1, static_cast<size_t>(thread), probe);
      else
        run_chunk(inputs, s, part, 0, static_cast<size_t>(calls), static_cast<size_t>(thread), probe);
    }
  };
  if (threads == 1)
    work(0);
  else if (threads > 1)
    parallel_for(threads, work);
  for (int64_t t = 0; probe && t < threads; ++t)
    probe->add_seconds(std::exchange(probe_seconds_[static_cast<size_t>(t)], 0) / static_cast<double>(threads));
  for (size_t k = 0; k < tiled.calls.size(); ++k) {
    const TiledCall& call = tiled.calls[k];
    for (int64_t t = 0; t < threads; ++t) {
      double& spent = thread_timings_[static_cast<size_t>(t)][call.instr];
      timings_[call.instr] += spent / static_cast<double>(threads);
      spent = 0;
    }
    const ReductionKernel* reduction = plan_.kernel(call.instr).reduction.get();
    if (!reduction || inputs.cancelled()) continue;
    const double begin = steady_seconds();
    Operand out = call.out[0];
    const ValueId made = plan_.program().instrs[call.instr].out[0];
    if (probe) out.losses = probe->losses(made, 0);
    reduction->finish(partials_.data() + call.partial_offset, call.pieces.groups(step.rows), out);
    timings_[call.instr] += steady_seconds() - begin;
    if (probe) probe->see_whole(made, out.data);
  }
}

Operand CpuRunner::at_tile(Operand whole, const Tile& tile, bool rows, plan::Place place, size_t thread) const {
  if (place == plan::Place::scratch)
    whole.data = scratch_[thread].data() + reinterpret_cast<size_t>(whole.data);
  else if (rows && place != plan::Place::strip)
    whole.data += static_cast<size_t>(tile.first_row * whole.row_elems) * size_of(whole.dtype);
  if (rows) whole.rows = tile.rows;
  return whole;
}

std::vector<StripCall> CpuRunner::strip_calls(size_t s, const plan::Region& region, const Tile& tile,
                                              size_t thread) const {
  std::vector<StripCall> strip_calls;
  for (const TiledCall& call : std::span(plan_.tiled(s).calls).subspan(region.first, region.count)) {
    StripCall made{plan_.kernel(call.instr).tile.get(), {}, {}};
    const auto operand = [&](const Operand& whole, bool rows, plan::Place place) {
      const bool in_strip = place == plan::Place::strip;
      return StripOperand{at_tile(whole, tile, rows, place, thread), in_strip,
                          in_strip ? reinterpret_cast<size_t>(whole.data) : 0, whole.size() == 1};
    };
    for (size_t k = 0; k < call.in.size(); ++k)
      made.in.push_back(operand(call.in[k], call.in_rows[k], call.in_place[k]));
    for (size_t k = 0; k < call.out.size(); ++k) made.out.push_back(operand(call.out[k], true, call.out_place[k]));
    strip_calls.push_back(std::move(made));
  }
  return strip_calls;
}

void CpuRunner::run_joined(size_t s, size_t at, const Tile& tile, size_t thread) {
  const auto calls = std::span(plan_.tiled(s).calls).subspan(at, 1 + plan_.tiled(s).calls[at].joined);
  const std::vector<StripCall> maker = strip_calls(s, {at, 1}, tile, thread);
  const std::vector<StripCall> joined = strip_calls(s, {at + 1, calls.size() - 1}, tile, thread);
  std::vector<double> seconds(joined.size(), 0);  // measured at one part, which all others resemble
  const PartMade made = [&](int64_t part, int64_t first, int64_t count) {
    run_strips_of(joined, first, count, scratch_[static_cast<size_t>(part)].data() + plan_.strips_offset(),
                  part == 0 ? seconds.data() : nullptr);
  };
  Tile tracked = tile;
  tracked.made = &made;
  std::vector<Operand> in;
  for (const StripOperand& o : maker[0].in) in.push_back(o.at_tile);
  std::vector<double>& spent = thread_timings_[thread];
  const double begin = steady_seconds();
  maker[0].kernel->run(tracked, in.data(), &maker[0].out[0].at_tile);
  spent[calls[0].instr] += steady_seconds() - begin - std::accumulate(seconds.begin(), seconds.end(), 0.0);
  for (size_t k = 0; k < seconds.size(); ++k) spent[calls[k + 1].instr] += seconds[k];
}

void CpuRunner::run_region(size_t s, const plan::Region& region, const Tile& tile, size_t thread) {
  const auto calls = std::span(plan_.tiled(s).calls).subspan(region.first, region.count);
  const std::vector<StripCall> in_strips = strip_calls(s, region, tile, thread);
  // Where one chunk is all there is, the other threads have nothing else to do.
  std::vector<std::byte*> strips;
  const bool alone = plan_.steps()[s].chunks() == 1;
  for (size_t t = 0; t < scratch_.size(); ++t)
    if (alone || t == thread) strips.push_back(scratch_[t].data() + plan_.strips_offset());
  std::vector<double> seconds(calls.size(), 0);
  run_strips(in_strips, strips, seconds);
  for (size_t k = 0; k < calls.size(); ++k) thread_timings_[thread][calls[k].instr] += seconds[k];
}

void CpuRunner::run_chunk(const StepInputs& inputs, size_t s, int64_t chunk, size_t first_call, size_t calls,
                          size_t thread, ValueProbe* probe) {
  const Step& step = plan_.steps()[s];
  const TiledStep& tiled = plan_.tiled(s);
  std::byte* scratch = scratch_[thread].data();
  std::vector<double>& spent = thread_timings_[thread];
  Tile tile{0, 0, &inputs, scratch + tiled.kernel_scratch_offset};
  std::vector<Operand> in, out;
  const int64_t end_row = std::min(step.rows, (chunk + 1) * step.chunk_rows);
  for (int64_t row = chunk * step.chunk_rows; row < end_row; row += step.tile_rows) {
    if (inputs.cancelled()) return;
    tile.first_row = row;
    tile.rows = std::min(step.tile_rows, end_row - row);
    double begin = steady_seconds();
    const plan::Region* region = step.regions.data();
    const plan::Region* const no_region = region + step.regions.size();
    for (size_t c = first_call; c < first_call + calls; ++c) {
      if (region != no_region && c == region->first) {
        run_region(s, *region, tile, thread);
        c += region++->count - 1;
        begin = steady_seconds();
        continue;
      }
      const TiledCall& call = tiled.calls[c];
      const Kernel& kernel = plan_.kernel(call.instr);
      if (call.joined > 0 && !probe && kernel.tile->parts() <= static_cast<int64_t>(scratch_.size())) {
        run_joined(s, c, tile, thread);
        c += call.joined;
        if (region != no_region && region->first <= c) ++region;
        begin = steady_seconds();
        continue;
      }
      in.clear();
      out.clear();
      for (size_t k = 0; k < call.in.size(); ++k)
        in.push_back(at_tile(call.in[k], tile, call.in_rows[k], call.in_place[k], thread));
      if (kernel.tile) {
        for (size_t k = 0; k < call.out.size(); ++k) {
          out.push_back(at_tile(call.out[k], tile, true, call.out_place[k], thread));
          if (probe) out.back().losses = probe->losses(plan_.program().instrs[call.instr].out[k], thread);
        }
        kernel.tile->run(tile, in.data(), out.data());
      } else {
        run_reduction(call, tile, step.rows, scratch, in);
      }
      const double end = steady_seconds();
      spent[call.instr] += end - begin;
      begin = end;
      if (!probe || !kernel.tile) continue;
      for (size_t k = 0; k < out.size(); ++k) {
        const int64_t first = tile.first_row * out[k].row_elems;
        probe->see(plan_.program().instrs[call.instr].out[k], thread, first, out[k].size(), out[k].data);
      }
      begin = steady_seconds();
      probe_seconds_[thread] += begin - end;
    }
  }
}

void CpuRunner::run_reduction(const TiledCall& call, const Tile& tile, int64_t all_rows, std::byte* scratch,
                              std::vector<Operand>& in) {
  const ReductionKernel& kernel = *plan_.kernel(call.instr).reduction;
  const auto row_bytes = [](const Operand& o) { return o.row_elems * static_cast<int64_t>(size_of(o.dtype)); };
  std::vector<std::byte*> at_tile;
  for (const Operand& o : in) at_tile.push_back(o.data);
  for (int64_t row = tile.first_row, end = row + tile.rows; row < end;) {
    const int64_t begin = row / call.pieces.rows * call.pieces.rows;
    const int64_t piece_end = std::min(begin + call.pieces.rows, all_rows), part_end = std::min(piece_end, end);
    for (const TiledCall::Gather& g : call.gathers) {
      const int64_t bytes = row_bytes(in[g.input]);
      std::memcpy(scratch + g.scratch_offset + (row - begin) * bytes, at_tile[g.input] + (row - tile.first_row) * bytes,
                  static_cast<size_t>((part_end - row) * bytes));
    }
    row = part_end;
    if (part_end < piece_end) return;
    for (size_t k = 0; k < in.size(); ++k) {
      if (!call.in_rows[k]) continue;
      in[k].data = at_tile[k] + (begin - tile.first_row) * row_bytes(in[k]);
      in[k].rows = piece_end - begin;
    }
    for (const TiledCall::Gather& g : call.gathers) in[g.input].data = scratch + g.scratch_offset;
    const auto group = static_cast<size_t>(begin / call.pieces.group_rows);
    kernel.run({begin, piece_end - begin, tile.step, tile.scratch}, in.data(),
               partials_.data() + call.partial_offset + group * kernel.partial_bytes(),
               begin % call.pieces.group_rows == 0);
  }
}

}  // namespace hw::cpu
