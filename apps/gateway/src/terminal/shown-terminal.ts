/** The terminal as it shows itself: for those who find out whether its lists are explained, and for exits. */
export const SHOWN_TERMINAL = Symbol('SHOWN_TERMINAL');
