// Where the run first made an Inf or NaN: which node, element, inputs, and the last steps' ranges.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

FocusScope {
    id: root
    required property BadValueModel bad
    required property RunModel run

    EmptyHint {
        id: hint
        visible: !root.bad.present && !root.bad.searchable
        iconName: root.bad.searching || root.bad.looking || root.run.haltOnBadValue ? Icons.search : Icons.ok
        text: root.bad.searching ? qsTr("Training again with every value watched: step %1 of %2.").arg(String(root.run.step)).arg(String(root.run.steps))
            : root.bad.looking ? qsTr("Looking at every value of one step.")
            : root.bad.lookedAt !== "" ? root.bad.lookedAt
            : root.run.haltOnBadValue ? qsTr("Every value of every step is watched. The run ends at the first Inf or NaN and shows here what made it.")
            : qsTr("A run that ends in Inf or NaN can be traced to the first value that was bad. Run › Halt on the First Inf or NaN watches from the start. One step, or one pass without a Train node, can be looked at now: with what Inputs are given, and without training.")
    }
    PushButton {
        id: look
        objectName: "badValue:look"
        visible: hint.visible && !root.bad.searching && !root.run.running
        enabled: !root.bad.looking
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.top: hint.bottom
        anchors.topMargin: Theme.space3
        iconName: Icons.search
        text: qsTr("Look at One Step")
        onClicked: root.bad.lookNow()
    }
    Column {
        visible: !root.bad.present && root.bad.searchable
        anchors.centerIn: parent
        width: Math.min(parent.width - 2 * Theme.space4, 420)
        spacing: Theme.space3
        Text {
            objectName: "badValue:plan"
            width: parent.width
            text: qsTr("The run became Inf or NaN. Training again %1, with every value watched, finds the node that made the first one: same seed, same bits. A step takes about twice as long.").arg(root.bad.from)
            color: Theme.textMuted
            wrapMode: Text.Wrap
            lineHeight: 1.3
            horizontalAlignment: Text.AlignHCenter
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        PushButton {
            objectName: "badValue:search"
            anchors.horizontalCenter: parent.horizontalCenter
            primary: true
            iconName: Icons.search
            text: qsTr("Find Where It Starts")
            onClicked: root.bad.search()
        }
    }
    Flickable {
        objectName: "badValue:view"
        visible: root.bad.present
        anchors.fill: parent
        contentHeight: content.height + 2 * Theme.space3
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ThinScrollBar {}
        Column {
            id: content
            x: Theme.space3
            y: Theme.space3
            width: parent.width - 2 * x
            spacing: Theme.space2

            Item {
                width: parent.width
                height: Theme.control
                Icon {
                    id: mark
                    anchors.verticalCenter: parent.verticalCenter
                    name: Icons.error
                    color: Theme.error
                }
                TextLabel {
                    objectName: "badValue:headline"
                    anchors.left: mark.right
                    anchors.leftMargin: Theme.space2
                    anchors.right: jump.left
                    anchors.rightMargin: Theme.space2
                    anchors.verticalCenter: parent.verticalCenter
                    text: root.bad.headline
                    elide: Text.ElideRight
                    font.pixelSize: Theme.sizeTitle
                    font.weight: Font.DemiBold
                }
                PushButton {
                    id: jump
                    objectName: "badValue:jump"
                    anchors.right: parent.right
                    anchors.verticalCenter: parent.verticalCenter
                    implicitHeight: Theme.space6
                    iconName: Icons.frame
                    text: qsTr("Show Node")
                    onClicked: root.bad.reveal()
                }
            }
            Line { text: root.bad.value; font.family: Theme.mono; font.pixelSize: Theme.sizeSmall }
            Line { text: root.bad.element }
            Line { text: root.bad.replay; color: Theme.textFaint; visible: text !== "" }

            Head { text: qsTr("Made from"); visible: root.bad.inputs.length > 0 }
            Repeater {
                model: root.bad.inputs
                Column {
                    required property int index
                    required property var modelData
                    objectName: "badValue:input:" + index
                    width: content.width
                    Row {
                        spacing: Theme.space2
                        Line { width: implicitWidth; text: modelData.name; color: Theme.text; font.family: Theme.mono; font.pixelSize: Theme.sizeSmall }
                        Line { width: implicitWidth; text: modelData.type; color: Theme.textFaint; font.family: Theme.mono; font.pixelSize: Theme.sizeSmall }
                    }
                    Line { visible: text !== ""; text: modelData.text; leftPadding: Theme.space3; font.family: Theme.mono; font.pixelSize: Theme.sizeSmall }
                    Line { visible: text !== ""; text: modelData.more; leftPadding: Theme.space3; color: Theme.textFaint; font.pixelSize: Theme.sizeSmall }
                }
            }
            Head { text: qsTr("Magnitudes step by step; %1").arg(root.bad.limitText); visible: root.bad.history.length > 0 }
            Repeater {
                model: root.bad.history
                StepRange {
                    required property var modelData
                    width: content.width
                    range: modelData
                    limit: root.bad.limit
                }
            }
        }
    }
    component Line: Text {
        width: content.width
        color: Theme.textMuted
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
    component Head: Text {
        topPadding: Theme.space1
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
        font.weight: Font.DemiBold
    }
}
