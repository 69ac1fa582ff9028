// Marks an Inf or NaN: a disc with a cross, as the canvas draws it on wires.
import QtQuick
import Halfwire

Rectangle {
    width: Theme.space4
    height: width
    radius: width / 2
    color: Theme.error
    Accessible.role: Accessible.StaticText
    Accessible.name: qsTr("Inf or NaN")

    Icon {
        anchors.centerIn: parent
        name: Icons.close
        size: 0.75 * parent.width
        color: Theme.canvas
    }
}
