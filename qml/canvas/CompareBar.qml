// What the graph is compared with, how much differs, and a step to each difference, listed below. Esc leaves.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Canvas

Rectangle {
    id: bar

    required property var surface
    readonly property var comparison: surface.graph ? surface.graph.comparison : null
    readonly property var items: comparison ? comparison.items : []
    property bool listed: true
    readonly property var signs: ({ added: "+", removed: "−", changed: "≠" })
    readonly property var tints: ({ added: Theme.byToken.diffAdded, removed: Theme.byToken.diffRemoved, changed: Theme.byToken.diffChanged })

    function leave() {
        comparison.leave();
        surface.takeFocus();
    }

    objectName: "compare"
    Accessible.role: Accessible.Grouping
    Accessible.name: words.text
    visible: comparison !== null && comparison.on
    width: Math.min(Theme.space8 * 16, parent.width)
    height: column.height + 2 * Theme.space1
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.cardLine

    Connections {
        target: bar.comparison
        function onReached(place) {
            if (bar.surface.camera.far)
                bar.surface.camera.zoomTo(Qt.point(bar.surface.width / 2, bar.surface.height / 2), 1);
            // In the middle of what lies below this bar.
            const covered = bar.mapToItem(bar.surface, 0, bar.height).y / bar.surface.camera.zoom;
            bar.surface.camera.centreOn(Qt.point(place.x + place.width / 2, place.y + place.height / 2 - covered / 2));
        }
        function onCurrentChanged() {
            if (bar.comparison.current >= 0)
                list.positionViewAtIndex(bar.comparison.current, ListView.Contain);
        }
    }
    // Esc leaves wherever the comparison was begun from.
    onVisibleChanged: {
        if (visible)
            Qt.callLater(() => surface.takeFocus());
    }
    Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape
    Keys.onEscapePressed: leave()
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
            id: head
            width: parent.width
            spacing: Theme.space1
            IconButton {
                id: fold
                objectName: "compare:list"
                iconName: bar.listed ? Icons.down : Icons.right
                enabled: bar.items.length > 0
                tip: bar.listed ? qsTr("Hide the list") : qsTr("List the differences")
                onClicked: bar.listed = !bar.listed
            }
            TextLabel {
                id: words
                objectName: "compare:summary"
                width: column.width - fold.width - place.width - previous.width - next.width - shut.width - 5 * head.spacing
                height: fold.height
                text: bar.comparison === null ? "" : qsTr("Compared with %1: %2").arg(bar.comparison.title).arg(bar.comparison.summary)
            }
            Text {
                id: place
                objectName: "compare:place"
                width: text === "" ? 0 : implicitWidth + Theme.space2
                height: fold.height
                text: bar.comparison === null || bar.comparison.current < 0 ? "" : qsTr("%1 of %2").arg(bar.comparison.current + 1).arg(bar.items.length)
                horizontalAlignment: Text.AlignRight
                verticalAlignment: Text.AlignVCenter
                color: Theme.textMuted
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
            IconButton {
                id: previous
                objectName: "compare:previous"
                iconName: Icons.up
                enabled: bar.items.length > 0
                tip: qsTr("Previous difference")
                shortcutText: KeyBindings.labels["compare.previous"]
                onClicked: bar.comparison.step(-1)
            }
            IconButton {
                id: next
                objectName: "compare:next"
                iconName: Icons.down
                enabled: bar.items.length > 0
                tip: qsTr("Next difference")
                shortcutText: KeyBindings.labels["compare.next"]
                onClicked: bar.comparison.step(1)
            }
            IconButton {
                id: shut
                objectName: "compare:leave"
                iconName: Icons.close
                tip: qsTr("Leave the comparison")
                shortcutText: KeyBindings.labels["canvas.letGo"]
                onClicked: bar.leave()
            }
        }
        ListView {
            id: list
            objectName: "compare:items"
            visible: bar.listed && bar.items.length > 0
            width: parent.width
            height: Math.min(contentHeight, bar.surface.height * 0.3)
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            model: bar.visible ? bar.items : []
            T.ScrollBar.vertical: ThinScrollBar {}
            delegate: CompareItem {
                width: list.width
                sign: bar.signs[modelData.kind]
                tint: bar.tints[modelData.kind]
                current: bar.comparison !== null && bar.comparison.current === index
                onClicked: bar.comparison.show(index)
            }
        }
    }
}
