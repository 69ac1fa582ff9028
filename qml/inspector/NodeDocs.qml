// The documentation of the active node's type.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Flickable {
    id: root
    objectName: "docs"
    contentHeight: body.implicitHeight + 2 * Theme.space3
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    T.ScrollBar.vertical: ThinScrollBar {}

    TextEdit {
        id: body
        x: Theme.space3
        y: Theme.space3
        width: root.width - 2 * Theme.space3
        text: root.visible ? App.inspector.docs : ""  // laying out Markdown is work: only when it is looked at
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
