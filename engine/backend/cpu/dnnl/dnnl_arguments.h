// What a oneDNN primitive is run on, kept from run to run: making it anew takes as long as a small primitive.
// Include in the .cpp files that wrap oneDNN alone.
#pragma once

#include <atomic>
#include <dnnl.hpp>
#include <memory>
#include <vector>

namespace hw::cpu {

class DnnlArguments {
 public:
  struct Argument {
    int index = 0;  // DNNL_ARG_…
    dnnl::memory::desc desc;
  };

  explicit DnnlArguments(std::vector<Argument> arguments);
  ~DnnlArguments();
  DnnlArguments(const DnnlArguments&) = delete;
  DnnlArguments& operator=(const DnnlArguments&) = delete;

  /// Runs it on `data`, one pointer an argument, in their order. Any thread, several at once.
  void run(const dnnl::primitive& primitive, const void* const* data) const;

 private:
  struct Set;
  std::unique_ptr<Set> make() const;

  std::vector<Argument> arguments_;
  /// Arguments of runs that have ended, or null, one for each thread of the pool. A run that finds none creates its
  /// own, and drops it where there is no free slot.
  mutable std::vector<std::atomic<Set*>> spares_;
};

}  // namespace hw::cpu
