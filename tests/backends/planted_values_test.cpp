// Faults planted in what the cpu gives for every op, dtype and output: each that exceeds the op's documented bound is
// noticed by the comparison that all op tests make, and every kind of fault exceeds it in some case of every op.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

#include "engine/core/rounding_error.h"
#include "engine/devices/devices.h"
#include "engine/program/updates.h"
#include "narrow_sums.h"
#include "op_judge.h"
#include "spoiled_device.h"

namespace hw::test {
namespace {

enum class Fault : uint8_t {
  zeros,
  scaled,        // × 1.02; in f8 by two steps between its numbers
  one_off,       // one element, by 4 tolerances
  last_element,  // missing: 0
  last_tile,     // the last eighth missing
  shifted,       // by one element
  one_sign,      // of one element
  finite,        // Inf becomes the largest number, NaN 0
  narrow_sums,   // sums in the storage dtype
};
constexpr std::string_view kFaults[] = {"zeros",   "scaled",   "one off", "last element", "last tile",
                                        "shifted", "one sign", "finite",  "narrow sums"};
constexpr size_t kFaultCount = std::size(kFaults);

// The number of `dtype` next to x, away from 0.
double next_number(double x, DType dtype) {
  return x + std::copysign(info(dtype).is_float ? ulp_at(x, dtype) : 1, x);
}

// 2 %, or where neighbours in `format` are further apart than that, two steps between them.
double scale_fault(const DTypeInfo& format) {
  return format.is_float ? std::max(1.02, 1 + std::exp2(1 - format.mantissa_bits)) : 1.02;
}

// `wanted`: before it is rounded. `at`: the element of faults of one element.
std::vector<double> spoil(Fault fault, const Tensor& clean, const std::vector<double>& wanted,
                          const std::vector<double>& allowed, size_t at) {
  std::vector<double> v = clean.to_f64();
  const DTypeInfo& format = info(clean.dtype());
  const size_t n = v.size();
  switch (fault) {
    case Fault::zeros:
      std::fill(v.begin(), v.end(), 0.0);
      break;
    case Fault::scaled:
      for (size_t i = 0; i < n; ++i) v[i] = scale_fault(format) * wanted[i];
      break;
    case Fault::one_off:
      if (clean.dtype() == DType::boolean)
        v[at] = 1 - v[at];
      else if (std::abs(v[at]) < 0.9 * format.max)
        v[at] += std::copysign(std::max(4 * allowed[at], std::abs(next_number(v[at], clean.dtype()) - v[at])), v[at]);
      break;
    case Fault::last_element:
      v.back() = 0;
      break;
    case Fault::last_tile:
      std::fill(v.begin() + static_cast<ptrdiff_t>(n - (n + 7) / 8), v.end(), 0.0);
      break;
    case Fault::shifted:
      std::rotate(v.begin(), v.begin() + 1, v.end());
      break;
    case Fault::one_sign:
      v[at] = -v[at];
      break;
    case Fault::finite:
      for (double& x : v) x = std::isnan(x) ? 0 : std::clamp(x, -format.max, format.max);
      break;
    case Fault::narrow_sums:
      break;  // the op is run anew
  }
  return v;
}

// Whether an element that the fault changed is further from what it should be than the bound allows.
bool exceeds(const Tensor& clean, const Tensor& spoiled, const std::vector<double>& wanted,
             const std::vector<double>& allowed) {
  const std::vector<double> a = clean.to_f64(), b = spoiled.to_f64();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (std::isfinite(a[i]) != std::isfinite(b[i])) return true;
    if (std::isfinite(a[i]) && std::abs(b[i] - wanted[i]) > allowed[i]) return true;
  }
  return false;
}

// Why a kind of fault exceeds no bound in any case of an op; empty: it must.
std::string exempt(Fault fault, Op op, const Tensor& out, DType dtype) {
  const bool is_float = info(out.dtype()).is_float;
  if (fault == Fault::narrow_sums) {
    if (!has_sums(op)) return "no sum, or one that comes in as an input";
    if (dtype == DType::f32) return "the accumulator is the storage dtype";
    if (dtype == DType::f64 && out.dtype() == DType::f32) return "f32 is what it is stored in";
  }
  if (!is_float && (fault == Fault::scaled || fault == Fault::finite)) return "whole numbers";
  if (fault == Fault::shifted && op == Op::gradient_norm) return "one number";
  if (out.dtype() == DType::boolean || out.dtype() == DType::u8)
    if (fault == Fault::one_sign) return "no sign";
  if (fault == Fault::finite && (op_table()[static_cast<size_t>(op)].inputs == 0)) return "finite by what it draws";
  return "";
}

constexpr size_t kCount = 100;  // the place of what an update counts, wherever it stands among its outputs

size_t place_of(const Instr& instr, size_t output) {
  if (!std::holds_alternative<UpdateAttr>(instr.attr)) return output;
  const UpdateInputs in = update_inputs(instr);
  return in.counted && output == in.count() ? kCount : output;
}

struct Tally {
  size_t planted = 0, found = 0;
};

class PlantedValues : public testing::TestWithParam<DType> {
 protected:
  void plant(const OpCase& c, const CaseProgram& p, std::span<const Fault> faults) {
    const OpJudge judge(p);
    const auto spoiling = std::make_shared<Spoiling>();
    const auto cpu = *make_device("cpu");
    const CaseRun run = start_case(p, *spoiled_device(cpu, spoiling));
    const std::string where = std::string(info(c.op).name) + " (" + c.name + ")";
    ASSERT_TRUE(run.executable) << where;
    const std::string clean = judge.complaint(run);
    EXPECT_TRUE(clean.empty()) << where << ": " << clean;
    if (!clean.empty()) return;
    const std::vector<Tensor> outputs = run.outputs(p);
    for (size_t k = 0; k < outputs.size(); ++k) {
      const Tensor& out = outputs[k];
      if (out.size() == 0) continue;
      const size_t place = place_of(p.program->instrs.front(), k);
      seen_.try_emplace({c.op, place}, out);
      const std::vector<double>& allowed = judge.allowed(k, accumulator(run));
      const Value& value = (*p.program)[p.out[k].id];
      spoiling->value = p.out[k].id;
      spoiling->state = value.storage == Storage::state ? value.name : "";
      for (const Fault fault : faults) {
        if (fault == Fault::narrow_sums && k > 0) continue;
        const auto n = static_cast<size_t>(out.size());
        const bool one = fault == Fault::one_off || fault == Fault::one_sign;
        for (const size_t at : one ? std::set<size_t>{0, n / 2, n - 1} : std::set<size_t>{0}) {
          const Tensor spoiled =
              fault == Fault::narrow_sums
                  ? with_narrow_sums(p, *cpu, narrow())
                  : Tensor::from_f64(out.dtype(), out.dims(), spoil(fault, out, judge.wanted(k), allowed, at));
          if (!exceeds(out, spoiled, judge.wanted(k), allowed)) continue;
          spoiling->change = [&](const Tensor&) { return spoiled; };
          Tally& tally = tallies_[{c.op, place, fault}];
          ++tally.planted;
          const bool found = !judge.complaint(run).empty();
          spoiling->change = nullptr;
          tally.found += found;
          EXPECT_TRUE(found) << where << ", output " << k << ", " << kFaults[static_cast<size_t>(fault)];
        }
      }
      spoiling->value = kNoValue;
      spoiling->state.clear();
    }
  }

