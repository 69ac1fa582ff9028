// The batch that is evaluated, with the one before and the next.
import QtQuick
import Halfwire

Rectangle {
    id: root
    required property var evaluation
    /// Until the data set begins anew; −1: without end.
    required property int batches
    readonly property bool hovered: over.hovered
    readonly property string where: batches > 0 ? qsTr("batch %1 of %2").arg(evaluation.batch % batches + 1).arg(batches) : qsTr("batch %1").arg(evaluation.batch + 1)

    implicitWidth: row.width
    implicitHeight: Theme.space4 + Theme.space1
    radius: Theme.radiusSmall
    color: Qt.alpha(Theme.raised, 0.9)
    Accessible.role: Accessible.SpinBox
    Accessible.name: where

    component Arrow: Text {
        id: arrow
        required property int by
        width: Theme.space4 + Theme.space1
        height: parent.height
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        color: enabled ? (area.containsMouse ? Theme.text : Theme.textMuted) : Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
        MouseArea {
            id: area
            anchors.fill: parent
            hoverEnabled: true
            onClicked: root.evaluation.stepBatch(arrow.by)
            onDoubleClicked: root.evaluation.stepBatch(arrow.by)
        }
    }
    Row {
        id: row
        height: parent.height
        Arrow {
            objectName: root.objectName + ":previous"
            by: -1
            text: "‹"
            enabled: root.batches > 0 || root.evaluation.batch > 0
        }
        Text {
            objectName: root.objectName + ":where"
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: root.where
            color: Theme.textMuted
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
        Arrow {
            objectName: root.objectName + ":next"
            by: 1
            text: "›"
        }
    }
    HoverHandler {
        id: over
    }
    Tip {
        visible: over.hovered
        text: qsTr("Which batch tensors, plots and previews are computed of ([ and ] on the canvas). Training goes its own way.")
    }
}
