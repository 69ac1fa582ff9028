// The top of a card: category colour, title, time, and what is wrong.
import QtQuick
import Halfwire
import Halfwire.Canvas

Item {
    id: header

    required property var card
    property real inset: 0

    /// Whether a point of the card lies on the words of its title.
    function hasWords(at: point): bool {
        return title.visible && words.contains(words.mapFromItem(card, at));
    }

    width: card.width
    height: Theme.header

    Rectangle {
        anchors.fill: parent
        anchors.margins: header.inset
        anchors.bottomMargin: header.card.collapsed ? header.inset : 0
        radius: Theme.radius - header.inset
        color: Qt.tint(Theme.card, Qt.alpha(header.card.tint, header.card.coarse ? 0.6 : 0.2))
        Rectangle {
            visible: !header.card.collapsed
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.bottom: parent.bottom
            height: parent.radius
            color: parent.color
        }
    }
    Rectangle {
        id: mark
        visible: !header.card.coarse
        anchors.left: parent.left
        anchors.leftMargin: Theme.space3
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.space1
        height: Theme.space4
        radius: Theme.space1 / 2
        color: header.card.tint
    }
    Text {
        id: title
        anchors.left: mark.right
        anchors.leftMargin: Theme.space2
        anchors.right: badges.left
        anchors.rightMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        text: header.card.title
        elide: Text.ElideMiddle
        color: Theme.text
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
        font.weight: Font.DemiBold
        font.strikeout: header.card.bypassed
        visible: !header.card.coarse && !name.active
        Item {
            id: words
            objectName: "title:" + header.card.nodeId
            width: Math.min(title.implicitWidth, title.width)
            height: parent.height
        }
    }
    Loader {
        id: name
        active: header.card.shown && header.card.surface.renaming === header.card.nodeId
        anchors.left: title.left
        anchors.right: parent.right
        anchors.rightMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        sourceComponent: CardName {
            card: header.card
        }
    }
    Row {
        id: badges
        visible: !header.card.coarse && !name.active
        anchors.right: parent.right
        anchors.rightMargin: Theme.space3
        anchors.verticalCenter: parent.verticalCenter
        spacing: Theme.space1 + Theme.space1 / 2
        BadMark {
            objectName: "bad:" + header.card.nodeId
            visible: header.card.heat.bad ?? false
            anchors.verticalCenter: parent.verticalCenter
        }
        HeaderMark {
            objectName: "trouble:" + header.card.nodeId
            visible: tip !== ""
            name: Icons.histogram
            color: Theme.warning
            tip: header.card.instruments.trouble ?? ""
        }
        Text {
            objectName: "reading:" + header.card.nodeId
            readonly property string heat: header.card.heat.text ?? ""
            visible: text !== ""
            anchors.verticalCenter: parent.verticalCenter
            text: heat !== "" ? heat : header.card.time
            color: Theme.textMuted
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
            HoverHandler {
                id: pointed
            }
            Loader {
                active: pointed.hovered && parent.heat === ""
                sourceComponent: CardTip {
                    text: qsTr("Mean time a step since the run was prepared: forward, backward and update together, measured.")
                }
            }
        }
        Loader {
            anchors.verticalCenter: parent.verticalCenter
            active: header.card.device !== ""
            visible: active
            sourceComponent: DeviceBadge {
                objectName: "deviceBadge:" + header.card.nodeId
                device: header.card.device
            }
        }
        HeaderMark {
            objectName: "enter:" + header.card.nodeId
            visible: header.card.isGroup
            name: Icons.enter
            color: Theme.text
            tip: qsTr("A group. Open it%1, or with a double click.").arg(KeyBindings.hints["canvas.add"])
            MouseArea {  // takes the press, which the surface would keep for a drag
                anchors.fill: parent
                anchors.margins: -Theme.space1
                onClicked: header.card.surface.graph.groups.enter(header.card.nodeId)
            }
        }
        HeaderMark {
            visible: header.card.frozen
            name: Icons.frozen
            tip: qsTr("Frozen: neither its weights nor its running statistics change; it runs by them, as in evaluation")
        }
        HeaderMark {
            visible: header.card.tie !== ""
            name: Icons.tie
            tip: qsTr("Uses the weights of %1").arg(header.card.tie)
        }
        HeaderMark {
            objectName: "passes:" + header.card.nodeId
            visible: tip !== ""
            name: Icons.merged
            tip: header.card.passes
        }
        DiceMark {
            objectName: "dice:" + header.card.nodeId
            visible: header.card.random
            fixed: header.card.randomFixed
            text: header.card.randomText
            anchors.verticalCenter: parent.verticalCenter
        }
        Icon {
            id: status
            objectName: "status:" + header.card.nodeId
            visible: header.card.status !== "ok"
            anchors.verticalCenter: parent.verticalCenter
            name: header.card.status === "error" ? Icons.error : header.card.status === "warning" ? Icons.warning : Icons.help
            size: Theme.space4
            color: header.card.status === "error" ? Theme.error : Theme.warning
            Accessible.role: Accessible.StaticText
            Accessible.name: header.card.statusText
            HoverHandler {
                id: over
            }
            Loader {
                active: over.hovered
                sourceComponent: CardTip {
                    text: header.card.status === "unknown" ? qsTr("This version does not know the node type “%1”. It is kept as it is.").arg(header.card.title) : header.card.statusText
                }
            }
        }
    }
}