  DType narrow() const { return GetParam() == DType::f64 ? DType::f32 : GetParam(); }

  // Every kind of fault was planted in every output of every op, but for those exempt; all were found.
  void expect_all() const {
    Tally all;
    for (const auto& [where, tally] : tallies_) {
      all.planted += tally.planted;
      all.found += tally.found;
    }
    for (const auto& [where, out] : seen_)
      for (size_t f = 0; f < kFaultCount; ++f) {
        const auto& [op, k] = where;
        if (tallies_.contains({op, k, static_cast<Fault>(f)})) continue;
        if (static_cast<Fault>(f) == Fault::narrow_sums && k > 0) continue;
        // What an update counts is one number, and finite.
        if (k == kCount && (static_cast<Fault>(f) == Fault::shifted || static_cast<Fault>(f) == Fault::finite))
          continue;
        EXPECT_FALSE(exempt(static_cast<Fault>(f), op, out, GetParam()).empty())
            << info(op).name << ", output " << k << ": no case shows the fault \"" << kFaults[f] << "\"";
      }
    std::cout << all.planted << " faults, " << all.found << " found\n";
    EXPECT_EQ(all.planted, all.found);
    EXPECT_GT(all.planted, 5000u);
  }

  std::map<std::tuple<Op, size_t, Fault>, Tally> tallies_;
  std::map<std::pair<Op, size_t>, Tensor> seen_;  // what one case gives
};

TEST_P(PlantedValues, are_all_noticed) {
  constexpr Fault kPlain[] = {Fault::zeros,     Fault::scaled,  Fault::one_off, Fault::last_element,
                              Fault::last_tile, Fault::shifted, Fault::one_sign};
  constexpr Fault kNarrow[] = {Fault::narrow_sums}, kFinite[] = {Fault::finite};
  std::map<Op, size_t> large, sums;
  for (const OpCase& c : op_cases()) {
    if (elements(c) > 20000 && large[c.op]++ >= 3) continue;
    const CaseProgram p = case_program(c, GetParam());
    plant(c, p, kPlain);
    if (has_sums(c.op) && elements(c) > 0 && elements(c) < 60000 && sums[c.op]++ < 6) plant(c, p, kNarrow);
    if (elements(c) > 3200 || mixes_zeros(c, false)) continue;
    for (size_t j = 0; j < p.values.size(); ++j)
      if (p.values[j].size() > 0 && info(p.values[j].dtype()).is_float) plant(c, not_finite(p, j), kFinite);
  }
  expect_all();
}

INSTANTIATE_TEST_SUITE_P(DTypes, PlantedValues, testing::ValuesIn(kComputeDTypes),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

}  // namespace
}  // namespace hw::test
