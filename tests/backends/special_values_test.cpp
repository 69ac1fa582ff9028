// NaN, ±Inf, −0 and axes without elements through every op that computes with numbers: what NumPy and PyTorch give
// (tests/fixtures/cases_special.py), on ref, on the cpu with each instruction set and on the functors of GPUs, and by
// Vulkan. Relative tolerances alone, and the signs of zeros count.
#include <cmath>
#include <map>
#include <set>

#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/compare/tolerance.h"
#include "engine/devices/devices.h"
#include "fixture_cases.h"
#include "host_gpu.h"

namespace hw::test::special_values_test {
namespace {

// Ops without a special case, each with its reason.
const std::map<std::string_view, std::string_view> kWithout = {
    {"dropout", "what is kept is scaled, which has a case"},
    {"random", "it reads no numbers"},
    {"sample_surface", "it reads no numbers"},
    {"sample_image", "it reads no numbers"},
    {"sample_rows", "it reads no numbers"},
    {"check_finite", "it counts these, in loss_scale_test.cpp"},
    {"loss_scale_update", "a rule of counts"},
    {"accumulate", "an addition, which has a case"},
    {"average_update", "a sum of two products, which have cases"},
    {"moments_update", "a sum of two products, which have cases"},
#define HW_UPDATE(name, ...) {#name "_update", "a formula of the ops above; what it writes is judged"},
#include "engine/program/optimisers.def"
    {"matmul_tn", "a product, which has a case"},
    {"gather_grad", "a sum, which has a case"},
    {"gather_elements_grad", "numbers moved, which has a case"},
    {"conv2d_grad_input", "a sum of products, which has a case"},
    {"conv2d_grad_weight", "a sum of products, which has a case"},
    {"max_pool_grad", "to the place of the maximum, which has a case"},
    {"avg_pool_grad", "a sum, which has a case"},
    {"resize_grad", "a sum, which has a case"},
    {"batch_norm_grad_sums", "a sum of products, which has a case"},
    {"batch_norm_grad_input", "a sum of products, which has a case"},
    {"group_norm_grad_input", "a sum of products, which has a case"},
    {"group_norm_grad_sums", "a sum of products, which has a case"},
    {"hash_grid", "no other tool says what a position that is no number gives"},
    {"hash_grid_grad_table", "as hash_grid"},
    {"hash_grid_grad_input", "as hash_grid"},
    {"hash_grid_tangent", "as hash_grid"},
    {"hash_grid_tangent_grad_table", "as hash_grid"},
    {"hash_grid_tangent_grad_input", "as hash_grid"},
    {"triplane", "CpuOps.hand_on_a_position_that_is_no_number"},
    {"triplane_grad_planes", "as triplane"},
    {"triplane_grad_input", "as triplane"},
    {"triplane_tangent", "as triplane"},
    {"triplane_tangent_grad_planes", "as triplane"},
    {"triplane_tangent_grad_input", "as triplane"},
};

std::vector<Fixture> special() {
  std::vector<Fixture> all = fixtures();
  std::erase_if(all, [](const Fixture& f) { return !f.name.starts_with("special.json"); });
  return all;
}

void expect_same(const Tensor& got, const Tensor& expected, double factor, const std::string& what) {
  ASSERT_EQ(got.dims(), expected.dims()) << what;
  const double relative = tolerance(got.dtype()).relative;
  const std::vector<double> a = got.to_f64(), b = expected.to_f64();
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = std::isnan(b[i])      ? std::isnan(a[i])
                      : b[i] == 0           ? a[i] == 0 && std::signbit(a[i]) == std::signbit(b[i])
                      : std::isfinite(b[i]) ? std::abs(a[i] - b[i]) <= factor * relative * std::abs(b[i])
                                            : a[i] == b[i];
    EXPECT_TRUE(same) << what << ": element " << i << " is " << a[i] << ", expected " << b[i];
  }
}

TEST(SpecialValues, name_every_op) {
  std::set<std::string_view> named;
  for (const Fixture& f : special()) named.insert(info(f.op).name);
  for (const OpInfo& op : op_table())
    EXPECT_NE(named.contains(op.name), kWithout.contains(op.name))
        << op.name << (named.contains(op.name) ? " has a case and a reason for none" : " has no case");
}

TEST(SpecialValues, name_every_function) {
  std::set<std::pair<Op, std::string>> named;
  for (const Fixture& f : special()) named.insert({f.op, f.function});
  const auto expect_rows = [&](Op op, std::span<const FunctionInfo> table) {
    for (const FunctionInfo& row : table)
      EXPECT_TRUE(named.contains({op, std::string(row.name)})) << info(op).name << " " << row.name << " has no case";
  };
  expect_rows(Op::unary, unary_table());
  expect_rows(Op::binary, binary_table());
  expect_rows(Op::compare, compare_table());
  expect_rows(Op::reduce, reduce_table());
}

TEST(SpecialValues, are_what_others_give_on_every_device) {
  std::vector<std::pair<std::string, std::shared_ptr<Device>>> devices{{"ref", *make_device("ref")},
                                                                       {"the functors of GPUs", host_gpu()}};
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512})
    if (isa <= detected_isa()) devices.emplace_back("cpu " + std::string(name(isa)), make_cpu_device(isa));
  if (const auto vulkan = make_device("vulkan:0")) devices.emplace_back("vulkan:0", *vulkan);
  for (const auto& [id, device] : devices)
    for (const Fixture& f : special())
      for (const DType dtype : f.dtypes) {
        const CaseProgram p = fixture_program(f, dtype);
        const std::string what = f.name + " in " + std::string(name(dtype)) + " on " + id;
        const std::vector<Tensor> got = run_case(p, *device);
        ASSERT_EQ(got.size(), f.expected.size()) << what;
        for (size_t k = 0; k < got.size(); ++k)
          expect_same(got[k], Tensor::from_f64(got[k].dtype(), f.expected[k].dims, f.expected[k].values),
                      f.tolerance_factor, what + ", output " + std::to_string(k));
      }
}

}  // namespace
}  // namespace hw::test::special_values_test
