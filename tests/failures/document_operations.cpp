// A document and the files beside it: loaded, saved with its weights and the optimiser's state, kept for recovery and
// brought back.
#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QDir>

#include "app/document/document.h"
#include "app/document/recovery.h"
#include "app/workspace/weights_beside.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/engine/io_temp.h"
#include "tests/failures/graphs.h"
#include "tests/failures/operations.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;
using app::Document;

Weights learnt(double seed) {
  return {{"w.value", some_weights(seed).at("a")}};
}

std::shared_ptr<const Checkpoint> states(double seed) {
  auto made = std::make_shared<Checkpoint>(some_checkpoint(static_cast<uint64_t>(seed)));
  made->states = learnt(seed);
  made->graph = document_graph(seed);
  return made;
}

QUrl url(const fs::path& file) {
  return QUrl::fromLocalFile(QString::fromStdString(file.string()));
}

/// The event loop's turn until `done`.
template <class F>
bool wait_for(F&& done) {
  const QDeadlineTimer deadline(60'000);
  while (!done() && !deadline.hasExpired()) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  return done();
}

/// The first that a document refuses.
struct FirstRefusal {
  explicit FirstRefusal(Document& document) {
    QObject::connect(&document, &Document::refused, &document,
                     [this](const QString& code, const QString& reason, const QString& remedy) {
                       if (!error) error = Error{code.toStdString(), "", reason.toStdString(), remedy.toStdString()};
                     });
  }
  Status status() const { return error ? Status(*error) : ok(); }
  std::optional<Error> error;
};

class DocumentTrial : public Trial {
 public:
  using Trial::Trial;
  bool spares_caller() const override { return true; }

 protected:
  void save(const std::string& stem, double seed) {
    ASSERT_TRUE(save_graph(document_graph(seed), file(stem + ".halfwire")));
    const auto c = states(seed);
    ASSERT_TRUE(workspace::save_weights_beside(document_graph(seed), learnt(seed), c.get(),
                                               workspace::weights_file(file(stem + ".halfwire"))));
  }
};

/// The graph, and what it has learnt: what is missing was reported.
class LoadsDocument : public DocumentTrial {
 public:
  using DocumentTrial::DocumentTrial;
  bool changes_files() const override { return false; }
  void prepare() override { save("g", 2); }
  Status run() override {
    loaded_ = document_.load(url(file("g.halfwire")));
    EXPECT_TRUE(wait_for([&] { return !document_.weights()->pending() && !document_.weights()->busy(); }));
    QCoreApplication::processEvents();
    return refusal_.status();
  }
  void check(const Status& status) override {
    EXPECT_EQ(document_.graph(), loaded_ ? document_graph(2) : Graph());
    if (!loaded_) {
      EXPECT_FALSE(status);
    }
    if (const auto weights = document_.weights()->tensors()) expect_same(*weights, learnt(2));
    if (status) {
      EXPECT_TRUE(document_.weights()->tensors());
      EXPECT_TRUE(document_.weights()->states());
    }
    EXPECT_FALSE(document_.modified());
    document_.newDocument();
    ASSERT_TRUE(document_.load(url(file("g.halfwire"))));
    EXPECT_TRUE(wait_for([&] { return document_.weights()->tensors() != nullptr; }));
  }

 private:
  Document document_;
  FirstRefusal refusal_{document_};
  bool loaded_ = false;
};

/// Over an older file of its own. Each of the three is the old or the new one; where one is old, it is reported, and
/// the document still has changes.
class SavesDocument : public DocumentTrial {
 public:
  using DocumentTrial::DocumentTrial;
  void prepare() override {
    expect(2, 3);
    ASSERT_TRUE(document_.load(url(file("g.halfwire"))));
    change();
  }
  Status run() override {
    document_.save();
    document_.weights()->written();
    QCoreApplication::processEvents();
    return refusal_.status();
  }
  void check(const Status& status) override {
    for (const OldOrNew& file : files_) file.check(static_cast<bool>(status));
    EXPECT_EQ(document_.graph(), document_graph(3));
    expect_same(*document_.weights()->tensors(), learnt(3));
    EXPECT_EQ(document_.modified(), !status);
    EXPECT_TRUE(leftovers(file("g.halfwire").parent_path()).empty());
    ASSERT_TRUE(document_.save());
    ASSERT_TRUE(document_.weights()->written());
    for (const OldOrNew& file : files_) file.check(true);
    EXPECT_FALSE(document_.modified());
  }
  void check_survival() override {
    for (const OldOrNew& file : files_) file.check(false);
    Document opened;
    const FirstRefusal refusal(opened);
    ASSERT_TRUE(opened.load(url(file("g.halfwire"))));
    EXPECT_TRUE(wait_for([&] { return opened.weights()->tensors() != nullptr; }));
  }

 protected:
  void expect(double before, double after) {
    save("g", after);
    const auto bytes = [&] { return std::array{read_bytes(path(0)), read_bytes(path(1)), read_bytes(path(2))}; };
    const auto fresh = bytes();
    save("g", before);
    const auto old = bytes();
    for (size_t k = 0; k < old.size(); ++k) files_[k] = {path(k), old[k], fresh[k]};
  }
  void change() {
    ASSERT_TRUE(wait_for([&] { return !document_.weights()->pending() && !document_.weights()->busy(); }));
    ASSERT_TRUE(document_.push("Set", {SetParam{"scale", "value", ParamValue(3.0)}}));
    document_.weights()->set(std::make_shared<const Weights>(learnt(3)));
    document_.weights()->setStatesSource([](CheckpointSink sink) { sink(states(3)); });
  }
  fs::path path(size_t k) const {
    const char* endings[] = {".halfwire", ".safetensors", ".optimiser.safetensors"};
    return file(std::string("g") + endings[k]);
  }

  Document document_;
  FirstRefusal refusal_{document_};
  std::array<OldOrNew, 3> files_;
};

/// Under a new name, in a folder where nothing is yet.
class SavesDocumentAs : public SavesDocument {
 public:
  using SavesDocument::SavesDocument;
  void prepare() override {
    fs::create_directory(file("before"));
    save("before/g", 2);
    expect(2, 3);
    for (size_t k = 0; k < files_.size(); ++k) {
      files_[k] = {path(k), "", fresh_of(k)};
      fs::remove(path(k));
    }
    ASSERT_TRUE(document_.load(url(file("before/g.halfwire"))));
    change();
  }
  Status run() override {
    document_.saveAs(url(file("g.halfwire")));
    document_.weights()->written();
    QCoreApplication::processEvents();
    return refusal_.status();
  }
  void check(const Status& status) override {
    for (const OldOrNew& file : files_) file.check(static_cast<bool>(status));
    EXPECT_EQ(document_.graph(), document_graph(3));
    expect_same(*document_.weights()->tensors(), learnt(3));
    EXPECT_EQ(document_.modified(), !status);
  }
  void check_survival() override {
    for (const OldOrNew& file : files_) file.check(false);
  }

 private:
  std::string fresh_of(size_t k) {
    save("g", 3);
    return read_bytes(path(k));
  }
};

/// Unsaved changes, kept by one program and taken by the next: none is lost, whatever fails.
class KeepsUnsaved : public DocumentTrial {
 public:
  using DocumentTrial::DocumentTrial;
  void prepare() override {
    fs::remove_all(file("recovery"));
    fs::create_directory(file("recovery"));
  }
  Status run() override {
    app::Recovery recovery(folder());
    std::optional<Error> error;
    listen(recovery, error);
    const QString name = recovery.freshName();
    for (const double value : {1.0, 2.0}) {
      recovery.keep({document_graph(value), "", {}, "g", QDateTime::currentDateTime(), name});
      recovery.wait();
    }
    QCoreApplication::processEvents();
    return error ? Status(*error) : ok();
  }
  void check(const Status& status) override {
    app::Recovery next(folder());
    const auto taken = next.take();
    if (status) {
      std::string there;
      for (const QString& name : QDir(folder()).entryList(QDir::Files | QDir::Hidden))
        there +=
            name.toStdString() +
            (name.endsWith(".lock") ? "=[" + read_bytes(fs::path(folder().toStdString()) / name.toStdString()) + "]"
                                    : "") +
            " ";
      ASSERT_EQ(taken.size(), 1u) << there << ::getpid();
      EXPECT_EQ(taken[0].graph, document_graph(2));
    }
    for (const auto& unsaved : taken)
      EXPECT_TRUE(unsaved.graph == document_graph(1) || unsaved.graph == document_graph(2));
    EXPECT_TRUE(QDir(folder()).entryList({"*.damaged"}).isEmpty());
  }
  void check_survival() override { check(Error{}); }

 protected:
  QString folder() const { return QString::fromStdString(file("recovery").string()); }
  static void listen(app::Recovery& recovery, std::optional<Error>& error) {
    QObject::connect(&recovery, &app::Recovery::failed, &recovery,
                     [&error](const QString& code, const QString& reason, const QString& remedy) {
                       if (!error) error = Error{code.toStdString(), "", reason.toStdString(), remedy.toStdString()};
                     });
  }
};

class TakesUnsaved : public KeepsUnsaved {
 public:
  using KeepsUnsaved::KeepsUnsaved;
  void prepare() override {
    KeepsUnsaved::prepare();
    ASSERT_TRUE(KeepsUnsaved::run());
  }
  Status run() override {
    app::Recovery recovery(folder());
    std::optional<Error> error;
    listen(recovery, error);
    const auto taken = recovery.take();
    QCoreApplication::processEvents();
    if (!taken.empty()) {
      EXPECT_EQ(taken[0].graph, document_graph(2));
    }
    if (taken.empty()) {
      EXPECT_TRUE(error) << "nothing came back, and no error was reported";
    }
    return error ? Status(*error) : ok();
  }
  void check(const Status&) override { KeepsUnsaved::check(ok()); }
  void check_survival() override { check(ok()); }
};

}  // namespace

std::vector<Operation> document_operations() {
  return {operation<LoadsDocument>("load_document"), operation<SavesDocument>("save_document"),
          operation<SavesDocumentAs>("save_document_as"), operation<KeepsUnsaved>("keep_unsaved"),
          operation<TakesUnsaved>("take_unsaved")};
}

}  // namespace hw::test
