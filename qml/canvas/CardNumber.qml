// A number on a card: drag sideways to change it, click or type to edit, arrows to step. One drag is one undo.
import QtQuick
import Halfwire

CardSlot {
    id: slot

    readonly property bool whole: param.modelData.kind === "integer"
    readonly property real shown: Number(param.value ?? 0)
    property bool editing: false

    function text() {
        if (whole)
            return String(shown);
        const size = Math.abs(shown);
        return size !== 0 && (size < 1e-3 || size >= 1e6) ? shown.toExponential() : String(Number(shown.toPrecision(6)));
    }
    function edit() {
        editing = true;
        field.text = text();
        field.selectAll();
        field.forceActiveFocus();
    }
    function finish(keep) {
        if (!editing)
            return;
        const had = field.activeFocus;
        editing = false;
        field.focus = false;  // else the hidden text would keep the keys, Ctrl+Z among them
        if (keep && field.text !== text())
            param.set(field.text);
        if (had)
            param.card.surface.forceActiveFocus();
    }

    onShownChanged: if (editing) edit()  // undone, say: what is typed over is the value as it is now
    valueWidth: value.width
    activeFocusOnTab: true
    Accessible.role: Accessible.SpinBox
    Accessible.name: param.modelData.label + " " + value.text
    Keys.onPressed: event => {
        const step = event.key === Qt.Key_Up || event.key === Qt.Key_Right ? 1 : event.key === Qt.Key_Down || event.key === Qt.Key_Left ? -1 : 0;
        if (step && !editing)
            param.nudge(step);
        else if (event.key === Qt.Key_Return || event.key === Qt.Key_Enter)
            edit();
        else if (event.key !== Qt.Key_Escape || !scrub.cancel())
            return;
        event.accepted = true;
    }
    Text {
        id: value
        visible: !slot.editing
        anchors.right: parent.right
        anchors.rightMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        text: slot.text() + (slot.param.modelData.unit ? " " + slot.param.modelData.unit : "")
        color: Theme.text
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    TextInput {
        id: field
        readonly property bool pending: slot.editing && text !== slot.text()
        function commit() { slot.finish(true); }
        objectName: slot.objectName + ":field"
        visible: slot.editing
        anchors.fill: parent
        anchors.leftMargin: Theme.space2
        anchors.rightMargin: Theme.space2
        horizontalAlignment: TextInput.AlignRight
        verticalAlignment: TextInput.AlignVCenter
        color: Theme.text
        selectionColor: Theme.accent
        selectedTextColor: Theme.accentText
        selectByMouse: true
        clip: true
        font: value.font
        // Here, not in onAccepted: the key must not travel on and begin the next edit.
        Keys.onReturnPressed: slot.finish(true)
        Keys.onEnterPressed: slot.finish(true)
        onActiveFocusChanged: if (!activeFocus)
            slot.finish(true)
        Keys.onEscapePressed: slot.finish(false)
    }
    MouseArea {
        id: mouse
        anchors.fill: parent
        enabled: !slot.editing
        preventStealing: true
        cursorShape: Qt.SizeHorCursor
        onPressed: event => scrub.press(event)
        onPositionChanged: event => scrub.move(event)
        onReleased: scrub.release()
        onCanceled: scrub.stop()
    }
    Scrub {
        id: scrub
        property real from: 0
        area: mouse
        field: slot
        document: slot.param.card.surface.graph ? slot.param.card.surface.graph.document : null
        onStarted: from = slot.shown
        onMoved: (steps, snaps) => slot.param.scrub(from, steps, snaps)
        onFinished: slot.param.endGesture()
        onClicked: slot.edit()
    }
}
