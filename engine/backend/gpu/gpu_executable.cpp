#include "engine/backend/gpu/gpu_executable.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/program/op_spec.h"
#include "engine/program/op_text.h"
#include "engine/program/updates.h"

namespace hw::gpu {
namespace {

std::string text(DType dtype, const Dims& dims) {
  return std::string(name(dtype)) + to_string(dims);
}

std::vector<DType> dtypes_of(const Program& p, const Instr& i) {
  std::vector<DType> dtypes;
  for (const auto* list : {&i.in, &i.out})
    for (ValueId v : *list) dtypes.push_back(p[v].dtype);
  return dtypes;
}

Error no_kernel(const Program& p, const Instr& i, const std::string& device, const Error& said) {
  std::string dtypes;
  for (DType d : dtypes_of(p, i)) dtypes += (dtypes.empty() ? "" : ", ") + std::string(name(d));
  return {codes::unsupported, p.nodes[i.node],
          device + " has no kernel for " + std::string(info(i.op).name) + " with " + dtypes +
              (said.reason.empty() ? "." : ": " + said.reason),
          said.remedy.empty() ? "Put a Cast before it, or choose the cpu device." : said.remedy};
}

}  // namespace

// `sizes_only`: no memory is there yet.
class GpuExecutable::Memory : public OpMemory {
 public:
  Memory(GpuExecutable& executable, bool sizes_only) : e_(executable), sizes_only_(sizes_only) {}

  /// What follows is asked for by this instruction.
  void begin(size_t instr) { instr_ = instr; }
  void* value(ValueId v) override { return sizes_only_ ? nullptr : e_.data_[v]; }
  void* scratch(size_t offset, size_t bytes) override {
    if (!sizes_only_) return static_cast<std::byte*>(e_.scratch_.data()) + e_.levels_.scratch_at[instr_] + offset;
    e_.scratch_bytes_[instr_] = std::max(e_.scratch_bytes_[instr_], offset + bytes);
    return nullptr;
  }
  Result<const void*> constant(const void* data, size_t bytes) override {
    if (sizes_only_) return static_cast<const void*>(nullptr);
    HW_TRY(Buffer buffer, e_.device_->take(bytes, "", "what a node reads"));
    if (bytes > 0) HW_CHECK(e_.device_->driver->upload(buffer.data(), data, bytes));
    e_.temp_bytes_ += buffer.bytes();
    e_.own_.push_back(std::move(buffer));
    return static_cast<const void*>(e_.own_.back().data());
  }
  size_t resident_bytes() const override { return e_.device_->driver->resident_bytes(); }
  Result<const void*> from_host(size_t bytes, FillBatch fill) override {
    if (sizes_only_) return static_cast<const void*>(nullptr);
    return e_.host_batches_.add(bytes, std::move(fill), "");
  }
  const StepData* step() override { return sizes_only_ ? nullptr : static_cast<const StepData*>(e_.step_.data()); }

