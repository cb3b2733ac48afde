import type { SessionOptions } from './session-options';
import { SessionRig } from './testing/session-rig';

let rig: SessionRig;
afterEach(() => rig.end());

/** Disconnects the terminal for so many seconds; returns the times of attempts and cooldowns. */
async function outage(seconds: number, options: Partial<SessionOptions> = {}, until = seconds) {
  rig = await SessionRig.connected(options);
  rig.zero();
  await rig.breakWith({ kind: 'disconnected' });
  await rig.clock.advance(seconds * 1_000 - 1);
  rig.mend();
  await rig.clock.advance((until - seconds) * 1_000 + 1);
  const cooldowns = rig.heard.flatMap(({ second, what }) => {
    const length = /next attempts in ([\d.]+) s/.exec(what)?.[1];
    return length === undefined ? [] : [[second, Number(length)]];
  });
  return { attempts: rig.secondsOf(/attempt \d+ failed/), cooldowns, connected: rig.secondsOf(/^connected/) };
}

describe('an outage of five minutes', () => {
  it('makes pauses between attempts that are no longer than the longest cooldown', async () => {
    const many = { reconnectAttempts: 12, cooldownMs: 5_000, cooldownMaxMs: 20_000 };
    expect((await outage(120, many, 121)).attempts).toEqual([0, 1, 3, 7, 15, 31, 51, 71, 91, 111]);
  });

  it('makes exactly the attempts, pauses and cooldowns of the defaults', async () => {
    expect(await outage(300, {}, 340)).toEqual({
      attempts: [0, 1, 3, 8, 9, 11, 21, 22, 24, 44, 45, 47, 87, 88, 90, 150, 151, 153, 213, 214, 216, 276, 277, 279],
      cooldowns: [
        [3, 5],
        [11, 10],
        [24, 20],
        [47, 40],
        [90, 60],
        [153, 60],
        [216, 60],
        [279, 60],
      ],
      connected: [339],
    });
    expect(rig.session.status()).toMatchObject({ state: 'connected', account: 100_001, attempts: 0 });
    expect(rig.session.reconnectsTotal).toBe(1);
  });

  it('answers every request at once, with the seconds until the next attempt', async () => {
    rig = await SessionRig.connected();
    await rig.breakWith({ kind: 'disconnected' });
    const answers: string[] = [];
    for (let second = 0; second < 9; second++) {
      answers.push(await rig.request());
      await rig.clock.advance(1_000);
    }
    expect(answers).toEqual([
      ...['reconnecting 1', 'reconnecting 2', 'reconnecting 1', 'cooldown 5', 'cooldown 4', 'cooldown 3'],
      ...['cooldown 2', 'cooldown 1', 'reconnecting 1'],
    ]);
  });

  it('does not count as a reconnect if the terminal was never connected before', async () => {
    rig = await SessionRig.create();
    rig.simulator.faults.set({ kind: 'disconnected' });
    rig.session.start();
    await rig.clock.advance(10_000);
    rig.mend();
    await rig.clock.advance(12_000);
    expect([rig.session.status().state, rig.session.reconnectsTotal]).toEqual(['connected', 0]);
  });

  it('starts from the first window again after a recovery', async () => {
    await outage(60, {}, 100);
    expect(rig.session.status().state).toBe('connected');
    rig.zero();
    await rig.breakWith({ kind: 'disconnected' });
    await rig.clock.advance(3_000);
    expect(rig.session.status()).toMatchObject({ state: 'cooldown', cooldownRemainingSeconds: 5 });
  });
});

describe('the settings of the outage', () => {
  it('TERMINAL_RECONNECT_ATTEMPTS bounds a round', async () => {
    expect(await outage(17, { reconnectAttempts: 5 })).toMatchObject({
      attempts: [0, 1, 3, 7, 15],
      cooldowns: [[15, 5]],
    });
    await rig.end();
    expect(await outage(4, { reconnectAttempts: 1 })).toMatchObject({ attempts: [0], cooldowns: [[0, 5]] });
  });

  it('TERMINAL_RECONNECT_BASE_DELAY is the first pause, doubled after each attempt', async () => {
    expect(await outage(2, { reconnectBaseDelayMs: 250, reconnectAttempts: 4 })).toMatchObject({
      attempts: [0, 0.25, 0.75, 1.75],
    });
  });

  it('TERMINAL_RECONNECT_COOLDOWN_SECONDS is the first window, doubled with each failed round', async () => {
    expect(await outage(24, { reconnectAttempts: 1, cooldownMs: 2_000 })).toMatchObject({
      cooldowns: [
        [0, 2],
        [2, 4],
        [6, 8],
        [14, 16],
      ],
    });
  });

  it('TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS caps it, even below the first window', async () => {
    expect(await outage(50, { reconnectAttempts: 1, cooldownMaxMs: 12_000 })).toMatchObject({
      cooldowns: [
        [0, 5],
        [5, 10],
        [15, 12],
        [27, 12],
        [39, 12],
      ],
    });
    await rig.end();
    expect(await outage(4, { reconnectAttempts: 1, cooldownMaxMs: 3_000 })).toMatchObject({
      cooldowns: [
        [0, 3],
        [3, 3],
      ],
    });
  });
});

describe('a terminal that restarts for a minute', () => {
  it('is found again without a request, and notifies listeners once', async () => {
    const { connected } = await outage(60, {}, 90);
    expect(connected).toEqual([87]);
    expect(rig.connected).toHaveLength(2);
    expect(await rig.request()).toBe('connected');
  });
});
