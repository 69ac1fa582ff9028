#include "engine/backend/cpu/runtime/schedule.h"

#include <algorithm>
#include <unordered_set>

#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/kernels/pieces.h"
#include "engine/backend/cpu/runtime/segments.h"
#include "engine/backend/plan/memory_plan.h"
#include "engine/backend/plan/regions.h"
#include "engine/program/random_ops.h"

namespace hw::cpu {
namespace {

std::vector<TileRule> rules_of(const Program& p) {
  std::vector<TileRule> rules;
  for (const Instr& instr : p.instrs) rules.push_back(cpu_tile_rule(p, instr));
  return rules;
}

class Scheduler {
 public:
  explicit Scheduler(const Program& p) : p_(p), rules_(rules_of(p)), segmenter_(p, rules_) {}

  /// The segments with the most rows first, then what is between them.
  void run(const std::vector<size_t>& list, bool of_weights) {
    int64_t rows = -1;
    for (size_t i : list)
      if (rules_[i].tiling != Tiling::none) rows = std::max(rows, rules_[i].rows);
    if (rows < 0) {
      for (size_t i : list) steps_.push_back({.of_weights = of_weights, .instrs = {i}});
      return;
    }
    Layers layers = segmenter_.divide(list, rows);
    for (size_t k = 0; k < layers.segments.size(); ++k) {
      run(layers.between[k], of_weights);
      add_segment(rows, std::move(layers.segments[k]), of_weights);
    }
    run(layers.between.back(), of_weights);
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  void add_segment(int64_t rows, std::vector<size_t> instrs, bool of_weights) {
    Step step{.tiled = true, .rows = rows, .of_weights = of_weights, .instrs = std::move(instrs)};
    step.tile_rows = tile_rows(step);
    Step late = take_late(step);
    Step small = take_small_pictures(step);
    for (Step* s : {&step, &small, &late}) {
      if (s->instrs.empty()) continue;
      s->chunk_rows = chunk_rows(*s);
      if (p_.regions == Regions::always) s->regions = plan::elementwise_regions(p_, *s);
      steps_.push_back(std::move(*s));
    }
  }

  // As many rows as keep the segment's values in half of a 1 MiB L2 cache, roughly.
  int64_t tile_rows(const Step& step) const {
    std::unordered_set<ValueId> seen;
    int64_t row_bytes = 1;
    for (size_t i : step.instrs) {
      const Instr& instr = p_.instrs[i];
      auto count = [&](ValueId v) {
        if (step.rows < 1 || !seen.insert(v).second) return;
        row_bytes += static_cast<int64_t>(byte_count(p_[v].dtype, element_count(p_[v].dims) / step.rows));
      };
      for (size_t k = 0; k < instr.in.size(); ++k)
        if (follows_rows(p_, instr, k)) count(instr.in[k]);
      if (rules_[i].tiling == Tiling::rows)
        for (ValueId v : instr.out) count(v);
    }
    const bool pictures = std::any_of(step.instrs.begin(), step.instrs.end(), [&](size_t i) {
      const Instr& instr = p_.instrs[i];
      return instr.op == Op::batch_matmul ||
             std::any_of(instr.in.begin(), instr.in.end(), [&](ValueId v) { return p_[v].dims.size() == 4; });
    });
    constexpr int64_t kMiB = int64_t{1} << 20, kMost = 4096, kTiles = 8;
    // A picture is large and its convolutions run long, a row of matrices too: few of them are a tile, and there are
    // some tiles, so that threads find enough. Elsewhere the rows that a product multiplies at once are in one tile.
    const int64_t budget = pictures ? 8 * kMiB : kMiB;
    int64_t least = pictures ? 1 : 16;
    for (size_t i : step.instrs)
      if (!pictures && p_.instrs[i].op == Op::matmul) least = std::max(least, product_rows(p_, p_.instrs[i]));
    int64_t rows = kMost;
    while (rows > least && (rows * row_bytes > budget || (pictures && rows * kTiles > step.rows))) rows /= 2;
    return std::max<int64_t>(1, std::min(rows, step.rows));
  }

  bool reduces(size_t i) const { return rules_[i].tiling == Tiling::reduction; }

  // Reductions of few pieces larger than a tile run after the segment: in it, they would leave few threads work. Others
  // of larger pieces gather them.
  Step take_late(Step& step) const {
    constexpr int64_t kFew = 8;
    Step late = step;
    late.tile_rows = 1;
    late.instrs.clear();
    std::erase_if(step.instrs, [&](size_t i) {
      if (!reduces(i)) return false;
      const int64_t piece = std::min(reduction_pieces(p_, p_.instrs[i]).rows, step.rows);
      if (piece <= step.tile_rows || step.rows >= kFew * piece) return false;
      late.tile_rows = std::max(late.tile_rows, piece);
      late.instrs.push_back(i);
      return true;
    });
    return late;
  }

  // Where pictures have become small and weights large, more pictures to a tile read the weights less often.
  Step take_small_pictures(Step& step) const {
    constexpr size_t kLargeWeights = size_t{1} << 20;
    Step small = step;
    for (size_t first = 1; first < step.instrs.size(); ++first) {
      const Instr& instr = p_.instrs[step.instrs[first]];
      if (instr.op != Op::conv2d || plan::value_bytes(p_[instr.in[1]]) < kLargeWeights) continue;
      small.instrs.assign(step.instrs.begin() + static_cast<std::ptrdiff_t>(first), step.instrs.end());
      small.tile_rows = tile_rows(small);
      if (small.tile_rows <= step.tile_rows) continue;
      step.instrs.resize(first);
      return small;
    }
    small.instrs.clear();
    return small;
  }

  int64_t chunk_rows(const Step& step) const {
    int64_t rows = step.tile_rows;
    for (size_t i : step.instrs)
      if (reduces(i)) rows = std::max(rows, reduction_pieces(p_, p_.instrs[i]).group_rows);
    return rows;
  }

  const Program& p_;
  const std::vector<TileRule> rules_;
  Segmenter segmenter_;
  std::vector<Step> steps_;
};

}  // namespace

bool writes_states(const Program& program) {
  return std::ranges::any_of(program.instrs, [](const Instr& instr) { return is_update(instr.op); });
}

std::vector<bool> weight_values(const Program& program) {
  std::vector<bool> values(program.values.size(), false);
  if (writes_states(program)) return values;
  for (ValueId v = 0; v < program.values.size(); ++v)
    values[v] = program[v].storage == Storage::state || program[v].storage == Storage::constant;
  for (const Instr& instr : program.instrs) {
    if (instr.in.empty() || is_random(instr)) continue;
    if (!std::ranges::all_of(instr.in, [&](ValueId v) { return values[v]; })) continue;
    for (const ValueId v : instr.out) values[v] = true;
  }
  return values;
}

std::vector<Step> schedule(const Program& program) {
  const std::vector<bool> weights = weight_values(program);
  Scheduler scheduler(program);
  for (const bool of_weights : {true, false}) {
    std::vector<size_t> list;
    for (size_t i = 0; i < program.instrs.size(); ++i) {
      const std::vector<ValueId>& out = program.instrs[i].out;
      if (of_weights == (!out.empty() && weights[out[0]])) list.push_back(i);
    }
    scheduler.run(list, of_weights);
  }
  return scheduler.take();
}

}  // namespace hw::cpu