 private:
  GpuExecutable& e_;
  bool sizes_only_;
  size_t instr_ = 0;
};

Result<std::unique_ptr<Executable>> GpuExecutable::make(std::shared_ptr<const Program> program,
                                                        std::shared_ptr<GpuStates> states,
                                                        std::span<const ValueId> keep,
                                                        std::span<const SharedInput> shared) {
  HW_CHECK(states->device()->usable());
  std::unique_ptr<GpuExecutable> e(new GpuExecutable(std::move(program), std::move(states)));
  HW_CHECK(e->prepare(keep, shared));
  return std::unique_ptr<Executable>(std::move(e));
}

GpuExecutable::~GpuExecutable() {
  if (!steps_) return;
  (void)device_->driver->wait();
  device_->driver->release_pinned(steps_);
  device_->release_marks(first_mark_);
}

Status GpuExecutable::prepare(std::span<const ValueId> keep, std::span<const SharedInput> shared) {
  const Program& p = *program_;
  HW_CHECK(check_states());
  timings_.assign(p.instrs.size(), 0.0);
  infos_.resize(p.instrs.size());
  fused_ = fused_biases(p, keep);
  scratch_bytes_.assign(p.instrs.size(), 0);
  Memory sizes(*this, true);
  HW_CHECK(plan_instructions(sizes));
  const std::vector<bool> own(p.values.size(), false);
  if (device_->driver->fuses_elementwise()) regions_ = elementwise_regions(p, keep, fused_);
  data_.assign(p.values.size(), nullptr);
  plan_regions();  // those without a kernel would hold memory for nothing
  const plan::MemoryPlan memory_plan = plan::plan_memory(p, steps_of(p, fused_, regions_), keep, own);
  HW_TRY(arena_, device_->take(memory_plan.arena_bytes, where_of(p, memory_plan.largest), "temporary values"));
  HW_TRY(step_, device_->take(sizeof(StepData), "", "the step's numbers"));
  auto steps = device_->driver->allocate_pinned(kAhead * sizeof(StepData));
  if (!steps) return device_->at(steps.error(), "");
  steps_ = *steps;
  first_mark_ = device_->take_marks(p.instrs.size() + 1 + 2 * kAhead);
  HW_CHECK(place_values(memory_plan, shared));
  plan_regions();
  std::vector<Piece> pieces;
  for (size_t i = 0; i < p.instrs.size(); ++i) pieces.push_back(piece_of(i));
  levels_ = levels_of(pieces);
  HW_TRY(scratch_, device_->take(levels_.scratch_bytes, where_of(p, memory_plan.largest), "scratch for its kernels"));
  temp_bytes_ = memory_plan.arena_bytes + levels_.scratch_bytes;
  Memory memory(*this, false);
  HW_CHECK(plan_instructions(memory));
  for (size_t i = 0; i < p.instrs.size(); ++i) one_by_one_ |= launches(i, false).size() > pieces[i].launches;
  temp_bytes_ += host_batches_.bytes();
  return ok();
}

void GpuExecutable::plan_regions() {
  std::vector<Region> planned;
  of_regions_.clear();
  for (const Region& region : regions_) {
    const auto operands = operands_of(*program_, region, data_);
    if (!operands) continue;
    auto launch = device_->driver->plan_region(*program_, region, *operands);
    if (!launch) continue;
    of_regions_.push_back({std::move(*launch)});
    planned.push_back(region);
  }
  regions_ = std::move(planned);
}

const Region* GpuExecutable::region_of(size_t i) const {
  const auto behind = std::ranges::upper_bound(regions_, i, {}, &Region::first);
  return behind == regions_.begin() || std::prev(behind)->last() < i ? nullptr : &*std::prev(behind);
}

Piece GpuExecutable::piece_of(size_t i) const {
  Piece piece;
  piece.launches = launches(i, false).size();
  piece.scratch = scratch_bytes_[i];
  if (piece.launches == 0) return piece;
  const Program& p = *program_;
  const auto add = [&](ValueId v, std::vector<MemoryRange>& to) {
    if (data_[v]) to.push_back({static_cast<const std::byte*>(data_[v]), aligned(plan::value_bytes(p[v]))});
  };
  if (const Region* region = region_of(i)) {
    for (const ValueId v : region->inputs) add(v, piece.reads);
    for (const ValueId v : region->outputs) add(v, piece.writes);
    return piece;
  }
  const Instr& instr = p.instrs[i];
  const size_t written = written_inputs(instr);
  for (size_t k = 0; k < instr.in.size(); ++k) add(instr.in[k], k < written ? piece.writes : piece.reads);
  if (fused_[i]) add(fused_[i]->bias, piece.reads);
  for (const ValueId v : fused_[i] ? std::vector{fused_[i]->sum} : instr.out) add(v, piece.writes);
  return piece;
}

Status GpuExecutable::check_states() const {
  for (const Value& v : program_->values)
    if (v.storage == Storage::state && !states_->fits(v))
      return Error{codes::weights_mismatch, v.name, "The state is not " + text(v.dtype, v.dims) + ".",
                   "Prepare the states for this program."};
  return ok();
}

Status GpuExecutable::place_values(const plan::MemoryPlan& memory_plan, std::span<const SharedInput> shared) {
  const Program& p = *program_;
  data_.assign(p.values.size(), nullptr);
  for (const SharedInput& input : shared)
    for (const Port& port : p.inputs)
      if (port.name == input.name)
        data_[port.value] = dynamic_cast<const GpuExecutable&>(*input.from).data_[input.value];
  const auto own = [&](ValueId v) -> Result<void*> {
    HW_TRY(Buffer buffer, device_->take(plan::value_bytes(p[v]), where_of(p, v), "inputs and constants"));
    own_.push_back(std::move(buffer));
    return own_.back().data();
  };
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const plan::ValuePlace& place = memory_plan.values[v];
    if (place.place == plan::Place::arena) data_[v] = static_cast<std::byte*>(arena_.data()) + place.offset;
    if (place.place == plan::Place::state) {
      held_states_.push_back(states_->memory(p[v].name));
      data_[v] = held_states_.back()->data();
    }
    if (place.place != plan::Place::input || data_[v]) continue;
    HW_TRY(data_[v], own(v));
    HW_CHECK(device_->at(device_->driver->clear(data_[v], plan::value_bytes(p[v])), p[v].name));
  }
  for (const auto& [v, tensor] : p.constants) {
    HW_TRY(data_[v], own(v));
    if (tensor.bytes() > 0)
      HW_CHECK(device_->at(device_->driver->upload(data_[v], tensor.data(), tensor.bytes()), p[v].name));
  }
  return ok();
}

