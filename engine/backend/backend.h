// A Device compiles Programs into Executables. One interface for all devices.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/rename_keys.h"
#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw {

class ValueProbe;

/// What changes from run to run.
struct StepInputs {
  uint64_t seed = 0;
  uint64_t step = 0;               // 0-based count of forward passes: random ops draw by it, see draw_of
  std::optional<uint64_t> update;  // 0-based count of updates, where it is another; Adam's bias correction uses + 1
  bool starts_sums = false;        // accumulate starts anew: the first micro-batch of an update
  double learning_rate = 0;
  const std::atomic<bool>* cancel = nullptr;  // checked between ops and between parts of long ones; set → HW-R004

  uint64_t update_index() const { return update.value_or(step); }
  bool cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
};

/// The three dtypes of a kernel that really ran, and the implementation's own name.
struct KernelInfo {
  DType storage = DType::f32;
  DType compute = DType::f32;
  DType accumulate = DType::f32;
  std::string implementation;  // "cpu avx512", "oneDNN brg:avx512_core", "ref"
};

/// A value that goes from one device to another, where a program has nodes with devices of their own. A value that
/// stays on its device, from one part of a program to a later one, is not a transfer.
struct Transfer {
  ValueId value = kNoValue;
  std::string from, to;  // devices, by id
  size_t bytes = 0;      // each time
  uint64_t times = 0;    // since the last reset_timings, and so are
  double seconds = 0;    // on the host: from when the value is made until the other device has been given it
};

/// The memory of a device that has its own. Bytes.
struct DeviceMemory {
  size_t total = 0;
  size_t free = 0;      // now, with what is kept for the next values
  size_t resident = 0;  // a data set of more stays on the host, and is sent batch by batch
};

/// Parameters, masters and optimiser moments, by value name. Owned by whoever trains; shared by the executables of a
/// device. Not thread safe: use it from one thread at a time.
class States {
 public:
  virtual ~States() = default;
  virtual std::vector<std::string> names() const = 0;
  virtual bool has(const std::string& name) const = 0;
  /// The size of one state. Asserts that the name exists.
  virtual size_t bytes(const std::string& name) const = 0;
  /// Id of the device whose memory holds a state; empty: the host's. Asserts that the name exists.
  virtual std::string memory_device([[maybe_unused]] const std::string& name) const { return ""; }
  /// A host copy, safe to hand to other threads. Asserts that the name exists.
  virtual Tensor read(const std::string& name) const = 0;
  /// The elements at some flat indices, as f64. Asserts that the name exists.
  virtual std::vector<double> sample(const std::string& name, std::span<const int64_t> places) const = 0;
  /// Copies or adopts; dtype and sizes must equal the state's: HW-F005.
  virtual Status write(const std::string& name, const Tensor& tensor) = 0;
  /// Values stay where they are; a state that has a new name already goes. Executables that were made before know the
  /// old names: they must not run any more.
  virtual void rename(const Renamed& names) = 0;
};

/// What a GPU is asked for.
struct DeviceWork {
  size_t dispatches = 0;  // of kernels
  size_t copies = 0;      // within its memory, clears among them
  size_t barriers = 0;    // work behind one waits for all before it
  size_t spared = 0;      // bytes of values that kernels of several ops neither write nor read again
  DeviceWork& operator+=(const DeviceWork& other) {
    dispatches += other.dispatches, copies += other.copies, barriers += other.barriers;
    spared += other.spared;
    return *this;
  }
  DeviceWork operator-(const DeviceWork& before) const {
    return {dispatches - before.dispatches, copies - before.copies, barriers - before.barriers, spared - before.spared};
  }
};

