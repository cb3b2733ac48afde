/** What the host asks of the terminal session: whether somebody is logged in, as the terminal itself says over the link. */
export abstract class SessionView {
  /** The login that the session has verified, or null while it is not connected to a logged-in account. */
  abstract loggedInAs(): number | null;
}
