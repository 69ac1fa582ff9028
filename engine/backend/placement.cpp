#include "engine/backend/placement.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "engine/core/codes.h"
#include "engine/program/updates.h"

namespace hw {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

const std::string& pin_of(const Program& p, const Instr& instr, const std::string& device) {
  return instr.node < p.devices.size() && !p.devices[instr.node].empty() ? p.devices[instr.node] : device;
}

/// The states that an instruction writes.
std::span<const ValueId> written(const Instr& instr) {
  return {instr.in.data(), written_inputs(instr)};
}

/// The device of each instruction: that of its node; where it writes states, theirs.
std::vector<std::string> devices_of(const Program& p, const std::string& device, const StatePlacements& placements) {
  std::vector<std::string> devices;
  for (const Instr& instr : p.instrs) {
    const auto states = written(instr);
    devices.push_back(states.empty() ? pin_of(p, instr, device) : placements.at(p[states.front()].name));
  }
  return devices;
}

/// By instruction: the later ones that must wait for it, because of a value that it makes, or of a state that one of
/// the two writes.
std::vector<std::set<size_t>> waiting_for(const Program& p) {
  std::vector<std::set<size_t>> after(p.instrs.size());
  std::vector<size_t> maker(p.values.size(), kNone);  // of a state: the last that wrote it
  std::vector<std::vector<size_t>> readers(p.values.size());
  for (size_t i = 0; i < p.instrs.size(); ++i) {
    const Instr& instr = p.instrs[i];
    const size_t writes = written(instr).size();
    for (size_t k = 0; k < instr.in.size(); ++k) {
      const ValueId v = instr.in[k];
      if (maker[v] != kNone && maker[v] != i) after[maker[v]].insert(i);
      if (k < writes) {
        for (const size_t reader : readers[v])
          if (reader != i) after[reader].insert(i);
        readers[v].clear();
        maker[v] = i;
      } else if (p[v].storage == Storage::state) {
        readers[v].push_back(i);
      }
    }
    for (const ValueId v : instr.out) maker[v] = i;
  }
  return after;
}

struct Stretch {
  std::string device;
  std::vector<size_t> instrs;
};

/// On one device as long as an instruction there is ready, beginning on `first`.
std::vector<Stretch> stretches(const std::vector<std::string>& devices, const std::vector<std::set<size_t>>& after,
                               const std::string& first) {
  std::vector<size_t> waits(devices.size(), 0);
  for (const auto& later : after)
    for (const size_t i : later) ++waits[i];
  std::map<std::string, std::set<size_t>> ready;
  for (size_t i = 0; i < devices.size(); ++i)
    if (waits[i] == 0) ready[devices[i]].insert(i);
  std::vector<Stretch> all;
  std::string device = first;
  for (size_t done = 0; done < devices.size();) {
    if (ready[device].empty()) {
      size_t next = kNone;  // the instruction that has waited longest
      for (const auto& [id, instrs] : ready)
        if (!instrs.empty() && *instrs.begin() < next) next = *instrs.begin(), device = id;
    }
    all.push_back({device, {}});
    for (std::set<size_t>& mine = ready[device]; !mine.empty(); ++done) {
      const size_t i = *mine.begin();
      mine.erase(mine.begin());
      all.back().instrs.push_back(i);
      for (const size_t later : after[i])
        if (--waits[later] == 0) ready[devices[later]].insert(later);
    }
  }
  return all;
}

/// The fewest that some device to begin on gives. Error: see segments_of.
Result<std::vector<Stretch>> fewest_stretches(const Program& program, const std::string& device,
                                              const StatePlacements& placements) {
  const std::vector<std::string> devices = devices_of(program, device, placements);
  const auto after = waiting_for(program);
  std::vector<Stretch> best;
  for (const std::string& first : std::set<std::string>(devices.begin(), devices.end())) {
    auto all = stretches(devices, after, first);
    if (best.empty() || all.size() < best.size()) best = std::move(all);
  }
  if (best.empty()) best.push_back({device, {}});
  if (best.size() <= kMostSegments) return best;
  return Error{codes::no_device, "",
               "The nodes' own devices split the graph into " + std::to_string(best.size()) +
                   " parts that run in turn; " + std::to_string(kMostSegments) + " are the most.",
               "Let neighbours run on one device."};
}

class Cutter {
 public:
  Cutter(const Program& p, const StatePlacements& placements, std::vector<Stretch> all)
      : p_(p),
        placements_(placements),
        all_(std::move(all)),
        maker_(p.values.size(), kNone),
        leaves_(p.values.size(), false) {
    for (size_t s = 0; s < all_.size(); ++s)
      for (const size_t i : all_[s].instrs)
        for (const ValueId v : p.instrs[i].out) maker_[v] = s;
    for (size_t s = 0; s < all_.size(); ++s)
      for (const size_t i : all_[s].instrs)
        for (const ValueId v : p.instrs[i].in)
          if (maker_[v] != kNone && maker_[v] != s) leaves_[v] = true;
  }

  std::vector<Segment> cut() {
    std::vector<Segment> segments;
    for (size_t s = 0; s < all_.size(); ++s) segments.push_back(segment(s));
    return segments;
  }

