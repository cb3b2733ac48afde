import { countText } from '@libs/gateway-client/figure-text';
import type { Intent } from '../../core/strategy-event';
import type { LogEntry } from './messages';

/** Maximum number of actions of one event; more indicate a runaway loop. */
const mostEntries = 100;
const mostActions = 1_000;
const mostLines = 200;
/** Characters of a line, and of what goes with it as JSON. */
const mostCharacters = 4_000;

/** Collects the intents and log lines of a strategy while it handles one event, within limits. */
export class Notepad {
  private intents: Intent[] = [];
  private entries = 0;
  private logs: LogEntry[] = [];
  private leftOut = 0;

  /** Takes actions together. @throws Error in the strategy, at the first one too many, and takes none then */
  want(...intents: readonly Intent[]): void {
    let entries = 0;
    for (const { action } of intents) if (action === 'enter' || action === 'stack') entries++;
    if (this.entries + entries > mostEntries) throw new Error(`more than ${mostEntries} entries in one event`);
    const actions = this.intents.length + intents.length;
    if (actions > mostActions) throw new Error(`more than ${mostActions} actions in one event`);
    this.entries += entries;
    this.intents.push(...intents);
  }

  /** @throws TypeError for details that cannot be converted to JSON */
  log(message: string, details: Readonly<Record<string, unknown>> | null): void {
    if (this.logs.length >= mostLines) this.leftOut++;
    else this.logs.push({ message: cut(String(message)), details: details && plain(details) });
  }

  /** Whether {@link takeOut} would return nothing. */
  get isEmpty(): boolean {
    return this.intents.length === 0 && this.logs.length === 0;
  }

  /** Returns the intents and log lines since the last call. */
  takeOut(): { readonly intents: readonly Intent[]; readonly logs: readonly LogEntry[] } {
    const { intents, logs, leftOut } = this;
    if (leftOut > 0)
      logs.push({
        message: `${countText(leftOut, 'more line', 'more lines')} of this event ${leftOut === 1 ? 'was' : 'were'} dropped`,
        details: null,
      });
    this.intents = [];
    this.entries = 0;
    this.logs = [];
    this.leftOut = 0;
    return { intents, logs };
  }
}

function plain(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(details);
  return text.length > mostCharacters ? { cut: cut(text) } : (JSON.parse(text) as Record<string, unknown>);
}

function cut(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
