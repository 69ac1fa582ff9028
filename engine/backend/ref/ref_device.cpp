// The ref device and its executable: widen, compute, round once on store.
#include "engine/backend/ref/ref_device.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <new>

#include "engine/backend/host_states.h"
#include "engine/backend/ref/ref_ops.h"
#include "engine/backend/value_probe.h"
#include "engine/core/codes.h"
#include "engine/program/check_sizes.h"
#include "engine/program/updates.h"

namespace hw {
namespace {

std::string text(DType dtype, const Dims& dims) {
  return std::string(name(dtype)) + to_string(dims);
}

class RefExecutable : public Executable {
 public:
  RefExecutable(std::shared_ptr<const Program> program, std::shared_ptr<HostStates> states)
      : p_(std::move(program)), states_(std::move(states)), values_(p_->values.size()), timings_(p_->instrs.size()) {
    for (ValueId id = 0; id < p_->values.size(); ++id) {
      const Value& v = (*p_)[id];
      if (v.storage != Storage::temp) continue;
      values_[id] = Tensor::zeros(v.dtype, v.dims);
      temp_bytes_ += values_[id].bytes();
    }
    for (const auto& [id, tensor] : p_->constants) values_[id] = tensor;
  }

  void share(std::span<const SharedInput> shared) {
    for (const SharedInput& input : shared)
      for (const Port& port : p_->inputs)
        if (port.name == input.name)
          values_[port.value] = dynamic_cast<const RefExecutable&>(*input.from).values_[input.value];
  }

  Status make_surfaces() {
    for (const Instr& i : p_->instrs) {
      if (i.op != Op::sample_surface) continue;
      auto table = kernels::make_surface_table(*std::get<SampleSurfaceAttr>(i.attr).mesh);
      if (!table) {
        Error error = table.error();
        error.where = p_->nodes[i.node];
        return error;
      }
      surfaces_.emplace(&i, std::move(*table));
    }
    return ok();
  }

  Status write_input(const std::string& name, const Tensor& tensor) override {
    for (const Port& port : p_->inputs) {
      if (port.name != name) continue;
      const Value& v = (*p_)[port.value];
      if (v.dtype != tensor.dtype())
        return Error{codes::dtype_mismatch, name,
                     "Expected " + text(v.dtype, v.dims) + ", got " + text(tensor.dtype(), tensor.dims()) + ".", ""};
      if (v.dims != tensor.dims())
        return Error{codes::size_mismatch, name,
                     "Expected " + text(v.dtype, v.dims) + ", got " + text(tensor.dtype(), tensor.dims()) + ".", ""};
      values_[port.value] = tensor.clone();
      return ok();
    }
    return Error{codes::unknown_socket, name, "The program has no such input.", ""};
  }

