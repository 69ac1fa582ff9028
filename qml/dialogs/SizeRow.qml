// A size in the sheet of sizes: its name, the axes that have it, its field or what it stays, and why what is typed is no
// size.
import QtQuick
import Halfwire

Column {
    id: root
    required property var sheet  // SizesSheet
    required property int index
    required property string symbol
    required property string uses
    required property string shapes
    required property bool asked
    required property string text
    required property string becomes
    required property string from
    required property string problem

    function take() {
        field.forceActiveFocus();
        field.selectAll();
    }

    component Cell: TextLabel {
        height: Theme.control
        rightPadding: Theme.space3
        font.pixelSize: Theme.sizeSmall
    }
    Row {
        Cell {
            objectName: "sizes:name:" + root.index
            width: root.sheet.nameWidth
            text: root.symbol
            font.family: Theme.mono
        }
        Cell {
            objectName: "sizes:uses:" + root.index
            width: root.sheet.usesWidth
            text: root.uses
            tip: root.shapes
            color: Theme.textMuted
        }
        Item {
            width: root.sheet.sizeWidth
            height: Theme.control
            TextBox {
                id: field
                objectName: "sizes:field:" + root.index
                visible: root.asked
                readOnly: root.sheet.model.busy
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width - Theme.space3
                height: Theme.control - Theme.space1
                font.family: Theme.mono
                text: root.text
                wrong: root.problem !== ""
                Accessible.name: qsTr("Size %1").arg(root.symbol)
                Accessible.description: root.problem
                onTextEdited: root.sheet.model.type(root.index, text)
                onAccepted: root.sheet.accept()
                onActiveFocusChanged: {
                    if (!activeFocus)
                        return;
                    root.sheet.reveal(root);
                    if (focusReason === Qt.TabFocusReason || focusReason === Qt.BacktabFocusReason)
                        selectAll();
                }
                Keys.onUpPressed: count(1)
                Keys.onDownPressed: count(-1)
                function count(direction: int) {
                    root.sheet.model.type(root.index, root.sheet.model.nudged(root.index, direction));
                }
            }
            Cell {
                objectName: "sizes:value:" + root.index
                visible: !root.asked
                leftPadding: Theme.space2
                width: parent.width
                text: root.text
                color: Theme.textMuted
                font.family: Theme.mono
            }
        }
        Cell {
            objectName: "sizes:becomes:" + root.index
            width: root.sheet.becomesWidth
            text: root.becomes
            color: root.asked ? Theme.text : Theme.textMuted
        }
        Cell {
            objectName: "sizes:from:" + root.index
            width: root.sheet.fromWidth
            text: root.from
            color: Theme.textMuted
        }
    }
    Refusal {
        objectName: "sizes:error:" + root.index
        x: root.sheet.nameWidth + root.sheet.usesWidth
        width: parent.width - x
        bottomPadding: Theme.space1
        text: root.problem
    }
}
