import type { Interruption } from '@libs/terminal-client';
import { parseFault, parseFaultKind } from '../session/parse-fault';
import type { Simulator } from '../simulator';
import { parseTradingTerms } from '../symbols/trading-terms';

export type Extension = (params: readonly unknown[]) => Promise<unknown>;

/** What breaks on the wire itself, beside the faults that the broker knows. */
interface Interrupted {
  /** A method of the port, or `*` for any. */
  readonly method: string;
  readonly how: Interruption;
  left: number;
}

/** Faults of the link and of the broker behind it, for whoever is connected to a simulator served as a process. */
export class LinkFaults {
  private interrupted: Interrupted | null = null;

  constructor(
    private readonly simulator: Simulator,
    private readonly dropConnections: () => void,
  ) {}

  /** The methods by name; documented in the simulator's README. */
  readonly extensions: Readonly<Record<string, Extension>> = {
    /** `[fault]`: puts a fault in force, in place of an earlier one of its kind. */
    'sim.setFault': async ([fault]) => this.simulator.faults.set(parseFault(fault)),
    /** `[kind?]`: ends one fault, or all of them and the interruption. */
    'sim.clearFaults': async ([kind]) => {
      if (kind == null) this.interrupted = null;
      this.simulator.faults.clear(kind == null ? undefined : parseFaultKind(kind));
    },
    'sim.listFaults': async () => this.simulator.faults.list(),
    /** `[method or '*', 'close-before' | 'close-after' | 'no-answer', times?]`: breaks the link around the next calls. */
    'sim.interrupt': async ([method, how, times]) => {
      this.interrupted = { method: String(method), how: interruptionOf(how), left: Number(times ?? 1) };
    },
    /** Cuts every connection at once, this one included. */
    'sim.dropConnections': async () => this.dropConnections(),
    /** Logs the account in as somebody at the terminal's own window would. */
    'sim.loginByHand': async () => this.simulator.loginByHand(),
    /** `[symbol, terms]`: the broker changes trading terms of a symbol, such as volume_min or trade_mode. */
    'sim.setSymbol': async ([symbol, terms]) => this.simulator.setSymbol(String(symbol), parseTradingTerms(terms)),
    'sim.feedStatus': async () => this.simulator.feedStatus(),
  };

  /** What the interruption in force makes of a call, counted as having struck. */
  interrupt(method: string): Interruption | null {
    const { interrupted } = this;
    if (!interrupted || (interrupted.method !== '*' && interrupted.method !== method)) return null;
    interrupted.left -= 1;
    if (interrupted.left <= 0) this.interrupted = null;
    return interrupted.how;
  }
}

function interruptionOf(value: unknown): Interruption {
  if (value === 'close-before' || value === 'close-after' || value === 'no-answer') return value;
  throw new TypeError('an interruption is close-before, close-after or no-answer');
}
