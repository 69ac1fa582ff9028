// Find in the graph: what is typed, how many nodes it finds, and a step to each of them. Esc goes back to the canvas.
import QtQuick
import Halfwire

Rectangle {
    id: bar

    required property var surface
    readonly property var find: surface.graph ? surface.graph.find : null
    property bool opened: false

    function open() {
        opened = true;
        field.forceActiveFocus(Qt.ShortcutFocusReason);
        field.selectAll();
    }
    function close() {
        opened = false;
        surface.takeFocus();
    }

    objectName: "find"
    visible: opened
    width: Math.min(Theme.space8 * 14, parent.width)
    height: column.height + 2 * Theme.space1
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.cardLine

    Binding {
        target: bar.find
        property: "query"
        value: bar.opened ? field.text : ""
    }
    Connections {
        target: bar.find
        function onReached(node) {
            const card = bar.surface.graph.nodeRect(node);
            bar.surface.camera.centreOn(Qt.point(card.x + card.width / 2, card.y + card.height / 2));
        }
    }
    // A press here is not one on the canvas.
    MouseArea {
        anchors.fill: parent
        hoverEnabled: true
    }
    Column {
        id: column
        x: Theme.space1
        y: Theme.space1
        width: parent.width - 2 * Theme.space1
        spacing: Theme.space1
        Row {
            width: parent.width
            spacing: Theme.space1
            TextBox {
                id: field
                objectName: "find:field"
                Accessible.name: qsTr("Find in the graph")
                width: parent.width - count.width - previous.width - next.width - shut.width - 4 * parent.spacing
                iconName: Icons.search
                placeholderText: qsTr("Name, type:, dtype:, value:, has:problem, /…/")
                wrong: bar.find !== null && bar.find.problem !== ""
                Keys.onReturnPressed: event => bar.find.step(event.modifiers & Qt.ShiftModifier ? -1 : 1)
                Keys.onEnterPressed: event => bar.find.step(event.modifiers & Qt.ShiftModifier ? -1 : 1)
                Keys.onDownPressed: bar.find.step(1)
                Keys.onUpPressed: bar.find.step(-1)
                Keys.onEscapePressed: bar.close()
            }
            Text {
                id: count
                objectName: "find:count"
                readonly property int found: bar.find ? bar.find.count : 0
                width: text === "" ? 0 : Theme.space8 * 2
                height: parent.height
                text: field.text.trim() === "" || field.wrong ? ""
                      : found === 0 ? qsTr("None") : bar.find.current < 0 ? qsTr("%1 found").arg(found)
                      : qsTr("%1 of %2").arg(bar.find.current + 1).arg(found)
                horizontalAlignment: Text.AlignHCenter
                verticalAlignment: Text.AlignVCenter
                elide: Text.ElideRight
                color: found === 0 ? Theme.warning : Theme.textMuted
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
            IconButton {
                id: previous
                objectName: "find:previous"
                iconName: Icons.up
                enabled: count.found > 0
                tip: qsTr("The one before")
                shortcutText: "Shift+Enter"
                onClicked: bar.find.step(-1)
            }
            IconButton {
                id: next
                objectName: "find:next"
                iconName: Icons.down
                enabled: count.found > 0
                tip: qsTr("The next one")
                shortcutText: "Enter"
                onClicked: bar.find.step(1)
            }
            IconButton {
                id: shut
                objectName: "find:close"
                iconName: Icons.close
                tip: qsTr("Close")
                shortcutText: "Esc"
                onClicked: bar.close()
            }
        }
        Text {
            objectName: "find:problem"
            visible: field.wrong
            leftPadding: Theme.space2
            rightPadding: Theme.space2
            bottomPadding: Theme.space1
            width: parent.width
            text: bar.find ? bar.find.problem : ""
            wrapMode: Text.Wrap
            color: Theme.error
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
