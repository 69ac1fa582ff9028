#include "engine/backend/cpu/runtime/cpu_plan.h"

#include <algorithm>
#include <new>

#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/runtime/channels_last.h"
#include "engine/core/codes.h"
#include "engine/program/op_spec.h"
#include "engine/program/op_text.h"
#include "engine/program/updates.h"

namespace hw::cpu {
namespace {

std::string megabytes(size_t bytes) {
  return std::to_string((bytes >> 20) + 1) + " MiB";
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

Error out_of_memory(const std::string& where, size_t bytes) {
  return {codes::out_of_memory, where, "There is no memory for " + megabytes(bytes) + " of temporary values.",
          "Use fewer points a step, or a smaller model."};
}

Result<CpuPlan> CpuPlan::make(std::shared_ptr<const Program> program, std::span<const ValueId> keep,
                              const SharedValues& shared, const SimdTable& simd) {
  CpuPlan plan(std::move(program));
  HW_CHECK(plan.make_kernels(simd, keep));
  plan.plan_values(keep, shared);
  plan.plan_tiles();
  return plan;
}

Status CpuPlan::make_kernels(const SimdTable& simd, std::span<const ValueId> keep) {
  const Program& p = *program_;
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

void CpuPlan::plan_values(std::span<const ValueId> keep, const SharedValues& shared) {
  const Program& p = *program_;
  std::vector<bool> own(p.values.size(), false);
  for (size_t i = 0; i < kernels_.size(); ++i)
    if (kernels_[i].whole && kernels_[i].whole->keeps_outputs())
      for (ValueId v : p.instrs[i].out) own[v] = true;
  keep_weight_values(own, keep);
  let_updates_clear(own, keep, shared);
  memory_ = plan::plan_memory(p, steps_, keep, own);
  temp_bytes_ = memory_.arena_bytes;
  for (const Kernel& kernel : kernels_) temp_bytes_ += kernel.base().own_bytes();
  for (ValueId v = 0; v < p.values.size(); ++v)
    if (memory_.values[v].place == plan::Place::own) temp_bytes_ += plan::value_bytes(p[v]);
}

void CpuPlan::keep_weight_values(std::vector<bool>& own, std::span<const ValueId> keep) const {
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

void CpuPlan::let_updates_clear(const std::vector<bool>& own, std::span<const ValueId> keep,
                                const SharedValues& shared) {
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
      const auto from = shared.find(v);
      const bool may_clear = from == shared.end() ? own[v] : from->second.may_clear;
      alone = alone && may_clear && readers[v] == 1;
    }
    kernels_[i].whole->clears_gradient = alone;
  }
}

void CpuPlan::plan_tiles() {
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
    tiled_[s].kernel_scratch_offset = padded(memory_.scratch_bytes[s]);
    const size_t gathers = tiled_[s].kernel_scratch_offset + padded(kernel_scratch);
    scratch_bytes_ = std::max(scratch_bytes_, gathers + plan_gathers(step, tiled_[s], gathers));
  }
  strips_offset_ = padded(scratch_bytes_);
  scratch_bytes_ = strips_offset_ + memory_.strip_bytes;
  partial_bytes_ = partials;
  temp_bytes_ += partials;
}

size_t CpuPlan::plan_gathers(const Step& step, TiledStep& tiled, size_t offset) const {
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

Operand CpuPlan::operand(ValueId v, int64_t rows) const {
  const Value& value = (*program_)[v];
  const int64_t count = element_count(value.dims);
  return {value.dtype, nullptr, rows, rows > 0 ? count / rows : 0, nullptr};
}

TiledCall CpuPlan::tiled_call(const Step& step, size_t index) const {
  const Instr& instr = program_->instrs[index];
  TiledCall call;
  call.instr = index;
  if (kernels_[index].reduction) call.pieces = reduction_pieces(*program_, instr);
  // The offset into scratch or strips stands in `data` until the thread is known; other addresses come with bind().
  const auto place = [&](ValueId v, int64_t rows, std::vector<plan::Place>& places) {
    Operand o = operand(v, rows);
    const plan::ValuePlace& where = memory_.values[v];
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

void CpuPlan::bind(std::span<std::byte* const> data) {
  const auto place = [&](std::vector<Operand>& operands, const std::vector<plan::Place>& places,
                         const std::vector<ValueId>& values) {
    for (size_t k = 0; k < operands.size(); ++k)
      if (places[k] != plan::Place::scratch && places[k] != plan::Place::strip) operands[k].data = data[values[k]];
  };
  for (TiledStep& step : tiled_)
    for (TiledCall& call : step.calls) {
      const Instr& instr = program_->instrs[call.instr];
      place(call.in, call.in_place, instr.in);
      place(call.out, call.out_place, instr.out);
    }
}

}  // namespace hw::cpu
