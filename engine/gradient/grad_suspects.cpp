#include "engine/gradient/grad_suspects.h"

#include <algorithm>

#include "engine/program/ends_gradient.h"

namespace hw {
namespace {

bool is_wrong(const GradResult& r) {
  return r.verdict == GradVerdict::wrong || r.verdict == GradVerdict::zero;
}

/// The summands of the gradient of `block`, by the node that reads it: build_adjoint takes the readers from the last to
/// the first, and each adds its summand to what is there. Empty: the gradient was not put together like that.
std::vector<GradPart> parts_of(const Program& p, const GradBlock& block) {
  std::vector<uint32_t> readers;
  std::unordered_map<ValueId, const Instr*> maker;
  for (const Instr& instr : p.instrs)
    for (const ValueId out : instr.out) maker[out] = &instr;
  for (auto instr = p.instrs.rbegin(); instr != p.instrs.rend(); ++instr)
    if (!instr->backward && !instr->update && !ends_gradient(p, *instr))
      readers.insert(readers.end(), static_cast<size_t>(std::count(instr->in.begin(), instr->in.end(), block.value)),
                     instr->node);
  std::map<uint32_t, GradPart> parts;
  ValueId sum = block.gradient;
  for (size_t k = readers.size(); k-- > 1;) {
    const auto made = maker.find(sum);
    if (made == maker.end()) return {};
    const Instr& add = *made->second;
    if (add.op != Op::add || !add.backward || add.node != readers[k]) return {};
    parts[readers[k]].gradients.push_back(add.in[1]);
    sum = add.in[0];
  }
  if (!readers.empty()) parts[readers.front()].gradients.push_back(sum);
  std::vector<GradPart> list;
  for (auto& [reader, part] : parts) {
    part.reader = reader;
    list.push_back(std::move(part));
  }
  return list;
}

/// The nodes among `fed_right`, a part of the block's `readers`, at which its gradient becomes wrong; none: it only
/// hands on what is.
Result<std::set<uint32_t>> guilty(const Program& program, const AdjointRun& run, const GradCheckOptions& options,
                                  const GradBlock& block, const std::set<uint32_t>& readers,
                                  const std::set<uint32_t>& fed_right) {
  const bool all_fed_right = fed_right.size() == readers.size();
  if (readers.size() < 2) return fed_right;
  std::set<uint32_t> found;
  for (const GradPart& part : block.gradient == kNoValue ? std::vector<GradPart>() : parts_of(program, block)) {
    if (!fed_right.contains(part.reader)) continue;
    GradBlockCheck check(run, options, block, &part);
    HW_TRY(const GradResult result, check.check());
    if (is_wrong(result)) found.insert(part.reader);
  }
  return found.empty() && all_fed_right ? fed_right : found;
}

}  // namespace

Status name_suspects(const Program& program, const AdjointRun& run, const GradCheckOptions& options,
                     GradReport& report) {
  std::map<ValueId, const GradResult*> of;
  for (const GradResult& r : report.results) of[r.block.value] = &r;
  // The nodes that read each value, and what each node hands on.
  std::map<ValueId, std::set<uint32_t>> readers;
  std::map<uint32_t, std::set<ValueId>> outputs;
  for (const Instr& instr : program.instrs) {
    if (instr.backward || instr.update) continue;
    for (const ValueId in : instr.in) readers[in].insert(instr.node);
    for (const ValueId out : instr.out)
      if (of.contains(out)) outputs[instr.node].insert(out);
  }
  std::set<std::string> suspects;
  for (GradResult& r : report.results) {
    if (!is_wrong(r)) continue;
    std::set<uint32_t> fed_right;
    for (const uint32_t node : readers[r.block.value]) {
      const std::set<ValueId>& made = outputs[node];
      if (std::none_of(made.begin(), made.end(),
                       [&](ValueId out) { return out != r.block.value && is_wrong(*of.at(out)); }))
        fed_right.insert(node);
    }
    HW_TRY(const std::set<uint32_t> nodes, guilty(program, run, options, r.block, readers[r.block.value], fed_right));
    r.inherited = nodes.empty();
    for (const uint32_t node : nodes) suspects.insert(program.nodes[node]);
  }
  report.suspects.assign(suspects.begin(), suspects.end());
  return ok();
}

}  // namespace hw
