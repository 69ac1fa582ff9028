#include "spoiled_device.h"

namespace hw::test {
namespace {

class SpoiledStates : public States {
 public:
  SpoiledStates(std::shared_ptr<States> inner, std::shared_ptr<const Spoiling> spoiling)
      : inner_(std::move(inner)), spoiling_(std::move(spoiling)) {}
  const std::shared_ptr<States>& inner() const { return inner_; }
  std::vector<std::string> names() const override { return inner_->names(); }
  bool has(const std::string& name) const override { return inner_->has(name); }
  size_t bytes(const std::string& name) const override { return inner_->bytes(name); }
  std::string memory_device(const std::string& name) const override { return inner_->memory_device(name); }
  Tensor read(const std::string& name) const override {
    const Tensor t = inner_->read(name);
    return spoiling_->change && name == spoiling_->state ? spoiling_->change(t) : t;
  }
  std::vector<double> sample(const std::string& name, std::span<const int64_t> places) const override {
    const std::vector<double> all = read(name).to_f64();
    std::vector<double> some;
    for (const int64_t place : places) some.push_back(all[static_cast<size_t>(place)]);
    return some;
  }
  Status write(const std::string& name, const Tensor& tensor) override { return inner_->write(name, tensor); }
  void rename(const Renamed& names) override { inner_->rename(names); }

 private:
  std::shared_ptr<States> inner_;
  std::shared_ptr<const Spoiling> spoiling_;
};

class SpoiledExecutable : public Executable {
 public:
  SpoiledExecutable(std::unique_ptr<Executable> inner, std::shared_ptr<const Spoiling> spoiling)
      : inner_(std::move(inner)), spoiling_(std::move(spoiling)) {}
  Status write_input(const std::string& name, const Tensor& tensor) override {
    return inner_->write_input(name, tensor);
  }
  Status run(const StepInputs& step, ValueProbe* probe) override { return inner_->run(step, probe); }
  Result<Tensor> read(ValueId value) const override {
    HW_TRY(const Tensor t, inner_->read(value));
    return spoiling_->change && value == spoiling_->value ? spoiling_->change(t) : t;
  }
  const std::vector<double>& timings() const override { return inner_->timings(); }
  void reset_timings() override { inner_->reset_timings(); }
  KernelInfo kernel_info(size_t instr) const override { return inner_->kernel_info(instr); }
  size_t temp_bytes() const override { return inner_->temp_bytes(); }

 private:
  std::unique_ptr<Executable> inner_;
  std::shared_ptr<const Spoiling> spoiling_;
};

class SpoiledDevice : public Device {
 public:
  SpoiledDevice(std::shared_ptr<Device> inner, std::shared_ptr<const Spoiling> spoiling)
      : inner_(std::move(inner)), spoiling_(std::move(spoiling)) {}
  std::string id() const override { return "spoiled"; }
  std::string description() const override { return inner_->description() + ", with a fault"; }
  bool supports(Op op, std::span<const DType> dtypes) const override { return inner_->supports(op, dtypes); }
  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* made) override {
    HW_TRY(auto prepared, inner_->prepare_states(program, inner_of(std::move(states)), seed, made));
    return std::shared_ptr<States>(std::make_shared<SpoiledStates>(std::move(prepared), spoiling_));
  }
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId> keep, std::span<const SharedInput>) override {
    HW_TRY(auto compiled, inner_->compile(std::move(program), inner_of(std::move(states)), keep));
    return std::unique_ptr<Executable>(std::make_unique<SpoiledExecutable>(std::move(compiled), spoiling_));
  }

 private:
  static std::shared_ptr<States> inner_of(std::shared_ptr<States> states) {
    const auto spoiled = std::dynamic_pointer_cast<SpoiledStates>(states);
    return spoiled ? spoiled->inner() : states;
  }

  std::shared_ptr<Device> inner_;
  std::shared_ptr<const Spoiling> spoiling_;
};

}  // namespace

std::shared_ptr<Device> spoiled_device(std::shared_ptr<Device> inner, std::shared_ptr<const Spoiling> spoiling) {
  return std::make_shared<SpoiledDevice>(std::move(inner), std::move(spoiling));
}

}  // namespace hw::test
