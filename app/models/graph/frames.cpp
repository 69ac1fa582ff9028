#include "app/models/graph/frames.h"

#include "app/document/text.h"
#include "app/models/cards/card_boxes.h"
#include "app/models/graph/merge.h"
#include "app/models/graph/selection.h"

namespace hw::app {

QStringList Frames::colours() {
  QStringList names;
  for (const char* name : kFrameColours) names.append(QLatin1String(name));
  return names;
}

const Frame* Frames::find(const QString& id) const {
  const auto& frames = document_.shown().graph().frames();
  const auto found = frames.find(to_std(id));
  return found == frames.end() ? nullptr : &found->second;
}

void Frames::set(const QString& text, Frame frame) {
  if (const Frame* now = find(to_q(frame.id)); now && *now == frame) return;
  document_.push(text, {SetFrame{std::move(frame)}});
}

void Frames::refuse(const Error& error) {
  Q_EMIT document_.refused(to_q(error.code), sentence(error.reason), to_q(error.remedy));
}

void Frames::frameSelection() {
  document_.letGo();  // around nodes at their stored positions, not where they are being dragged
  const Scope& scope = document_.shown().scope();
  const auto frame = frame_around(*scope.graph, selection_of(document_), card_boxes(scope));
  if (!frame) return refuse(frame.error());
  if (document_.push(tr("Add frame"), {SetFrame{*frame}})) select(to_q(frame->id));
}

QString Frames::addNote(double x, double y) {
  const Frame note = new_note(document_.shown().graph(), x, y);
  if (!document_.push(tr("Add note"), {SetFrame{note}})) return {};
  select(to_q(note.id));
  return to_q(note.id);
}

void Frames::setTitle(const QString& id, const QString& title) {
  const Frame* now = find(id);
  if (!now) return;
  Frame frame = *now;
  frame.title = to_std(title.simplified());
  set(tr("Rename frame"), std::move(frame));
}

void Frames::setText(const QString& id, const QString& text) {
  const Frame* now = find(id);
  if (!now) return;
  Frame frame = *now;
  frame.text = to_std(text);
  set(tr("Edit note"), std::move(frame));
}

void Frames::setColour(const QString& id, const QString& colour) {
  const Frame* now = find(id);
  if (!now) return;
  Frame frame = *now;
  frame.colour = to_std(colour);
  set(tr("Colour frame"), std::move(frame));
}

QString Frames::colourOf(const QString& id) const {
  const Frame* frame = find(id);
  return frame ? to_q(frame->colour) : QString();
}

bool Frames::isNote(const QString& id) const {
  const Frame* frame = find(id);
  return frame && frame->text;
}

void Frames::shrink(const QString& id) {
  document_.letGo();
  const Frame* now = find(id);
  if (!now) return;
  const Scope& scope = document_.shown().scope();
  const auto frame = shrunk(*scope.graph, *now, card_boxes(scope));
  if (!frame) return refuse(frame.error());
  set(tr("Shrink frame"), *frame);
}

void Frames::remove(const QString& id) {
  if (find(id)) document_.push(tr("Remove frame"), {RemoveFrame{to_std(id)}});
}

QString Frames::selectedOne() const {
  const QSet<QString>& frames = document_.selection().frames();
  return frames.size() == 1 ? *frames.begin() : QString();
}

void Frames::resize(const Frame& frame) {
  const Frame* now = find(to_q(frame.id));
  if (now && !(*now == frame)) document_.push(tr("Resize frame"), {SetFrame{frame}}, merge_resize);
}

}  // namespace hw::app
