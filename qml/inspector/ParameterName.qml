// The name of a parameter. Inside a group it is dragged to the border, and is one of the group then.
import QtQuick
import Halfwire

TextLabel {
    id: root
    required property string param
    required property string label
    required property string doc
    /// It can become one of the group.
    required property bool joins
    /// DraggedNode that carries it there.
    required property var carrier

    Component.onDestruction: if (carry.active) carrier.cancel()
    text: label
    elide: Text.ElideRight
    tip: doc + (joins ? (doc ? "\n" : "") + qsTr("Drag it to the canvas's left side to make it a parameter of the group.") : "")

    MouseArea {  // takes the press, which would else be the list's, and the drag with it
        anchors.fill: parent
        enabled: carry.enabled
    }
    DragHandler {
        id: carry
        target: null
        enabled: root.joins
        dragThreshold: Theme.space1
        grabPermissions: PointerHandler.CanTakeOverFromAnything
        onActiveChanged: active ? root.carrier.begin(root.param, root.label, "") : root.carrier.drop()
        onCentroidChanged: if (active) root.carrier.moveTo(centroid.scenePosition)
        onCanceled: root.carrier.cancel()
    }
}
