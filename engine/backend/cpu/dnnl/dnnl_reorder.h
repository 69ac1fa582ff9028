// A weight from its row-major layout to one of oneDNN's own, or back.
#pragma once

#include <dnnl.hpp>
#include <vector>

namespace hw::cpu {

/// Made once, run often. Layouts that are the same are copied.
class DnnlReorder {
 public:
  DnnlReorder() = default;
  /// Throws dnnl::error.
  DnnlReorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to);
  /// Large ones on all threads of parallel_for, in parts along axis 0.
  void run(const void* from, void* to) const;

 private:
  struct Part {
    dnnl::memory::desc from, to;
    dnnl::reorder reorder;
  };
  Part part_of(const dnnl::memory::desc& from, const dnnl::memory::desc& to) const;
  void run_part(const Part& part, const void* from, void* to) const;

  size_t copied_ = 0;  // bytes, of layouts that are the same
  std::vector<Part> parts_;
};

}  // namespace hw::cpu
