import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { replayOf } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { configuration, DaemonProgram, strategyFile } from '../e2e/daemon/daemon-program';

const hourMs = 3_600_000;
const [spacing, slDistance, tpDistance] = [0.001, 0.05, 0.04];
const withinHours = 30;

/**
 * Asks by hours: still for so long that a daemon can come, go and come again, then up past layer 2, then past layer 3.
 */
const asks: readonly (readonly [untilHour: number, ask: number])[] = [
  [20, 1.1001],
  [22, 1.1016],
  [60, 1.1023],
];

interface Row {
  readonly ticket: number;
  readonly price_open: number;
  readonly sl: number;
  readonly tp: number;
}

describe('a stack that a restart finds half way', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s enters each layer once, where its anchor says, with its own levels, and waits no longer than it was to',
    async (signal) => {
      const folder = scratch.folder();
      const gateway = await GatewayProgram.startReady(scratch, {
        ...{ ...pricesIn(folder), SIM_SPEED: '3600', SIM_REPLAY_WARMUP_BARS: '30' },
        TERMINAL_SERVER_TIME_ZONE: 'UTC',
      });
      const rows = async () => (await gateway.call('/get_positions')).body['data'] as Row[];
      const marketMs = async () =>
        Date.parse(String((await gateway.call('/symbol_info_tick/EURUSD')).body['time_utc']));
      const start = (opens: boolean) => {
        const options = `stream: 'main', direction: 'buy', layers: 4, spacing: ${spacing}, volume: 0.1`;
        const more = `slDistance: ${slDistance}, tpDistance: ${tpDistance}, within: ${withinHours * hourMs}`;
        const open = opens ? `if (!trade.warmingUp && bars === 1) trade.stack({ ${options}, ${more} });` : '';
        const module = strategyFile(folder, 'stacker', open);
        const config = configuration(folder, gateway.url, [{ name: 'stacker', module }]);
        return DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env: { API_KEY: gateway.key } });
      };

      let daemon = await start(true);
      const before = await daemon.untilStatus('stacker', (body) => body.pendingStackLayers[0]?.triggerPrice != null);
      const openedMs = await marketMs();
      const [first] = await rows();
      expect(before.pendingStackLayers.map(({ layer, triggerPrice }) => [layer, triggerPrice])).toEqual(
        [2, 3, 4].map((layer) => [layer, Number(((first?.price_open ?? 0) + spacing * (layer - 1)).toFixed(5))]),
      );
      daemon.program.signal(signal);
      expect(await daemon.program.exitCode()).toBe(signal === 'SIGTERM' ? 0 : null);
      await gateway.until('/symbol_info_tick/EURUSD', ({ body }) => {
        return Date.parse(String(body['time_utc'])) > openedMs + 4 * hourMs;
      });
      daemon = await start(false);
      const after = await daemon.untilStatus('stacker', ({ state }) => state === 'running');
      expect(after.pendingStackLayers).toEqual(before.pendingStackLayers);

      // Layers 2 and 3 are reached in time, layer 4 never.
      const done = await daemon.untilStatus('stacker', ({ pendingStackLayers }) => pendingStackLayers.length === 0);
      const waitedHours = ((await marketMs()) - openedMs) / hourMs;
      expect(done).toMatchObject({ trades: 3, state: 'running' });
      expect(waitedHours).toBeGreaterThan(withinHours - 1);
      // It counts from the opening, not from the restart.
      expect(waitedHours).toBeLessThan(withinHours + 3);
      const positions = await rows();
      expect(positions.map(({ price_open, sl, tp }) => [price_open, sl, tp])).toEqual(
        [1.1001, 1.1016, 1.1023].map((price) => [
          ...[price, Number((price - slDistance).toFixed(5)), Number((price + tpDistance).toFixed(5))],
        ]),
      );
      const { lines } = (await daemon.call<{ readonly lines: readonly string[] }>('/logs/stacker')).body;
      expect(lines.join('\n')).toMatch(/layers cancelled.*the stack expired/);
    },
  );
});

/** One quote a minute, as {@link asks} has them. */
function pricesIn(folder: string): { readonly SIM_FEED: string } {
  const bids = Array.from({ length: (asks.at(-1)?.[0] ?? 0) * 60 }, (_, minute) => {
    const ask = asks.find(([untilHour]) => minute < untilHour * 60)?.[1] ?? 0;
    return ask - 0.0001;
  });
  return replayOf(folder, bids, 60);
}
