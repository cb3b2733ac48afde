import {
  departuresOf,
  isDraining,
  reservedForOthers,
  reservedHere,
  unplacedOf,
  type OtherHost,
  type Situation,
} from './placement';

const host = (id: string, changes: Partial<OtherHost> = {}): OtherHost => ({
  ...{ id, name: `host-${id}`, capacity: 2, isDraining: false, labels: [], leases: 0 },
  ...changes,
});
const situation = (changes: Partial<Situation>): Situation => ({
  ...{
    id: 'own',
    units: ['a', 'b'].map((name) => ({ name, runsOn: [] })),
    held: ['a', 'b'],
    hosts: [host('own'), host('other')],
    open: [],
  },
  ...changes,
});
const reserved = (reservedFor: string, isFree = false) => [{ name: 'a', isFree, reservedFor }];

describe('the placement of units', () => {
  it('leaves a unit to the host that it is reserved for, as long as that host runs and takes units', () => {
    const open = reserved('other', true);
    expect([...reservedForOthers(situation({ open }))]).toEqual(['a']);
    expect([...reservedForOthers(situation({ open, hosts: [host('own')] }))]).toEqual([]);
    const draining = [host('own'), host('other', { isDraining: true })];
    expect([...reservedForOthers(situation({ open, hosts: draining }))]).toEqual([]);
  });

  it('takes a unit that is reserved for this host once it is free', () => {
    expect(reservedHere(situation({ open: reserved('own', true) }))).toEqual(['a']);
    expect(reservedHere(situation({ open: reserved('own') }))).toEqual([]);
    expect([...reservedForOthers(situation({ open: reserved('own', true) }))]).toEqual([]);
  });

  it('gives away a unit that is moved, and nothing else', () => {
    expect(departuresOf(situation({ open: reserved('other') }))).toEqual([
      { unit: 'a', ordered: 'other', target: host('other'), obstacle: null },
    ]);
    expect(departuresOf(situation({ open: reserved('own') }))).toEqual([]);
    expect(departuresOf(situation({}))).toEqual([]);
  });

  it.each([
    ['does not run', [host('own')], 'its host is not running'],
    ['drains', [host('own'), host('other', { isDraining: true })], 'host host-other is draining'],
    [
      'lacks a label',
      [host('own', { labels: ['fast'] }), host('other', { labels: ['far'] })],
      'host host-other does not have the label fast',
    ],
    ['is full', [host('own'), host('other', { leases: 2 })], 'host host-other has no room'],
  ])('keeps a unit whose target %s', (_case, hosts, obstacle) => {
    const runsOn = hosts[0]?.labels ?? [];
    const units = [{ name: 'a', runsOn }];
    expect(departuresOf(situation({ units, held: ['a'], open: reserved('other'), hosts }))).toMatchObject([
      { unit: 'a', obstacle },
    ]);
  });

  it('gives away all units of a host that drains, those that are moved first', () => {
    const hosts = [host('own', { isDraining: true }), host('other')];
    expect(isDraining(situation({ hosts }))).toBe(true);
    const open = [{ name: 'b', isFree: false, reservedFor: 'other' }];
    expect(departuresOf(situation({ hosts, open })).map(({ unit, ordered }) => [unit, ordered])).toEqual([
      ['b', 'other'],
      ['a', null],
    ]);
  });

  it('keeps the units of a host that drains while no other host may take them', () => {
    const hosts = [host('own', { isDraining: true }), host('other', { leases: 2 })];
    expect(departuresOf(situation({ hosts }))).toMatchObject([
      { unit: 'a', obstacle: 'no other host may take it' },
      { unit: 'b', obstacle: 'no other host may take it' },
    ]);
  });

  it('reports a free unit that no running host may take, with the reason of each host', () => {
    const open = [{ name: 'a', isFree: true, reservedFor: null }];
    const problems = (hosts: readonly OtherHost[], runsOn: readonly string[] = []) =>
      unplacedOf(situation({ open, hosts, units: [{ name: 'a', runsOn }] })).map(({ problem }) => problem);
    expect(problems([host('own')])).toEqual([]);
    expect(problems([host('own')], ['fast'])).toEqual(['no running host has the label fast']);
    expect(problems([host('own', { leases: 2 }), host('other', { isDraining: true })])).toEqual([
      'host host-own has no room, host host-other is draining',
    ]);
    expect(unplacedOf(situation({ units: [{ name: 'a', runsOn: ['fast'] }] }))).toEqual([]);
  });
});
