#include "engine/plan/whole_batch.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/program/linear_ops.h"
#include "engine/program/random_ops.h"

namespace hw {
namespace {

using OfBatch = OpBuilder::OfBatch;
using Marks = std::vector<const OfBatch*>;

/// By value: whether it is made of `from`, which values that are set are. `blocked`: outputs that are made of nothing.
std::vector<bool> made_of(const Program& p, std::vector<bool> from, const std::set<ValueId>& blocked = {}) {
  for (const Instr& instr : p.instrs) {
    const bool any = std::ranges::any_of(instr.in, [&](ValueId id) { return from[id]; });
    for (const ValueId id : instr.out) from[id] = (from[id] || any) && !blocked.contains(id);
  }
  return from;
}

/// Values that draw samples, which are another's in each part.
std::vector<bool> draws(const Program& p) {
  std::vector<bool> drawn(p.values.size());
  for (const Instr& instr : p.instrs)
    if (draws_samples(instr))
      for (const ValueId id : instr.out) drawn[id] = true;
  return drawn;
}

/// Which marks a part must know of all.
class Choice {
 public:
  explicit Choice(const LoweredGraph& lowered) : p_(*lowered.program) {
    drawn_ = drawn_values(p_);
    std::vector<bool> trainable(p_.values.size());
    for (const Param& param : p_.params) trainable[param.view] = param.trainable;
    trained_ = made_of(p_, std::move(trainable));
    // What is made of numbers of all samples alone is one, too.
    std::set<ValueId> numbers;
    for (const OfBatch& mark : lowered.of_batch) numbers.insert(mark.of.id);
    const std::vector<bool> sampled = made_of(p_, draws(p_), numbers);
    for (const OfBatch& mark : lowered.of_batch)
      if (sampled[mark.x.id]) marks_.push_back(&mark);
    choose();
  }

  /// Those of numbers that differ from part to part.
  const Marks& marks() const { return marks_; }
  /// `of` of those that all parts must know.
  const std::set<ValueId>& whole() const { return whole_; }
  /// Whether a parameter is trained by the gradient of the value.
  bool is_trained(ValueId id) const { return trained_[id]; }

 private:
  /// At first as if all others were known, so that a sum over a count is linear; one that stays a part's own then asks
  /// for what it meets.
  void choose() {
    std::set<ValueId> known;
    for (const OfBatch* mark : marks_) known.insert(mark->of.id);
    for (bool more = true, first = true; more || first;) {
      more = false;
      std::vector<bool> differs = made_of(p_, draws(p_), first ? known : whole_);
      for (size_t v = 0; v < differs.size(); ++v) differs[v] = differs[v] || (drawn_[v] && trained_[v]);
      for (const OfBatch* mark : marks_)
        if (!whole_.contains(mark->of.id) && !is_linear_use(*mark, differs)) more = whole_.insert(mark->of.id).second;
      more = more || std::exchange(first, false);
    }
  }

  bool is_linear_use(const OfBatch& mark, const std::vector<bool>& differs) const {
    std::vector<bool> by(p_.values.size());
    by[mark.of.id] = true;
    for (const Instr& instr : p_.instrs) {
      if (std::ranges::none_of(instr.in, [&](ValueId id) { return by[id]; })) continue;
      if (!is_linear(instr, by, differs)) return false;
      for (const ValueId id : instr.out) by[id] = !whole_.contains(id);
    }
    return true;
  }

  const Program& p_;
  std::vector<bool> drawn_, trained_;  // by value: made of samples of a part; of trainable parameters
  Marks marks_;
  std::set<ValueId> whole_;
};

class WholeBatch {
 public:
  WholeBatch(LoweredGraph& lowered, OpBuilder& b, double share, std::string name)
      : p_(*lowered.program), b_(b), share_(share), name_(std::move(name)), choice_(lowered) {}

