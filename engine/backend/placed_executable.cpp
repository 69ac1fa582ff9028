#include "engine/backend/placed_executable.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"
#include "engine/program/updates.h"

namespace hw {
namespace {

bool has_port(const std::vector<Port>& ports, const std::string& name) {
  return std::any_of(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
}

size_t bytes_of(const Value& value) {
  return byte_count(value.dtype, value.dims);
}

}  // namespace

Result<std::unique_ptr<Executable>> PlacedExecutable::make(std::shared_ptr<const Program> program,
                                                           std::shared_ptr<PlacedStates> states,
                                                           const std::string& device, const FindDevice& find,
                                                           std::span<const ValueId> keep,
                                                           std::span<const SharedInput> shared) {
  std::unique_ptr<PlacedExecutable> made(new PlacedExecutable(std::move(program), std::move(states)));
  const Program& p = *made->program_;
  made->place_.resize(p.instrs.size());
  made->timings_.assign(p.instrs.size(), 0.0);
  made->maker_.assign(p.values.size(), kNone);
  HW_TRY(std::vector<Segment> segments, segments_of(p, device, placements_of(p, device, made->states_->placements())));
  for (size_t s = 0; s < segments.size(); ++s)
    for (const Instr& instr : segments[s].program->instrs)
      for (const ValueId v : instr.out) made->maker_[v] = s;
  std::vector<std::vector<ValueId>> kept(segments.size());
  for (const ValueId v : keep)
    if (made->maker_[v] != kNone) kept[made->maker_[v]].push_back(v);
  std::vector<SharedInput> inputs(shared.begin(), shared.end());
  for (SharedInput& input : inputs)  // what a segment clears no other one may read
    input.may_clear = input.may_clear && std::ranges::count_if(segments, [&](const Segment& segment) {
                                           return has_port(segment.program->inputs, input.name);
                                         }) == 1;
  for (Segment& segment : segments) {
    HW_TRY(const std::shared_ptr<Device> on, find(segment.device));
    Part part;
    const std::vector<SharedInput> here = made->share(inputs, segment, part);
    HW_TRY(part.executable,
           on->compile(segment.program, made->states_->part(segment.device), kept[made->parts_.size()], here));
    std::set<std::string> written;
    for (size_t k = 0; k < segment.instrs.size(); ++k) {
      const Instr& instr = p.instrs[segment.instrs[k]];
      made->place_[segment.instrs[k]] = {made->parts_.size(), k};
      for (size_t i = 0; i < written_inputs(instr); ++i) written.insert(p[instr.in[i]].name);
    }
    part.writes.assign(written.begin(), written.end());
    part.segment = std::move(segment);
    made->parts_.push_back(std::move(part));
  }
  made->find_incoming();
  return std::unique_ptr<Executable>(std::move(made));
}

std::vector<SharedInput> PlacedExecutable::share(std::span<const SharedInput> shared, const Segment& segment,
                                                 Part& part) {
  std::vector<SharedInput> here;
  for (const SharedInput& input : shared) {
    if (!has_port(segment.program->inputs, input.name)) continue;
    const auto& from = dynamic_cast<const PlacedExecutable&>(*input.from);
    const Part& maker = from.parts_[from.maker_[input.value]];
    const SharedInput one{input.name, maker.executable.get(), input.value, input.may_clear};
    if (maker.segment.device == segment.device) {
      here.push_back(one);
      continue;
    }
    const auto port = std::ranges::find(program_->inputs, input.name, &Port::name);
    part.arriving.push_back({one, transfers_.size()});
    transfers_.push_back({port->value, maker.segment.device, segment.device, bytes_of((*program_)[port->value]), 0, 0});
  }
  return here;
}

void PlacedExecutable::find_incoming() {
  std::map<std::pair<ValueId, std::string>, size_t> holder;  // by value and device: the last part so far that has it
  std::map<std::tuple<ValueId, std::string, std::string>, size_t> known;  // by value and the two devices
  for (size_t s = 0; s < parts_.size(); ++s) {
    const Segment& to = parts_[s].segment;
    for (const ValueId v : to.incoming) {
      const bool is_state = (*program_)[v].storage == Storage::state;
      // The nearest on the same device that has it, else the one that makes it.
      const auto near = holder.find({v, to.device});
      const bool stays = !is_state && near != holder.end();
      const size_t from = is_state ? kNone : stays ? near->second : maker_[v];
      const std::string& source =
          is_state ? states_->placements().at((*program_)[v].name) : parts_[from].segment.device;
      size_t counted = kNone;
      if (source != to.device) {
        const auto [transfer, fresh] = known.try_emplace({v, source, to.device}, transfers_.size());
        if (fresh) transfers_.push_back({v, source, to.device, bytes_of((*program_)[v]), 0, 0});
        counted = transfer->second;
      }
      parts_[s].incoming.push_back({v, from, stays, counted, {}});
      holder[{v, to.device}] = s;
    }
    for (const Instr& instr : to.program->instrs)
      for (const ValueId v : instr.out) holder[{v, to.device}] = s;
  }
}

Status PlacedExecutable::write_input(const std::string& input, const Tensor& tensor) {
  if (!has_port(program_->inputs, input))
    return Error{codes::unknown_socket, input, "The program has no such input.", ""};
  for (Part& part : parts_)
    if (has_port(part.segment.program->inputs, input)) HW_CHECK(part.executable->write_input(input, tensor));
  return ok();
}

Status PlacedExecutable::receive(Part& part, IncomingValue& incoming, std::unordered_map<ValueId, Tensor>& on_host) {
  const std::string name = incoming_name(incoming.value);
  // Whoever asks for times waits for the runs: until the value is made is no part of its transfer.
  const bool goes = incoming.transfer != kNone && incoming.from != kNone;
  if (goes && on_host[incoming.value].empty()) (void)parts_[incoming.from].executable->timings();
  const auto begin = std::chrono::steady_clock::now();
  if (incoming.from == kNone) {
    const std::string& state = (*program_)[incoming.value].name;
    const std::optional<uint64_t> version = states_->version(state);
    if (version && incoming.version == version) return ok();
    // What another segment of the device has already got this far need not come again.
    for (const Part& other : parts_) {
      if (!version || &other == &part || other.segment.device != part.segment.device) continue;
      for (const IncomingValue& there : other.incoming)
        if (there.value == incoming.value && there.version == version) {
          HW_CHECK(part.executable->take_input(name, *other.executable, incoming.value));
          incoming.version = version;
          return ok();
        }
    }
    HW_CHECK(part.executable->write_input(name, states_->read(state)));
    incoming.version = version;
  } else if (incoming.stays) {
    HW_CHECK(part.executable->take_input(name, *parts_[incoming.from].executable, incoming.value));
  } else {
    Tensor& tensor = on_host[incoming.value];  // once for all devices that it goes to
    if (tensor.empty()) {
      HW_TRY(tensor, parts_[incoming.from].executable->read(incoming.value));
    }
    HW_CHECK(part.executable->write_input(name, tensor));
  }
  if (incoming.transfer == kNone) return ok();
  Transfer& transfer = transfers_[incoming.transfer];
  ++transfer.times;
  transfer.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ok();
}

Status PlacedExecutable::receive(Part& part, const ArrivingInput& arriving) {
  const auto& [name, from, value, may_clear] = arriving.input;
  (void)from->timings();  // until the value is made is no part of its transfer
  const auto begin = std::chrono::steady_clock::now();
  HW_CHECK(part.executable->take_input(name, *from, value));
  Transfer& transfer = transfers_[arriving.transfer];
  ++transfer.times;
  transfer.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ok();
}

Status PlacedExecutable::run(const StepInputs& step, ValueProbe* probe) {
  std::unordered_map<ValueId, Tensor> on_host;
  for (Part& part : parts_) {
    for (const ArrivingInput& arriving : part.arriving) HW_CHECK(receive(part, arriving));
    for (IncomingValue& incoming : part.incoming) {
      if (step.cancelled()) return Error{codes::cancelled, "", "The run was cancelled.", ""};
      HW_CHECK(receive(part, incoming, on_host));
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
  if (maker_[value] != kNone) return parts_[maker_[value]].executable->read(value);
  for (const Part& part : parts_) {
    const auto& inputs = part.segment.program->inputs;
    const bool fed = v.storage == Storage::input &&
                     std::ranges::any_of(inputs, [&](const Port& port) { return port.value == value; });
    if (fed) return part.executable->read(value);
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
    for (const IncomingValue& incoming : part.incoming) bytes += bytes_of((*program_)[incoming.value]);
    for (const ArrivingInput& arriving : part.arriving) bytes += transfers_[arriving.transfer].bytes;
  }
  return bytes;
}

}  // namespace hw
