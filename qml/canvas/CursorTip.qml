// What the cursor is over: a socket's or wire's type, the heat of a card; while wiring, why a wire would not fit.
import QtQuick
import Halfwire

Rectangle {
    id: tip

    required property var surface
    readonly property var drag: surface.wireDrag
    readonly property bool refusing: drag.active && drag.reason !== ""
    readonly property string words: {
        if (drag.active)
            return drag.reason;
        if (surface.busy)
            return "";
        if (surface.note !== "")
            return surface.note;
        if (surface.hoverSocket !== "")
            return socketText(surface.hoverSocket);
        return surface.hoverWireText || (rested === surface.hoverNodeText ? rested : "");
    }

    function socketText(key) {
        const [node, side, socket] = key.split(":");
        return surface.graph ? surface.graph.socketText(node, socket, side === "out") : "";
    }

    readonly property string text: words
    /// A card is passed often; its words wait until the pointer rests.
    property string rested
    Timer {
        id: rest
        interval: Theme.tipDelay
        onTriggered: tip.rested = tip.surface.hoverNodeText
    }
    Connections {
        target: tip.surface
        function onHoverChanged() { rest.restart(); }
    }

    objectName: "canvas:tip"
    Accessible.role: Accessible.ToolTip
    Accessible.name: words
    visible: words !== ""
    // Stays inside the canvas. While wiring it is above, on the side the wire comes from: not over the sockets ahead.
    readonly property bool behind: drag.active && drag.fromOutput
    readonly property real below: surface.cursor.y + Theme.space4 + Theme.space1
    readonly property real beside: behind ? surface.cursor.x - Theme.space4 - width : surface.cursor.x + Theme.space4
    x: Math.max(0, Math.min(beside, surface.width - width - Theme.space2))
    y: Math.max(0, !drag.active && below + height < surface.height ? below : surface.cursor.y - height - Theme.space3)
    width: content.width + Theme.space4
    height: content.height + Theme.space3
    radius: Theme.radiusSmall
    color: Theme.raised
    border.color: refusing ? Theme.error : Theme.cardLine

    Row {
        id: content
        anchors.centerIn: parent
        spacing: Theme.space2
        Icon {
            visible: tip.refusing
            anchors.verticalCenter: parent.verticalCenter
            name: Icons.error
            size: Theme.space4
            color: Theme.error
        }
        Text {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, Theme.space8 * (tip.refusing ? 10 : 14))
            text: tip.words
            wrapMode: Text.Wrap
            color: Theme.text
            font.family: tip.refusing || tip.surface.note !== "" ? Theme.family : Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    }
}
