// A socket or parameter of a group: a handle to drag it up and down (Alt with the arrow keys does the same), its name,
// and the default of a parameter.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property Document document
    required property var modelData  // {id, label, value, sets}
    required property int index
    property var list: []
    property bool hasValue: false
    property string problem: ""
    readonly property string id: modelData.id
    signal moved(int place)
    signal renamed(string label)
    signal valueTyped(string text)

    Item {
        id: line
        width: parent.width
        height: Theme.control + Theme.space1
        z: drag.held ? 1 : 0
        transform: Translate { y: drag.held ? drag.activeTranslation.y : 0 }
        Rectangle {
            visible: drag.held
            anchors.fill: parent
            color: Theme.hover
            border.color: Theme.accent
            radius: Theme.radiusSmall
        }
        Item {
            id: handle
            objectName: "interface:" + root.id + ":handle"
            x: Theme.space2
            width: Theme.space6
            height: parent.height
            activeFocusOnTab: root.list.length > 1
            Accessible.role: Accessible.Button
            Accessible.name: qsTr("Move %1").arg(root.modelData.label)
            Keys.onPressed: event => {
                const step = event.key === Qt.Key_Up ? -1 : event.key === Qt.Key_Down ? 1 : 0;
                if (step === 0 || !(event.modifiers & Qt.AltModifier))
                    return;
                event.accepted = true;
                root.moved(Math.max(0, root.index + step));
            }
            Icon {
                anchors.centerIn: parent
                visible: root.list.length > 1
                name: Icons.grip
                color: handle.activeFocus || hover.hovered || drag.held ? Theme.text : Theme.textFaint
            }
            HoverHandler {
                id: hover
                cursorShape: Qt.SizeVerCursor
            }
            Held {
                target: root.document
                held: drag.held
                onLost: drag.lost = true
            }
            DragHandler {
                id: drag
                target: null
                enabled: root.list.length > 1
                yAxis.enabled: true
                xAxis.enabled: false
                dragThreshold: Theme.space1
                grabPermissions: PointerHandler.CanTakeOverFromAnything
                property int rows: 0
                property bool lost: false
                readonly property bool held: active && !lost
                onActiveTranslationChanged: if (active) rows = Math.round(activeTranslation.y / root.height)
                onActiveChanged: {
                    const given = !active && !lost;
                    lost = false;
                    if (!given)
                        return;
                    const place = Math.max(0, Math.min(root.list.length - 1, root.index + rows));
                    rows = 0;
                    if (place !== root.index)
                        root.moved(place);
                }
            }
        }
        ValueBox {
            objectName: "interface:" + root.id
            Accessible.name: qsTr("Name of %1").arg(root.id)
            anchors.left: handle.right
            anchors.leftMargin: Theme.space1
            anchors.verticalCenter: parent.verticalCenter
            width: root.hasValue ? (parent.width - x) * 0.5 : parent.width - x - Theme.space3
            value: root.modelData.label
            onCommitted: text => {
                root.renamed(text);
                reset();
            }
        }
        ValueBox {
            objectName: "interface:" + root.id + ":default"
            Accessible.name: qsTr("Default of %1").arg(root.modelData.label)
            visible: root.hasValue
            anchors.right: parent.right
            anchors.rightMargin: Theme.space3
            anchors.verticalCenter: parent.verticalCenter
            width: (parent.width - handle.x - handle.width) * 0.5 - Theme.space4
            value: root.modelData.value ?? ""
            wrong: root.problem !== ""
            onCommitted: text => {
                root.valueTyped(text);
                if (root.problem === "")
                    reset();
            }
            onGivenUp: root.problem = ""
        }
    }
    Refusal {
        x: Theme.space3
        width: parent.width - 2 * Theme.space3
        text: root.problem
    }
}
