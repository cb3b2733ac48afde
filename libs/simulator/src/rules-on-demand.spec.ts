import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@libs/settings';
import { simulatorSettings } from './index';
import { parseFault } from './session/parse-fault';

/** Whether libs/validation was loaded: it adds functions to Reflect, for the decorators. */
const hasRules = (): boolean => Object.hasOwn(Reflect, 'getMetadata');

describe('the rules of what comes from outside', () => {
  it('are loaded with the first symbol file or fault, so that a simulator without them starts fast', () => {
    readSettings(simulatorSettings, {});
    expect(hasRules()).toBe(false);
    const path = join(mkdtempSync(join(tmpdir(), 'rules-')), 'symbols.json');
    writeFileSync(path, '{"symbols":[{"name":"EURUSD"}]}');
    readSettings(simulatorSettings, { SIM_SYMBOLS: path });
    expect(hasRules()).toBe(true);
    expect(parseFault({ kind: 'disconnected' })).toEqual({ kind: 'disconnected' });
  });
});
