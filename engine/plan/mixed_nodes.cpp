#include "engine/plan/mixed_nodes.h"

#include <algorithm>

#include "engine/graph/edit.h"
#include "engine/plan/batch_sizes.h"
#include "engine/plan/lower_loss.h"
#include "engine/plan/whole_batch.h"

namespace hw {
namespace {

/// A number of all samples that a node makes, by which op.
struct Mark {
  std::string node;
  Op op;
  bool sum;
  bool operator==(const Mark&) const = default;
};

struct Found {
  std::vector<MixedNode> mixed;
  std::vector<Mark> marks;
};

size_t maker_of(const Program& p, ValueId id) {
  const auto makes = [&](const Instr& i) { return std::ranges::find(i.out, id) != i.out.end(); };
  return static_cast<size_t>(std::ranges::find_if(p.instrs, makes) - p.instrs.begin());
}

/// By op: whether the value is made of its outputs.
std::vector<bool> ops_before(const Program& p, ValueId value) {
  std::vector<bool> needed(p.values.size()), ops(p.instrs.size());
  needed[value] = true;
  for (size_t i = p.instrs.size(); i-- > 0;) {
    ops[i] = std::ranges::any_of(p.instrs[i].out, [&](ValueId id) { return needed[id]; });
    if (ops[i])
      for (const ValueId id : p.instrs[i].in) needed[id] = true;
  }
  return ops;
}

void add(std::vector<MixedNode>& all, MixedNode node) {
  const auto same = [&](const MixedNode& m) { return m.node == node.node && m.number == node.number; };
  if (std::ranges::none_of(all, same)) all.push_back(std::move(node));
}

Result<Found> find(const Graph& flat, const std::string& trainer, uint64_t parts, Assets& assets) {
  LowerOptions options;
  options.share = 1 / static_cast<double>(parts);
  HW_CHECK(check_loss(flat, trainer));
  HW_TRY(const LoweredLoss made, lower_loss(flat, trainer, options, assets));
  const LoweredGraph& lowered = made.graph;
  const Program& p = *lowered.program;
  const ValueId loss = made.loss.id;
  SampleStates states(p, options.share, numbers_of(lowered));
  states.follow(lowered.of_batch, lowered.same_places);
  std::vector<MixedSamples> mixed = states.mixed();
  if (const SampleState& end = states[loss]; end.at || (end.own && end.sum))
    mixed.push_back({end.own ? end.from : maker_of(p, loss)});
  Found found;
  const std::vector<bool> needed = ops_before(p, loss);
  for (const MixedSamples& m : mixed) {
    if (!needed[m.instr]) continue;
    const Instr& instr = p.instrs[m.instr];
    const std::string number = m.number == kNoValue ? "" : p.nodes[p.instrs[maker_of(p, m.number)].node];
    add(found.mixed, {p.nodes[instr.node], number, instr.op});
  }
  for (const OpBuilder::OfBatch& mark : lowered.of_batch) {
    const size_t i = maker_of(p, mark.x.id);
    if (i < p.instrs.size()) found.marks.push_back({p.nodes[p.instrs[i].node], p.instrs[i].op, mark.sum});
  }
  return found;
}

/// `flat` with `factor` times the samples; none: its sources do not take them.
std::optional<Graph> with_more_samples(const Graph& flat, const std::vector<BatchSize>& sizes, int64_t factor) {
  Edits edits;
  for (const BatchSize& size : sizes) edits.push_back(SetParam{size.node, size.param->id, size.samples * factor});
  Graph more = flat;
  if (edits.empty() || !apply_edits(more, edits)) return std::nullopt;
  return more;
}

/// What samples are summed up in with one number of them and not with the other.
void add_unlike(const Found& a, const Found& b, std::vector<MixedNode>& all) {
  for (const Mark& mark : a.marks)
    if (std::ranges::find(b.marks, mark) == b.marks.end()) add(all, {mark.node, "", mark.op});
}

}  // namespace

Result<std::vector<MixedNode>> mixed_nodes(const Graph& flat, const std::string& trainer, uint64_t parts,
                                           Assets& assets) {
  HW_TRY(Found found, find(flat, trainer, parts, assets));
  // Where a part has few samples an axis may seem to be theirs, or to be none. More of them show it, where the graph
  // takes them: what is proven must be the same for both.
  const std::vector<BatchSize> sizes = batch_sizes(flat, trainer);
  const auto more = with_more_samples(flat, sizes, 3);
  if (!more) return std::move(found.mixed);
  const auto of_more = find(*more, trainer, parts, assets);
  if (!of_more) return std::move(found.mixed);
  // With a single sample every axis of size 1 may be that of the samples.
  std::vector<MixedNode> mixed = of_more->mixed;
  if (std::ranges::none_of(sizes, [](const BatchSize& size) { return size.samples == 1; }))
    for (const MixedNode& node : found.mixed) add(mixed, node);
  add_unlike(found, *of_more, mixed);
  add_unlike(*of_more, found, mixed);
  return mixed;
}

}  // namespace hw
