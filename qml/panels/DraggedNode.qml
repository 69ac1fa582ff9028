// Something under way from a panel to the canvas: a node type, a parameter. Drop areas know it by the key
// "halfwire/KIND".
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Rectangle {
    id: root
    required property Document document
    property string kind: "node-type"
    property string nodeType
    property string title
    property string category
    property bool dropping: false

    /// Whoever it was dropped on took it.
    signal taken()

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
        dropping = true;
        if (Drag.active)
            Drag.drop();
        dropping = false;
        visible = false;
    }
    function cancel() {
        Drag.cancel();
        visible = false;
    }

    Held {
        target: root.document
        held: root.visible && !root.dropping
        onLost: root.cancel()
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
    Drag.keys: ["halfwire/" + kind]
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
