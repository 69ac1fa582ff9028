// What the parts of an open document do together, in their order.
#include "app/desktop/document_parts.h"

#include <gtest/gtest.h>

#include <string>

namespace hw::app {
namespace {

TEST(DocumentParts, NoneIsNeitherBusyNorInTheWay) {
  DocumentParts parts;
  EXPECT_FALSE(parts.busy());
  parts.reload();
  parts.leave();
}

TEST(DocumentParts, OneThatIsBusyHoldsUpAll) {
  bool works = false;
  DocumentParts parts;
  parts.add({.reload = [] {}});
  parts.add({.busy = [] { return false; }});
  parts.add({.busy = [&] { return works; }});
  EXPECT_FALSE(parts.busy());
  works = true;
  EXPECT_TRUE(parts.busy());
}

TEST(DocumentParts, EachDoesItsPartInOrder) {
  std::string said;
  DocumentParts parts;
  parts.add({.reload = [&] { said += "a"; }});
  parts.add({.reload = [&] { said += "b"; }, .leave = [&] { said += "B"; }});
  parts.add({.leave = [&] { said += "C"; }});
  parts.reload();
  EXPECT_EQ(said, "ab");
  said.clear();
  parts.leave();
  EXPECT_EQ(said, "BC");
}

}  // namespace
}  // namespace hw::app
