import { type Command } from './process-runner';

/** How to start the programs that the host runs; Wine's in the image, plain scripts in tests. */
export interface HostCommands {
  readonly setup: (setupFile: string) => Command;
  readonly terminal: (executable: string, startupFile: string | undefined) => Command;
  /** Command that closes the terminal's window. */
  readonly close: ((image: string) => Command) | undefined;
  readonly bridge: (executable: string) => Command;
  readonly desktop: Command | undefined;
  /** Dismisses dialogs that would wait for a user, and prints a line for each. */
  readonly dialogs: Command | undefined;
  /** Ends all remaining processes. */
  readonly sweep: Command | undefined;
  /** An environment variable of all of the above. */
  readonly mark: string;
}
