// A device that fails as it is told to.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>

#include "engine/backend/backend.h"
#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"

namespace hw::test {

enum class Fails { never, run_throws, run_refuses, compile_throws, compile_refuses };

/// Hands out the cpu's executables, and fails as it is told to; a run on a pool thread where there is one.
class ThrowingDevice : public Device {
 public:
  explicit ThrowingDevice(std::shared_ptr<std::atomic<Fails>> fails) : fails_(std::move(fails)) {}
  std::string id() const override { return "cpu"; }
  std::string description() const override { return "throws"; }
  bool supports(Op op, std::span<const DType> dtypes) const override { return cpu_->supports(op, dtypes); }
  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* reinitialised) override {
    return cpu_->prepare_states(program, std::move(states), seed, reinitialised);
  }
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId> keep,
                                              std::span<const SharedInput> shared) override {
    if (*fails_ == Fails::compile_throws) throw std::runtime_error("planted");
    if (*fails_ == Fails::compile_refuses) return Error{codes::out_of_memory, "", "planted", ""};
    std::vector<SharedInput> inner(shared.begin(), shared.end());
    for (SharedInput& input : inner) input.from = dynamic_cast<const Throwing&>(*input.from).real_.get();
    HW_TRY(auto made, cpu_->compile(std::move(program), std::move(states), keep, inner));
    return std::unique_ptr<Executable>(std::make_unique<Throwing>(std::move(made), fails_));
  }

 private:
  class Throwing : public Executable {
   public:
    friend ThrowingDevice;
    Throwing(std::unique_ptr<Executable> real, std::shared_ptr<std::atomic<Fails>> fails)
        : real_(std::move(real)), fails_(std::move(fails)) {}
    Status write_input(const std::string& name, const Tensor& tensor) override {
      return real_->write_input(name, tensor);
    }
    Status run(const StepInputs& step, ValueProbe* probe) override {
      parallel_for(16, [&](int64_t i) {
        if (i == 9 && *fails_ == Fails::run_throws) throw std::runtime_error("planted");
      });
      if (*fails_ == Fails::run_refuses) return Error{codes::unsupported, "", "planted", ""};
      return real_->run(step, probe);
    }
    Result<Tensor> read(ValueId value) const override { return real_->read(value); }
    const std::vector<double>& timings() const override { return real_->timings(); }
    void reset_timings() override { real_->reset_timings(); }
    KernelInfo kernel_info(size_t instr) const override { return real_->kernel_info(instr); }
    size_t temp_bytes() const override { return real_->temp_bytes(); }

   private:
    std::unique_ptr<Executable> real_;
    std::shared_ptr<std::atomic<Fails>> fails_;
  };
  std::shared_ptr<Device> cpu_ = *make_device("cpu");
  std::shared_ptr<std::atomic<Fails>> fails_;
};

}  // namespace hw::test
