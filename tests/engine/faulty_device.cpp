#include "tests/engine/faulty_device.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/program/random_ops.h"

namespace hw::test {
namespace {

bool is_product(Op op) {
  return op == Op::matmul || op == Op::matmul_tn || op == Op::batch_matmul;
}

/// One instruction as a program of its own: what it reads and no state holds becomes an input.
std::shared_ptr<Program> alone(const Program& whole, size_t i) {
  auto one = std::make_shared<Program>(whole);
  one->instrs = {whole.instrs[i]};
  one->outputs.clear();
  one->inputs.clear();
  for (const ValueId id : whole.instrs[i].in) {
    Value& v = one->values[id];
    if (v.storage != Storage::temp && v.storage != Storage::input) continue;
    if (v.storage == Storage::temp) v.name = "value " + std::to_string(id);
    v.storage = Storage::input;
    bool known = false;
    for (const Port& port : one->inputs) known = known || port.value == id;
    if (!known) one->inputs.push_back({v.name, id});
  }
  return one;
}

Tensor transposed(const Tensor& t) {
  const std::vector<double> v = t.to_f64();
  const auto columns = static_cast<size_t>(t.dims().back()), rows = v.size() / columns;
  std::vector<double> out(v.size());
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) out[r * columns + c] = v[c * rows + r];
  return Tensor::from_f64(t.dtype(), t.dims(), out);
}

/// a · b, the terms of each element added by `add`(sum, term).
template <class Sum, class Add>
Tensor summed_by(const Instr& instr, const Tensor& a, const Tensor& b, const Tensor& like, const Add& add) {
  const auto& attr = std::get<MatmulAttr>(instr.attr);
  const std::vector<double> va = a.to_f64(), vb = b.to_f64();
  const bool tn = instr.op == Op::matmul_tn;
  const auto width = [](const Tensor& t) { return static_cast<size_t>(t.dims().back()); };
  const size_t columns = width(like), rows = static_cast<size_t>(like.size()) / columns;
  const size_t terms = tn ? va.size() / width(a) : width(a);
  std::vector<double> out(rows * columns);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) {
      Sum sum = {};
      for (size_t k = 0; k < terms; ++k) {
        const double x = tn ? va[k * rows + r] : va[r * terms + k];
        const double y = attr.transpose_b ? vb[c * terms + k] : vb[k * columns + c];
        add(sum, x * y, k, terms);
      }
      out[r * columns + c] = static_cast<double>(sum);
    }
  return Tensor::from_f64(like.dtype(), like.dims(), out);
}

/// The running sum rounded to f16 after every term.
Tensor sum_in_f16(const Instr& instr, const Tensor& a, const Tensor& b, const Tensor& like) {
  const auto add = [](_Float16& sum, double term, size_t, size_t) {
    sum = static_cast<_Float16>(static_cast<float>(sum) + static_cast<float>(term));
  };
  return summed_by<_Float16>(instr, a, b, like, add);
}

/// One f32 sum a thread, added up at the end.
struct SumByThreads {
  float parts[8] = {};
  explicit operator double() const {
    float sum = 0;
    for (const float part : parts) sum += part;
    return static_cast<double>(sum);
  }
};
Tensor sum_by_threads(const Instr& instr, const Tensor& a, const Tensor& b, const Tensor& like) {
  const size_t threads = std::min<size_t>(8, static_cast<size_t>(thread_count()));
  const auto add = [&](SumByThreads& sum, double term, size_t k, size_t terms) {
    sum.parts[k * threads / terms] += static_cast<float>(term);
  };
  return summed_by<SumByThreads>(instr, a, b, like, add);
}

class FaultyExecutable : public Executable {
 public:
  FaultyExecutable(std::shared_ptr<Device> cpu, std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                   Fault fault, size_t at)
      : cpu_(std::move(cpu)), p_(*program), states_(std::move(states)), fault_(fault), at_(at) {
    if (fault_ != Fault::own_stream || at_ >= p_.instrs.size()) return;
    for (Instr& instr : p_.instrs)
      if (RandomStream* random = random_stream(instr.attr); random && instr.node == p_.instrs[at_].node)
        random->stream ^= 0x5a5a5a5a;
  }

  Status prepare() {
    for (size_t i = 0; i < p_.instrs.size(); ++i) {
      HW_TRY(auto one, cpu_->compile(alone(p_, i), states_, p_.instrs[i].out));
      ops_.push_back(std::move(one));
    }
    timings_.assign(p_.instrs.size(), 0.0);
    return ok();
  }

  Status write_input(const std::string& name, const Tensor& tensor) override {
    for (const Port& port : p_.inputs)
      if (port.name == name) made_[port.value] = tensor;
    return ok();
  }

