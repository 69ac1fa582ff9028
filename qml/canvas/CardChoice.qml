// A choice or dtype on a card: a slot that opens a list. Wheel and arrows do not change it by accident.
import QtQuick
import QtQuick.Controls.Basic
import Halfwire

CardSlot {
    id: slot

    readonly property bool isDType: param.modelData.kind === "dtype"
    readonly property string shown: String(param.value ?? "")

    function open() {
        list.active = true;
        list.item.open();
        list.item.currentIndex = param.modelData.choices.indexOf(shown);
    }
    /// The next choice that begins with a letter.
    function seek(letter) {
        const choices = param.modelData.choices, from = list.item.currentIndex;
        for (let i = 1; i <= choices.length; ++i) {
            const at = (from + i) % choices.length;
            if (choices[at].toLowerCase().startsWith(letter))
                return list.item.currentIndex = at;
        }
    }

    valueWidth: value.width + arrow.width
    activeFocusOnTab: true
    Accessible.role: Accessible.ComboBox
    Accessible.name: param.modelData.label + " " + shown
    Accessible.onPressAction: open()
    Keys.onSpacePressed: open()
    Keys.onReturnPressed: open()
    Keys.onEnterPressed: open()
    Keys.onDownPressed: open()

    Text {
        id: value
        anchors.right: arrow.left
        anchors.rightMargin: Theme.space1
        anchors.verticalCenter: parent.verticalCenter
        text: slot.isDType ? slot.shown : slot.shown.replace(/_/g, " ")
        color: Theme.text
        font.family: slot.isDType ? Theme.mono : Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    Icon {
        id: arrow
        anchors.right: parent.right
        anchors.rightMargin: Theme.space1
        anchors.verticalCenter: parent.verticalCenter
        name: Icons.down
        size: Theme.space4
        color: Theme.textMuted
    }
    MouseArea {
        anchors.fill: parent
        onClicked: open()
    }
    // Made when it is first opened: a canvas has hundreds of cards.
    Loader {
        id: list
        active: false
        sourceComponent: Component {
            AppMenu {
                parent: slot
                width: Math.max(slot.width, Theme.space8 * 6)
                y: slot.height
                onClosed: slot.param.card.surface.forceActiveFocus()
                Repeater {
                    model: slot.param.modelData.choices
                    CardChoiceItem {
                        required property string modelData
                        objectName: slot.objectName + ":" + modelData
                        text: slot.isDType ? modelData : modelData.replace(/_/g, " ")
                        current: modelData === slot.shown
                        swatch: slot.isDType ? Theme.dtype(slot.param.card.surface.graph.dtypeToken(modelData)) : "transparent"
                        onTriggered: slot.param.set(modelData)
                        Keys.onPressed: event => {
                            if (/^\w$/.test(event.text))
                                slot.seek(event.text.toLowerCase());
                        }
                    }
                }
            }
        }
    }
}
