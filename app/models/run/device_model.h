// DeviceModel: where the nodes of a document run, which wires go from one device to another, and what that costs.
#pragma once

#include <QHash>
#include <QObject>
#include <QVariantList>

#include "app/document/document.h"

namespace hw::app {

class RunModel;

/// GUI thread. Costs nothing while no node has a device of its own.
class DeviceModel : public QObject {
  Q_OBJECT
  /// Ids of the devices of this machine.
  Q_PROPERTY(QStringList ids READ ids CONSTANT)
  /// What GPUs are called, and which kinds there are none of and why, a line each: "cuda: There is no …".
  Q_PROPERTY(QString notes READ notes CONSTANT)
  /// The active node's own device; "": the graph's.
  Q_PROPERTY(QString pin READ pin NOTIFY pinChanged)
  /// Whether the active node computes anything that could run elsewhere; not so: views.
  Q_PROPERTY(bool pinnable READ pinnable NOTIFY pinChanged)
  /// {from, fromSocket, to, toSocket, source, target (devices), text, figure ("64 KiB"; "" before a run)} of each wire
  /// whose ends run on different devices. Without times, so that it stays as it is while a run goes on.
  Q_PROPERTY(QVariantList crossings READ crossings NOTIFY crossingsChanged)

 public:
  DeviceModel(Document& document, RunModel& run, QObject* parent = nullptr);

  QStringList ids() const;
  QString notes() const;
  QString pin() const;
  bool pinnable() const;
  const QVariantList& crossings() const { return crossings_; }
  /// "64 KiB a step, 0.12 ms, cpu → ref", with a second line for the gradient; before a run "cpu → ref"; "": both ends
  /// run on one device.
  QString wireText(const Link& link) const;

  /// The active node runs on this device; "": on the graph's. One undo step.
  Q_INVOKABLE void setPin(const QString& device);
  /// All selected nodes do. One undo step.
  Q_INVOKABLE void pinSelection(const QString& device);
  /// The device that all selected nodes are pinned to; "": the graph's; "-": they differ.
  Q_INVOKABLE QString pinOfSelection() const;

 Q_SIGNALS:
  void pinChanged();
  void crossingsChanged();

 private:
  void push(const QStringList& nodes, const QString& device);
  void follow(const QStringList& nodes);
  void reload();
  void refresh();
  QString deviceOf(const std::string& node) const;
  QVariantMap crossing(const Link& link, bool times) const;

  Document& document_;
  RunModel& run_;
  QHash<QString, QString> pins_;  // by node
  QVariantList crossings_;
};

}  // namespace hw::app
