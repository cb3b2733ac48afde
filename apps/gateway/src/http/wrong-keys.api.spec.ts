import pino from 'pino';
import { VirtualClock } from '@libs/clock';
import { readGatewaySettings } from '../gateway.config';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { warnOfShortKeys } from './wrong-keys';

describe('keys that are wrong or weak', () => {
  const lines: string[] = [];
  const clock = new VirtualClock();
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    const env = { SIM_HOURS: 'always', SIM_STATE_FILE: '' };
    gateway = await gatewayUnderTest({ clock, env, logged: { write: (line: string) => void lines.push(line) } });
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });
  const guess = async (method: 'GET' | 'POST'): Promise<number> => {
    const headers = { authorization: 'Bearer guessed-secret' };
    return (await gateway.app.inject({ method, url: method === 'GET' ? '/account' : '/kill', headers })).statusCode;
  };
  const warnings = (): string[] => lines.filter((line) => line.includes('wrong key'));

  it('are counted, and logged at most once a minute with their number, never with the key', async () => {
    for (const method of ['GET', 'POST', 'GET'] as const) expect(await guess(method)).toBe(401);
    expect((await gateway.app.inject('/account')).statusCode).toBe(401);
    expect((await gateway.call('/metrics')).body).toMatch(/^wrong_keys_total 3$/m);
    expect(warnings()).toHaveLength(1);
    await clock.advance(60_000);
    await guess('GET');
    expect(warnings()).toHaveLength(2);
    expect(JSON.parse(warnings()[1] ?? '')).toMatchObject({ level: 'WARNING', requests: 3 });
    expect(lines.join('')).not.toContain('guessed-secret');
  });

  it('are named at the start if they are short, without their value', () => {
    const warned: string[] = [];
    const logger = pino({}, { write: (line: string) => void warned.push(line) });
    warnOfShortKeys({ API_KEY: 'tiny', API_KEY_NEXT: 'n'.repeat(16), API_KEY_READONLY: 'small' }, logger);
    expect(warned).toHaveLength(1);
    expect(JSON.parse(warned[0] ?? '')).toMatchObject({ settings: ['API_KEY', 'API_KEY_READONLY'] });
    expect(warned.join('')).not.toMatch(/tiny|small/);
  });

  it('are refused at the start if no request can carry them', () => {
    expect(() => readGatewaySettings({ API_KEY: 'k'.repeat(20_000) })).toThrow(/API_KEY/);
    expect(() => readGatewaySettings({ API_KEY: 'k'.repeat(4_096) })).not.toThrow();
  });
});
