// The title of a frame, or the text of a note, being edited in place. Enter (of a text Ctrl+Enter) and leaving it commit,
// Esc gives back what was there.
import QtQuick
import Halfwire

FocusScope {
    id: root

    required property var surface
    required property bool active
    required property font font
    property bool multiline: false
    property string was: ""
    signal committed(string text)
    signal ended()

    function finish(keep) {
        if (!loader.item || loader.item.done)
            return;
        loader.item.done = true;
        const text = loader.item.text;
        if (keep && text !== was)
            committed(text);
        ended();
        surface.forceActiveFocus();
    }

    visible: active
    Loader {
        id: loader
        anchors.fill: parent
        active: root.active
        onLoaded: {
            item.forceActiveFocus();
            item.selectAll();
        }
        sourceComponent: TextEdit {
            property bool done: false
            readonly property bool pending: !done && text !== root.was
            function commit() { root.finish(true); }
            objectName: root.objectName
            Accessible.role: Accessible.EditableText
            Accessible.name: root.multiline ? qsTr("Text of the note") : qsTr("Title of the frame")
            text: root.was
            textFormat: TextEdit.PlainText
            wrapMode: root.multiline ? TextEdit.Wrap : TextEdit.NoWrap
            selectByMouse: true
            color: Theme.text
            selectionColor: Theme.accent
            selectedTextColor: Theme.accentText
            font: root.font
            onActiveFocusChanged: if (!activeFocus)
                root.finish(true)
            Keys.onEscapePressed: root.finish(false)
            // Else Ctrl+Enter would run the graph, too.
            Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape || event.key === Qt.Key_Return || event.key === Qt.Key_Enter
            Keys.onPressed: event => {
                const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
                if (!enter || (root.multiline && !(event.modifiers & Qt.ControlModifier)))
                    return;
                event.accepted = true;
                root.finish(true);
            }
        }
    }
}
