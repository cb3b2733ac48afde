import { CallRefused, type Interruption, LastErrorCode } from '@libs/terminal-client';
import { parseFault, parseFaultKind } from '../session/parse-fault';
import type { Simulator } from '../simulator';
import { parseTradingTerms } from '../symbols/trading-terms';

export type Extension = (params: readonly unknown[]) => Promise<unknown>;
export type Extensions = Readonly<Record<string, Extension>>;

/** The link's methods that set faults of the broker, by name; documented in the simulator's README. */
export function brokerExtensions(simulator: Simulator): Extensions {
  return {
    /** `[fault]`: puts a fault in force, in place of an earlier one of its kind. */
    'sim.setFault': async ([fault]) => simulator.faults.set(named(() => parseFault(fault))),
    /** `[kind?]`: ends one fault, or all of them. */
    'sim.clearFaults': async ([kind]) =>
      simulator.faults.clear(kind == null ? undefined : named(() => parseFaultKind(kind))),
    'sim.listFaults': async () => simulator.faults.list(),
    /** Logs the account in, as a person at the terminal's window does. */
    'sim.loginByHand': async () => simulator.loginByHand(),
    /** `[symbol, terms]`: the broker changes trading terms of a symbol, such as volume_min or trade_mode. */
    'sim.setSymbol': async ([symbol, terms]) =>
      named(() => simulator.setSymbol(String(symbol), parseTradingTerms(terms))),
    /** `[ms]`: the market moves forward at once. */
    'sim.advance': async ([ms]) => named(() => simulator.advance(millisecondsOf(ms))),
    'sim.feedStatus': async () => simulator.feedStatus(),
  };
}

/** Faults of the connection itself, in addition to those of the broker. */
interface Interrupted {
  /** A method of the port, or `*` for any. */
  readonly method: string;
  readonly how: Interruption;
  left: number;
}

/** Faults of the link and of the broker behind it, for every peer of a simulator that is served as a process. */
export class LinkFaults {
  private interrupted: Interrupted | null = null;
  /** The methods by name; documented in the simulator's README. */
  readonly extensions: Extensions;

  constructor(simulator: Simulator, dropConnections: () => void) {
    const broker = brokerExtensions(simulator);
    this.extensions = {
      ...broker,
      /** `[kind?]`: ends one fault, or all of them and the interruption. */
      'sim.clearFaults': async (params) => {
        if (params[0] == null) this.interrupted = null;
        return broker['sim.clearFaults']?.(params);
      },
      /** `[method or '*', 'close-before' | 'close-after' | 'no-answer', times?]`: breaks the link around the next calls. */
      'sim.interrupt': async ([method, how, times]) => {
        const kind = named(() => interruptionOf(how));
        this.interrupted = { method: String(method), how: kind, left: Number(times ?? 1) };
      },
      /** Cuts every connection at once, this one included. */
      'sim.dropConnections': async () => dropConnections(),
    };
  }

  /** The effect of the interruption in force on a call, which is counted as interrupted. */
  interrupt(method: string): Interruption | null {
    const { interrupted } = this;
    if (!interrupted || (interrupted.method !== '*' && interrupted.method !== method)) return null;
    interrupted.left -= 1;
    if (interrupted.left <= 0) this.interrupted = null;
    return interrupted.how;
  }
}

function millisecondsOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw new TypeError('the milliseconds must be a whole number above 0');
}

function interruptionOf(value: unknown): Interruption {
  if (value === 'close-before' || value === 'close-after' || value === 'no-answer') return value;
  throw new TypeError('an interruption must be close-before, close-after or no-answer');
}

/** Lets the peer read why its parameters were rejected. */
function named<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    throw new CallRefused('protocol', LastErrorCode.INVALID_PARAMS, error.message);
  }
}
