// Compiling: kernels, the memory plan, and where each operand lies. Running stands in cpu_run.cpp.
#include "engine/backend/cpu/runtime/cpu_executable.h"

#include <algorithm>
#include <cassert>
#include <new>

#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/runtime/channels_last.h"
#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/program/op_spec.h"
#include "engine/program/op_text.h"
#include "engine/program/updates.h"

namespace hw::cpu {
namespace {

std::string megabytes(size_t bytes) {
  return std::to_string((bytes >> 20) + 1) + " MiB";
}

Error out_of_memory(const std::string& where, size_t bytes) {
  return {codes::out_of_memory, where, "There is no memory for " + megabytes(bytes) + " of temporary values.",
          "Use fewer points a step, or a smaller model."};
}

// The rows of a kernel's tiles, or of a reduction's pieces.
int64_t kernel_rows(const Program& p, const Step& step, const Instr& instr) {
  if (cpu_tile_rule(p, instr).tiling != Tiling::reduction) return step.tile_rows;
  return std::clamp<int64_t>(step.rows, 1, reduction_pieces(p, instr).rows);
}

Error no_kernel(const Program& p, const Instr& i) {
  std::string dtypes;
  for (const auto* list : {&i.in, &i.out})
    for (ValueId v : *list) dtypes += (dtypes.empty() ? "" : ", ") + std::string(name(p[v].dtype));
  return {codes::unsupported, p.nodes[i.node],
          "The cpu has no kernel for " + std::string(info(i.op).name) + " with " + dtypes + ".",
          "Put a Cast before it."};
}

}  // namespace

Result<std::unique_ptr<Executable>> CpuExecutable::make(std::shared_ptr<const Program> program,
                                                        std::shared_ptr<HostStates> states,
                                                        std::span<const ValueId> keep,
                                                        std::span<const SharedInput> shared, const SimdTable& simd) {
  std::unique_ptr<CpuExecutable> e(new CpuExecutable(std::move(program), std::move(states)));
  HW_CHECK(e->make_kernels(simd, keep));
  e->share(shared);
  HW_CHECK(e->make_memory(keep));
  return std::unique_ptr<Executable>(std::move(e));
}

Status CpuExecutable::make_kernels(const SimdTable& simd, std::span<const ValueId> keep) {
  const Program& p = *program_;
  timings_.assign(p.instrs.size(), 0.0);
  steps_ = schedule(p);
  weight_values_ = weight_values(p);
  writes_states_ = writes_states(p);
  channels_last_ = channels_last(p, keep);
  kernels_.resize(p.instrs.size());
  for (const Step& step : steps_)
    for (size_t i : step.instrs) {
      const Instr& instr = p.instrs[i];
      std::vector<DType> dtypes;
      for (const auto* list : {&instr.in, &instr.out})
        for (ValueId v : *list) dtypes.push_back(p[v].dtype);
      if (!takes_dtypes(instr.op, dtypes)) return no_kernel(p, instr);
      try {
        auto kernel = make_kernel({p, instr, simd, step.rows, kernel_rows(p, step, instr), channels_last_});
        if (!kernel) {
          Error error = kernel.error();
          error.where = p.nodes[instr.node];
          return error;
        }
        if (!*kernel) return no_kernel(p, instr);
        kernels_[i] = std::move(*kernel);
      } catch (const std::bad_alloc&) {
        return out_of_memory(p.nodes[instr.node], instr.out.empty() ? 0 : plan::value_bytes(p[instr.out[0]]));
      }
    }
  for (const Step& step : steps_)
    for (const plan::Region& region : step.regions)
      for (size_t k = region.first; k < region.first + region.count; ++k)
        kernels_[step.instrs[k]].tile->kernel_info.implementation += ", in strips";
  return ok();
}

void CpuExecutable::share(std::span<const SharedInput> inputs) {
  std::unordered_map<std::string_view, ValueId> named;
  for (const Port& port : program_->inputs) named.emplace(port.name, port.value);
  for (const SharedInput& input : inputs) {
    const auto port = named.find(input.name);
    if (port == named.end()) continue;
    const auto& from = dynamic_cast<const CpuExecutable&>(*input.from);
    assert(plan::value_bytes((*from.program_)[input.value]) == plan::value_bytes((*program_)[port->second]));
    const bool kept = from.plan_.values[input.value].place == plan::Place::own;
    shared_[port->second] = {from.data_[input.value], input.may_clear && kept};
  }
}

Result<TempBytes> CpuExecutable::estimate(const Program& program, const SimdTable& simd) {
  // Lives no longer than the program.
  CpuExecutable e(std::shared_ptr<const Program>(std::shared_ptr<void>(), &program), nullptr);
  HW_CHECK(e.make_kernels(simd, {}));
  e.plan_values({});
  e.data_.assign(program.values.size(), nullptr);
  e.plan_scratch();
  return TempBytes{e.temp_bytes_, e.scratch_bytes_ * static_cast<size_t>(thread_count())};
}

void CpuExecutable::plan_values(std::span<const ValueId> keep) {
  const Program& p = *program_;
  std::vector<bool> own(p.values.size(), false);
  for (size_t i = 0; i < kernels_.size(); ++i)
    if (kernels_[i].whole && kernels_[i].whole->keeps_outputs())
      for (ValueId v : p.instrs[i].out) own[v] = true;
  keep_weight_values(own, keep);
  let_updates_clear(own, keep);
  plan_ = plan::plan_memory(p, steps_, keep, own);
  temp_bytes_ = plan_.arena_bytes;
  for (const Kernel& kernel : kernels_) temp_bytes_ += kernel.base().own_bytes();
  for (ValueId v = 0; v < p.values.size(); ++v)
    if (plan_.values[v].place == plan::Place::own) temp_bytes_ += plan::value_bytes(p[v]);
}

Status CpuExecutable::make_memory(std::span<const ValueId> keep) {
  const Program& p = *program_;
  plan_values(keep);
  ValueId asking = plan_.largest;
  size_t bytes = plan_.arena_bytes;
  try {
    arena_ = HugeBuffer(plan_.arena_bytes);
    data_.assign(p.values.size(), nullptr);
    own_.resize(p.values.size());
    for (ValueId v = 0; v < p.values.size(); ++v) {
      if (plan_.values[v].place != plan::Place::own) continue;
      asking = v;
      bytes = plan::value_bytes(p[v]);
      own_[v] = HugeBuffer(bytes, true);
    }
    for (Kernel& kernel : kernels_) kernel.base().take_memory();
    place_values();
    plan_scratch();
    asking = plan_.largest;
    bytes = partial_bytes_;
    partials_ = HugeBuffer(partial_bytes_);
    bytes = scratch_bytes_;
    ensure_threads(1);
  } catch (const std::bad_alloc&) {
    return out_of_memory(where_of(p, asking), bytes);
  }
  return ok();
}

void CpuExecutable::keep_weight_values(std::vector<bool>& own, std::span<const ValueId> keep) const {
  const Program& p = *program_;
  const auto keep_value = [&](ValueId v) {
    if (weight_values_[v] && p[v].storage == Storage::temp) own[v] = true;
  };
  for (const Step& step : steps_) {
    if (step.of_weights) continue;
    for (const size_t i : step.instrs) std::ranges::for_each(p.instrs[i].in, keep_value);
  }
  std::ranges::for_each(keep, keep_value);
  for (const Port& port : p.outputs) keep_value(port.value);
}

void CpuExecutable::let_updates_clear(const std::vector<bool>& own, std::span<const ValueId> keep) {
  const Program& p = *program_;
  std::vector<int> readers(p.values.size(), 0);
  for (const Instr& instr : p.instrs) {
    if (instr.op == Op::check_finite) continue;  // reads before every update
    for (ValueId v : instr.in) ++readers[v];
  }
  for (ValueId v : keep) ++readers[v];
  for (const Port& port : p.outputs) ++readers[port.value];
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const auto* attr = std::get_if<UpdateAttr>(&p.instrs[i].attr);
    if (!attr || !attr->has_touched) continue;
    const size_t grad = update_inputs(p.instrs[i]).grad;
    bool alone = true;
    for (ValueId v : {p.instrs[i].in[grad], p.instrs[i].in[grad + 1]}) {
      const auto shared = shared_.find(v);
      const bool may_clear = shared == shared_.end() ? own[v] : shared->second.may_clear;
      alone = alone && may_clear && readers[v] == 1;
    }
    kernels_[i].whole->clears_gradient = alone;
  }
}

