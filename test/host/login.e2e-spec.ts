import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CORE, HostRig, LOGIN, PASSWORD, SERVER } from './host-rig';

describe('Logging in without a person', () => {
  let rig: HostRig;
  beforeEach(() => {
    rig = new HostRig();
  });
  afterEach(async () => {
    await rig.close();
  });

  it('logs in by the startup file and says so in log and status', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    const host = rig.host(CORE);
    host.start();
    expect(await rig.logged('logged in')).toEqual({ login: LOGIN, candidate: SERVER, seen_in: 'journal' });
    expect(host.status()).toMatchObject({
      state: 'logged_in',
      candidate: SERVER,
      failed_rounds: 0,
      terminal_launches: 1,
    });
    expect(rig.launches()[0]?.ini).toMatchObject({
      Login: String(LOGIN),
      Password: PASSWORD,
      Server: SERVER,
      mode: '600',
    });
    expect(rig.launches()[0]?.ini.lines?.[0]).toBe('[Common]');
    await rig.until('the bridge', () => rig.bridges().length === 1);
  });

  it.each<[string, Readonly<Record<string, string>>, string, string]>([
    ['allowed', {}, '1', '0'],
    ['allowed by a word', { TERMINAL_ENABLE_ALGO_TRADING: 'yes' }, '1', '0'],
    ...['0', 'false', 'no', 'off', 'disabled'].map((word): [string, Record<string, string>, string, string] => [
      `forbidden by ${word}`,
      { TERMINAL_ENABLE_ALGO_TRADING: word },
      '0',
      '1',
    ]),
  ])('sets in the terminal whether programs may trade: %s', async (_name, env, allowed, account) => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    rig.host({ ...CORE, ...env }).start();
    await rig.logged('logged in');
    expect(rig.launches()[0]?.ini).toMatchObject({ AllowLiveTrading: allowed, Enabled: allowed, Account: account });
  });

  it('has the password in the startup file only, and that only as long as the login takes', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise', afterMs: 600 } });
    const host = rig.host(CORE);
    host.start();
    await rig.until('the file', () => existsSync(rig.startupFile));
    await rig.logged('logged in');
    await rig.until('its removal', () => !existsSync(rig.startupFile));
    await rig.until('the bridge', () => rig.events('bridge said').length === 1);
    const seen = JSON.stringify([rig.log.lines, host.status(), rig.bridges()]);
    expect(seen).not.toContain(PASSWORD);
    expect(JSON.stringify(rig.log.lines)).not.toContain('bridge-token-of-the-test');
    const [launch] = rig.launches();
    expect(JSON.stringify([launch?.arguments, launch?.environment])).not.toContain(PASSWORD);
    expect(JSON.stringify(launch?.environment)).not.toContain(CORE.API_KEY);
  });

  it('removes the startup file also when nothing logs in', async () => {
    rig.installTerminal({});
    rig.host({ ...CORE, TERMINAL_LOGIN_FIRST_TRIES: '2' }).start();
    await rig.logged('retry scheduled');
    expect(existsSync(rig.startupFile)).toBe(false);
  });

  it('removes a startup file that an earlier process left behind, before anything else', async () => {
    mkdirSync(dirname(rig.startupFile));
    writeFileSync(rig.startupFile, `[Common]\r\nPassword=${PASSWORD}\r\n`);
    rig.host(CORE).start();
    await rig.logged('terminal missing');
    expect(rig.events('startup file left behind')).toHaveLength(1);
    expect(existsSync(rig.startupFile)).toBe(false);
  });

  it('starts the bridge only when the journal says that the terminal is logged in', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise', afterMs: 1_500 } });
    rig.host(CORE).start();
    await rig.logged('bridge started');
    expect(rig.log.pollsBetween('terminal launched', 'bridge started', 1)).toBeGreaterThan(3);
  });

  it('starts the bridge halfway through the polls when the journal says nothing', async () => {
    rig.installTerminal({});
    rig.host({ ...CORE, TERMINAL_LOGIN_FIRST_TRIES: '8' }).start();
    await rig.logged('bridge started');
    expect(rig.log.pollsBetween('terminal launched', 'bridge started', 1)).toBeGreaterThan(3);
    await rig.logged('login candidate exhausted');
  });

  it('leaves the bridge running after a refusal, for a login by hand', async () => {
    rig.installTerminal({ otherwise: { does: 'refuse', reason: 'Invalid account' } });
    const host = rig.host(CORE);
    host.start();
    await rig.logged('retry scheduled');
    await rig.logged('bridge started');
    expect(host.status().state).toBe('waiting_to_retry');
  });

  it('dismisses dialogs during a round, and leaves them to a person between rounds', async () => {
    rig.installTerminal({});
    rig.host({ ...CORE, TERMINAL_LOGIN_FIRST_TRIES: '4' }).start();
    await rig.logged('terminal launched');
    expect(await rig.logged('dialog dismissed')).toEqual({ line: '"LiveUpdate" dismissed' });
    expect(await dialogWatchers()).toBe(1);
    await rig.logged('retry scheduled');
    expect(await dialogWatchers()).toBe(0);
  });

  it('leaves the dialogs to a person who is to log in by hand', async () => {
    rig.installTerminal({});
    rig.host({}).start();
    await rig.logged('manual login awaited');
    expect(await dialogWatchers()).toBe(0);
  });

  /** The stand-in of the watcher is a sleep of its own length. */
  async function dialogWatchers(): Promise<number> {
    const sleeping = await rig.runner.find({ program: 'sleep', env: `TERMINAL_HOST_HOME=${rig.home}` });
    const commands = sleeping.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1]);
    return commands.filter((seconds) => seconds === '601').length;
  }

  it('waits for a slow terminal, and keeps the file until it has read it', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise', afterMs: 1_500 } });
    rig.host(CORE).start();
    await rig.until('the launch', () => rig.launches().length === 1);
    expect(existsSync(rig.startupFile)).toBe(true);
    expect(await rig.logged('logged in')).toMatchObject({ seen_in: 'journal' });
    expect(rig.launches()).toHaveLength(1);
  });

  it('gives the first candidate TERMINAL_LOGIN_FIRST_TRIES polls and each later one TERMINAL_LOGIN_TRIES', async () => {
    rig.installTerminal({});
    rig
      .host({ ...CORE, TERMINAL_SERVER: 'MetaQuotes-Demo', TERMINAL_LOGIN_FIRST_TRIES: '5', TERMINAL_LOGIN_TRIES: '3' })
      .start();
    await rig.logged('retry scheduled');
    expect(rig.events('login candidate exhausted')).toMatchObject([
      { candidate: 'access.metatrader5.com:443', polls: 5 },
      { candidate: 'MetaQuotes-Demo', polls: 3 },
    ]);
    expect(rig.log.pollsBetween('terminal launched', 'login candidate exhausted', 1)).toBe(5);
    expect(rig.log.pollsBetween('terminal launched', 'login candidate exhausted', 2)).toBe(3);
  });

  it('tries the next candidate when the first does not answer', async () => {
    rig.installTerminal({
      byServer: { 'MetaQuotes-Demo': { does: 'authorise' } },
      otherwise: { does: 'nothing', deaf: true },
    });
    const host = rig.host({ ...CORE, TERMINAL_SERVER: 'MetaQuotes-Demo', TERMINAL_LOGIN_FIRST_TRIES: '5' });
    host.start();
    expect(await rig.logged('logged in')).toMatchObject({ candidate: 'MetaQuotes-Demo' });
    expect(host.status()).toMatchObject({ state: 'logged_in', terminal_launches: 2 });
  });

  it('takes no success of another day or account for its own', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise', login: 99 } });
    const logs = join(dirname(rig.executable), 'logs');
    mkdirSync(logs);
    const old = `\ufeffCS\t0\t11:00:00.000\tNetwork\t'${LOGIN}': authorized on ${SERVER}\r\n`;
    writeFileSync(join(logs, '20200101.log'), Buffer.from(old, 'utf16le'));
    rig.host({ ...CORE, TERMINAL_LOGIN_FIRST_TRIES: '10' }).start();
    await rig.logged('login candidate exhausted');
    expect(rig.events('logged in')).toEqual([]);
  });

  it('ends the round at a refusal, and gives up after three: a broker locks accounts that insist', async () => {
    rig.installTerminal({ otherwise: { does: 'refuse', reason: 'Invalid account' } });
    const host = rig.host({ ...CORE, TERMINAL_SERVER: 'MetaQuotes-Demo' });
    host.start();
    expect(await rig.logged('login given up')).toEqual({ refusals: 3, reason: 'Invalid account' });
    expect(rig.events('login attempt refused')).toHaveLength(3);
    // The name itself was never tried: the broker's answer was final.
    expect(new Set(rig.launches().map(({ ini }) => ini.Server))).toEqual(new Set(['access.metatrader5.com:443']));
    expect(host.status()).toMatchObject({ state: 'refused', terminal_launches: 3 });
    expect(host.status().message).toContain('Invalid account');
  });

  it('goes on after an answer that is not final', async () => {
    rig.installTerminal({
      byServer: { 'access.metatrader5.com:443': { does: 'refuse', reason: 'No connection' } },
      otherwise: { does: 'authorise' },
    });
    rig.host({ ...CORE, TERMINAL_SERVER: 'MetaQuotes-Demo', TERMINAL_LOGIN_FIRST_TRIES: '5' }).start();
    expect(await rig.logged('logged in')).toMatchObject({ candidate: 'MetaQuotes-Demo' });
    expect(rig.events('login candidate exhausted')).toMatchObject([{ reason: 'No connection' }]);
  });

  it('believes the session where the journal is silent', async () => {
    rig.installTerminal({});
    const host = rig.host(CORE);
    host.start();
    await rig.until('the launch', () => rig.launches().length === 1);
    await rig.until('a poll', () => rig.bridges().length === 1);
    rig.session = LOGIN;
    expect(await rig.logged('logged in')).toMatchObject({ seen_in: 'session', candidate: SERVER });
    expect(existsSync(rig.startupFile)).toBe(false);
  });

  it('does not believe a session that speaks of the terminal before this one', async () => {
    rig.installTerminal({});
    rig.session = LOGIN;
    rig.host({ ...CORE, TERMINAL_LOGIN_FIRST_TRIES: '4' }).start();
    await rig.logged('login candidate exhausted');
    const order = rig.log.lines.map(({ event }) => event).filter((event) => /^(login candidate ex|logged)/.test(event));
    expect(order[0]).toBe('login candidate exhausted');
  });

  it('never ends a terminal that the session is attached to, on any account', async () => {
    rig.installTerminal({});
    const host = rig.host({ ...CORE, TERMINAL_SERVER: 'MetaQuotes-Demo', TERMINAL_LOGIN_FIRST_TRIES: '30' });
    host.start();
    await rig.until('the bridge', () => rig.bridges().length === 1);
    rig.session = 777;
    expect(await rig.logged('another account is logged in')).toEqual({ login: 777, configured: LOGIN });
    expect(host.status()).toMatchObject({ state: 'other_account', terminal_launches: 1 });
    expect(rig.launches()).toHaveLength(1);
  });

  it('survives a terminal that updates itself and comes back as another process', async () => {
    rig.installTerminal({ byLaunch: [{ does: 'update' }] });
    const host = rig.host(CORE);
    host.start();
    await rig.logged('logged in');
    expect(rig.launches().map(({ updated }) => updated)).toEqual([false, true]);
    expect(host.status()).toMatchObject({ state: 'logged_in', terminal_launches: 1 });
    // Watched like one that we started, and ended with the rest: afterEach finds none left.
    await rig.until('some looks', () => rig.clock.delays.length > 15);
    expect(rig.events('terminal exited')).toEqual([]);
  });

  it('launches a terminal again that ended before it logged in', async () => {
    rig.installTerminal({ byLaunch: [{ does: 'exit' }], otherwise: { does: 'authorise' } });
    rig.host(CORE).start();
    await rig.logged('logged in');
    expect(rig.launches()).toHaveLength(2);
  });

  it('says what to correct when the password cannot be written', async () => {
    rig.installTerminal({});
    const host = rig.host({ ...CORE, TERMINAL_PASSWORD: 'two\nlines' });
    host.start();
    expect(await rig.logged('host failed')).toMatchObject({ reason: expect.stringContaining('password') });
    expect(host.status().state).toBe('failed');
    expect(JSON.stringify(rig.log.lines)).not.toContain('two\\nlines');
  });

  it('launches the terminal plainly for a login by hand while a core setting is missing', async () => {
    rig.installTerminal({});
    const host = rig.host({ TERMINAL_LOGIN: String(LOGIN), TERMINAL_PASSWORD: PASSWORD, TERMINAL_SERVER: SERVER });
    host.start();
    await rig.logged('manual login awaited');
    await rig.until('the launch', () => rig.launches().length === 1);
    expect(rig.launches()[0]?.arguments).toEqual(['/portable']);
    expect(host.status()).toMatchObject({
      state: 'manual_login',
      message: expect.stringContaining('not set: API_KEY;'),
    });
    expect(readFileSync(join(dirname(rig.executable), 'launches.jsonl'), 'utf8')).not.toContain(PASSWORD);
    rig.session = 42;
    expect(await rig.logged('logged in')).toEqual({ login: 42, candidate: null, seen_in: 'session' });
  });
});
