// One of a few words. The wheel does nothing here: it belongs to the panel that scrolls.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.ComboBox {
    id: root
    /// A colour dot before a word, by the word; transparent for none.
    property var dot: word => "transparent"
    /// A heading above a word, by its index; "" for none.
    property var heading: index => ""

    /// The greatest height of the list.
    property int roomy: 320

    /// Below the words: what could not be chosen, and why.
    property string footnote: ""

    implicitHeight: Theme.control
    implicitWidth: 120
    leftPadding: Theme.space2
    rightPadding: Theme.space2
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    wheelEnabled: false
    Accessible.role: Accessible.ComboBox
    Keys.onReturnPressed: popup.open()
    onPressedChanged: if (pressed) lent.take()

    readonly property LentFocus lent: LentFocus { borrower: root }

    component Word: Row {
        property string word
        spacing: Theme.space2
        Rectangle {
            visible: color.a > 0
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.space2
            height: width
            radius: width / 2
            color: root.dot(parent.word)
        }
        Text {
            anchors.verticalCenter: parent.verticalCenter
            text: parent.word
            color: root.enabled ? Theme.text : Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
    }

    background: Rectangle {
        color: root.down ? Theme.pressed : root.hovered ? Theme.hover : Theme.raised
        radius: Theme.radius
        border.width: root.visualFocus ? Theme.focusRing : 1
        border.color: root.visualFocus ? Theme.focus : Theme.line
    }
    contentItem: Item {
        Word {
            anchors.verticalCenter: parent.verticalCenter
            word: root.displayText
        }
    }
    indicator: Icon {
        x: root.width - width - Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        name: Icons.down
    }
    delegate: T.ItemDelegate {
        id: choice
        required property int index
        required property var modelData
        readonly property string above: root.heading(index)
        width: ListView.view.width
        height: Theme.row + topInset
        topInset: above === "" ? 0 : Theme.space6
        hoverEnabled: true
        highlighted: root.highlightedIndex === index
        objectName: root.objectName + ":" + modelData
        text: modelData
        Accessible.name: modelData
        background: Rectangle {
            color: choice.highlighted ? Theme.hover : "transparent"
            radius: Theme.radiusSmall
        }
        contentItem: Item {
            TextLabel {
                visible: text !== ""
                x: Theme.space1
                height: choice.topInset
                verticalAlignment: Text.AlignVCenter
                text: choice.above
                color: Theme.textFaint
                font.pixelSize: Theme.sizeSmall
                font.weight: Font.DemiBold
            }
            Item {
                y: choice.topInset
                width: parent.width
                height: Theme.row
                Word {
                    x: Theme.space1
                    anchors.verticalCenter: parent.verticalCenter
                    word: choice.modelData
                }
                Icon {
                    visible: root.currentIndex === choice.index
                    anchors.right: parent.right
                    anchors.verticalCenter: parent.verticalCenter
                    name: Icons.check
                    color: Theme.accent
                }
            }
        }
    }
    popup: T.Popup {
        onClosed: lent.giveBack()
        y: root.height + Theme.space1
        x: root.footnote === "" ? 0 : Math.min(0, root.width - width)
        width: Math.max(root.width, root.footnote === "" ? 140 : 220)
        height: Math.min(contentItem.implicitHeight + 2 * Theme.space1, root.roomy)
        // Stays inside the window.
        topMargin: Theme.space2
        bottomMargin: Theme.space2
        padding: Theme.space1
        contentItem: ListView {
            clip: true
            implicitHeight: contentHeight
            model: root.delegateModel
            currentIndex: root.highlightedIndex
            T.ScrollBar.vertical: ThinScrollBar {}
            footer: Item {
                width: root.popup.availableWidth
                height: root.footnote === "" ? 0 : note.contentHeight + 2 * Theme.space2
                Text {
                    id: note
                    objectName: root.objectName + ":footnote"
                    visible: text !== ""
                    x: Theme.space1
                    y: Theme.space2
                    width: root.popup.availableWidth - 2 * x
                    text: root.footnote
                    wrapMode: Text.Wrap
                    color: Theme.textFaint
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
        background: Rectangle {
            color: Theme.raised
            border.color: Theme.lineStrong
            radius: Theme.radius
        }
    }
}