void CpuExecutable::place_values() {
  const Program& p = *program_;
  held_.resize(p.values.size());
  for (const auto& [v, tensor] : p.constants) held_[v] = tensor;
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const plan::ValuePlace& place = plan_.values[v];
    if (place.place == plan::Place::state) held_[v] = states_->at(p[v].name);
    const auto shared = shared_.find(v);
    if (shared != shared_.end())
      data_[v] = shared->second.data;
    else if (place.place == plan::Place::input)
      held_[v] = Tensor::zeros(p[v].dtype, p[v].dims);
    if (place.place == plan::Place::arena)
      data_[v] = arena_.data() + place.offset;
    else if (place.place == plan::Place::own)
      data_[v] = own_[v].data();
    else if (!held_[v].empty())
      data_[v] = static_cast<std::byte*>(held_[v].data());
  }
}

void CpuExecutable::plan_scratch() {
  tiled_.resize(steps_.size());
  size_t partials = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    if (!step.tiled) {
      scratch_bytes_ = std::max(scratch_bytes_, padded(kernels_[step.instrs[0]].base().scratch_bytes()));
      continue;
    }
    size_t kernel_scratch = 0, offset = 0;
    for (size_t i : step.instrs) {
      kernel_scratch = std::max(kernel_scratch, kernels_[i].base().scratch_bytes());
      tiled_[s].calls.push_back(tiled_call(step, i));
      if (!kernels_[i].reduction) continue;
      TiledCall& call = tiled_[s].calls.back();
      call.partial_offset = offset;
      offset += kernels_[i].reduction->partial_bytes() * static_cast<size_t>(call.pieces.groups(step.rows));
    }
    for (size_t c = 0; c < tiled_[s].calls.size(); ++c) {
      const size_t joined = tiled_[s].calls[c].joined = joined_calls(step, tiled_[s].calls, c);
      for (size_t k = c + 1; k <= c + joined; ++k)
        kernels_[tiled_[s].calls[k].instr].tile->kernel_info.implementation += ", part by part";
    }
    partials = std::max(partials, offset);
    tiled_[s].kernel_scratch_offset = padded(plan_.scratch_bytes[s]);
    const size_t gathers = tiled_[s].kernel_scratch_offset + padded(kernel_scratch);
    scratch_bytes_ = std::max(scratch_bytes_, gathers + plan_gathers(step, tiled_[s], gathers));
  }
  strips_offset_ = padded(scratch_bytes_);
  scratch_bytes_ = strips_offset_ + plan_.strip_bytes;
  partial_bytes_ = partials;
  temp_bytes_ += partials;
}

