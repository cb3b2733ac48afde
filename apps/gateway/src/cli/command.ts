import type { FlagKind, Flags } from '@libs/command-line';
import type { GatewayClient } from '@libs/gateway-client';

/** Every flag of the commands; each command accepts those that it names. */
export const flagKinds = {
  url: 'text',
  'key-file': 'text',
  json: 'switch',
  magic: 'ticket',
  symbol: 'text',
  hours: { upTo: 744 },
  flatten: 'switch',
  since: 'ticket',
  source: 'text',
  'audit-file': 'text',
} as const satisfies Readonly<Record<string, FlagKind>>;

export type FlagName = keyof typeof flagKinds;
export type CommandFlags = Flags<typeof flagKinds>;

/** Where a command prints, and what it reads besides its arguments. */
export interface CommandEdge {
  /** Prints a line or several to stdout. */
  readonly out: (text: string) => void;
  /** The same to stderr: notes that are not part of the answer. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends a command that follows a stream. */
  readonly signal: AbortSignal;
}

/** One call of a command. */
export interface CommandCall extends CommandEdge {
  readonly client: GatewayClient;
  readonly flags: CommandFlags;
  readonly words: readonly string[];
}

/** Resolves with the exit code. @throws GatewayReadError if there is no answer */
export type CommandRun = (call: CommandCall) => Promise<number>;

/** Prints the whole answer for programs. */
export function printJson({ out }: Pick<CommandEdge, 'out'>, answer: unknown): void {
  out(JSON.stringify(answer, null, 2));
}
