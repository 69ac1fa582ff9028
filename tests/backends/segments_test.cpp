// The layers of a list of ops against one division after the other.
#include "engine/backend/cpu/runtime/segments.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_set>

#include "engine/program/builder.h"

namespace hw::cpu {
namespace {

constexpr int64_t kRows = 24, kColumns = 8;

/// Takes the first segment off `list`, what must run before it and what after it.
struct Divided {
  std::vector<size_t> before, segment, after;
};
Divided divided(const Program& p, const std::vector<TileRule>& rules, const std::vector<size_t>& list, int64_t rows) {
  Divided d;
  std::unordered_set<ValueId> tiled;    // made by the segment, readable inside it
  std::unordered_set<ValueId> late;     // readable only after the segment
  std::unordered_set<ValueId> written;  // read by an update in `after`, which may write them
  for (const size_t i : list) {
    const Instr& instr = p.instrs[i];
    bool needs_segment = false, needs_late = false;
    bool tiles = rules[i].tiling != Tiling::none && rules[i].rows == rows;
    for (size_t k = 0; k < instr.in.size(); ++k) {
      const ValueId v = instr.in[k];
      needs_late = needs_late || late.contains(v) || written.contains(v);
      if (!tiled.contains(v)) continue;
      needs_segment = true;
      tiles = tiles && follows_rows(p, instr, k);
    }
    const bool is_first = d.segment.empty() && d.after.empty();
    if (tiles && !needs_late) {
      d.segment.push_back(i);
      for (const ValueId v : instr.out) (rules[i].tiling == Tiling::rows ? tiled : late).insert(v);
    } else if (needs_segment || needs_late || (is_update(instr.op) && !is_first)) {
      d.after.push_back(i);
      late.insert(instr.out.begin(), instr.out.end());
      if (is_update(instr.op)) written.insert(instr.in.begin(), instr.in.end());
    } else {
      d.before.push_back(i);
    }
  }
  return d;
}

/// Ops of kRows rows, of others, sums over rows, products with the sums, updates of states that others read.
Program random_program(uint32_t seed) {
  std::mt19937 random(seed);
  Program p;
  OpBuilder b(p);
  std::vector<Val> tall{b.input("x", DType::f32, {kRows, kColumns})};
  std::vector<Val> small{b.param("w", DType::f32, {kColumns, kColumns}, {})};
  const Val states[] = {b.state("s", DType::f32, {kColumns, kColumns}), b.state("t", DType::f32, {kColumns, kColumns})};
  const auto any = [&](const std::vector<Val>& list) { return list[random() % list.size()]; };
  for (int k = 0; k < 40; ++k) {
    switch (random() % 8) {
      case 0:
        tall.push_back(b.relu(any(tall)));
        break;
      case 1:
        tall.push_back(b.add(any(tall), any(tall)));
        break;
      case 2:
        tall.push_back(b.matmul(any(tall), any(small)));
        break;
      case 3:
        small.push_back(b.emit(Op::matmul_tn, {any(tall), any(tall)}, MatmulAttr{})[0]);
        break;
      case 4:
        small.push_back(b.add(any(small), any(small)));
        break;
      case 5:
        small.push_back(b.scale(states[random() % 2], 0.5));
        break;
      case 6:
        tall.push_back(b.input("x" + std::to_string(k), DType::f32, {kRows, kColumns}));
        break;
      default:
        b.emit(Op::accumulate, {states[random() % 2], any(small)});
        break;
    }
  }
  EXPECT_TRUE(b.status()) << b.status().error().text();
  return p;
}

TEST(Segments, LayersAreOneDivisionAfterTheOther) {
  size_t most_segments = 0, most_between = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Program p = random_program(seed);
    std::vector<TileRule> rules;
    std::vector<size_t> list;
    for (size_t i = 0; i < p.instrs.size(); ++i) {
      rules.push_back(tile_rule(p, p.instrs[i]));
      list.push_back(i);
    }
    Segmenter segmenter(p, rules);
    for (int again = 0; again < 2; ++again) {
      const Layers layers = segmenter.divide(list, kRows);
      ASSERT_EQ(layers.between.size(), layers.segments.size() + 1);
      std::vector<size_t> left = list;
      for (size_t k = 0; k < layers.segments.size(); ++k) {
        const Divided d = divided(p, rules, left, kRows);
        ASSERT_EQ(layers.between[k], d.before) << "seed " << seed << ", layer " << k;
        ASSERT_EQ(layers.segments[k], d.segment) << "seed " << seed << ", layer " << k;
        most_between = std::max(most_between, k > 0 ? d.before.size() : 0);
        left = d.after;
      }
      ASSERT_EQ(layers.between.back(), left) << "seed " << seed;
      for (const size_t i : left) ASSERT_FALSE(rules[i].tiling != Tiling::none && rules[i].rows == kRows);
      most_segments = std::max(most_segments, layers.segments.size());
    }
  }
  EXPECT_GE(most_segments, 4u);
  EXPECT_GE(most_between, 3u);
}

}  // namespace
}  // namespace hw::cpu
