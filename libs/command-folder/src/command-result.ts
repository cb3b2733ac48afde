/** Result of a command. */
export interface CommandResult {
  readonly ok: boolean;
  readonly message: string;
}