Status GpuExecutable::plan_instructions(Memory& memory) {
  launches_.assign(program_->instrs.size(), {});
  with_bias_.assign(program_->instrs.size(), {});
  loss_counts_.assign(program_->instrs.size(), {});
  for (size_t i = 0; i < launches_.size(); ++i) HW_CHECK(plan_instruction(memory, i));
  return ok();
}

Status GpuExecutable::plan_instruction(Memory& memory, size_t i) {
  const Program& p = *program_;
  memory.begin(i);
  const auto plan = [&](const Instr& instr, bool adds_bias, std::vector<Launch>& launches) -> Status {
    OpContext c(p, instr, memory);
    if (fused_[i]) c.set_bias(memory.value(fused_[i]->bias), adds_bias);
    const Status status =
        takes_dtypes(instr.op, dtypes_of(p, instr)) ? device_->driver->plan(c) : Error{codes::unsupported, "", "", ""};
    if (!status) {
      if (status.error().code == codes::unsupported) return no_kernel(p, instr, device_->driver->id(), status.error());
      return device_->at(status, node_of(i));
    }
    infos_[i] = c.info;
    launches = c.take_launches();
    loss_counts_[i] = {c.take_look_launches(), c.losses()};
    return ok();
  };
  HW_CHECK(plan(p.instrs[i], false, launches_[i]));
  if (i > 0 && fused_[i - 1]) infos_[i] = infos_[i - 1];  // what runs when no value is observed
  if (const Region* region = region_of(i))
    infos_[i].implementation =
        device_->driver->implementation() + ", one of " + std::to_string(region->count) + " ops in a kernel";
  if (!fused_[i]) return ok();
  Instr with_bias = p.instrs[i];
  with_bias.out = {fused_[i]->sum};
  return plan(with_bias, true, with_bias_[i]);
}

const std::vector<Launch>& GpuExecutable::launches(size_t instr, bool looked_at) const {
  static const std::vector<Launch> none;
  const Region* const region = looked_at ? nullptr : region_of(instr);
  if (region) return region->last() == instr ? of_regions_[static_cast<size_t>(region - regions_.data())] : none;
  if (!looked_at && fused_[instr]) return with_bias_[instr];
  return !looked_at && instr > 0 && fused_[instr - 1] ? none : launches_[instr];
}

Result<ValueId> GpuExecutable::input(const std::string& name, DType dtype, const Dims& dims) const {
  for (const Port& port : program_->inputs) {
    if (port.name != name) continue;
    const Value& v = (*program_)[port.value];
    if (dtype != v.dtype || dims != v.dims)
      return Error{dtype == v.dtype ? codes::size_mismatch : codes::dtype_mismatch, name,
                   "Expected " + text(v.dtype, v.dims) + ", got " + text(dtype, dims) + ".", ""};
    return port.value;
  }
  return Error{codes::unknown_socket, name, "The program has no such input.", ""};
}

Status GpuExecutable::write_input(const std::string& name, const Tensor& tensor) {
  HW_TRY(const ValueId v, input(name, tensor.dtype(), tensor.dims()));
  if (tensor.empty()) return Error{codes::size_mismatch, name, "The tensor is empty.", ""};
  HW_CHECK(device_->usable());
  if (tensor.bytes() == 0) return ok();
  return device_->at(device_->driver->upload(data_[v], tensor.data(), tensor.bytes()), name);
}

Status GpuExecutable::take_input(const std::string& name, const Executable& from, ValueId value) {
  const auto* there = dynamic_cast<const GpuExecutable*>(&from);
  if (!there || there->device_ != device_) return Executable::take_input(name, from, value);
  HW_CHECK(there->check_readable(value));
  const Value& given = (*there->program_)[value];
  HW_TRY(const ValueId v, input(name, given.dtype, given.dims));
  HW_CHECK(device_->usable());
  const size_t bytes = plan::value_bytes(given);
  return bytes == 0 ? ok() : device_->at(device_->driver->copy(data_[v], there->data_[value], bytes), name);
}

Result<Tensor> GpuExecutable::fetch(ValueId v) const {
  const Value& value = (*program_)[v];
  Tensor copy(value.dtype, value.dims);
  HW_CHECK(device_->usable());
  if (copy.bytes() > 0)
    HW_CHECK(device_->at(device_->driver->download(copy.data(), data_[v], copy.bytes()), where_of(*program_, v)));
  return copy;
}

Status GpuExecutable::check_readable(ValueId v) const {
  if (data_[v] && (ran_ || (*program_)[v].storage != Storage::temp)) return ok();
  return Error{codes::unsupported, where_of(*program_, v), "The value was not kept readable, or nothing has run yet.",
               ""};
}

Result<Tensor> GpuExecutable::read(ValueId v) const {
  HW_CHECK(check_readable(v));
  return fetch(v);
}

}  // namespace hw::gpu
