// What an empty canvas shows, scrolled where there is little room.
import QtQuick
import QtQuick.Templates as T
import Halfwire

Flickable {
    id: page

    /// [{title, summary, url}] that are offered, and the files used last.
    property var examples: []
    property var recent: []
    /// The name of a model that is being read for this canvas; "": none is.
    property string reading: ""
    signal openExample(url file)
    signal addNode()

    contentHeight: reading === "" ? Math.max(height, start.height + 2 * Theme.space4) : height
    interactive: contentHeight > height
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    T.ScrollBar.vertical: ThinScrollBar {}
    EmptyCanvas {
        id: start
        visible: page.reading === ""
        anchors.centerIn: parent
        examples: page.examples
        recent: page.recent
        room: page.width - 2 * Theme.space6
        onOpenExample: file => page.openExample(file)
        onAddNode: page.addNode()
    }
    Column {
        objectName: "canvas:reading"
        visible: page.reading !== ""
        anchors.centerIn: parent
        spacing: Theme.space4
        Text {
            width: page.width - 2 * Theme.space6
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            textFormat: Text.PlainText
            text: qsTr("Reading %1…").arg(page.reading)
            color: Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeHeading
            font.weight: Font.DemiBold
        }
        Text {
            width: page.width - 2 * Theme.space6
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            text: qsTr("A large model takes a few seconds. Other tabs can be used meanwhile.")
            color: Theme.textMuted
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
    }
}
