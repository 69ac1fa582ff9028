// Every op against numbers that NumPy or PyTorch computed (tests/fixtures/make_fixtures.py), on every device that has
// the kernel.
#include <cmath>
#include <map>
#include <set>

#include "engine/compare/tolerance.h"
#include "engine/devices/devices.h"
#include "fixture_cases.h"

namespace hw::test::fixture_test {
namespace {

// Ops without a fixture, each with its reason.
const std::map<std::string_view, std::string_view> kWithout = {
    {"sample_surface", "its input is a mesh: KnownValues.SurfaceSamplesLieOnTheMesh checks it by geometry"},
    {"sample_image", "its input is a picture: KnownValues.ImageSamplesAreThePicturesColours checks it by formula"},
    {"sample_rows", "its input is a data set: KnownValues.ABatchIsRowsOfTheDataSet checks it row by row"},
};

void expect_close(const Tensor& got, const Tensor& expected, double factor, const std::string& what) {
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  ASSERT_EQ(got.dims(), expected.dims()) << what;
  const Tolerance t = tolerance(got.dtype());
  const std::vector<double> a = got.to_f64(), b = expected.to_f64();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double allowed = std::isfinite(b[i]) ? factor * (t.absolute + t.relative * std::abs(b[i])) : 0;
    ASSERT_LE(std::abs(a[i] - b[i]), allowed) << what << ": element " << i << " is " << a[i] << ", expected " << b[i];
  }
}

TEST(Fixtures, name_every_op) {
  std::set<std::string_view> named;
  for (const Fixture& f : fixtures()) named.insert(info(f.op).name);
  for (const OpInfo& op : op_table())
    EXPECT_NE(named.contains(op.name), kWithout.contains(op.name))
        << op.name << (named.contains(op.name) ? " has a fixture and a reason for none" : " has no fixture");
}

TEST(Fixtures, name_every_row_of_the_function_tables) {
  std::set<std::pair<Op, std::string>> named;
  for (const Fixture& f : fixtures()) named.insert({f.op, f.function});
  const auto expect_rows = [&](Op op, std::span<const FunctionInfo> table) {
    for (const FunctionInfo& row : table)
      EXPECT_TRUE(named.contains({op, std::string(row.name)})) << info(op).name << " " << row.name << " has no fixture";
  };
  expect_rows(Op::unary, unary_table());
  expect_rows(Op::unary_grad, unary_table());
  expect_rows(Op::binary, binary_table());
  expect_rows(Op::binary_grad, binary_table());
  expect_rows(Op::compare, compare_table());
  expect_rows(Op::reduce, reduce_table());
}

TEST(Fixtures, agree_on_every_device) {
  for (const std::string& id : device_ids()) {
    const auto device = *make_device(id);
    for (const Fixture& f : fixtures())
      for (DType dtype : f.dtypes) {
        const std::string what = f.name + " in " + std::string(name(dtype)) + " on " + id;
        const CaseProgram p = fixture_program(f, dtype);
        ASSERT_EQ(p.program->instrs.size(), 1u) << what;
        ASSERT_TRUE(device->supports(f.op, p.dtypes)) << what;
        ASSERT_EQ(p.out.size(), f.expected.size()) << what;
        const std::vector<Tensor> got = run_case(p, *device);
        for (size_t k = 0; k < got.size(); ++k) {
          const DType own = got[k].dtype();
          const Tensor expected = Tensor::from_f64(own, f.expected[k].dims, f.expected[k].values);
          expect_close(got[k], expected, f.tolerance_factor, what + ", output " + std::to_string(k));
        }
      }
  }
}

}  // namespace
}  // namespace hw::test::fixture_test
