// Rows and columns exchanged, by each of the loops that do it.
#include "engine/backend/cpu/simd/transposed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace hw::test {
namespace {

TEST(Transposed, ExchangesRowsAndColumns) {
  const int64_t shapes[][2] = {{1, 1}, {3, 50}, {64, 64}, {64, 80}, {80, 160}, {65, 64}, {64, 70}, {16, 784}};
  for (const size_t element : {1, 2, 4, 8})
    for (const auto& [rows, columns] : shapes) {
      const auto count = static_cast<size_t>(rows * columns);
      std::vector<std::byte> from(count * element), to(count * element), want(count * element);
      for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 37 + i / 251);
      for (size_t r = 0; r < static_cast<size_t>(rows); ++r)
        for (size_t c = 0; c < static_cast<size_t>(columns); ++c)
          std::memcpy(&want[(c * static_cast<size_t>(rows) + r) * element],
                      &from[(r * static_cast<size_t>(columns) + c) * element], element);
      for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
        if (isa > detected_isa()) continue;
        std::fill(to.begin(), to.end(), std::byte{0});
        cpu::transpose(cpu::simd_table(isa), element, from.data(), to.data(), rows, columns);
        EXPECT_EQ(to, want) << rows << " x " << columns << " of " << element << ", " << name(isa);
      }
    }
}

}  // namespace
}  // namespace hw::test
