#include "engine/backend/cpu/runtime/segments.h"

#include <algorithm>

#include "engine/program/op_spec.h"

namespace hw::cpu {

bool is_update(Op op) {
  return info(op).outputs == 0;
}

Segmenter::Segmenter(const Program& program, const std::vector<TileRule>& rules)
    : p_(program), rules_(rules), made_(program.values.size()), read_(program.values.size()) {}

Layers Segmenter::divide(std::span<const size_t> list, int64_t rows) {
  Layers layers;
  ++list_;
  size_t open = 0;  // the first layer behind all segments that have begun
  const auto append = [](std::vector<std::vector<size_t>>& all, size_t layer, size_t instr) {
    if (all.size() <= layer) all.resize(layer + 1);
    all[layer].push_back(instr);
  };
  for (const size_t i : list) {
    const Instr& instr = p_.instrs[i];
    const TileRule& rule = rules_[i];
    const bool tiles = rule.tiling != Tiling::none && rule.rows == rows;
    size_t layer = 0;
    for (size_t k = 0; k < instr.in.size(); ++k) {
      const Made& made = made_[instr.in[k]];
      if (const Read& read = read_[instr.in[k]]; read.list == list_) layer = std::max(layer, read.layer);
      if (made.list != list_) continue;
      const bool shares = made.by_rows && tiles && follows_rows(p_, instr, k);
      layer = std::max(layer, made.layer + (made.in_segment && !shares ? 1 : 0));
    }
    if (tiles) {
      append(layers.segments, layer, i);
      open = std::max(open, layer + 1);
    } else {
      if (is_update(instr.op)) layer = std::max(layer, open);
      append(layers.between, layer, i);
      open = std::max(open, layer);
    }
    for (const ValueId v : instr.out) made_[v] = {list_, layer, tiles, rule.tiling == Tiling::rows};
    if (!is_update(instr.op)) continue;
    for (const ValueId v : instr.in) read_[v] = {list_, layer};
  }
  layers.between.resize(layers.segments.size() + 1);
  return layers;
}

}  // namespace hw::cpu
