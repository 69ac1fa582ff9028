// The title of a frame, or the text of a note, while it is edited in place. Enter (of a text Ctrl+Enter) and leaving it
// commit, Esc gives back what was there.
import QtQuick
import Halfwire

TextEdit {
    id: root

    required property var surface
    required property string was
    property bool multiline: false
    property bool done: false
    readonly property bool pending: !done && text !== was
    signal committed(string text)

    function commit() {
        finish(true);
    }
    function finish(keep) {
        if (done)
            return;
        const now = text, changed = keep && pending;
        done = true;
        if (changed)
            committed(now);
        if (activeFocus)
            surface.forceActiveFocus();
        surface.frames.endEdit();  // the last: it ends this item
    }

    Accessible.role: Accessible.EditableText
    Accessible.name: multiline ? qsTr("Text of the note") : qsTr("Title of the frame")
    textFormat: TextEdit.PlainText
    wrapMode: multiline ? TextEdit.Wrap : TextEdit.NoWrap
    selectByMouse: true
    color: Theme.text
    selectionColor: Theme.accent
    selectedTextColor: Theme.accentText
    Component.onCompleted: {
        text = was;
        forceActiveFocus();
        selectAll();
    }
    onActiveFocusChanged: if (!activeFocus)
        finish(true)
    // Else Ctrl+Enter would run the graph, too.
    Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape || event.key === Qt.Key_Return || event.key === Qt.Key_Enter
    Keys.onEscapePressed: finish(false)
    Keys.onPressed: event => {
        const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
        if (!enter || (multiline && !(event.modifiers & Qt.ControlModifier)))
            return;
        event.accepted = true;
        finish(true);
    }
}
