// What an empty canvas shows, scrolled where there is little room.
import QtQuick
import QtQuick.Templates as T
import Halfwire

Flickable {
    id: page

    /// [{title, summary, url}] that are offered, and the files used last.
    property var examples: []
    property var recent: []
    signal openExample(url file)
    signal addNode()

    contentHeight: Math.max(height, start.height + 2 * Theme.space4)
    interactive: contentHeight > height
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    T.ScrollBar.vertical: ThinScrollBar {}
    EmptyCanvas {
        id: start
        anchors.centerIn: parent
        examples: page.examples
        recent: page.recent
        room: page.width - 2 * Theme.space6
        onOpenExample: file => page.openExample(file)
        onAddNode: page.addNode()
    }
}
