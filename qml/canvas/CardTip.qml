// A tip on the canvas: above what it is of, however large the camera shows that. Its own size stays.
import QtQuick
import Halfwire

Tip {
    id: root
    property real zoom: 1

    x: parent ? (parent.width - width / zoom) / 2 : 0
    y: -(height + Theme.space1) / zoom
    onAboutToShow: zoom = parent.mapToItem(null, 0, 1).y - parent.mapToItem(null, 0, 0).y
    // Not `visible: true`: that would not wait.
    Component.onCompleted: open()
}
