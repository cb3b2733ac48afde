/** State of the host; in a `logged_out` state, `message` states what to do. */
export type HostState =
  | 'starting'
  | 'installing'
  | 'not_installed'
  | 'resolving'
  | 'logging_in'
  | 'logged_in'
  | 'manual_login'
  | 'waiting_to_retry'
  | 'refused'
  | 'other_account'
  | 'failed'
  | 'stopped';

/** The host's part of GET /health. */
export interface TerminalHostStatus {
  readonly state: HostState;
  /** One sentence for the operator. */
  readonly message: string;
  /** Since when, UTC ISO 8601. */
  readonly since: string;
  readonly executable: string | null;
  /** The address being tried or logged in through, null if there is none, or for a manual login. */
  readonly candidate: string | null;
  /** Failed rounds over all candidates since the last login. */
  readonly failed_rounds: number;
  readonly next_retry_at: string | null;
  readonly terminal_launches: number;
  readonly bridge: { readonly running: boolean; readonly starts: number };
  readonly desktop: { readonly running: boolean; readonly starts: number } | null;
}
