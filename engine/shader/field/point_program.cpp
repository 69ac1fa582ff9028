#include "engine/shader/field/point_program.h"

#include <algorithm>
#include <set>

#include "engine/core/codes.h"
#include "engine/program/op_text.h"
#include "engine/program/tiling.h"

namespace hw::shader {
namespace {

constexpr size_t kNone = ~size_t{0};

class Splitter {
 public:
  explicit Splitter(const Program& program)
      : program_(program), made_by_(program.values.size(), kNone), varies_(program.values.size(), false) {
    for (const Port& input : program.inputs) varies_[input.value] = true;
    for (size_t i = 0; i < program.instrs.size(); ++i) {
      const Instr& instr = program.instrs[i];
      const bool any = std::ranges::any_of(instr.in, [&](ValueId v) { return varies_[v]; });
      for (const ValueId out : instr.out) {
        made_by_[out] = i;
        varies_[out] = any;
      }
    }
  }

  Result<PointProgram> run(ValueId result, int64_t points) {
    made_.result = result;
    made_.points = points;
    HW_CHECK(row(result));
    std::ranges::sort(made_.instrs);
    return std::move(made_);
  }

 private:
  Error error(ValueId value, const std::string& why, const std::string& remedy) const {
    return {codes::no_shader, where_of(program_, value), why, remedy};
  }
  Error not_rows(ValueId value) const {
    return error(value, "it has no value for each point, so that a shader cannot compute it point by point.",
                 "Take a wire in front of it.");
  }

  // `value` is needed one row a point.
  Status row(ValueId value) {
    if (!rows_.insert(value).second) return ok();
    const Dims& dims = program_[value].dims;
    if (dims.empty() || dims[0] != made_.points) return not_rows(value);
    const Storage storage = program_[value].storage;
    if (storage == Storage::input) {
      made_.inputs.push_back(value);
      return ok();
    }
    if (made_by_[value] == kNone)
      return error(value, "its rows are other numbers for each point, which do not depend on the position.", "");
    const size_t at = made_by_[value];
    const Instr& instr = program_.instrs[at];
    const TileRule rule = tile_rule(program_, instr);
    if (rule.tiling != Tiling::rows || rule.rows != made_.points) return not_rows(value);
    if (instr.in.empty())
      return error(value, "it draws other numbers for each point.", "A field may depend on the position alone.");
    if (std::ranges::find(made_.instrs, at) != made_.instrs.end()) return ok();
    made_.instrs.push_back(at);
    for (const ValueId out : instr.out) rows_.insert(out);
    for (size_t k = 0; k < instr.in.size(); ++k)
      HW_CHECK(follows_rows(program_, instr, k) ? row(instr.in[k]) : whole(instr.in[k], instr));
    return ok();
  }

  // All of `value` is needed for each point.
  Status whole(ValueId value, const Instr& by) {
    if (varies_[value])
      return error(value, "the op " + op_text(by) + " takes it of all points at once.",
                   "A field may depend on the point's own position alone.");
    if (std::ranges::find(made_.given, value) == made_.given.end()) made_.given.push_back(value);
    return ok();
  }

  const Program& program_;
  std::vector<size_t> made_by_;
  std::vector<bool> varies_;  // depends on an input
  std::set<ValueId> rows_;
  PointProgram made_;
};

}  // namespace

Result<PointProgram> point_program(const Program& program, ValueId result, int64_t points) {
  return Splitter(program).run(result, points);
}

}  // namespace hw::shader