  Status run(const StepInputs& step, ValueProbe*) override {
    for (size_t i = 0; i < p_.instrs.size(); ++i) {
      const Instr& instr = p_.instrs[i];
      std::map<ValueId, Tensor> inputs;
      for (const ValueId id : instr.in)
        if (const auto found = made_.find(id); found != made_.end()) inputs[id] = found->second;
      const bool here = i == at_ && applies(fault_, p_, instr);
      if (here && fault_ == Fault::transposed) {
        HW_TRY(const Tensor b, read(instr.in[1]));
        if (p_[instr.in[1]].storage != Storage::state) inputs[instr.in[1]] = transposed(b);
        if (p_[instr.in[1]].storage == Storage::state) HW_CHECK(states_->write(p_[instr.in[1]].name, transposed(b)));
        HW_CHECK(run_one(i, step, inputs));
        if (p_[instr.in[1]].storage == Storage::state) HW_CHECK(states_->write(p_[instr.in[1]].name, b));
        continue;
      }
      std::map<std::string, Tensor> before;
      for (const ValueId id : instr.in)
        if (here && fault_ == Fault::lost_update && p_[id].storage == Storage::state)
          before[p_[id].name] = states_->read(p_[id].name);
      HW_CHECK(run_one(i, step, inputs));
      for (const auto& [name, tensor] : before) HW_CHECK(states_->write(name, tensor));
      if (!here || instr.out.empty()) continue;
      Tensor& out = made_[instr.out[0]];
      if (fault_ == Fault::f16_accumulate) {
        HW_TRY(const Tensor a, read(instr.in[0]));
        HW_TRY(const Tensor b, read(instr.in[1]));
        out = sum_in_f16(instr, a, b, out);
      } else if (fault_ == Fault::by_threads) {
        HW_TRY(const Tensor a, read(instr.in[0]));
        HW_TRY(const Tensor b, read(instr.in[1]));
        out = sum_by_threads(instr, a, b, out);
      } else if (fault_ == Fault::stale) {
        const Tensor fresh = out;
        if (!before_.empty()) out = before_;
        before_ = fresh;
      } else if (fault_ == Fault::swallowed_nan) {
        std::vector<double> v = out.to_f64();
        for (double& x : v) x = std::isnan(x) ? 0 : x;
        out = Tensor::from_f64(out.dtype(), out.dims(), v);
      }
    }
    return ok();
  }

  Result<Tensor> read(ValueId id) const override {
    if (p_[id].storage == Storage::state) return states_->read(p_[id].name);
    for (const auto& [constant, tensor] : p_.constants)
      if (constant == id) return tensor;
    const auto found = made_.find(id);
    if (found == made_.end()) return Error{codes::unsupported, "", "this value was not made.", ""};
    return found->second;
  }
  const std::vector<double>& timings() const override { return timings_; }
  void reset_timings() override {}
  KernelInfo kernel_info(size_t instr) const override { return ops_[instr]->kernel_info(0); }
  size_t temp_bytes() const override { return 0; }

 private:
  Status run_one(size_t i, const StepInputs& step, const std::map<ValueId, Tensor>& inputs) {
    const auto one = alone(p_, i);
    for (const Port& port : one->inputs) HW_CHECK(ops_[i]->write_input(port.name, inputs.at(port.value)));
    HW_CHECK(ops_[i]->run(step));
    for (const ValueId id : p_.instrs[i].out) {
      HW_TRY(made_[id], ops_[i]->read(id));
    }
    return ok();
  }

  std::shared_ptr<Device> cpu_;
  Program p_;
  std::shared_ptr<States> states_;
  Fault fault_;
  size_t at_;
  std::vector<std::unique_ptr<Executable>> ops_;
  std::map<ValueId, Tensor> made_;
  Tensor before_;
  std::vector<double> timings_;
};

class FaultyDevice : public Device {
 public:
  FaultyDevice(Fault fault, size_t at) : cpu_(*make_device("cpu")), fault_(fault), at_(at) {}
  std::string id() const override { return cpu_->id(); }
  std::string description() const override { return "the cpu, with a fault"; }
  bool supports(Op op, std::span<const DType> dtypes) const override { return cpu_->supports(op, dtypes); }
  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* made) override {
    return cpu_->prepare_states(program, std::move(states), seed, made);
  }
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId>, std::span<const SharedInput>) override {
    auto made = std::make_unique<FaultyExecutable>(cpu_, std::move(program), std::move(states), fault_, at_);
    HW_CHECK(made->prepare());
    return std::unique_ptr<Executable>(std::move(made));
  }

 private:
  std::shared_ptr<Device> cpu_;
  Fault fault_;
  size_t at_;
};

}  // namespace

bool applies(Fault fault, const Program& program, const Instr& instr) {
  if (fault == Fault::lost_update || instr.out.empty()) return fault == Fault::lost_update && instr.out.empty();
  if (!info(program[instr.out[0]].dtype).is_float) return false;
  const Dims& b = instr.in.size() > 1 ? program[instr.in[1]].dims : program[instr.out[0]].dims;
  switch (fault) {
    case Fault::none:
    case Fault::lost_update:
      return false;
    case Fault::own_stream:
      return is_random(instr);
    case Fault::by_threads:
    case Fault::f16_accumulate:  // of enough terms for f16 to lose more than the tolerance
      return (instr.op == Op::matmul || instr.op == Op::matmul_tn) && element_count(program[instr.in[0]].dims) >= 16 &&
             program[instr.out[0]].dtype == DType::f32;
    case Fault::transposed:
      return is_product(instr.op) && b.size() == 2 && b[0] > 1 && b[1] > 1;
    case Fault::stale:
    case Fault::swallowed_nan:
      return true;
  }
  return false;
}

std::shared_ptr<Device> faulty_device(Fault fault, size_t at) {
  return std::make_shared<FaultyDevice>(fault, at);
}

}  // namespace hw::test