  Result<std::vector<PartSums>> run() {
    for (const OfBatch* mark : choice_.marks())
      if (mark->sum && !choice_.whole().contains(mark->of.id)) instr_of(mark->of).attr = ScaleAttr{1 / share_};
    std::vector<PartSums> programs;
    Marks left;
    for (const OfBatch* mark : choice_.marks())
      if (choice_.whole().contains(mark->of.id)) left.push_back(mark);
    while (!left.empty()) {
      Marks now, later;
      for (const OfBatch* mark : left) (depends_on_any(*mark, left) ? later : now).push_back(mark);
      programs.push_back(count(now, programs.size()));
      for (size_t k = 0; k < now.size(); ++k) put(*now[k], programs.back().sums[k].first);
      HW_CHECK(b_.status());
      left = std::move(later);
    }
    return programs;
  }

 private:
  bool depends_on_any(const OfBatch& mark, const Marks& others) const {
    std::vector<bool> from(p_.values.size());
    for (const OfBatch* other : others) from[other->of.id] = other != &mark;
    return made_of(p_, std::move(from))[mark.x.id];
  }

  Instr& instr_of(Val value) {
    return *std::ranges::find_if(p_.instrs, [&](const Instr& i) { return !i.out.empty() && i.out[0] == value.id; });
  }

  /// The part of the program that the marks are made of, and their sums over the parts.
  PartSums count(const Marks& marks, size_t index) const {
    auto program = std::make_shared<Program>(p_);
    OpBuilder b(*program);
    std::vector<bool> needed(program->values.size());
    for (const OfBatch* mark : marks) needed[mark->x.id] = true;
    std::vector<Instr> kept;
    for (size_t k = program->instrs.size(); k-- > 0;) {
      const Instr& instr = program->instrs[k];
      if (std::ranges::none_of(instr.out, [&](ValueId id) { return needed[id]; })) continue;
      for (const ValueId id : instr.in) needed[id] = true;
      kept.push_back(instr);
    }
    std::ranges::reverse(kept);
    program->instrs = std::move(kept);
    PartSums made;
    b.set_update(true);
    for (size_t k = 0; k < marks.size(); ++k) {
      const Val x = marks[k]->x;
      const std::string name = name_ + " " + std::to_string(index) + "." + std::to_string(k) + kPartSum;
      const Val sum = b.state(name, wide(x), b[x].dims);
      b.emit(Op::accumulate, {sum, marks[k]->sum ? x : b.scale(b.cast(x, wide(x)), share_)});
      made.sums.emplace_back(name, sum.id);
    }
    made.program = std::move(program);
    return made;
  }

  DType wide(Val x) const { return b_[x].dtype == DType::f64 ? DType::f64 : DType::f32; }

  /// The value of all parts, with the gradient of this part's x.
  void put(const OfBatch& mark, const std::string& name) {
    const size_t before = p_.instrs.size();
    b_.set_node(p_.nodes[instr_of(mark.of).node]);
    Val value = b_.state(name, wide(mark.x), b_[mark.x].dims);
    if (choice_.is_trained(mark.x.id)) {
      const Val x = b_.scale(b_.cast(mark.x, wide(mark.x)), mark.sum ? 1 / share_ : 1);
      value = b_.add(b_.sub(x, b_.stop_gradient(x)), value);
    }
    value = b_.cast(value, b_[mark.x].dtype);
    if (!b_.status()) return;
    const auto at = &instr_of(mark.of) - p_.instrs.data();
    p_.instrs[static_cast<size_t>(at)].in = {value.id};
    std::rotate(p_.instrs.begin() + at, p_.instrs.begin() + static_cast<std::ptrdiff_t>(before), p_.instrs.end());
  }

  Program& p_;
  OpBuilder& b_;
  const double share_;
  const std::string name_;
  const Choice choice_;
};

}  // namespace

SampleStates::Numbers numbers_of(const LoweredGraph& lowered) {
  const Choice choice(lowered);
  SampleStates::Numbers numbers{choice.whole(), {}};
  for (const OfBatch* mark : choice.marks())
    if (!numbers.whole.contains(mark->of.id)) numbers.linear.insert(mark->of.id);
  return numbers;
}

Result<std::vector<PartSums>> take_whole_batch(LoweredGraph& lowered, OpBuilder& b, double share,
                                               const std::string& name) {
  if (lowered.of_batch.empty()) return std::vector<PartSums>{};
  return WholeBatch(lowered, b, share, name).run();
}

}  // namespace hw
