/** The host's view of the terminal session: the logged-in account, as reported by the terminal over the link. */
export abstract class SessionView {
  /** The login that the session has verified, or null while it is not connected to a logged-in account. */
  abstract loggedInAs(): number | null;
}
