// Running a case of an op: its program and its inputs.
#include <cmath>
#include <cstring>

#include "engine/program/updates.h"
#include "op_cases.h"

namespace hw::test {
namespace {

DType master_of(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

std::vector<DType> input_dtypes(const OpCase& c, DType dtype) {
  const DType master = master_of(dtype);
  std::vector<DType> d(c.in.size(), dtype);
  for (const size_t k : point_inputs(c.op)) d[k] = master;
  if (c.op == Op::where) d[0] = DType::boolean;
  if (c.op == Op::gather_elements || c.op == Op::gather_elements_grad || c.op == Op::gather || c.op == Op::gather_grad)
    d[1] = DType::i64;
  if (const auto* attr = std::get_if<UpdateAttr>(&c.attr)) {
    const UpdateInputs in = update_inputs(c.op, *attr, c.in.size());
    const size_t same = in.grad + 1;
    for (size_t k = 1; k < same; ++k) d[k] = master;
    if (in.counted) d[in.count()] = DType::f64;
    if (in.per_element) d[in.updates()] = DType::u8;
    if (attr->has_touched) d[same] = DType::u8;
    if (attr->clip_norm > 0) d[same + (attr->has_touched ? 1 : 0)] = DType::f32;
    if (attr->guarded) d.back() = DType::f64;
  }
  if (c.op == Op::check_finite || c.op == Op::loss_scale_update) d[0] = DType::f64;
  if (c.op == Op::average_update && d.size() == 3) d[2] = DType::f64;
  if (info(c.op).outputs == 0) d[0] = c.op == Op::accumulate || c.op == Op::average_update ? master : d[0];
  switch (c.op) {  // statistics are in the master's dtype
    case Op::batch_norm:
      d[1] = master;
      break;
    case Op::batch_norm_grad_input:
      d[4] = master;
      [[fallthrough]];
    case Op::batch_norm_grad_sums:
      d[2] = master;
      break;
    case Op::moments_update:
      d = {master, master, master};
      break;
    default:
      break;
  }
  return d;
}

// Which input holds means and variances; −1: none.
int moments_input(Op op) {
  if (op == Op::batch_norm) return 1;
  return op == Op::batch_norm_grad_sums || op == Op::batch_norm_grad_input ? 2 : -1;
}

}  // namespace

CaseProgram case_program(const OpCase& c, DType dtype) {
  CaseProgram p;
  p.program = std::make_shared<Program>();
  OpBuilder b(*p.program);
  b.set_node("case");
  const bool optimiser = is_optimiser_update(c.op);
  const bool update = info(c.op).outputs == 0;  // writes its inputs, which are states
  const std::vector<DType> dtypes = input_dtypes(c, dtype);
  for (size_t k = 0; k < c.in.size(); ++k) {
    const std::string name = "x" + std::to_string(k);
    p.in.push_back(update ? b.state(name, dtypes[k], c.in[k]) : b.input(name, dtypes[k], c.in[k]));
    const int64_t count = element_count(c.in[k]);
    std::vector<double> v = numbers(count, c.lo, c.hi, static_cast<uint32_t>(k));
    // Positions stay in [0, 1]; everything beside them is signed. Second moments are positive, masks 0 or 1.
    const bool grid = std::holds_alternative<HashGridAttr>(c.attr);
    if (grid && k > 0) v = numbers(count, -1, 1, static_cast<uint32_t>(k));
    if (optimiser && k == 3 && update_row(c.op).moments == 2)
      for (double& x : v) x = x * x;
    if (c.op == Op::compare)  // so that some are equal
      for (double& x : v) x = std::round(x * 2) / 2;
    if (dtypes[k] == DType::boolean)
      for (double& x : v) x = x > 0;
    if (dtypes[k] == DType::i64)  // −1 … 4: some lie outside the axis
      for (double& x : v) x = std::floor((x - c.lo) / (c.hi - c.lo) * 6) - 1;
    if (static_cast<int>(k) == moments_input(c.op))
      for (size_t i = v.size() / 2; i < v.size(); ++i) v[i] = 0.25 + v[i] * v[i];
    const auto* update_attr = std::get_if<UpdateAttr>(&c.attr);
    const UpdateInputs places = update_attr ? update_inputs(c.op, *update_attr, c.in.size()) : UpdateInputs{};
    const bool updates = places.per_element && k == places.updates();
    if (dtypes[k] == DType::u8 && !updates)
      for (double& x : v) x = x > -0.4;
    for (size_t i = 0; updates && i < v.size(); ++i) {  // low byte, high byte: many small counts, none, and the largest
      const bool high = i % 2 == 1, none = i / 2 % 7 == 0, largest = i / 2 % 13 == 0;
      v[i] = largest ? 255 : none || (high && i / 2 % 3 != 0) ? 0 : std::floor(128 + 127 * v[i]);
    }
    const bool averages = c.op == Op::average_update && k == 2;
    if (averages || (update_attr && update_attr->guarded && k + 1 == c.in.size())) v = {1024, 1, 7, 0, 0};
    if (c.op == Op::loss_scale_update) v = {1024, 1, 7, 0, c.hi > 1 ? 2.0 : 0.0};
    if (c.op == Op::check_finite && k == 1)
      for (size_t i = 0; i < v.size(); i += 1000) v[i] = i % 2000 == 0 ? NAN : -INFINITY;
    const bool counted = places.counted;
    if (optimiser && k == places.grad)
      for (size_t i = 0; i < v.size(); ++i) {
        v[i] = std::abs(v[i]) < 0.2 ? 0 : v[i];
        if (counted && i % 101 == 0) v[i] = i % 202 == 0 ? NAN : -INFINITY;
      }
    if (counted && k == 1)
      for (size_t i = 0; i < v.size(); i += 97) v[i] = 7e4;  // too large for narrow views
    if (optimiser && k == 0 && dtypes[0] == dtypes[1]) v = p.values.empty() ? v : p.values[0].to_f64();
    p.values.push_back(Tensor::from_f64(dtypes[k], c.in[k], v));
  }
  if (optimiser) {  // the view is the rounded master, as it is in a run
    p.values[0] = p.values[1].to(dtypes[0]);
  }
  const size_t before = p.program->instrs.size();
  Attr attr = c.attr;
  if (auto* random = std::get_if<RandomAttr>(&attr)) random->dtype = dtype;
  p.out = b.emit(c.op, p.in, attr);
  EXPECT_TRUE(b.status()) << (b.status() ? "" : b.status().error().text());
  EXPECT_EQ(p.program->instrs.size(), before + 1);
  if (update) {
    p.out.assign(p.in.begin(), p.in.begin() + static_cast<std::ptrdiff_t>(written_inputs(p.program->instrs.back())));
  }
  for (Val v : p.in) p.dtypes.push_back((*p.program)[v.id].dtype);
  if (!update)
    for (Val v : p.out) {
      p.dtypes.push_back((*p.program)[v.id].dtype);
      p.program->outputs.push_back({"y", v.id});
    }
  return p;
}

CaseRun start_case(const CaseProgram& c, Device& device, std::span<const ValueId> keep) {
  CaseRun run;
  auto states = device.prepare_states(*c.program, nullptr, 1, nullptr);
  EXPECT_TRUE(states);
  run.states = *states;
  for (size_t k = 0; k < c.in.size(); ++k) {
    const Value& v = (*c.program)[c.in[k].id];
    if (v.storage == Storage::state) {
      EXPECT_TRUE(run.states->write(v.name, c.values[k]));
    }
  }
  auto executable = device.compile(c.program, run.states, keep);
  EXPECT_TRUE(executable) << (executable ? "" : executable.error().text());
  if (!executable) return run;
  run.executable = std::move(*executable);
  for (size_t k = 0; k < c.in.size(); ++k) {
    const Value& v = (*c.program)[c.in[k].id];
    if (v.storage == Storage::input) {
      EXPECT_TRUE(run.executable->write_input(v.name, c.values[k]));
    }
  }
  StepInputs step;
  step.seed = 5;
  step.step = 3;
  step.learning_rate = 0.01;
  const Status status = run.executable->run(step);
  EXPECT_TRUE(status) << (status ? "" : status.error().text());
  return run;
}

std::vector<Tensor> CaseRun::outputs(const CaseProgram& c) const {
  std::vector<Tensor> out;
  if (!executable) return out;
  for (Val v : c.out) {
    const Value& value = (*c.program)[v.id];
    if (value.storage == Storage::state) {
      out.push_back(states->read(value.name));
      continue;
    }
    auto tensor = executable->read(v.id);
    EXPECT_TRUE(tensor) << (tensor ? "" : tensor.error().text());
    out.push_back(tensor ? *tensor : Tensor::zeros(value.dtype, value.dims));
  }
  return out;
}

std::vector<Tensor> run_case(const CaseProgram& c, Device& device, std::span<const ValueId> keep) {
  return start_case(c, device, keep).outputs(c);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

}  // namespace hw::test
