// A menu bar in the theme's colours. The keys go back to where they went when its menus are closed.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire

Basic.MenuBar {
    id: root

    /// What has the keys when what had them before the menus is gone.
    property Item home: null
    /// No menu is open any more, and the keys are back: who asks for them now gets them.
    signal allClosed()

    /// What had the focus before the menus: it has it again when they are closed, unless something else took it.
    property Item lender: null
    property bool settling: false

    function anyOpen(except) { return Array.from(menus).some(menu => menu !== except && menu.visible); }
    function opens(item) {
        if (!settling && !activeFocus && !anyOpen(item.menu))
            lender = item.Window.activeFocusItem;
    }
    function closed(item) {
        if (anyOpen(null))
            return;
        if (activeFocus) {  // closed by a click on its item, or by Up from the first entry
            (lender?.visible ? lender : home)?.forceActiveFocus();
        } else {
            const taker = item.Window.activeFocusItem;
            if (item.hovered && !item.pressed)
                settle(item);
            taker?.forceActiveFocus();
        }
        allClosed();
    }
    /// A menu was closed by key under the mouse. Qt 6.4 then keeps its item open, and the next click would only close it:
    /// it is triggered once more here. Qt 6.8 opens the menu at that, and it is closed again.
    function settle(item) {
        settling = true;
        item.triggered();
        if (item.menu.visible)
            item.menu.dismiss();
        settling = false;
    }

    background: null
    padding: 0
    delegate: T.MenuBarItem {
        id: item
        objectName: "menu:" + text
        implicitWidth: word.implicitWidth + 2 * Theme.space2
        implicitHeight: Theme.control
        hoverEnabled: true
        Accessible.role: Accessible.MenuItem
        Accessible.name: text
        Connections {
            target: item.menu
            function onAboutToShow() { root.opens(item); }
            function onClosed() {
                if (!root.settling)
                    Qt.callLater(root.closed, item);
            }
        }
        background: Rectangle {
            radius: Theme.radius
            color: item.hovered || item.menu && item.menu.visible ? Theme.hover : "transparent"
        }
        contentItem: Text {
            id: word
            text: item.text
            color: Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
            horizontalAlignment: Text.AlignHCenter
            verticalAlignment: Text.AlignVCenter
        }
    }
}
