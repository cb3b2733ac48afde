import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeyProblem, readApiKey } from './api-key';

const fileWith = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'key-')), 'key');
  writeFileSync(path, text);
  return path;
};

describe('the key of a gateway', () => {
  it('is the value of the variable, or what is in the file of its _FILE companion', () => {
    expect(readApiKey('KEY', { KEY: 'from-variable' })).toBe('from-variable');
    expect(readApiKey('KEY', { KEY_FILE: fileWith('from-file\n') })).toBe('from-file');
    expect(apiKeyProblem('KEY', { KEY_FILE: fileWith('from-file\n') })).toBeNull();
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['neither is set', {}, /names KEY, which is not set/],
    ['both are set', { KEY: 'secret-a', KEY_FILE: fileWith('secret-b') }, /both it and KEY_FILE are set/],
    ['the file is not there', { KEY_FILE: '/nowhere/key' }, /KEY.*cannot be read from the file in KEY_FILE/],
    ['the file is empty', { KEY_FILE: fileWith('\n') }, /KEY_FILE is empty/],
    ['it has spaces', { KEY: 'secret of three words' }, /KEY.*must be a value without spaces/],
  ])('is refused by name and without its value when %s', (_case, env, problem) => {
    expect(apiKeyProblem('KEY', env)).toMatch(problem);
    expect(apiKeyProblem('KEY', env)).not.toMatch(/secret/);
    expect(() => readApiKey('KEY', env)).toThrow(problem);
  });
});
