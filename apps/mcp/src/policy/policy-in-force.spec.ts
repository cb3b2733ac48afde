import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonSchemaOf } from '@libs/validation';
import { mistakenFiles } from '../../../../test/setup/changes-of';
import { PolicyFile } from './policy-file';
import { PolicyInForce } from './policy-in-force';

const rulesOf = (file: string | undefined): PolicyFile => PolicyInForce.read(file).rules;

describe('the policy file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'policy-'));
  const read = (text: string): PolicyFile => {
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, text);
    return rulesOf(file);
  };

  afterAll(() => rmSync(folder, { recursive: true }));

  it('is, without a file, a person for every request', () => {
    expect(rulesOf(undefined)).toMatchObject({ read_only: false, approve_by: ['elicitation', 'terminal'] });
    expect(rulesOf(undefined).without_person).toBeUndefined();
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

  it('has no member that may be without a value or of another type: hours of nothing would be all hours', () => {
    const hours = { days: ['mon'], from: '08:00', to: '17:00' };
    const lots = { max_lots: 1, max_open_lots: 1, max_loss: 1, max_requests_per_hour: 1, max_requests_per_day: 1 };
    const file = { magic: 5, without_person: { paper_only: true, actions: ['open'], symbols: ['A'], ...lots, hours } };
    const untold = [...mistakenFiles(jsonSchemaOf(PolicyFile), file)].filter(({ place, text }) => {
      const member = String(place.findLast((name) => typeof name === 'string'));
      try {
        read(text);
        return true;
      } catch (error) {
        return !String(error).includes(member);
      }
    });
    expect(untold.map(({ place, mistake }) => `${place.join('.')} = ${JSON.stringify(mistake)}`)).toEqual([]);
  });

  it.each(['/dev/null', '/dev/zero', tmpdir()])('is a regular file: %s is none', (place) => {
    const link = join(folder, `link-${place.replaceAll('/', '-')}`);
    symlinkSync(place, link);
    expect(() => rulesOf(link)).toThrow('is no regular file');
  });

  it.each([
    ['hours of no length', 'without_person.hours.from must differ from its to'],
    ['a permission to trade where it is read only', 'without_person must be absent'],
  ])('refuses %s', (_name, problem) => {
    const allowed = [
      ...['without_person:', '  actions: [open]', '  symbols: [EURUSD]', '  max_lots: 1', '  max_open_lots: 1'],
      ...['  max_loss: 1', '  max_requests_per_hour: 1', '  max_requests_per_day: 1'],
      ...['  hours: {days: [mon], from: "17:00", to: "17:00"}', 'read_only: true'],
    ].join('\n');
    expect(() => read(allowed)).toThrow(problem);
  });

  it('refuses that nobody can approve, and a key that is none', () => {
    expect(() => read('approve_by: [terminal]')).toThrow('approval_keys must have a key');
    expect(() => read('approval_keys: [secret]')).toThrow('approval_keys must be a list of public keys');
    const pem = '-----BEGIN PRIVATE KEY-----';
    expect(() => read(`approval_keys: ["${pem}"]`)).toThrow('approval_keys must be a list of public keys');
    expect(read(`approve_by: [terminal]\napproval_keys: ["${'A'.repeat(43)}="]`).approval_keys).toHaveLength(1);
  });

  it('is in force only while it is as it was at the start', () => {
    const file = join(folder, 'policy.yaml');
    const text = 'magic: 5';
    writeFileSync(file, text);
    const inForce = PolicyInForce.read(file);
    expect(inForce.rules.magic).toBe(5);
    inForce.requireUnchanged();
    for (const other of ['magic: 6', '{', '', `${text}\n`]) {
      writeFileSync(file, other);
      expect(() => inForce.requireUnchanged()).toThrow('has changed since this server started');
    }
    rmSync(file);
    expect(() => inForce.requireUnchanged()).toThrow('cannot be read');
    writeFileSync(file, text);
    inForce.requireUnchanged();
    PolicyInForce.read(undefined).requireUnchanged();
  });

  it('refuses a file that is missing, or is no YAML', () => {
    expect(() => rulesOf(join(folder, 'none.yaml'))).toThrow('none.yaml');
    expect(() => read('{')).toThrow('MCP_POLICY_FILE');
    expect(() => read('- a')).toThrow('must be a mapping');
  });
});