  Status run(const StepInputs& step, ValueProbe* probe) override {
    for (const Port& port : p_->inputs)
      if (values_[port.value].empty())
        return Error{codes::missing_input, port.name, "This input was never written.", ""};
    if (probe) look_at_states(*probe);
    for (size_t k = 0; k < p_->instrs.size(); ++k) {
      if (step.cancelled()) return Error{codes::cancelled, "", "The run was cancelled.", ""};
      const auto start = std::chrono::steady_clock::now();
      execute(p_->instrs[k], step, probe);
      timings_[k] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return ok();
  }

  Result<Tensor> read(ValueId value) const override {
    const Tensor& t = at(value);
    if (t.empty()) return Error{codes::missing_input, (*p_)[value].name, "This value was never written.", ""};
    return t.clone();
  }

  const std::vector<double>& timings() const override { return timings_; }
  void reset_timings() override { std::fill(timings_.begin(), timings_.end(), 0.0); }

  KernelInfo kernel_info(size_t instr) const override {
    const Instr& i = p_->instrs[instr];
    const DType storage = (*p_)[i.out.empty() ? i.in[0] : i.out[0]].dtype;
    std::optional<DType> compute;
    if (const auto* product = std::get_if<MatmulAttr>(&i.attr)) compute = product->compute;
    if (const auto* product = std::get_if<ConvAttr>(&i.attr)) compute = product->compute;
    return {storage, compute.value_or(DType::f64), DType::f64, "ref"};
  }

  size_t temp_bytes() const override { return temp_bytes_; }

 private:
  const Tensor& at(ValueId id) const {
    const Value& v = (*p_)[id];
    return v.storage == Storage::state ? states_->at(v.name) : values_[id];
  }
  Tensor& at(ValueId id) { return const_cast<Tensor&>(std::as_const(*this).at(id)); }

  // Rounded here, by ref's own rule: what converts them then finds numbers of the dtype.
  static void store(Tensor& to, const ref::Wide& from) {
    std::vector<double> numbers = from.v;
    for (double& x : numbers) x = ref::stored(x, to.dtype());
    const Tensor made = Tensor::from_f64(to.dtype(), to.dims(), numbers);
    std::memcpy(to.data(), made.data(), to.bytes());
  }

  void look_at_states(ValueProbe& probe) const {
    for (const Param& param : p_->params)
      probe.see_whole(param.view, at(param.view).data(), at(param.master).dtype(), at(param.master).data());
  }

  void execute(const Instr& i, const StepInputs& step, ValueProbe* probe) {
    const auto surface = surfaces_.find(&i);
    ref::Call call{i, step, surface == surfaces_.end() ? nullptr : &surface->second, {}, {}};
    for (ValueId id : i.in) call.in.push_back({at(id).dtype(), at(id).dims(), at(id).to_f64()});
    for (ValueId id : i.out) {
      const auto count = static_cast<size_t>(at(id).size());
      call.out.push_back({at(id).dtype(), at(id).dims(), std::vector<double>(count)});
    }
    ref::ref_op(i.op)(call);
    if (i.out.empty()) states_->mark_written();
    for (size_t k = 0; k < i.out.size(); ++k) {
      const Tensor& made = at(i.out[k]);
      store(at(i.out[k]), call.out[k]);
      if (!probe || !probe->wants(i.out[k])) continue;
      probe->losses(i.out[k], 0)->add(made.dtype(), made.data(), DType::f64, call.out[k].v.data(), made.size());
      probe->see_whole(i.out[k], made.data());
    }
    for (size_t k = 0; k < written_inputs(i); ++k) store(at(i.in[k]), call.in[k]);
  }

  const std::shared_ptr<const Program> p_;
  const std::shared_ptr<HostStates> states_;
  std::vector<Tensor> values_;  // by id; empty for states
  std::unordered_map<const Instr*, kernels::SurfaceTable> surfaces_;
  std::vector<double> timings_;
  size_t temp_bytes_ = 0;
};

class RefDevice : public Device {
 public:
  std::string id() const override { return "ref"; }
  std::string description() const override { return "Reference: one thread, f64 arithmetic, slow"; }

  bool supports(Op, std::span<const DType> dtypes) const override {
    return std::all_of(dtypes.begin(), dtypes.end(), [](DType d) { return info(d).storable; });
  }

  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* reinitialised) override try {
    HW_CHECK(check_sizes(program));
    return std::shared_ptr<States>(prepare_host_states(program, std::move(states), seed, reinitialised));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId>, std::span<const SharedInput> shared) override
      try {
    HW_CHECK(check_sizes(*program));
    HW_CHECK(load_data(*program));
    auto host = states ? std::dynamic_pointer_cast<HostStates>(std::move(states)) : std::make_shared<HostStates>();
    assert(host && "states of another kind of device");
    for (const Value& v : program->values) {
      if (v.storage != Storage::state) continue;
      assert(host->has(v.name) && "call prepare_states first");
      if (host->at(v.name).dtype() != v.dtype || host->at(v.name).dims() != v.dims)
        return Error{codes::weights_mismatch, v.name, "The state is not " + text(v.dtype, v.dims) + ".",
                     "Prepare the states for this program."};
    }
    auto executable = std::make_unique<RefExecutable>(std::move(program), std::move(host));
    HW_CHECK(executable->make_surfaces());
    executable->share(shared);
    return std::unique_ptr<Executable>(std::move(executable));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

 private:
  static Error out_of_memory() {
    return {codes::out_of_memory, "ref", "There is not enough memory for the program's values.",
            "Make the batch smaller."};
  }
};

}  // namespace

std::shared_ptr<Device> make_ref_device() {
  return std::make_shared<RefDevice>();
}

}  // namespace hw
