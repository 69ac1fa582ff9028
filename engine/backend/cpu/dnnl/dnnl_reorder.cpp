#include "engine/backend/cpu/dnnl/dnnl_reorder.h"

#include <cstring>

#include "engine/backend/cpu/dnnl/dnnl_descs.h"
#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/core/parallel.h"

namespace hw::cpu {

DnnlReorder::DnnlReorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  constexpr int64_t kStep = 64;  // a multiple of the blocks of most layouts
  constexpr size_t kLeastBytes = size_t{1} << 19;
  if (from == to) {
    copied_ = from.get_size();
    return;
  }
  const SingleThreadedDnnl single;
  const dnnl::memory::dims dims = dims_of(from);
  if (from.get_size() >= kLeastBytes && dims[0] > kStep && dims[0] % kStep == 0) {
    try {
      dnnl::memory::dims part = dims, offset(dims.size(), 0);
      for (part[0] = kStep; offset[0] < dims[0]; offset[0] += kStep)
        parts_.push_back(part_of(from.submemory_desc(part, offset), to.submemory_desc(part, offset)));
      return;
    } catch (const dnnl::error&) {
      parts_.clear();  // its blocks are larger
    }
  }
  parts_.push_back(part_of(from, to));
}

DnnlReorder::Part DnnlReorder::part_of(const dnnl::memory::desc& from, const dnnl::memory::desc& to) const {
  const dnnl::engine& e = dnnl_engine();
  return {from, to, dnnl::reorder({e, from, e, to, user_scratchpad()})};
}

void DnnlReorder::run_part(const Part& part, const void* from, void* to) const {
  const SingleThreadedDnnl single;
  dnnl::reorder(part.reorder)
      .execute(dnnl_stream(), {{DNNL_ARG_FROM, dnnl_memory(part.from, from)}, {DNNL_ARG_TO, dnnl_memory(part.to, to)}});
}

void DnnlReorder::run(const void* from, void* to) const {
  if (copied_ > 0) std::memcpy(to, from, copied_);
  if (parts_.size() == 1) return run_part(parts_[0], from, to);
  parallel_for(static_cast<int64_t>(parts_.size()),
               [&](int64_t i) { run_part(parts_[static_cast<size_t>(i)], from, to); });
}

}  // namespace hw::cpu
