import { TextDecoder } from 'node:util';
import { ask } from './asking.mjs';

/**
 * How much later than its signal each order of the strategies was filled, in market time. The faster a replay runs, the
 * more market time passes while a request is in flight.
 */
export class FillDelay {
  #signals = new Map();
  #delaysMs = [];
  #abort = new AbortController();
  #token;

  constructor(token) {
    this.#token = token;
  }

  /** Listens to the events of every strategy on its own port. */
  async listen(controlUrl) {
    const list = await ask(`${controlUrl}/list`, this.#token);
    for (const { kind, port } of list?.body ?? []) {
      if (kind !== 'portfolio' && port) void this.#follow(`http://127.0.0.1:${port}/events`);
    }
  }

  stop() {
    this.#abort.abort();
  }

  /** `{count, meanMs, maxMs}` of the fills so far, or null without any. */
  get summary() {
    const count = this.#delaysMs.length;
    if (count === 0) return null;
    const sum = this.#delaysMs.reduce((total, delay) => total + delay, 0);
    return { count, meanMs: sum / count, maxMs: this.#delaysMs.reduce((max, delay) => Math.max(max, delay), 0) };
  }

  /** One event of a strategy, as its port sends it. */
  note(event, data) {
    // A pending order waits for its price, which is not a delay.
    const isAtMarket =
      data.action === 'close' || (data.action === 'enter' && (data.options.kind ?? 'market') === 'market');
    if (event === 'signal' && isAtMarket) this.#signals.set(data.id, data.marketMs);
    if (event !== 'trade') return;
    const signalMs = this.#signals.get(data.intentId);
    // A part of an order that was filled later counts, too; what the broker did on its own had no signal.
    if (signalMs !== undefined && data.timeMs !== null) this.#delaysMs.push(Math.max(0, data.timeMs - signalMs));
  }

  async #follow(url) {
    try {
      const headers = this.#token ? { authorization: `Bearer ${this.#token}` } : {};
      const { body } = await fetch(url, { headers, signal: this.#abort.signal });
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop();
        for (const block of blocks) this.#read(block);
      }
    } catch {
      // The strategy has ended, or the replay has: what was measured until then counts.
    }
  }

  #read(block) {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    );
    if (fields.data) this.note(fields.event, JSON.parse(fields.data));
  }
}