size_t CpuExecutable::plan_gathers(const Step& step, TiledStep& tiled, size_t offset) const {
  size_t bytes = 0;
  for (TiledCall& call : tiled.calls) {
    const int64_t piece = std::min(call.pieces.rows, step.rows);
    if (!kernels_[call.instr].reduction || piece <= step.tile_rows) continue;
    for (size_t k = 0; k < call.in.size(); ++k) {
      if (!call.in_rows[k] || call.in_place[k] != plan::Place::scratch) continue;
      call.gathers.push_back({k, offset + bytes});
      bytes += padded(byte_count(call.in[k].dtype, piece * call.in[k].row_elems));
    }
  }
  return bytes;
}

void CpuExecutable::ensure_threads(int threads) {
  while (scratch_.size() < static_cast<size_t>(threads)) {
    scratch_data_.reserve(scratch_.size() + 1);
    scratch_.emplace_back(scratch_bytes_);
    scratch_data_.push_back(scratch_.back().data());
    temp_bytes_ += scratch_bytes_;
    thread_timings_.emplace_back(program_->instrs.size(), 0.0);
    probe_seconds_.push_back(0);
  }
}

Operand CpuExecutable::operand(ValueId v, int64_t rows) const {
  const Value& value = (*program_)[v];
  const int64_t count = element_count(value.dims);
  return {value.dtype, data_[v], rows, rows > 0 ? count / rows : 0, nullptr};
}

CpuExecutable::TiledCall CpuExecutable::tiled_call(const Step& step, size_t index) const {
  const Instr& instr = program_->instrs[index];
  TiledCall call;
  call.instr = index;
  if (kernels_[index].reduction) call.pieces = reduction_pieces(*program_, instr);
  // The offset into scratch or strips stands in `data` until the thread is known.
  const auto place = [&](ValueId v, int64_t rows, std::vector<plan::Place>& places) {
    Operand o = operand(v, rows);
    const plan::ValuePlace& where = plan_.values[v];
    if (where.place == plan::Place::scratch || where.place == plan::Place::strip)
      o.data = reinterpret_cast<std::byte*>(where.offset);
    places.push_back(where.place);
    return o;
  };
  for (size_t k = 0; k < instr.in.size(); ++k) {
    const bool rows = follows_rows(*program_, instr, k);
    call.in_rows.push_back(rows);
    call.begins_once = (k == 0 || call.begins_once) && (rows || weight_values_[instr.in[k]]);
    call.in.push_back(place(instr.in[k], rows ? step.rows : 1, call.in_place));
  }
  for (ValueId v : instr.out) call.out.push_back(place(v, kernels_[index].tile ? step.rows : 1, call.out_place));
  return call;
}

Status CpuExecutable::write_input(const std::string& input, const Tensor& tensor) {
  for (const Port& port : program_->inputs) {
    if (port.name != input) continue;
    assert(!shared_.contains(port.value) && "a shared input is its maker's to write");
    Tensor& held = held_[port.value];
    if (tensor.empty() || tensor.dtype() != held.dtype() || tensor.dims() != held.dims())
      return Error{tensor.empty() || tensor.dtype() == held.dtype() ? codes::size_mismatch : codes::dtype_mismatch,
                   input,
                   "Expected " + std::string(name(held.dtype())) + to_string(held.dims()) + ", got " +
                       std::string(name(tensor.dtype())) + to_string(tensor.dims()) + ".",
                   ""};
    if (tensor.bytes() > 0) std::memcpy(held.data(), tensor.data(), tensor.bytes());
    return ok();
  }
  return Error{codes::unknown_socket, input, "The program has no such input.", ""};
}

Result<Tensor> CpuExecutable::read(ValueId v) const {
  const Value& value = (*program_)[v];
  if (v < held_.size() && !held_[v].empty()) return held_[v].clone();
  if (!data_[v] || !ran_ || channels_last_[v])
    return Error{codes::unsupported, where_of(*program_, v), "The value was not kept readable, or nothing has run yet.",
                 ""};
  Tensor copy(value.dtype, value.dims);
  if (copy.bytes() > 0) std::memcpy(copy.data(), data_[v], copy.bytes());
  return copy;
}

}  // namespace hw::cpu
