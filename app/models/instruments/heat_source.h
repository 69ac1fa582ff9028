// HeatSource: where a heat map of the canvas gets its numbers. The instruments are one, the X-ray another.
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "engine/graph/graph.h"

namespace hw::app {

/// What is coloured: 0 harmless … 1 harmful.
struct Heat {
  double amount = 0;
  bool bad = false;  // there are Inf or NaN: marked, whatever its colour
};

/// A quantity to colour by, in words.
struct HeatQuantity {
  QString id;         // "xray.introduced", for ever
  QString label;      // "Error Introduced"
  QString meaning;    // a line
  QString low, high;  // what the ends of the scale mean
};

/// Quantities are numbered as in quantities(). GUI thread.
class HeatSource : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// Above its quantities in a list: "X-ray".
  virtual QString title() const = 0;
  virtual const std::vector<HeatQuantity>& quantities() const = 0;
  /// The worst of a node's values; none: not known. Asked for every node of a frame: quick.
  virtual std::optional<Heat> heatOf(const QString& node, int quantity) const = 0;
  /// The worst of what a wire carries.
  virtual std::optional<Heat> heatOf(const Link& link, int quantity) const = 0;
  /// The worst of a node's values in a few characters, for its card: "6.1e-4"; "" where it is not known.
  virtual QString figureOf(const QString& node, int quantity) const = 0;
  /// What a node's or wire's colour stands for, in lines; "" where it is not known.
  virtual QString wordsOf(const QString& node, int quantity) const = 0;
  virtual QString wordsOf(const Link& link, int quantity) const = 0;
  /// There are numbers.
  virtual bool known() const = 0;
  /// Where the numbers are from; why there are none, and what to do.
  virtual QString note(int quantity) const = 0;
  /// The numbers are of a graph that has been edited since.
  virtual bool stale() const { return false; }
  /// Some nodes are marked.
  virtual bool marks() const = 0;
  /// What act() does, as a button says it; "" where there is nothing to do.
  virtual QString action() const { return {}; }
  virtual void act() {}

 Q_SIGNALS:
  /// Numbers or words.
  void changed();
};

}  // namespace hw::app
