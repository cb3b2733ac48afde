import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PolicyFile } from './policy-file';
import { readPolicyFile } from './read-policy-file';

describe('the policy file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'policy-'));
  const read = (text: string): PolicyFile => {
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, text);
    return readPolicyFile(file);
  };

  afterAll(() => rmSync(folder, { recursive: true }));

  it('is, without a file, a person for every request', () => {
    expect(readPolicyFile(undefined)).toMatchObject({ read_only: false, approve_by: ['elicitation', 'terminal'] });
    expect(readPolicyFile(undefined).without_person).toBeUndefined();
  });

  it('is read as the documentation shows it', () => {
    const page = readFileSync(join(__dirname, '../../../../docs/mcp.md'), 'utf8');
    const [, example = ''] = /```yaml\n([^]+?)```/.exec(page) ?? [];
    expect(read(example)).toMatchObject({ magic: 40040, without_person: { paper_only: true, symbols: ['EURUSD'] } });
  });

  it('refuses the start with every problem at once', () => {
    const text = [
      ...['read_onyl: true', 'approve_by: []', 'handle_seconds: 5', 'magic: 0', 'without_person:'],
      ...['  paper_only: "no"', '  actions: [open, transfer]', '  symbols: []', '  max_lots: -1', '  max_loss: .inf'],
      ...['  max_requests_per_hour: 0', '  hours: {days: [monday], from: "8", to: "25:00"}'],
    ].join('\n');
    const refused = (): unknown => read(text);
    const names = [
      ...['read_onyl', 'approve_by', 'handle_seconds', 'magic', 'paper_only', 'actions', 'symbols', 'max_lots'],
      ...['max_open_lots', 'max_loss', 'max_requests_per_hour', 'max_requests_per_day', 'days', 'from', 'to'],
    ];
    for (const name of names) expect(refused).toThrow(new RegExp(`^  (without_person\\.)?(hours\\.)?${name} `, 'm'));
  });

  it.each([
    ['hours that end before they begin', 'without_person.hours.from must be before'],
    ['a permission to trade where it is read only', 'without_person must be absent'],
  ])('refuses %s', (_name, problem) => {
    const allowed = [
      ...['without_person:', '  actions: [open]', '  symbols: [EURUSD]', '  max_lots: 1', '  max_open_lots: 1'],
      ...['  max_loss: 1', '  max_requests_per_hour: 1', '  max_requests_per_day: 1'],
      ...['  hours: {days: [mon], from: "17:00", to: "08:00"}', 'read_only: true'],
    ].join('\n');
    expect(() => read(allowed)).toThrow(problem);
  });

  it('refuses a file that is missing, or is no YAML', () => {
    expect(() => readPolicyFile(join(folder, 'none.yaml'))).toThrow('none.yaml');
    expect(() => read('{')).toThrow('MCP_POLICY_FILE');
    expect(() => read('- a')).toThrow('must be a mapping');
  });
});
