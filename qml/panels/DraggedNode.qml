// A node type under way from the palette to the canvas. Drop areas know it by the key "halfwire/node-type".
import QtQuick
import QtQuick.Templates as T
import Halfwire

Rectangle {
    id: root
    property string nodeType
    property string title
    property string category

    function begin(type: string, name: string, group: string) {
        nodeType = type;
        title = name;
        category = group;
        visible = true;
        Drag.active = true;
    }
    function moveTo(scene: point) {
        x = scene.x;
        y = scene.y;
    }
    function drop() {
        if (Drag.active)
            Drag.drop();
        visible = false;
    }
    function cancel() {
        Drag.cancel();
        visible = false;
    }

    parent: T.Overlay.overlay
    objectName: "draggedNode"
    visible: false
    width: 160
    height: Theme.header
    radius: Theme.radius
    color: Theme.cardHeader
    border.color: Theme.accent
    opacity: 0.92
    Drag.keys: ["halfwire/node-type"]
    Drag.source: root
    Drag.dragType: Drag.Internal

    Icon {
        id: icon
        x: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        name: Icons.category(root.category)
        color: Theme.category(root.category)
    }
    Text {
        anchors.left: icon.right
        anchors.leftMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        text: root.title
        color: Theme.text
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
}
