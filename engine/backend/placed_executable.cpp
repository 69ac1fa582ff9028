#include "engine/backend/placed_executable.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "engine/core/codes.h"

namespace hw {
namespace {

bool has_port(const std::vector<Port>& ports, const std::string& name) {
  return std::any_of(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
}

bool makes(const Segment& segment, ValueId v) {
  const auto& instrs = segment.program->instrs;
  return std::any_of(instrs.begin(), instrs.end(),
                     [v](const Instr& i) { return std::ranges::find(i.out, v) != i.out.end(); });
}

size_t bytes_of(const Value& value) {
  return static_cast<size_t>(element_count(value.dims)) * size_of(value.dtype);
}

}  // namespace

Result<std::unique_ptr<Executable>> PlacedExecutable::make(std::shared_ptr<const Program> program,
                                                           std::shared_ptr<PlacedStates> states,
                                                           const std::string& device, const FindDevice& find,
                                                           std::span<const ValueId> keep) {
  std::unique_ptr<PlacedExecutable> made(new PlacedExecutable(std::move(program), std::move(states)));
  const Program& p = *made->program_;
  made->place_.resize(p.instrs.size());
  made->timings_.assign(p.instrs.size(), 0.0);
  for (Segment& segment : segments_of(p, device, homes_of(p, device, made->states_->homes()))) {
    std::vector<ValueId> kept;
    for (const ValueId v : keep)
      if (makes(segment, v)) kept.push_back(v);
    HW_TRY(const std::shared_ptr<Device> on, find(segment.device));
    Part part;
    HW_TRY(part.executable, on->compile(segment.program, made->states_->part(segment.device), kept));
    std::set<std::string> written;
    for (size_t k = 0; k < segment.instrs.size(); ++k) {
      const Instr& instr = p.instrs[segment.instrs[k]];
      made->place_[segment.instrs[k]] = {made->parts_.size(), k};
      for (size_t i = 0; i < written_inputs(instr.op); ++i) written.insert(p[instr.in[i]].name);
    }
    part.writes.assign(written.begin(), written.end());
    part.segment = std::move(segment);
    made->parts_.push_back(std::move(part));
  }
  made->find_arrivals();
  return std::unique_ptr<Executable>(std::move(made));
}

void PlacedExecutable::find_arrivals() {
  for (size_t s = 0; s < parts_.size(); ++s) {
    const Segment& to = parts_[s].segment;
    for (const ValueId v : to.arrivals) {
      size_t from = kState;
      bool stays = false;
      // The nearest on the same device that has it, else the one that makes it.
      for (size_t t = s; t-- > 0 && !stays;) {
        const Segment& earlier = parts_[t].segment;
        const bool has = makes(earlier, v) || std::ranges::find(earlier.arrivals, v) != earlier.arrivals.end();
        stays = has && earlier.device == to.device && (*program_)[v].storage == Storage::temp;
        if (stays || makes(earlier, v)) from = t;
      }
      const std::string& home = from == kState ? states_->homes().at((*program_)[v].name) : parts_[from].segment.device;
      const auto known = std::ranges::find_if(
          transfers_, [&](const Transfer& t) { return t.value == v && t.from == home && t.to == to.device; });
      parts_[s].arrivals.push_back({v, from, stays, static_cast<size_t>(known - transfers_.begin()), {}});
      if (known == transfers_.end()) transfers_.push_back({v, home, to.device, bytes_of((*program_)[v]), 0, 0});
    }
  }
}

Status PlacedExecutable::write_input(const std::string& input, const Tensor& tensor) {
  if (!has_port(program_->inputs, input))
    return Error{codes::unknown_socket, input, "The program has no such input.", ""};
  for (Part& part : parts_)
    if (has_port(part.segment.program->inputs, input)) HW_CHECK(part.executable->write_input(input, tensor));
  return ok();
}

Status PlacedExecutable::hand_over(Part& part, Arrival& arrival, std::unordered_map<ValueId, Tensor>& on_host) {
  const std::string name = arrival_name(arrival.value);
  Transfer& transfer = transfers_[arrival.transfer];
  const auto begin = std::chrono::steady_clock::now();
  if (arrival.from == kState) {
    const std::string& state = (*program_)[arrival.value].name;
    const uint64_t version = states_->version(state);
    if (arrival.version == version) return ok();
    // What another segment of the device has already got this far need not come again.
    for (const Part& other : parts_) {
      if (&other == &part || other.segment.device != part.segment.device) continue;
      for (const Arrival& there : other.arrivals)
        if (there.value == arrival.value && there.version == version) {
          HW_CHECK(part.executable->take_input(name, *other.executable, arrival.value));
          arrival.version = version;
          return ok();
        }
    }
    HW_CHECK(part.executable->write_input(name, states_->read(state)));
    arrival.version = version;
  } else if (arrival.stays) {
    HW_CHECK(part.executable->take_input(name, *parts_[arrival.from].executable, arrival.value));
  } else {
    Tensor& tensor = on_host[arrival.value];  // once for all devices that it goes to
    if (tensor.empty()) {
      HW_TRY(tensor, parts_[arrival.from].executable->read(arrival.value));
    }
    HW_CHECK(part.executable->write_input(name, tensor));
  }
  ++transfer.times;
  transfer.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ok();
}

Status PlacedExecutable::run(const StepInputs& step, ValueProbe* probe) {
  std::unordered_map<ValueId, Tensor> on_host;
  for (Part& part : parts_) {
    for (Arrival& arrival : part.arrivals) {
      if (step.cancel && step.cancel->load()) return Error{codes::cancelled, "", "The run was cancelled.", ""};
      HW_CHECK(hand_over(part, arrival, on_host));
    }
    const Status ran = part.executable->run(step, probe);
    for (const std::string& name : part.writes) states_->changed(name);
    HW_CHECK(ran);
  }
  return ok();
}

Result<Tensor> PlacedExecutable::read(ValueId value) const {
  const Value& v = (*program_)[value];
  if (v.storage == Storage::state) return states_->read(v.name);
  for (const auto& [id, tensor] : program_->constants)
    if (id == value) return tensor.clone();
  for (const Part& part : parts_) {
    const auto& inputs = part.segment.program->inputs;
    const bool fed = v.storage == Storage::input &&
                     std::ranges::any_of(inputs, [&](const Port& port) { return port.value == value; });
    if (fed || makes(part.segment, value)) return part.executable->read(value);
  }
  return Error{codes::missing_input, v.name, "This value was never written.", ""};
}

const std::vector<double>& PlacedExecutable::timings() const {
  for (size_t i = 0; i < place_.size(); ++i)
    timings_[i] = parts_[place_[i].first].executable->timings()[place_[i].second];
  return timings_;
}

void PlacedExecutable::reset_timings() {
  for (Part& part : parts_) part.executable->reset_timings();
  for (Transfer& transfer : transfers_) transfer.times = 0, transfer.seconds = 0;
}

KernelInfo PlacedExecutable::kernel_info(size_t instr) const {
  const auto [part, index] = place_[instr];
  return parts_[part].executable->kernel_info(index);
}

size_t PlacedExecutable::temp_bytes() const {
  size_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += part.executable->temp_bytes();
    for (const Arrival& arrival : part.arrivals) bytes += bytes_of((*program_)[arrival.value]);
  }
  return bytes;
}

}  // namespace hw
