#include "engine/program/traffic.h"

#include <map>

#include "engine/program/updates.h"

namespace hw {
namespace {

double elements(const Value& v) {
  return static_cast<double>(element_count(v.dims));
}

double width(const Value& v) {
  return info(v.dtype).bits / 8.0;
}

/// Elements that the instruction picks from its input k; none: it reads all of them.
std::optional<double> picked(const Program& p, const Instr& i, size_t k) {
  const double made = i.out.empty() ? 0 : elements(p[i.out[0]]);
  switch (i.op) {
    case Op::gather:
    case Op::gather_elements:
      return k == 0 ? std::optional(made) : std::nullopt;
    case Op::hash_grid:
    case Op::hash_grid_tangent:
      return k == 1 ? std::optional(made * static_cast<double>(1 << std::get<HashGridAttr>(i.attr).dims))
                    : std::nullopt;
    case Op::triplane:
    case Op::triplane_tangent:
      return k == 1 ? std::optional(4 * made) : std::nullopt;
    default:
      return {};
  }
}

/// Its name without what it is of a parameter: "node.param" of "node.param#adam_m".
std::string parameter_of(const Value& v) {
  return v.name.substr(0, v.name.find('#'));
}

class Count {
 public:
  Count(const std::vector<const Program*>& programs, const std::set<std::string>& handed) : handed_(handed) {
    for (const Program* p : programs)
      for (const Instr& i : p->instrs) find_picked(*p, i);
    for (const Program* p : programs) {
      constants_.clear();
      for (const Instr& i : p->instrs) add(*p, i);
      for (const Port& port : p->outputs)
        if (!handed.contains(port.name)) traffic.least += elements((*p)[port.value]) * width((*p)[port.value]);
    }
  }

  Traffic traffic;

 private:
  void find_picked(const Program& p, const Instr& i) {
    for (size_t k = 0; k < i.in.size(); ++k) {
      if (p[i.in[k]].storage != Storage::state) continue;
      if (const auto some = picked(p, i, k)) picked_[parameter_of(p[i.in[k]])] += *some;
    }
  }

  double bytes_read(const Program& p, const Instr& i, size_t k) const {
    const Value& v = p[i.in[k]];
    double most = picked(p, i, k).value_or(elements(v));
    const auto* update = std::get_if<UpdateAttr>(&i.attr);
    if (update && update->has_touched)
      if (const auto of = picked_.find(parameter_of(p[i.in[0]])); of != picked_.end()) most = of->second;
    return std::min(elements(v), most) * width(v);
  }

  void add(const Program& p, const Instr& i) {
    const size_t written = written_inputs(i);
    for (size_t k = 0; k < i.in.size(); ++k) {
      if (std::ranges::find(i.in, i.in[k]) - i.in.begin() < static_cast<std::ptrdiff_t>(k)) continue;  // the same again
      const Value& v = p[i.in[k]];
      const double bytes = bytes_read(p, i, k);
      traffic.moved += (k < written ? 2 : 1) * bytes;
      if (v.storage == Storage::temp || (v.storage == Storage::input && handed_.contains(v.name))) continue;
      raise(v.storage == Storage::constant ? constants_[i.in[k]] : read_[v.name], bytes);
      if (k < written) raise(written_[v.name], bytes);
    }
    for (const ValueId v : i.out) traffic.moved += elements(p[v]) * width(p[v]);
  }

  /// Counts in `least` what is more than `counted`.
  void raise(double& counted, double bytes) {
    if (bytes <= counted) return;
    traffic.least += bytes - counted;
    counted = bytes;
  }

  const std::set<std::string>& handed_;
  std::map<std::string, double> picked_;          // elements of parameters, by name
  std::map<std::string, double> read_, written_;  // bytes of states and inputs
  std::map<ValueId, double> constants_;           // bytes, of one program
};

}  // namespace

Traffic traffic_of(const std::vector<const Program*>& programs, const std::set<std::string>& handed) {
  return Count(programs, handed).traffic;
}

}  // namespace hw
