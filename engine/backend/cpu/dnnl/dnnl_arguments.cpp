#include "engine/backend/cpu/dnnl/dnnl_arguments.h"

#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/core/parallel.h"

namespace hw::cpu {

namespace {

/// Threads are counted as they come.
size_t thread_number() {
  static std::atomic<size_t> threads{0};
  thread_local const size_t number = threads++;
  return number;
}

}  // namespace

struct DnnlArguments::Set {
  std::vector<dnnl::memory> memory;
  std::vector<dnnl_exec_arg_t> arguments;
  std::vector<const void*> data;  // what each memory points at
};

DnnlArguments::DnnlArguments(std::vector<Argument> arguments)
    : arguments_(std::move(arguments)), spares_(static_cast<size_t>(thread_count())) {}

DnnlArguments::~DnnlArguments() {
  for (const std::atomic<Set*>& spare : spares_) delete spare.load();
}

std::unique_ptr<DnnlArguments::Set> DnnlArguments::make() const {
  auto set = std::make_unique<Set>();
  for (const Argument& argument : arguments_) {
    set->memory.push_back(dnnl_memory(argument.desc, nullptr));
    set->arguments.push_back({argument.index, set->memory.back().get()});
  }
  set->data.assign(arguments_.size(), nullptr);
  return set;
}

void DnnlArguments::run(const dnnl::primitive& primitive, const void* const* data) const {
  const size_t own = thread_number(), count = spares_.size();
  std::unique_ptr<Set> set;
  for (size_t k = 0; !set && k < count; ++k) {
    std::atomic<Set*>& spare = spares_[(own + k) % count];
    if (spare.load(std::memory_order_relaxed)) set.reset(spare.exchange(nullptr, std::memory_order_acquire));
  }
  if (!set) set = make();
  for (size_t k = 0; k < arguments_.size(); ++k) {
    if (set->data[k] == data[k]) continue;
    set->memory[k].set_data_handle(const_cast<void*>(data[k]));
    set->data[k] = data[k];
  }
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive.get(), dnnl_stream().get(),
                                                 static_cast<int>(arguments_.size()), set->arguments.data()),
                          "could not execute a primitive");
  for (size_t k = 0; set && k < count; ++k) {
    std::atomic<Set*>& spare = spares_[(own + k) % count];
    Set* none = nullptr;
    if (spare.compare_exchange_strong(none, set.get(), std::memory_order_release, std::memory_order_relaxed))
      static_cast<void>(set.release());
  }
}

}  // namespace hw::cpu
