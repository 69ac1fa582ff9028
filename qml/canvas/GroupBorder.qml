// The border of the group on the canvas: while a wire or a parameter is dragged, its sides say what dropping there makes
// of it: a socket, or a parameter, of the group.
import QtQuick
import Halfwire

Item {
    id: root
    required property var surface
    /// A wire that was dropped waits for the search.
    property bool waits: false
    readonly property var crumbs: surface.graph ? surface.graph.groups.breadcrumbs : []
    readonly property bool inGroup: crumbs.length > 1
    readonly property string group: inGroup ? crumbs[crumbs.length - 1].title : ""
    readonly property bool wire: inGroup && surface.wireDrag.active && !waits
    /// The pointer drags something over a side.
    readonly property bool under: left.under || right.under

    /// Takes a wire that was dropped at a place of the canvas. False: that is not the border.
    function take(at, node, socket, isOutput) {
        const x = surface.camera.toScreen(at).x;
        if (!inGroup || node === "" || (isOutput ? x < width - right.width : x > left.width))
            return false;
        surface.graph.groups.addSocket(node, socket, isOutput);
        surface.wireDrag.finish();
        return true;
    }

    component Side: Rectangle {
        property string says: ""
        property bool under: false
        height: root.height
        width: Theme.space8 * 4
        color: Qt.alpha(Theme.accent, under ? 0.3 : 0.12)
        border.color: Theme.accent
        border.width: under ? 2 : 1
        Column {
            anchors.centerIn: parent
            width: parent.width - Theme.space4
            spacing: Theme.space2
            Icon {
                anchors.horizontalCenter: parent.horizontalCenter
                name: Icons.promote
                color: Theme.accent
            }
            Text {
                width: parent.width
                horizontalAlignment: Text.AlignHCenter
                wrapMode: Text.Wrap
                text: says
                color: Theme.text
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
            }
        }
    }

    anchors.fill: parent
    Side {
        id: left
        objectName: "border:input"
        visible: root.inGroup && (DragState.parameter !== "" || (root.wire && !root.surface.wireDrag.fromOutput))
        under: visible && (drop.containsDrag || (root.wire && root.surface.cursor.x < width))
        says: DragState.parameter !== "" ? qsTr("Drop here: “%1” becomes a parameter of %2").arg(DragState.parameter).arg(root.group)
                                         : qsTr("Drop here: a new input of %1").arg(root.group)
        DropArea {
            id: drop
            anchors.fill: parent
            keys: ["halfwire/parameter"]
            onDropped: drop => {
                drop.source.taken();
                drop.accept();
            }
        }
    }
    Side {
        id: right
        objectName: "border:output"
        anchors.right: parent.right
        visible: root.wire && root.surface.wireDrag.fromOutput
        under: visible && root.surface.cursor.x > root.width - width
        says: qsTr("Drop here: a new output of %1").arg(root.group)
    }
}
