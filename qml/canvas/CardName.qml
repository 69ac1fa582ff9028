// The name of a node while it is edited on its card. Enter and leaving it commit, Esc gives up.
import QtQuick
import Halfwire

TextInput {
    id: name

    required property var card
    /// The surface's, when it began: a card may come to stand for another node.
    property string node
    property bool done: false
    readonly property bool pending: !done && text !== card.title

    function commit() { finish(true); }
    function finish(keep: bool) {
        if (done)
            return;
        const changed = pending;
        const had = activeFocus;
        const surface = card.surface;
        done = true;
        if (keep && changed)
            surface.graph.edits.rename(node, text);
        if (surface.renaming === node)
            surface.renaming = "";  // and this item goes
        if (had)
            surface.takeFocus();
    }

    objectName: "name:" + node
    Accessible.role: Accessible.EditableText
    Accessible.name: qsTr("Name of the node")
    color: Theme.text
    selectionColor: Theme.accent
    selectedTextColor: Theme.accentText
    selectByMouse: true
    clip: true
    font.family: Theme.family
    font.pixelSize: Theme.sizeBody
    font.weight: Font.DemiBold
    Component.onCompleted: {
        node = card.nodeId;
        text = card.title;
        forceActiveFocus();
        selectAll();
    }
    // Here, not in onAccepted: the key must not travel on to the canvas.
    Keys.onReturnPressed: finish(true)
    Keys.onEnterPressed: finish(true)
    Keys.onEscapePressed: finish(false)
    Keys.onTabPressed: finish(true)
    onActiveFocusChanged: if (!activeFocus) finish(true)

    Rectangle {
        z: -1
        anchors.fill: parent
        anchors.margins: -Theme.space1
        radius: Theme.radiusSmall
        color: Theme.input
        border.color: Theme.focus
        border.width: 1
    }
}