 private:
  bool is_last_on_its_device(size_t s) const {
    for (size_t later = s + 1; later < all_.size(); ++later)
      if (all_[later].device == all_[s].device) return false;
    return true;
  }

  /// What segment `s` reads and makes, and the parameters and unused inputs that it looks after.
  std::set<ValueId> values_of(size_t s, Program& part) const {
    std::set<ValueId> used;
    for (const size_t i : all_[s].instrs) {
      used.insert(p_.instrs[i].in.begin(), p_.instrs[i].in.end());
      used.insert(p_.instrs[i].out.begin(), p_.instrs[i].out.end());
    }
    for (const Port& port : p_.inputs) {
      if (used.contains(port.value) || (s == 0 && !is_read(port.value))) {
        used.insert(port.value);
        part.inputs.push_back(port);
      }
    }
    if (!is_last_on_its_device(s)) return used;
    for (const Param& param : p_.params) {
      if (placements_.at(p_[param.view].name) != all_[s].device) continue;
      used.insert({param.view, param.master});
      part.params.push_back(param);
    }
    return used;
  }

  bool is_read(ValueId v) const {
    return std::any_of(p_.instrs.begin(), p_.instrs.end(),
                       [v](const Instr& i) { return std::find(i.in.begin(), i.in.end(), v) != i.in.end(); });
  }

  Segment segment(size_t s) const {
    Segment made{all_[s].device, all_[s].instrs, std::make_shared<Program>(), {}};
    made.program->any_layout = p_.any_layout;
    made.program->regions = p_.regions;
    Program& part = *made.program;
    part.nodes = p_.nodes;
    for (const size_t i : made.instrs) part.instrs.push_back(p_.instrs[i]);
    const std::set<ValueId> used = values_of(s, part);
    part.values.resize(p_.values.size());
    for (ValueId v = 0; v < p_.values.size(); ++v) {
      Value& value = part.values[v];
      if (!used.contains(v)) {
        value.dtype = p_[v].dtype;
        value.dims = {0};
        continue;
      }
      value = p_[v];
      const bool elsewhere = value.storage == Storage::state  ? placements_.at(value.name) != made.device
                             : value.storage == Storage::temp ? maker_[v] != s
                                                              : false;
      if (!elsewhere) continue;
      value.storage = Storage::input;
      value.name = incoming_name(v);
      part.inputs.push_back({value.name, v});
      made.incoming.push_back(v);
    }
    for (const auto& constant : p_.constants)
      if (used.contains(constant.first)) part.constants.push_back(constant);
    for (const Port& port : p_.outputs)
      if (maker_[port.value] == s) part.outputs.push_back(port);
    for (const ValueId v : used)
      if (maker_[v] == s && leaves_[v]) part.outputs.push_back({incoming_name(v), v});
    return made;
  }

  const Program& p_;
  const StatePlacements& placements_;
  const std::vector<Stretch> all_;
  std::vector<size_t> maker_;  // by value: the segment that makes it
  std::vector<bool> leaves_;   // by value: another segment reads it
};

}  // namespace

bool is_pinned(const Program& program, const std::string& device) {
  return std::any_of(program.instrs.begin(), program.instrs.end(),
                     [&](const Instr& instr) { return pin_of(program, instr, device) != device; });
}

StatePlacements placements_of(const Program& p, const std::string& device, const StatePlacements& known) {
  std::vector<ValueId> root(p.values.size());  // of the states that share a place
  std::iota(root.begin(), root.end(), ValueId{0});
  const auto find = [&](ValueId v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const Param& param : p.params) root[find(param.master)] = find(param.view);
  for (const Instr& instr : p.instrs)
    for (const ValueId v : written(instr)) root[find(v)] = find(instr.in.front());
  std::vector<std::string> place(p.values.size());  // by root
  for (const Instr& instr : p.instrs) {
    if (written(instr).empty()) continue;
    std::string& of = place[find(instr.in.front())];
    if (of.empty()) of = pin_of(p, instr, device);
  }
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const auto it = p[v].storage == Storage::state ? known.find(p[v].name) : known.end();
    if (it != known.end() && place[find(v)].empty()) place[find(v)] = it->second;
  }
  for (const Instr& instr : p.instrs)
    for (const ValueId v : instr.in)
      if (p[v].storage == Storage::state && place[find(v)].empty()) place[find(v)] = pin_of(p, instr, device);
  StatePlacements placements;
  for (ValueId v = 0; v < p.values.size(); ++v) {
    if (p[v].storage != Storage::state) continue;
    const std::string& of = place[find(v)];
    placements[p[v].name] = of.empty() ? device : of;
  }
  return placements;
}

std::string incoming_name(ValueId value) {
  return "#" + std::to_string(value);
}

Result<std::vector<Segment>> segments_of(const Program& program, const std::string& device,
                                         const StatePlacements& placements) {
  HW_TRY(std::vector<Stretch> all, fewest_stretches(program, device, placements));
  return Cutter(program, placements, std::move(all)).cut();
}

Status check_segments(const Program& program, const std::string& device, const StatePlacements& placements) {
  HW_CHECK(fewest_stretches(program, device, placements));
  return ok();
}

}  // namespace hw
