import { defineStrategy } from '@libs/strategy';
import { ReloadWorld } from '../testing/reload-world';

const known = {
  first: defineStrategy({ version: 1, params: class {}, create: () => ({ onBar: () => undefined }) }),
};
const specs = ['GBPUSD', 'USDJPY', 'AUDUSD', 'NZDUSD'].map((symbol, index) => ({
  ...{ name: symbol.toLowerCase(), magic: index + 1 },
  streams: [{ alias: 'main', symbol, timeframe: 'M1', broker: 'demo' }],
}));

describe('a strategy that is stopped while it waits for its turn to subscribe', () => {
  let world: ReloadWorld;
  beforeEach(async () => (world = await ReloadWorld.start(known)));
  afterEach(() => world.stop());

  it('reads nothing when its turn comes', async () => {
    for (const { name } of specs) world.threads.files.set(`/${name}.ts`, 'first');
    world.configure(...specs);
    // The first attempts fail, so that the next ones come at the same time.
    world.setReadable(false);
    await world.reload();
    const read = new Set<string>();
    const held: (() => void)[] = [];
    world.onTheWay = (path) => {
      if (!path.startsWith('/symbol_info_tick/')) return Promise.resolve();
      read.add(path.replace('/symbol_info_tick/', ''));
      return new Promise((resolve) => held.push(resolve));
    };
    world.setReadable(true);
    await world.work.until(() => read.size === 2 && world.threads.running === 4);
    const first = [...read];

    world.configure();
    const stopped = world.daemon.reload();
    await new Promise((resolve) => setImmediate(resolve));
    world.onTheWay = (path) => Promise.resolve(void read.add(path.replace('/symbol_info_tick/', '')));
    held.forEach((release) => release());
    expect(await world.work.inTime(stopped)).toMatchObject({ outcome: 'applied' });
    const others = specs
      .map(({ streams: [{ symbol } = { symbol: '' }] }) => symbol)
      .filter((symbol) => !first.includes(symbol));
    expect(others).toHaveLength(2);
    expect([...read].filter((symbol) => others.includes(symbol))).toEqual([]);
  });
});
