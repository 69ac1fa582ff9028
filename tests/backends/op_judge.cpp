#include "op_judge.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/core/rounding_error.h"
#include "engine/devices/devices.h"

namespace hw::test {
namespace {

struct WidenDType {
  template <class A>
  void operator()(A& a) const {
    if constexpr (requires { a.dtype; }) a.dtype = info(a.dtype).is_float ? DType::f64 : a.dtype;
  }
};

// The same op on the same numbers, without rounding to narrower floats; nothing where it has no such form. The factors
// of products are rounded to their compute dtype, and positions on a grid stay f32: their format says so.
std::optional<CaseProgram> unrounded(const CaseProgram& p) {
  const Instr& instr = p.program->instrs.front();
  const bool updates = instr.out.empty();
  CaseProgram wide;
  wide.program = std::make_shared<Program>();
  OpBuilder b(*wide.program);
  b.set_node("case");
  const std::vector<size_t> points = point_inputs(instr.op);
  for (size_t k = 0; k < p.in.size(); ++k) {
    const Value& v = (*p.program)[p.in[k].id];
    const bool is_point = std::ranges::find(points, k) != points.end();
    const bool kept = !info(v.dtype).is_float || is_point || (updates && v.dims.empty());
    const DType dtype = kept ? v.dtype : DType::f64;
    wide.in.push_back(updates ? b.state(v.name, dtype, v.dims) : b.input(v.name, dtype, v.dims));
    wide.values.push_back(p.values[k].to(dtype));
  }
  Attr attr = instr.attr;
  std::visit(WidenDType{}, attr);
  wide.out = b.emit(instr.op, wide.in, attr);
  if (!b.status()) return std::nullopt;
  if (updates) wide.out.assign(wide.in.begin(), wide.in.begin() + static_cast<std::ptrdiff_t>(p.out.size()));
  if (!updates)
    for (Val v : wide.out) wide.program->outputs.push_back({"y", v.id});
  return wide;
}

}  // namespace

OpJudge::OpJudge(const CaseProgram& p) : p_(p) {
  const auto ref = *make_device("ref");
  stored_ = run_case(p_, *ref);
  for (const Tensor& t : stored_) wanted_.push_back(t.to_f64());
  unrounded_.resize(stored_.size());
  bounds_.resize(stored_.size());
  if (gives_exact_numbers(p_.program->instrs.front())) return;
  const std::optional<CaseProgram> wide = unrounded(p_);
  if (!wide) return;
  const std::vector<Tensor> made = run_case(*wide, *ref);
  for (size_t k = 0; k < made.size(); ++k)
    if (made[k].dtype() == DType::f64) {
      wanted_[k] = made[k].to_f64();
      unrounded_[k] = true;
    }
}

const OpJudge::Bounds& OpJudge::bounds(size_t k, DType accumulate) const {
  std::optional<Bounds>& b = bounds_[k];
  if (b && b->accumulate == accumulate) return *b;
  const OpTolerance t(*p_.program, p_.program->instrs.front(), k, accumulate, stored_[k], p_.values);
  b = Bounds{accumulate, {}, t.allowed_unrounded(info(stored_[k].dtype()).max)};
  for (const double v : wanted_[k]) b->allowed.push_back(unrounded_[k] ? t.allowed_unrounded(v) : t.allowed(v));
  return *b;
}

const std::vector<double>& OpJudge::allowed(size_t k, DType accumulate) const {
  return bounds(k, accumulate).allowed;
}

// Whether rounding takes a number within `slack` of `exact` beyond the largest of the dtype.
bool OpJudge::overflows(size_t k, double exact, double slack) const {
  const DTypeInfo& format = info(stored_[k].dtype());
  return std::abs(exact) + slack >= format.max + ulp_at(format.max, format.dtype) / 2;
}

std::string OpJudge::complaint(size_t k, const Tensor& got, DType accumulate) const {
  std::ostringstream text;
  text.precision(17);
  if (got.dtype() != stored_[k].dtype() || got.dims() != stored_[k].dims()) return "another dtype or other sizes";
  const std::vector<double> a = got.to_f64(), b = stored_[k].to_f64();
  const Bounds& bounds = this->bounds(k, accumulate);
  const bool exact = gives_exact_numbers(p_.program->instrs.front());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double wanted = wanted_[k][i];
    const bool finite = std::isfinite(a[i]) && std::isfinite(b[i]);
    if (finite && std::abs(a[i] - wanted) <= bounds.allowed[i]) continue;
    if (!exact && !std::isfinite(a[i]) && !std::isfinite(b[i]) && (std::isnan(a[i]) || std::isnan(b[i]))) continue;
    // One rounds to the largest number, the other beyond it.
    const bool at_the_end = info(got.dtype()).is_float && std::isfinite(wanted) &&
                            overflows(k, wanted, bounds.at_largest) && !overflows(k, wanted, -bounds.at_largest);
    if (!finite && at_the_end && !(std::abs(a[i]) < info(got.dtype()).max)) continue;
    text << "output " << k << ", element " << i << " is " << a[i] << ", ref says " << wanted << ", allowed "
         << bounds.allowed[i];
    return text.str();
  }
  return "";
}

int64_t elements(const OpCase& c) {
  int64_t n = 0;
  for (const Dims& d : c.in) n += element_count(d);
  return n;
}

CaseProgram not_finite(CaseProgram p, size_t j) {
  std::vector<double> v = p.values[j].to_f64();
  v[v.size() / 2] = INFINITY;
  v[v.size() / 3] = NAN;
  v.back() = INFINITY;
  p.values[j] = Tensor::from_f64(p.values[j].dtype(), p.values[j].dims(), v);
  return p;
}

bool mixes_zeros(const OpCase& c, bool gpu) {
  const auto* conv = std::get_if<ConvAttr>(&c.attr);
  if (!conv) return false;
  const bool padded = conv->pad_begin != Pair{0, 0} || conv->pad_end != Pair{0, 0};
  return conv->groups > 1 || conv->stride[0] > 2 || conv->dilation[0] > 1 || (gpu && padded);
}

DType accumulator(const CaseRun& run) {
  const DType dtype = run.executable->kernel_info(0).accumulate;
  return info(dtype).is_float ? dtype : DType::f64;
}

std::string OpJudge::complaint(const CaseRun& run) const {
  if (!run.executable) return "it did not run";
  const std::vector<Tensor> got = run.outputs(p_);
  if (got.size() != stored_.size()) return "another number of outputs";
  std::string all;
  for (size_t k = 0; k < got.size(); ++k)
    if (const std::string one = complaint(k, got[k], accumulator(run)); !one.empty())
      all += (all.empty() ? "" : "; ") + one;
  return all;
}

void expect_within(const Tensor& got, const Tensor& wanted, const OpTolerance& tolerance, const std::string& what) {
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  ASSERT_EQ(got.dims(), wanted.dims()) << what;
  const std::vector<double> a = got.to_f64(), b = wanted.to_f64();
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(a[i] == b[i] || std::abs(a[i] - b[i]) <= tolerance.allowed(b[i]))
        << what << ": element " << i << " is " << a[i] << ", expected " << b[i];
}

void expect_agrees(const CaseProgram& p, Device& device, const std::string& what) {
  const std::string complaint = OpJudge(p).complaint(start_case(p, device));
  EXPECT_TRUE(complaint.empty()) << what << ": " << complaint;
}

}  // namespace hw::test
