// Data sets in tests: read whole, or refused.
#pragma once

#include <gmock/gmock.h>

#include "engine/io/dataset/dataset.h"
#include "tests/engine/io_temp.h"

namespace hw::test {

inline Result<std::shared_ptr<const Dataset>> load(const std::filesystem::path& folder, const DatasetSpec& spec) {
  HW_TRY(const DatasetFiles files, find_dataset(folder));
  HW_TRY(std::shared_ptr<const Dataset> data, open_dataset(files, spec));
  HW_CHECK(data->train.load());
  HW_CHECK(data->validation.load());
  HW_CHECK(data->test.load());
  return data;
}

/// `where`: part of the place that the error names.
inline void expect_refused(const std::filesystem::path& folder, const DatasetSpec& spec, const char* code,
                           const std::string& reason, const std::string& where = {}) {
  const auto data = load(folder, spec);
  ASSERT_FALSE(data) << reason;
  EXPECT_EQ(data.error().code, code) << data.error().text();
  EXPECT_THAT(data.error().reason, testing::HasSubstr(reason));
  EXPECT_THAT(data.error().where, testing::HasSubstr(where));
  EXPECT_FALSE(data.error().where.empty());
  EXPECT_FALSE(data.error().remedy.empty());
}

}  // namespace hw::test
