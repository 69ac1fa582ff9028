// HeatMapModel: whether the canvas is coloured by a quantity instead of by dtype, by which, and what its colours mean.
#pragma once

#include <QStringList>
#include <QVariantMap>

#include "app/models/instruments/heat_source.h"

namespace hw::app {

/// One choice among the quantities of all sources. GUI thread.
class HeatMapModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(bool on READ on WRITE setOn NOTIFY choiceChanged)
  /// Labels; `headings`: the title of a source before its first quantity, else "".
  Q_PROPERTY(QStringList quantities READ quantities CONSTANT)
  Q_PROPERTY(QStringList headings READ headings CONSTANT)
  Q_PROPERTY(int quantity READ quantity WRITE setQuantity NOTIFY choiceChanged)
  /// The quantity's id while the map is on, else "".
  Q_PROPERTY(QString shown READ shown NOTIFY choiceChanged)
  Q_PROPERTY(QString low READ low NOTIFY choiceChanged)
  Q_PROPERTY(QString high READ high NOTIFY choiceChanged)
  /// The quantity in a line, and where its numbers are from, or why there are none.
  Q_PROPERTY(QString meaning READ meaning NOTIFY choiceChanged)
  Q_PROPERTY(QString note READ note NOTIFY wordsChanged)
  Q_PROPERTY(bool stale READ stale NOTIFY wordsChanged)
  Q_PROPERTY(bool marks READ marks NOTIFY wordsChanged)
  /// What act() does, as a button says it; "" where there is nothing to do.
  Q_PROPERTY(QString action READ action NOTIFY wordsChanged)

 public:
  /// At least one source, each with a quantity; they outlive the model.
  explicit HeatMapModel(std::vector<HeatSource*> sources, QObject* parent = nullptr);

  bool on() const { return on_; }
  /// Until a quantity was chosen, it begins with the first that there are numbers of.
  void setOn(bool on);
  QStringList quantities() const;
  QStringList headings() const;
  int quantity() const { return quantity_; }
  void setQuantity(int index);
  QString shown() const { return on_ ? now().id : QString(); }
  QString low() const { return now().low; }
  QString high() const { return now().high; }
  QString meaning() const { return now().meaning; }
  QString note() const { return source().note(chosen()); }
  bool stale() const { return source().stale(); }
  bool marks() const { return source().marks(); }
  QString action() const { return source().action(); }

  /// Shows the quantity of that id; false where there is none.
  Q_INVOKABLE bool show(const QString& id);
  Q_INVOKABLE void act() { source().act(); }

  /// For a card: {amount: 0 … 1, −1 not known; text: a few characters; bad}; empty while the map is off.
  QVariantMap of(const QString& node) const;
  std::optional<Heat> heatOf(const QString& node) const { return source().heatOf(node, chosen()); }
  std::optional<Heat> heatOf(const Link& link) const { return source().heatOf(link, chosen()); }
  /// For a tip: the quantity and its numbers.
  QString wordsOf(const QString& node) const { return titled(source().wordsOf(node, chosen())); }
  QString wordsOf(const Link& link) const { return titled(source().wordsOf(link, chosen())); }

 Q_SIGNALS:
  /// The map went on or off, or shows another quantity.
  void choiceChanged();
  /// The numbers of the quantity that is chosen.
  void heatChanged();
  void wordsChanged();

 private:
  struct Entry {
    HeatSource* source;
    int quantity;  // of the source
  };
  const Entry& entry() const { return entries_[static_cast<size_t>(quantity_)]; }
  HeatSource& source() const { return *entry().source; }
  int chosen() const { return entry().quantity; }
  const HeatQuantity& now() const { return of(entry()); }
  static const HeatQuantity& of(const Entry& e) { return e.source->quantities()[static_cast<size_t>(e.quantity)]; }
  QString titled(const QString& words) const;

  std::vector<Entry> entries_;
  bool on_ = false, picked_ = false;
  int quantity_ = 0;
};

}  // namespace hw::app
