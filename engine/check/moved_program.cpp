#include "engine/check/moved_program.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace hw {
namespace {

class Mover {
 public:
  Mover(const Program& twin, ValueId loss, ValueId value) : twin_(twin), loss_(loss), value_(value) {}

  MovedProgram make() {
    Program& p = *moved_.program;
    p = twin_;
    p.instrs.clear();
    p.outputs.clear();
    now_.resize(p.values.size());
    std::iota(now_.begin(), now_.end(), ValueId{0});
    const bool is_made = std::any_of(twin_.instrs.begin(), twin_.instrs.end(), [&](const Instr& instr) {
      return std::find(instr.out.begin(), instr.out.end(), value_) != instr.out.end();
    });
    if (value_ != kNoValue && !is_made) move(0);
    for (const Instr& original : twin_.instrs) {
      if (original.backward || original.update) continue;
      if (original.op == Op::stop_gradient) {
        freeze(original.out.front());
      } else {
        Instr instr = original;
        for (ValueId& in : instr.in) in = now_[in];
        p.instrs.push_back(std::move(instr));
      }
      if (std::find(original.out.begin(), original.out.end(), value_) != original.out.end()) move(original.node);
    }
    moved_.loss = now_[loss_];
    p.outputs.push_back({"loss", moved_.loss});
    keep_needed();
    return std::move(moved_);
  }

 private:
  ValueId add_value(Value value) {
    moved_.program->values.push_back(std::move(value));
    return static_cast<ValueId>(moved_.program->values.size() - 1);
  }

  void move(uint32_t node) {
    Program& p = *moved_.program;
    Value input = p.values[value_];
    input.storage = Storage::input;
    input.name = kMovePort;
    const ValueId by = add_value(input);
    p.inputs.push_back({input.name, by});
    input.storage = Storage::temp;
    input.name.clear();
    const ValueId to = add_value(std::move(input));
    p.instrs.push_back({Op::add, {now_[value_], by}, {to}, {}, node});
    now_[value_] = to;
  }

  void freeze(ValueId value) {
    Value& v = moved_.program->values[value];
    v.storage = Storage::input;
    const Port port{"frozen " + std::to_string(value), value};
    v.name = port.name;
    moved_.program->inputs.push_back(port);
    moved_.frozen.push_back(port);
  }

  /// Drops what the loss does not depend on.
  void keep_needed() {
    Program& p = *moved_.program;
    std::set<ValueId> needed{moved_.loss};
    std::vector<Instr> kept;
    for (auto instr = p.instrs.rbegin(); instr != p.instrs.rend(); ++instr) {
      const bool wanted =
          std::any_of(instr->out.begin(), instr->out.end(), [&](ValueId out) { return needed.contains(out); });
      if (!wanted) continue;
      needed.insert(instr->in.begin(), instr->in.end());
      kept.push_back(std::move(*instr));
    }
    p.instrs.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  const Program& twin_;
  ValueId loss_, value_;
  MovedProgram moved_;
  std::vector<ValueId> now_;  // by value of the twin: what the ops that follow read
};

}  // namespace

MovedProgram move_value(const Program& program, ValueId loss, ValueId value) {
  return Mover(program, loss, value).make();
}

}  // namespace hw