/// A Program ready to run on one device. Used from one thread at a time.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual Status write_input(const std::string& name, const Tensor& tensor) = 0;
  Status run(const StepInputs& step) { return run(step, nullptr); }
  /// `probe` (may be null) sees its values as they are made: that takes time, and changes neither memory nor a bit.
  virtual Status run(const StepInputs& step, ValueProbe* probe) = 0;
  /// Whether run may return before its work is done. Whoever reads waits; what fails is reported by a later call.
  virtual bool is_asynchronous() const { return false; }
  /// Host copy of an output, an input, a state or a value in `keep`. After run().
  virtual Result<Tensor> read(ValueId value) const = 0;
  /// Seconds spent in each instruction since the last call of reset_timings; index = instruction.
  virtual const std::vector<double>& timings() const = 0;
  virtual void reset_timings() = 0;
  virtual KernelInfo kernel_info(size_t instr) const = 0;
  /// Bytes of temporaries after the liveness plan.
  virtual size_t temp_bytes() const = 0;
  /// The transfers between devices. None for a program that runs on one.
  virtual std::vector<Transfer> transfers() const { return {}; }
  /// What one run asks the device for. None: no run was recorded yet, or the device counts nothing.
  virtual std::optional<DeviceWork> device_work() const { return {}; }
  /// As write_input(name, from.read(value)), `from` being of the same device: one with memory of its own does it there.
  virtual Status take_input(const std::string& name, const Executable& from, ValueId value) {
    HW_TRY(const Tensor tensor, from.read(value));
    return write_input(name, tensor);
  }
  /// Copies a value that read() gives, as it is after this run, without waiting for it.
  virtual Status queue_readback(ValueId value) {
    HW_TRY(Tensor tensor, read(value));
    readbacks_.push_back(std::move(tensor));
    return ok();
  }
  /// The values queued since the last call, in that order. Waits for them.
  virtual Result<std::vector<Tensor>> take_readbacks() { return std::exchange(readbacks_, {}); }

 protected:
  std::vector<Tensor> readbacks_;  // on the host
};

/// An input of a program that another executable of the same device makes: it is read where it lies there.
struct SharedInput {
  std::string name;                  // of the input
  const Executable* from = nullptr;  // outlives the reader
  ValueId value = kNoValue;          // a temporary there, readable after a run, of the input's dtype and sizes
  bool may_clear = false;            // nobody else reads it between a run of the reader and the next of `from`
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string id() const = 0;           // "ref", "cpu"
  virtual std::string description() const = 0;  // "CPU, 2 threads, avx512"
  /// Whether a kernel exists; dtypes are those of the inputs then the outputs.
  virtual bool supports(Op op, std::span<const DType> dtypes) const = 0;
  /// The memory of `device`: this one, or one that nodes may run on. `states` (may be null): those of the run that
  /// asks, whose spare memory counts as free. None: it computes in the host's memory, or cannot be used here.
  virtual std::optional<DeviceMemory> memory([[maybe_unused]] const std::string& device,
                                             [[maybe_unused]] const States* states) {
    return std::nullopt;
  }
  /// Allocates the program's states that `states` lacks or whose dtype or size changed, initialised by Param::init and
  /// `seed` (masters first, then views by conversion; other states zero). `states` null: makes a new store.
  /// `reinitialised` (optional) receives the names that were made anew.
  virtual Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states,
                                                         uint64_t seed, std::vector<std::string>* reinitialised) = 0;
  /// `keep`: temporaries that must stay readable after a run. `shared`: inputs that nobody writes. Errors HW-R001,
  /// HW-R002 (with op, dtype and node).
  virtual Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program,
                                                      std::shared_ptr<States> states,
                                                      std::span<const ValueId> keep = {},
                                                      std::span<const SharedInput> shared = {}) = 0;
};

/// A device that runs on `base`, but for nodes with a device of their own (Program::devices): those run on what
/// `others` makes of its id, and values go between the two through host memory. Programs without such nodes run on
/// `base`, and their States and Executables are its own. A state lives on the device whose ops write it; ops elsewhere
/// that read it (tied weights, the loss scale) get it before each run. Errors of prepare_states and compile: HW-R007
/// with the node.
std::shared_ptr<Device> make_placed_device(
    std::shared_ptr<Device> base, std::function<Result<std::shared_ptr<Device>>(const std::string& id)> others);

}  // namespace hw
