import { type Command } from './process-runner';

/** How to start the programs that the host runs; Wine's in the image, plain scripts in tests. */
export interface HostCommands {
  readonly setup: (setupFile: string) => Command;
  readonly terminal: (executable: string, startupFile: string | undefined) => Command;
  /** Asks a terminal to close its window. */
  readonly close: ((image: string) => Command) | undefined;
  readonly bridge: (executable: string) => Command;
  readonly desktop: Command | undefined;
  /** Ends whatever is left. */
  readonly sweep: Command | undefined;
  /** An entry of the environment that all of the above carry. */
  readonly mark: string;
}
