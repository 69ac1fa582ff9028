// A program whose nodes run on several devices: its segments in turn, and the values that go between them.
#pragma once

#include <unordered_map>

#include "engine/backend/placed_states.h"

namespace hw {

class PlacedExecutable : public Executable {
 public:
  using FindDevice = std::function<Result<std::shared_ptr<Device>>(const std::string&)>;
  /// `states`: prepared for `program`. `shared`: of PlacedExecutables. Errors of Device::compile, HW-R007.
  static Result<std::unique_ptr<Executable>> make(std::shared_ptr<const Program> program,
                                                  std::shared_ptr<PlacedStates> states, const std::string& device,
                                                  const FindDevice& find, std::span<const ValueId> keep,
                                                  std::span<const SharedInput> shared);

  Status write_input(const std::string& name, const Tensor& tensor) override;
  Status run(const StepInputs& step, ValueProbe* probe) override;
  Result<Tensor> read(ValueId value) const override;
  const std::vector<double>& timings() const override;
  void reset_timings() override;
  KernelInfo kernel_info(size_t instr) const override;
  size_t temp_bytes() const override;
  std::vector<Transfer> transfers() const override { return transfers_; }

 private:
  /// A value that a segment gets before it runs.
  struct IncomingValue {
    ValueId value;
    size_t from;                           // part; kNone: a state of another device
    bool stays;                            // `from` is on the same device
    size_t transfer;                       // index into transfers_; kNone: between parts on one device
    std::optional<uint64_t> version = {};  // of the state that is there
  };
  /// A shared input that is made on another device than the segment's.
  struct ArrivingInput {
    SharedInput input;
    size_t transfer;  // index into transfers_
  };
  struct Part {
    Segment segment;
    std::unique_ptr<Executable> executable;
    std::vector<IncomingValue> incoming;
    std::vector<ArrivingInput> arriving;
    std::vector<std::string> writes;  // names of states
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  PlacedExecutable(std::shared_ptr<const Program> program, std::shared_ptr<PlacedStates> states)
      : program_(std::move(program)), states_(std::move(states)) {}
  /// What a segment reads where it lies, on its own device; what is made elsewhere becomes the part's `arriving`.
  std::vector<SharedInput> share(std::span<const SharedInput> shared, const Segment& segment, Part& part);
  void find_incoming();
  Status receive(Part& part, IncomingValue& incoming, std::unordered_map<ValueId, Tensor>& on_host);
  Status receive(Part& part, const ArrivingInput& arriving);

  std::shared_ptr<const Program> program_;
  std::shared_ptr<PlacedStates> states_;
  std::vector<Part> parts_;
  std::vector<std::pair<size_t, size_t>> place_;  // by instruction: part, index there
  std::vector<size_t> maker_;                     // by value: the part that makes it, or kNone
  std::vector<Transfer> transfers_;
  mutable std::vector<double> timings_;
};

}  // namespace hw
