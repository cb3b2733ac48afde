import { failed, holds, passed, unconfirmed } from './checklist.mjs';
import { describe } from './gateway.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const lookEveryMs = 1_000;
/** The margin mode of accounts that keep each position apart. */
const hedging = 2;
/** Three whole reads of the broker spread over a minute settle a request that left no trace. */
const settledWithinMs = 180_000;

/** The smallest orders, one after the other; whatever fails, nothing is left open under the magic. */
export class TradeChecks {
  #gateway;
  #list;
  #options;
  #symbol;
  #isHedging;
  #runId;
  #sent = 0;

  constructor({ gateway, list, options, symbol, account, runId }) {
    this.#gateway = gateway;
    this.#list = list;
    this.#options = options;
    this.#symbol = symbol;
    this.#isHedging = account.margin_mode === hedging;
    this.#runId = runId;
  }

  /** @param relay the relay between gateway and bridge, or null */
  async run(relay) {
    const isClear = await this.#check('nothing is open that these orders could touch', async () => {
      const open = (await this.#open()).length;
      // Without hedging, an order of any magic changes the one position of its symbol.
      const path = `/get_positions?symbol=${encodeURIComponent(this.#symbol.name)}`;
      const positions = this.#isHedging ? 0 : (await this.#gateway.read(path)).total;
      return holds(open === 0 && positions === 0, { under_the_magic: open, netted_positions: positions });
    });
    if (isClear.outcome !== 'passed') return;
    try {
      const ticket = await this.#openPosition();
      if (ticket !== null) await this.#changePosition(ticket);
      await this.#pendingOrder();
      await this.#unknownOutcome(relay);
    } finally {
      await this.#check('nothing is left open under the magic', () => this.#clearUp());
    }
  }

  #check(name, run) {
    return this.#list.check('trade', name, run);
  }

  async #openPosition() {
    const { name, volume_min: min, volume_step: step, digits } = this.#symbol;
    const volume = Number((2 * min).toFixed(decimalsOf(step)));
    let position = null;
    const { bid, ask, distance } = await this.#prices();
    const sl = Number((bid - distance).toFixed(digits));
    const tp = Number((ask + distance).toFixed(digits));
    const body = { symbol: name, volume, type: 'BUY', sl, tp, magic: this.#options.magic };
    const key = this.#nextKey('open');
    await this.#check('a market order with sl and tp is executed', async () => {
      const answer = await this.#send('POST', '/order', body, key);
      const { state, result, position: ticket, sl_confirmed: slKept, tp_confirmed: tpKept } = answer.body;
      if (answer.status !== 200) return closedMarket(answer) ?? failed(describe(answer));
      position = ticket;
      const slippagePoints = result?.price ? Math.round((result.price - ask) / this.#symbol.point) : null;
      const seen = {
        state,
        retcode: result?.retcode,
        slippage_points: slippagePoints,
        sl: slKept,
        tp: tpKept,
        ms: Math.round(answer.ms),
      };
      return holds(state === 'executed' && slKept && tpKept && ticket !== null, seen);
    });
    if (position === null) return null;
    await this.#check('the same key again is replayed and sends nothing', async () => {
      const answer = await this.#send('POST', '/order', body, key);
      const { total } = await this.#gateway.read(this.#path('/get_positions'));
      const isReplayed = answer.headers.get('idempotent-replayed') === 'true' && answer.body.position === position;
      return holds(answer.status === 200 && isReplayed && total === 1, {
        status: answer.status,
        replayed: isReplayed,
        positions: total,
      });
    });
    await this.#check('the position is listed with its volume, levels and key', async () => {
      const row = await this.#position(position);
      const isSame = row?.volume === volume && row.sl === sl && row.tp === tp && row.client_order_id === key;
      return holds(isSame, {
        listed: row !== undefined,
        volume: row?.volume,
        sl: row?.sl,
        tp: row?.tp,
        key: row?.client_order_id === key,
      });
    });
    return position;
  }

  async #changePosition(ticket) {
    const { volume_min: min, digits } = this.#symbol;
    await this.#check('its levels are modified', async () => {
      const { bid, ask, distance } = await this.#prices();
      const sl = Number((bid - 1.5 * distance).toFixed(digits));
      const tp = Number((ask + 1.5 * distance).toFixed(digits));
      const answer = await this.#send('POST', '/modify_sl_tp', { position: ticket, sl, tp });
      const row = await this.#position(ticket);
      const isKept = row?.sl === sl && row.tp === tp;
      return holds(
        answer.status === 200 && isKept,
        answer.status === 200 ? { sl: row?.sl, tp: row?.tp } : describe(answer),
      );
    });
    await this.#check('a part of it is closed, and the levels stay', async () => {
      const before = await this.#position(ticket);
      const answer = await this.#send('POST', '/position_close_partial', { ticket, volume: min });
      const row = await this.#position(ticket);
      const isLess = row !== undefined && Math.abs(row.volume - min) < 1e-9;
      const keepsLevels = row?.sl === before?.sl && row?.tp === before?.tp;
      if (answer.status !== 200) return failed(describe(answer));
      return holds(isLess && keepsLevels, { volume: row?.volume, levels_kept: keepsLevels });
    });
    await this.#check('the rest is closed', async () => {
      const answer = await this.#send('POST', '/close_position', { position: { ticket } });
      const row = await this.#position(ticket);
      return holds(
        answer.status === 200 && row === undefined,
        answer.status === 200 ? { open: row !== undefined } : describe(answer),
      );
    });
    await this.#check('its deals add up to a closed position', async () => {
      const deals = await this.#gateway.read(`/get_deal_from_ticket?ticket=${ticket}`);
      const { closed, volume_opened: opened, profit, commission, swap, fee } = deals;
      return holds(closed === true, { closed, volume: opened, profit, commission, swap, fee });
    });
  }

  async #pendingOrder() {
    const { name, volume_min: volume, digits } = this.#symbol;
    let ticket = null;
    const { bid } = await this.#prices();
    await this.#check('a pending order far from the market is placed', async () => {
      const price = Number((bid * 0.95).toFixed(digits));
      const answer = await this.#send('POST', '/order', {
        symbol: name,
        volume,
        type: 'BUY_LIMIT',
        price,
        magic: this.#options.magic,
      });
      if (answer.status !== 200) return closedMarket(answer) ?? failed(describe(answer));
      ticket = answer.body.result.order;
      return holds(answer.body.state === 'placed', { state: answer.body.state, retcode: answer.body.result.retcode });
    });
    if (ticket === null) return;
    await this.#check('its price is changed', async () => {
      const answer = await this.#send('PUT', `/orders/${ticket}`, { price: Number((bid * 0.94).toFixed(digits)) });
      const row = await this.#order(ticket);
      const isChanged = row !== undefined && row.price_open < bid * 0.945;
      return holds(
        answer.status === 200 && isChanged,
        answer.status === 200 ? { price_open: row?.price_open } : describe(answer),
      );
    });
    await this.#check('it is cancelled', async () => {
      const answer = await this.#send('DELETE', `/orders/${ticket}`);
      const row = await this.#order(ticket);
      return holds(
        answer.status === 200 && row === undefined,
        answer.status === 200 ? { open: row !== undefined } : describe(answer),
      );
    });
  }

  async #unknownOutcome(relay) {
    const name = 'an order whose answer is lost is looked up, settled and never sent again';
    if (relay === null) {
      const why = 'needs --relay, and a gateway that reaches its bridge through it';
      return void (await this.#check(name, async () => unconfirmed(why)));
    }
    const body = {
      symbol: this.#symbol.name,
      volume: this.#symbol.volume_min,
      type: 'BUY',
      magic: this.#options.magic,
    };
    const key = this.#nextKey('lost');
    await this.#check(name, async () => {
      const cut = relay.cutNextSend();
      const answer = await this.#send('POST', '/order', body, key);
      if (!cut.disarm()) {
        const why = 'the send did not pass the relay: start the gateway with TERMINAL_LINK_ADDR at its port';
        return answer.status === 200 ? unconfirmed(why) : failed(describe(answer));
      }
      if (answer.status !== 502 || answer.body.error_type !== 'unknown_outcome')
        return failed(`the cut send answered ${describe(answer)}`);
      const atBridge = await cut.sent;
      const settled = await this.#settled(key);
      const replay = await this.#send('POST', '/order', body, key);
      const open = (await this.#open()).length;
      const isExecuted = atBridge?.kind === 'answered' && [10_008, 10_009, 10_010].includes(atBridge.result?.retcode);
      const seen = {
        ...{
          at_the_bridge: atBridge?.kind === 'answered' ? atBridge.result?.retcode : (atBridge?.kind ?? 'no answer'),
        },
        ...{ settled_as: settled.status, after_seconds: settled.seconds, replay: replay.status, positions: open },
      };
      if (atBridge?.kind !== 'answered') return settled.status === 'unknown' ? failed(seen) : passed(seen);
      const isRight = isExecuted
        ? settled.status === 'recovered' && replay.status === 200 && open === 1
        : settled.status === 'absent' && replay.status === 422 && open === 0;
      return holds(isRight, seen);
    });
  }

  /** What the journal says of a key once it is settled, or when the waiting ends. */
  async #settled(key) {
    const startMs = performance.now();
    for (;;) {
      const answer = await this.#gateway.call(`/trade_requests/${encodeURIComponent(key)}`);
      const { status } = answer.body;
      const seconds = Math.round((performance.now() - startMs) / 1_000);
      const isOpen = answer.status !== 200 || status === 'unknown' || status === 'in_progress';
      if (!isOpen || performance.now() - startMs > settledWithinMs)
        return { status: status ?? describe(answer), seconds };
      await pause(lookEveryMs);
    }
  }

  /** Closes and cancels what a check left behind; that something was there is a failure. */
  async #clearUp() {
    await this.#untilReadable();
    const left = await this.#open();
    const problems = [];
    for (const { ticket, isPosition } of left) {
      const answer = isPosition
        ? await this.#send('POST', '/close_position', { position: { ticket } })
        : await this.#send('DELETE', `/orders/${ticket}`);
      if (answer.status !== 200) problems.push(describe(answer));
    }
    const still = await this.#open();
    const seen = {
      closed_at_the_end: left.length,
      still_open: still.length,
      ...(problems.length > 0 ? { problems } : {}),
    };
    return holds(still.length === 0, seen);
  }

  /** After a cut link the session takes a moment to come back. */
  async #untilReadable() {
    const untilMs = performance.now() + this.#options.waitMs;
    while (performance.now() < untilMs) {
      if ((await this.#gateway.call('/account')).status === 200) return;
      await pause(lookEveryMs);
    }
  }

  async #open() {
    const positions = await this.#gateway.read(this.#path('/get_positions'));
    const orders = await this.#gateway.read(this.#path('/orders'));
    return [
      ...positions.data.map(({ ticket }) => ({ ticket, isPosition: true })),
      ...orders.data.map(({ ticket }) => ({ ticket, isPosition: false })),
    ];
  }

  async #position(ticket) {
    const { data } = await this.#gateway.read(this.#path('/get_positions'));
    return data.find((row) => row.ticket === ticket);
  }

  async #order(ticket) {
    const { data } = await this.#gateway.read(this.#path('/orders'));
    return data.find((row) => row.ticket === ticket);
  }

  #path(route) {
    return `${route}?magic=${this.#options.magic}`;
  }

  /** Prices now, and a distance for levels that the server takes and the market does not reach meanwhile. */
  async #prices() {
    const { name, point, trade_stops_level: stops, trade_freeze_level: freeze } = this.#symbol;
    const { bid, ask } = await this.#gateway.read(`/symbol_info_tick/${encodeURIComponent(name)}`);
    const spread = ask - bid;
    return { bid, ask, distance: Math.max(2 * Math.max(stops, freeze) * point + 2 * spread, bid * 0.02) };
  }

  #send(method, path, body, idempotencyKey = this.#nextKey('step')) {
    return this.#gateway.call(path, { method, body, idempotencyKey });
  }

  #nextKey(what) {
    this.#sent += 1;
    return `verify-${this.#runId}-${this.#sent}-${what}`;
  }
}

/** The market can be closed to a symbol whatever the account may do. */
function closedMarket(answer) {
  return answer.body.terminal_error?.retcode === 10_018 ? unconfirmed('10018: the market is closed') : null;
}

function decimalsOf(step) {
  return (String(step).split('.')[1] ?? '').length;
}
