import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGatewaySettings } from '../gateway.config';
import { banner, trialOf } from './trial';

describe('a trial of the gateway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trial-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a key that stays, and all state below its folder', () => {
    const { env, keyFile } = trialOf({ API_KEY: '' }, folder);
    const settings = readGatewaySettings(env);
    expect(settings.API_KEY).toMatch(/^[\w-]{32}$/);
    expect(readFileSync(keyFile ?? '', 'utf8')).toBe(`${settings.API_KEY}\n`);
    expect(statSync(keyFile ?? '').mode & 0o777).toBe(0o600);
    const places = [settings.STATE_DIR, settings.ORDER_AUDIT_FILE, settings.KILL_SWITCH_FILE];
    for (const place of places) expect(place.startsWith(folder)).toBe(true);
    expect(trialOf({}, folder).env['API_KEY']).toBe(settings.API_KEY);
  });

  it('uses what is set, and does not print a key that it did not make', () => {
    const trial = trialOf({ API_KEY: 'of-mine', LOG_LEVEL: 'DEBUG' }, folder);
    expect(trial).toMatchObject({ keyFile: null, env: { API_KEY: 'of-mine', LOG_LEVEL: 'DEBUG' } });
    expect(banner('http://127.0.0.1:5001', trial)).not.toContain('of-mine');
  });

  it('prints address, key and a first order', () => {
    const trial = trialOf({}, folder);
    const text = banner('http://0.0.0.0:5001', trial);
    expect(text).toContain(`API key   ${trial.env['API_KEY'] ?? '?'} `);
    expect(text).toMatch(/curl -s http:\/\/127\.0\.0\.1:5001\/order -H "Authorization: Bearer [\w-]{32}" /);
  });
});
