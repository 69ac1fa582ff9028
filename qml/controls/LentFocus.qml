// Focus that the mouse gives a control for as long as it is used: then the keys go where they went before. What took the
// focus by key keeps it.
import QtQuick

QtObject {
    id: root
    required property Item borrower
    property Item lender

    function take() {
        lender = null;
        if (borrower.activeFocus)
            return;
        lender = borrower.Window.activeFocusItem;
        borrower.forceActiveFocus(Qt.MouseFocusReason);
    }
    function giveBack() {
        if (lender?.visible && borrower.activeFocus)
            lender.forceActiveFocus(Qt.MouseFocusReason);
        lender = null;
    }
}
