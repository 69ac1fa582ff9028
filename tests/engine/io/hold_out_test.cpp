// A validation split: which samples are held out of training.
#include "engine/io/dataset/hold_out.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/core/codes.h"
#include "tests/engine/dataset_files.h"
#include "tests/engine/idx_files.h"

namespace hw {
namespace {

/// Samples of three numbers, the first of which is the row; labels are the row modulo 7.
Dataset numbered(int64_t count) {
  Dataset data;
  data.name = "numbers";
  data.sample = {3};
  data.classes = 7;
  data.train.x = Tensor::zeros(DType::f32, {count, 3});
  data.train.labels = Tensor::zeros(DType::i64, {count});
  for (int64_t i = 0; i < count; ++i) {
    data.train.x.as<float>()[3 * i] = static_cast<float>(i);
    data.train.labels.as<int64_t>()[i] = i % 7;
  }
  return data;
}

std::vector<int64_t> rows_in(const DatasetSplit& split) {
  EXPECT_TRUE(split.load());
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < split.count(); ++i) {
    rows.push_back(static_cast<int64_t>(split.x.as<float>()[3 * i]));
    EXPECT_EQ(split.labels.as<int64_t>()[i], rows.back() % 7) << "a sample keeps its label";
  }
  return rows;
}

TEST(HoldOut, EverySampleIsInOneOfTheTwo) {
  Dataset data = numbered(1000);
  ASSERT_TRUE(hold_out(data, 0.15));
  EXPECT_EQ(data.train.count(), 850);
  EXPECT_EQ(data.validation.count(), 150);
  EXPECT_EQ(data.train.sample_bytes(), 850u * 12);
  EXPECT_EQ(data.validation.bytes(), 150u * (12 + 8));
  std::vector<int64_t> held = rows_in(data.validation), all = rows_in(data.train);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_GT(held.back() - held.front(), 900) << "from everywhere, not from the end";
  all.insert(all.end(), held.begin(), held.end());
  std::sort(all.begin(), all.end());
  for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(all[static_cast<size_t>(i)], i);
}

TEST(HoldOut, IsTheSameEveryTime) {
  Dataset a = numbered(300), b = numbered(300);
  ASSERT_TRUE(hold_out(a, 0.1) && hold_out(b, 0.1));
  EXPECT_EQ(rows_in(a.train), rows_in(b.train)) << "whichever is read first";
  EXPECT_EQ(rows_in(b.validation), rows_in(a.validation));
}

TEST(HoldOut, LeavesSomethingToTrainWith) {
  Dataset data = numbered(10);
  ASSERT_TRUE(hold_out(data, 1e-9));
  EXPECT_EQ(data.validation.count(), 1);
  Dataset two = numbered(2);
  const Status refused = hold_out(two, 0.9);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::asset_lacks);
  EXPECT_EQ(two.train.count(), 2) << "as it was";
}

TEST(HoldOut, FilesAreReadOnce) {
  const test::TempFolder folder;
  test::write_idx_set(folder.path(), {20, 3}, {2, 3}, 4);
  const auto whole = test::load(folder.path(), {{1, 2, 3}, 4});
  const auto parts = test::load(folder.path(), {{1, 2, 3}, 4, 0.25});
  ASSERT_TRUE(whole && parts) << parts.error().text();
  EXPECT_EQ((*parts)->train.x.dims(), (Dims{15, 1, 2, 3}));
  EXPECT_EQ((*parts)->validation.x.dims(), (Dims{5, 1, 2, 3}));
  EXPECT_EQ((*parts)->test.count(), 3);
  EXPECT_EQ((*parts)->validation.labels.size(), 5);
}

}  // namespace
}  // namespace hw
