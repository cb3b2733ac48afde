/** The state directory cannot be used; nothing in it was changed. */
export class StateOpenError extends Error {}
