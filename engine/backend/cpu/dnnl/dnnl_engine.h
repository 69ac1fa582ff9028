// oneDNN's engine and the calling thread's stream. Include in the .cpp files that wrap oneDNN alone.
#pragma once

#include <dnnl.hpp>

#include "engine/core/dtype.h"

namespace hw::cpu {

inline const dnnl::engine& dnnl_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

inline dnnl::stream& dnnl_stream() {
  thread_local dnnl::stream stream(dnnl_engine());
  return stream;
}

/// f32 and bf16.
inline dnnl::memory::data_type dnnl_type(DType dtype) {
  return dtype == DType::bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

inline dnnl::memory dnnl_memory(const dnnl::memory::desc& desc, const void* data) {
  return dnnl::memory(desc, dnnl_engine(), const_cast<void*>(data));
}

}  // namespace hw::cpu
