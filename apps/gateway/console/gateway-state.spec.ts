import type { ReadinessReport } from '@libs/gateway-client';
import { accountMode, reasonsNotReady, type HealthOfChecks } from './gateway-state';

const health: HealthOfChecks = {
  terminal_status: 'connected',
  last_error: null,
  missing_settings: [],
  kill_switch_file: { state: 'ok', error: null },
  audit: { state: 'ok', error: null, missing: null },
  journal: { id: 'j', state: 'ok', reason: null, sequence: 1 },
};

const notReady = (...down: readonly string[]): ReadinessReport => ({
  status: 'not_ready',
  terminal_status: 'connected',
  kill_switch_active: false,
  checks: Object.fromEntries(
    ['terminal', 'kill_switch', 'audit', 'journal'].map((name) => [
      name,
      { status: down.includes(name) ? 'down' : 'up' },
    ]),
  ),
});

describe('why the gateway is not ready', () => {
  it('names each check that is down, with what health knows about it', () => {
    const lost = { ...health, journal: { ...health.journal, state: 'lost' as const, reason: 'another id' } };
    expect(reasonsNotReady(notReady('kill_switch', 'journal'), lost)).toEqual([
      'the kill switch is active',
      'journal: lost (another id)',
    ]);
  });

  it('names the last error of the terminal and settings that are missing', () => {
    const offline = {
      ...health,
      terminal_status: 'cooldown' as const,
      last_error: { code: -10_004, message: 'No IPC connection' },
      missing_settings: ['TERMINAL_LOGIN'],
    };
    expect(reasonsNotReady(notReady('terminal'), offline)).toEqual([
      'terminal: cooldown; No IPC connection (-10004); not set: TERMINAL_LOGIN',
    ]);
  });

  it('is stated without the name of its check where the reason is a sentence', () => {
    const report = notReady();
    const down = (reason: string) => ({ status: 'down' as const, reason });
    const checks = {
      ...report.checks,
      account: down('the account is not synchronized'),
      audit: down('read-only disk'),
    };
    expect(reasonsNotReady({ ...report, checks }, health)).toEqual([
      'audit: read-only disk',
      'the account is not synchronized',
    ]);
  });

  it('names the check alone while health is not known', () => {
    expect(reasonsNotReady(notReady('audit'), null)).toEqual(['audit is down']);
  });

  it('gives a reason even if no check is down, and none while the gateway is ready', () => {
    expect(reasonsNotReady(notReady(), health)).toEqual(['the gateway is not ready']);
    expect(reasonsNotReady({ ...notReady(), status: 'ready' }, health)).toEqual([]);
  });
});

describe('the mode of an account', () => {
  it.each([
    [0, 'demo'],
    [1, 'contest'],
    [2, 'real'],
    [3, 'real'],
  ])('trade_mode %d is %s', (mode, word) => {
    expect(accountMode(mode)).toBe(word);
  });
});
