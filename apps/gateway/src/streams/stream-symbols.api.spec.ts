import { VirtualClock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';
import type { TerminalClient } from '@libs/terminal-client';
import { SelectedSymbols } from '../symbols/selected-symbols';
import { TerminalAccess } from '../terminal/terminal-access';
import { EMBEDDED_SIMULATOR } from '../terminal/terminal.module';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';
import { SseReader } from './testing/sse-reader';

describe('the symbols of a quote stream', () => {
  let clock: VirtualClock;
  let gateway: GatewayUnderTest;
  let readers: SseReader[];

  beforeEach(async () => {
    clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
    gateway = await gatewayUnderTest({ clock });
    await gateway.app.listen(0, '127.0.0.1');
    readers = [];
  });
  afterEach(async () => {
    for (const reader of readers) reader.close();
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const open = async (symbols: string): Promise<void> => {
    const url = `${await gateway.app.getUrl()}/stream/ticks?symbols=${symbols}`;
    readers.push(await SseReader.open({ url, key: testKey }));
  };
  /** As a user takes a symbol out of the Market Watch. */
  const hide = (symbol: string) => gateway.app.get(TerminalAccess).read((each) => each.symbolSelect(symbol, false));
  const isSelected = async (symbol: string) =>
    (await gateway.app.get(TerminalAccess).read((each) => each.symbolInfo(symbol)))?.visible;

  /** The calls that the terminal took for it so far. */
  const selections = async (): Promise<number> => {
    const page = (await gateway.call('/metrics')).body;
    return Number(/terminal_call_duration_seconds_count\{method="symbolSelect"\} (\d+)/.exec(page)?.[1] ?? 0);
  };

  it('are selected once, however often a client opens its stream again', async () => {
    await open('EURUSD,GBPUSD');
    const first = await selections();
    await clock.advance(120_000);
    await open('EURUSD,GBPUSD,USDJPY');
    expect(await selections()).toBe(first + 1);
  });

  it('are selected again after the terminal was disconnected', async () => {
    await open('EURUSD,GBPUSD');
    await hide('GBPUSD');
    const { faults } = gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
    faults.set({ kind: 'disconnected' });
    expect((await gateway.call('/account')).statusCode).toBe(503);
    faults.clear();
    await clock.advance(10_000);
    await open('EURUSD,GBPUSD');
    expect(await isSelected('GBPUSD')).toBe(true);
  });

  it('are selected again if the terminal was disconnected during their selection', async () => {
    const { faults } = gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
    const selected = gateway.app.get(SelectedSymbols);
    await gateway.app.get(TerminalAccess).read(async (terminal) => {
      const symbolSelect = async (): Promise<boolean> => {
        faults.set({ kind: 'disconnected' });
        expect((await gateway.call('/account')).statusCode).toBe(503);
        faults.clear();
        return true;
      };
      const slow = Object.assign(Object.create(terminal) as TerminalClient, { symbolSelect });
      expect(await selected.select(slow, 'GBPUSD')).toBe(true);
    });
    expect(selected.has('GBPUSD')).toBe(false);
  });

  it('are selected again while a client listens, when a user takes one out of the Market Watch', async () => {
    await open('GBPUSD');
    await hide('GBPUSD');
    await clock.advance(9_000);
    expect(await isSelected('GBPUSD')).toBe(false);
    await clock.advance(12_000);
    expect(await isSelected('GBPUSD')).toBe(true);
  });

  it('that cannot be selected again do not make the other quotes stale', async () => {
    await open('EURUSD,GBPUSD');
    await hide('GBPUSD');
    const { faults } = gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
    faults.set({ kind: 'failed-reads', methods: ['symbolSelect'], code: -1 });
    const before = await selections();
    const startMs = clock.nowMs();
    await clock.advance(60_000);
    expect(await selections()).toBeGreaterThan(before);
    const isLate = (data: string): boolean =>
      Date.parse((JSON.parse(data) as { time_utc: string }).time_utc) > startMs + 40_000;
    await readers[0]?.first(({ event, data }) => event === 'tick' && isLate(data));
    expect(readers[0]?.messages.filter(({ event }) => event !== 'tick')).toEqual([]);
  });
});
