import { defineStrategy, type Strategy } from '@libs/strategy';
import { IsNumber } from 'class-validator';
import { ReloadWorld } from '../testing/reload-world';

class Params {
  @IsNumber() volume: number = 0.1;
}

/** Bars that were handled live, by the text that handled them. */
const handled: string[] = [];

/** Counts its bars, and opens a position at one and closes it at the next. */
function flip(text: string, warmupBars = 0): Strategy {
  return defineStrategy({
    ...{ version: 1, params: Params, warmupBars, state: { version: 1, initial: { count: 0 } } },
    create: ({ params }) => ({
      onBar: (_bar, trade) => {
        if (trade.warmingUp) return;
        trade.state.count++;
        handled.push(`${text} ${trade.state.count}`);
        const [open] = trade.positions();
        if (open) trade.close(open);
        else trade.buy('eur', { volume: params.volume });
      },
    }),
  });
}

const known = { first: flip('first'), second: flip('second'), third: flip('third'), slow: flip('slow', 5) };
const trend = { name: 'trend', magic: 1 };
const larger = { ...trend, params: { volume: 0.2 } };
const severalAttemptsMs = 120_000;

describe('a new version of a strategy that cannot take over yet', () => {
  let world: ReloadWorld;

  beforeEach(async () => {
    handled.length = 0;
    world = await ReloadWorld.start(known, trend);
    await bar();
  });
  afterEach(() => world.stop());

  const bar = async (): Promise<void> => {
    const { length } = handled;
    world.addBar();
    await world.work.until(() => handled.length > length);
    await world.work.inTime(world.strategy('trend').pump.idle());
  };
  /** Waits for two attempts at most. */
  const completed = async (): Promise<void> => {
    for (let second = 0; second < 60 && world.lastReload?.outcome !== 'applied'; second++) await world.pass(1_000);
  };
  const rewrite = (text: string): unknown => world.threads.files.set('/trend.ts', text);

  it('takes over without another reload when its account can be read again', async () => {
    const log: string[] = [];
    world.strategy('trend').log.follow(
      (line) => void log.push(line),
      () => undefined,
    );
    world.setReadable(false);
    world.configure(larger);
    rewrite('second');
    expect(await world.reload()).toMatchObject({ outcome: 'partial', changed: [], problems: ['trend: away'] });
    expect(world.strategy('trend').spec.params).toEqual({});
    // What is written afterwards waits for the next reload.
    rewrite('third');
    world.setReadable(true);
    await bar();
    await completed();
    expect(world.lastReload).toMatchObject({ changed: ['trend'], problems: [] });
    await bar();
    // Each bar once, and the count of the version before goes on.
    expect(handled).toEqual(['first 1', 'first 2', 'second 3']);
    expect(log.filter((line) => line.endsWith('INFO running {"version":1}'))).toHaveLength(1);
    expect(world.strategy('trend').spec.params).toEqual(larger.params);
    expect([world.threads.loads, world.threads.running]).toEqual([['first', 'second'], 1]);
    const sent = world.gateway.sends.map(({ path, body }) => [path, body['volume']]);
    expect(sent).toEqual([
      ['/order', 0.1],
      ['/close_position', undefined],
      ['/order', 0.2],
    ]);
  });

  it('takes over when its stream has enough bars', async () => {
    rewrite('slow');
    const problems = ['trend: eur needs 5 past bars; demo has 2 of EURUSD@M1'];
    expect(await world.reload()).toMatchObject({ outcome: 'partial', problems });
    for (let more = 0; more < 3; more++) await bar();
    await completed();
    expect(world.lastReload).toMatchObject({ changed: ['trend'], problems: [] });
    await bar();
    expect(handled.at(-1)).toBe('slow 5');
  });

  it('takes over when the request that the old one waits for is answered, and nothing is sent again', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    world.onTheWay = (path) => (path === '/close_position' ? answered : Promise.resolve());
    world.addBar();
    await world.work.until(() => handled.length === 2);
    world.configure(larger);
    const { problems } = await world.reload();
    expect(problems).toEqual([expect.stringContaining('it still had events or requests in flight')]);
    answer();
    await completed();
    expect(world.lastReload).toMatchObject({ changed: ['trend'], problems: [] });
    expect(world.gateway.sends.map(({ path }) => path)).toEqual(['/order', '/close_position']);
  });

  it('frees its magic number for the strategy that waits for it', async () => {
    world.setReadable(false);
    world.configure({ ...trend, magic: 2 }, { name: 'mean', magic: 1 });
    world.threads.files.set('/mean.ts', 'first');
    const problems = ['trend: away', 'mean: magic 1 is still in use by trend'];
    expect(await world.reload()).toMatchObject({ outcome: 'partial', problems });
    world.setReadable(true);
    await completed();
    expect(world.lastReload).toMatchObject({ changed: ['trend'], added: ['mean'] });
  });

  it('gives way to a later reload', async () => {
    world.setReadable(false);
    world.configure(larger);
    await world.reload();
    world.configure(trend);
    expect(await world.reload()).toMatchObject({ outcome: 'applied', changed: [], problems: [] });
    world.setReadable(true);
    await world.pass(severalAttemptsMs);
    expect(world.strategy('trend').spec.params).toEqual({});
    expect(world.threads.loads).toEqual(['first']);
  });

  it('does not hold up what else has to change while its gateway cannot be reached', async () => {
    world.onTheWay = () => Promise.reject(new TypeError('fetch failed'));
    world.configure(larger);
    await world.reload();
    const { attempts } = world;
    await world.pass(severalAttemptsMs);
    expect(world.lastReload).toMatchObject({ outcome: 'partial', changed: [] });
    // Its account is not verified again, which takes long if the gateway is silent.
    expect([world.attempts, world.threads.loads]).toEqual([attempts, ['first']]);
  });

  it('is not tried again when its parameters or its file are refused', async () => {
    for (const refused of [{ ...trend, params: { volume: 'much' } }, trend]) {
      world.configure(refused);
      if (refused === trend) rewrite('nonsense');
      expect(await world.reload()).toMatchObject({ outcome: 'partial', changed: [] });
      const { length } = world.threads.loads;
      await world.pass(severalAttemptsMs);
      expect(world.threads.loads).toHaveLength(length);
    }
    await bar();
    expect(handled.at(-1)).toBe('first 2');
  });

  it('is not loaded after the daemon was stopped', async () => {
    world.setReadable(false);
    world.configure(larger);
    await world.reload();
    world.setReadable(true);
    await world.work.inTime(world.daemon.stop());
    await world.pass(severalAttemptsMs);
    expect(world.threads.loads).toEqual(['first']);
  });
});
