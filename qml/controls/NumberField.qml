// A number: drag sideways to change it, click to type, arrow keys step. The wheel is left to the panel that scrolls.
import QtQuick
import Halfwire

FocusScope {
    id: root
    property string text            // as it stands in the document
    property string standIn         // shown in its place; typing begins with nothing
    property string unit
    property bool wrong: false
    property var document: null     // whose number it is
    /// Typed and committed; the receiver sets `text` anew when it takes it.
    signal committed(string text)
    /// An arrow key: 1 up, −1 down.
    signal nudged(int direction)
    /// Moved by this many steps since the drag began; `snaps`: to round values.
    signal scrubbed(real steps, bool snaps)
    signal scrubStarted()
    signal scrubFinished()

    function edit() {
        input.text = root.standIn !== "" ? "" : root.text;
        input.visible = true;
        input.forceActiveFocus();
        input.selectAll();
    }
    function finish(commit: bool) {
        if (!input.visible)
            return;
        const had = input.activeFocus;
        input.visible = false;
        input.focus = false;  // else the hidden text would keep the keys, Ctrl+Z among them
        if (had)
            root.forceActiveFocus();
        if (commit && input.text !== root.text && (input.text !== "" || root.standIn === ""))
            root.committed(input.text);
    }
    onTextChanged: if (input.visible) edit()  // undone, say: what is typed over is the value as it is now
    implicitHeight: Theme.control
    implicitWidth: 120
    activeFocusOnTab: true
    Accessible.role: Accessible.SpinBox
    Keys.onReturnPressed: edit()
    Keys.onEnterPressed: edit()
    Keys.onUpPressed: nudged(1)
    Keys.onDownPressed: nudged(-1)
    Keys.onEscapePressed: event => event.accepted = scrub.cancel()

    Rectangle {
        anchors.fill: parent
        radius: Theme.radius
        color: Theme.input
        border.width: root.activeFocus ? Theme.focusRing : 1
        border.color: root.wrong ? Theme.error : root.activeFocus ? Theme.focus
                    : mouse.containsMouse ? Theme.lineStrong : Theme.line
    }
    Text {
        id: shown
        visible: !input.visible
        anchors.fill: parent
        anchors.leftMargin: Theme.space2
        anchors.rightMargin: Theme.space2 + (units.visible ? units.width + Theme.space1 : 0)
        text: root.standIn !== "" ? root.standIn : root.text
        color: root.enabled && root.standIn === "" ? Theme.text : Theme.textFaint
        font.family: root.standIn !== "" ? Theme.family : Theme.mono
        font.pixelSize: Theme.sizeBody
        elide: Text.ElideRight
        verticalAlignment: Text.AlignVCenter
    }
    Text {
        id: units
        visible: root.unit !== "" && !input.visible
        anchors.right: parent.right
        anchors.rightMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        text: root.unit
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    MouseArea {
        id: mouse
        anchors.fill: parent
        enabled: !input.visible
        hoverEnabled: true
        preventStealing: true
        cursorShape: Qt.SizeHorCursor
        onPressed: event => scrub.press(event)
        onPositionChanged: event => scrub.move(event)
        onReleased: scrub.release()
        onCanceled: scrub.stop()
    }
    Scrub {
        id: scrub
        area: mouse
        field: root
        document: root.document
        onStarted: root.scrubStarted()
        onMoved: (steps, snaps) => root.scrubbed(steps, snaps)
        onFinished: root.scrubFinished()
        onClicked: root.edit()
    }
    TextInput {
        id: input
        readonly property bool pending: visible && text !== root.text && (text !== "" || root.standIn === "")
        function commit() { root.finish(true); }
        visible: false
        anchors.fill: parent
        anchors.leftMargin: Theme.space2
        anchors.rightMargin: Theme.space2
        clip: true
        color: Theme.text
        selectionColor: Theme.accentDim
        selectedTextColor: Theme.text
        font.family: Theme.mono
        font.pixelSize: Theme.sizeBody
        verticalAlignment: TextInput.AlignVCenter
        selectByMouse: true
        // Here, not in onAccepted: the key must not travel on and begin the next edit.
        Keys.onReturnPressed: root.finish(true)
        Keys.onEnterPressed: root.finish(true)
        onActiveFocusChanged: if (!activeFocus) root.finish(true)
        Keys.onEscapePressed: root.finish(false)
        Keys.onUpPressed: event => event.accepted = true
        Keys.onDownPressed: event => event.accepted = true
    }
}
