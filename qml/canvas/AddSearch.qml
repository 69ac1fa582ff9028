// Search for a node to add: type, arrows, Enter. After a wire was dropped on empty, only what takes the wire.
import QtQuick
import QtQuick.Controls.Basic
import Halfwire
import Halfwire.Canvas

Popup {
    id: search

    required property var surface
    property point at
    property string node: ""
    property string socket: ""
    property bool isOutput: false
    property string note: ""  // just added
    /// What is placed is wired to an output of this node, where one fits; "": it is not.
    property string after: ""
    /// What is placed takes the place of the selected nodes.
    property bool replaces: false
    property bool placing: false
    /// A row was taken; `goesOn`: the search stays, for what follows the node that was placed.
    signal placed(bool goesOn)

    function openAt(canvasPoint, fromNode, fromSocket, fromOutput) {
        after = "";
        replaces = false;
        begin(canvasPoint, fromNode, fromSocket, fromOutput);
    }
    /// For what follows a node, beside it.
    function openAfter(id) {
        const rect = surface.graph.nodeRect(id);
        const room = (Theme.space8 + width + 2 * Theme.space2) / surface.camera.zoom;
        surface.camera.reveal(Qt.rect(rect.x, rect.y, rect.width + room, rect.height));
        after = id;
        replaces = false;
        begin(Qt.point(rect.right + Theme.space8, rect.top), "", "", false);
    }
    /// For other nodes in the place of the selected ones. `near`: on the screen.
    function openToReplace(near) {
        after = "";
        replaces = true;
        begin(surface.camera.toCanvas(near), "", "", false);
        return true;
    }
    function begin(canvasPoint, fromNode, fromSocket, fromOutput) {
        at = canvasPoint;
        node = fromNode;
        socket = fromSocket;
        isOutput = fromOutput;
        found.graph = surface.graph;
        found.query = "";
        if (replaces)
            found.replace();
        else if (after !== "")
            found.follow(after);
        else
            found.fit(node, socket, isOutput, at);
        field.text = "";
        list.currentIndex = 0;
        const screen = surface.camera.toScreen(at);
        x = Math.max(Theme.space2, Math.min(screen.x, surface.width - width - Theme.space2));
        y = Math.max(Theme.space2, Math.min(screen.y, surface.height - height - Theme.space2));
        open();
        field.forceActiveFocus();
    }
    function place(row, goesOn) {
        const grid = v => Math.round(v / Theme.space2) * Theme.space2;
        placing = true;
        const done = found.place(row, node ? at : Qt.point(grid(at.x), grid(at.y)));
        placing = false;
        if (!done)
            return;
        if (!goesOn)
            close();
        surface.wireDrag.finish();
        placed(goesOn);
    }

    // The wire, the node or the selection that it was opened for.
    readonly property Held asked: Held {
        target: search.surface.graph ? search.surface.graph.document : null
        held: search.opened && !search.placing
        onLost: search.close()
    }

    objectName: "search"
    width: Theme.space8 * 12
    height: Math.min(Theme.space8 * 13, surface.height - Theme.space4)
    padding: Theme.space2
    onClosed: {
        surface.wireDrag.finish();
        surface.forceActiveFocus();
        if (note !== "")
            surface.frames.edit(note, true);
        note = "";
    }
    background: Rectangle {
        radius: Theme.radius
        color: Theme.raised
        border.color: Theme.lineStrong
    }
    contentItem: Item {
        TextField {
            id: field
            objectName: "search:field"
            Accessible.name: qsTr("Search for a node")
            anchors.left: parent.left
            anchors.right: parent.right
            height: Theme.space8
            leftPadding: Theme.space3
            placeholderText: search.replaces ? qsTr("Replace by what?") : search.after ? qsTr("What follows it?") : found.intoWire ? qsTr("What goes into this wire?")
                              : !search.node ? qsTr("Search for a node")
                             : search.isOutput ? qsTr("What takes this wire?") : qsTr("What feeds this input?")
            placeholderTextColor: Theme.textMuted
            color: Theme.text
            selectionColor: Theme.accent
            selectedTextColor: Theme.accentText
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
            background: Rectangle {
                radius: Theme.radiusSmall
                color: Theme.input
                border.color: Theme.focus
                border.width: 1
            }
            onTextEdited: {
                found.query = text;
                list.currentIndex = 0;
            }
            Keys.onDownPressed: list.incrementCurrentIndex()
            Keys.onUpPressed: list.decrementCurrentIndex()
            Keys.onTabPressed: list.incrementCurrentIndex()
            Keys.onBacktabPressed: list.decrementCurrentIndex()
            Keys.onReturnPressed: event => search.place(list.currentIndex, event.modifiers & Qt.ShiftModifier)
            Keys.onEnterPressed: event => search.place(list.currentIndex, event.modifiers & Qt.ShiftModifier)
        }
        ListView {
            id: list
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.top: field.bottom
            anchors.topMargin: Theme.space2
            anchors.bottom: footer.top
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            highlightMoveDuration: 0
            model: NodeSearch {
                id: found
                onNoteAdded: id => search.note = id
            }
            ScrollBar.vertical: ScrollBar {}
            HoverHandler {
                // A pointer that moves chooses; rows that come to lie under a resting one do not.
                property point last: Qt.point(-1, -1)
                onHoveredChanged: last = Qt.point(-1, -1)
                onPointChanged: {
                    const at = point.scenePosition;
                    const moved = last.x >= 0 && (at.x !== last.x || at.y !== last.y);
                    const row = list.indexAt(point.position.x, point.position.y + list.contentY);
                    if (moved && row >= 0)
                        list.currentIndex = row;
                    last = at;
                }
            }
            delegate: SearchItem {
                width: list.width
                current: ListView.isCurrentItem
                onClicked: search.place(index, false)
            }
            Text {
                anchors.centerIn: parent
                width: parent.width - Theme.space6
                visible: list.count === 0
                text: !search.node ? qsTr("No node matches “%1”.").arg(field.text)
                      : search.isOutput ? qsTr("No node that takes this wire matches.") : qsTr("No node that feeds this input matches.")
                wrapMode: Text.Wrap
                horizontalAlignment: Text.AlignHCenter
                color: Theme.textMuted
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
            }
        }
        Text {
            id: footer
            anchors.left: parent.left
            anchors.leftMargin: Theme.space1
            anchors.right: parent.right
            anchors.bottom: parent.bottom
            topPadding: Theme.space2
            text: (search.node ? qsTr("%1 fit, %2 types hidden that do not").arg(found.count).arg(found.refused) : found.count === 1 ? qsTr("1 node") : qsTr("%1 nodes").arg(found.count)) + "  ·  " + (search.replaces ? qsTr("those that keep all wires first") : search.after ? qsTr("Enter adds and wires, Shift+Enter goes on") : qsTr("Enter adds, Shift+Enter goes on"))
            elide: Text.ElideRight
            color: Theme.textMuted
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
