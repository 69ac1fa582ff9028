// A document's file by itself: its name, its stamp, and what it lets the graph read.
#include "app/document/document_file.h"

#include <QDir>
#include <QFile>

#include "app/document/text.h"
#include "support.h"

namespace hw::app {
namespace {

void write(const QString& path, const char* text) {
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text);
}

TEST(DocumentFile, IsCalledByItsFileOrWhatItIsACopyOf) {
  DocumentFile file;
  EXPECT_EQ(file.title(), "Untitled");
  EXPECT_EQ(file.folder(), QDir::currentPath());
  EXPECT_FALSE(file.exists());
  EXPECT_FALSE(file.changedOutside());
  file.open({}, "sine");
  EXPECT_EQ(file.title(), "sine");
  file.open("/graphs/net.halfwire");
  EXPECT_EQ(file.title(), "net");
  EXPECT_EQ(file.folder(), "/graphs");
}

TEST(DocumentFile, SeesThatItsFileIsAnotherOrGone) {
  QTemporaryDir folder;
  const QString path = folder.filePath("g.halfwire");
  write(path, "{}");
  DocumentFile file;
  file.open(path);
  file.note();
  EXPECT_FALSE(file.changedOutside());
  write(path, "{ }");
  EXPECT_TRUE(file.changedOutside());
  file.note();
  EXPECT_FALSE(file.changedOutside());
  QFile::remove(path);
  EXPECT_TRUE(file.changedOutside());
}

TEST(DocumentFile, IsWrittenUnderTheNameThatWasChosen) {
  const QUrl plain = QUrl::fromLocalFile("/graphs/net");
  EXPECT_EQ(DocumentFile::pathOf(plain), "/graphs/net");
  EXPECT_EQ(DocumentFile::newPathOf(plain), "/graphs/net.halfwire");
  EXPECT_EQ(DocumentFile::newPathOf(QUrl::fromLocalFile("/graphs/net.json")), "/graphs/net.json");
  DocumentFile file;
  EXPECT_EQ(file.toSave().error().code, "HW-F002");
  file.open("/graphs/net.halfwire");
  EXPECT_EQ(*file.toSave(), "/graphs/net.halfwire");
}

TEST(DocumentFile, IsReadAsItWasWrittenAndNoted) {
  QTemporaryDir folder;
  const QString path = folder.filePath("g.halfwire");
  DocumentFile file;
  file.open(path);
  ASSERT_TRUE(file.write(path, Graph{}, {}));
  EXPECT_FALSE(file.changedOutside());
  const auto read = DocumentFile::read(path);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->nodes().empty());
  EXPECT_EQ(DocumentFile::read(folder.filePath("none.halfwire")).error().code, "HW-F001");
  const FileStamp noted = file.stamp();
  ASSERT_TRUE(file.write(folder.filePath("other.halfwire"), Graph{}, {}));
  EXPECT_EQ(file.stamp(), noted) << "another file is not its own until it moves there";
}

TEST(DocumentFile, LetsReadItsFolderAndWhatIsAllowed) {
  QTemporaryDir folder;
  ASSERT_TRUE(QDir(folder.path()).mkpath("graph"));
  const QString outside = folder.filePath("out.obj");
  write(outside, "v 0 0 0");
  DocumentFile file;
  file.open(folder.filePath("graph/g.halfwire"));
  const AssetRef mesh{"mesh", "path", "../out.obj", Kind::mesh};
  EXPECT_FALSE(file.reach().check(to_path(outside), mesh.path));
  EXPECT_EQ(QDir::cleanPath(file.allowedBy(mesh)), outside);
  EXPECT_TRUE(file.allow(outside));
  EXPECT_FALSE(file.allow(outside)) << "a second time";
  EXPECT_TRUE(file.reach().check(to_path(outside), mesh.path));
  EXPECT_EQ(file.outside({mesh}).size(), 1);
  file.open(file.path());
  EXPECT_TRUE(file.allowed().isEmpty());
}

TEST(DocumentFile, OfADataSetTheFolderIsAllowed) {
  QTemporaryDir folder;
  const QString part = folder.filePath("train-images");
  write(part, "x");
  DocumentFile file;
  file.open(folder.filePath("g.halfwire"));
  EXPECT_EQ(file.allowedBy({"data", "path", part.toStdString(), Kind::dataset}), folder.path());
  EXPECT_EQ(file.allowedBy({"picture", "path", part.toStdString(), Kind::image}), part);
}

}  // namespace
}  // namespace hw::app
