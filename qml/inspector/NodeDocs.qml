// The documentation of the active node's type, laid out piece by piece: one a frame.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Flickable {
    id: root
    required property InspectorModel inspector
    objectName: "docs"
    contentHeight: sections.height + 2 * Theme.space3
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    readonly property var pieces: root.inspector.docs
    onPiecesChanged: shown.clear()
    onVisibleChanged: shown.clear()
    T.ScrollBar.vertical: ThinScrollBar {}

    ListModel {
        id: shown
    }
    Timer {
        running: root.visible && shown.count < root.pieces.length
        repeat: true
        interval: 16
        onTriggered: shown.append({ markdown: root.pieces[shown.count] })
    }

    Column {
        id: sections
        x: Theme.space3
        y: Theme.space3
        width: root.width - 2 * Theme.space3

        Repeater {
            model: shown
            TextEdit {
                required property string markdown
                required property int index
                objectName: "docs:" + index
                width: sections.width
                text: markdown
                textFormat: TextEdit.MarkdownText
                readOnly: true
                selectByMouse: true
                selectionColor: Theme.accentDim
                color: Theme.text
                wrapMode: TextEdit.Wrap
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
                Accessible.name: qsTr("Documentation")
                onLinkActivated: link => Qt.openUrlExternally(link)
            }
        }
    }
}
