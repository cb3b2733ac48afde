import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { lmdbStores, StoreWriteError } from '@libs/store';
import { applyChange } from '../trade-journal/journal-tables';
import { JournalStore } from '../trade-journal/journal.store';
import { backupCommandOf } from './backup-command';
import { BackupService } from './backup-service';
import { RunningGateway } from './running-gateway';

describe('the gateway that runs on a state directory', () => {
  const clock = new SystemClock();
  const logger = { info: () => undefined, warn: () => undefined };
  let stateDir: string;
  let gateway: RunningGateway;
  const commandsLeft = (): string[] => readdirSync(join(stateDir, 'commands'));

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'backup-'));
    gateway = new RunningGateway(stateDir, clock);
  });
  afterEach(() => rm(stateDir, { recursive: true }));

  it('copies its journal while it writes, and leaves no command behind', async () => {
    const store = new JournalStore(lmdbStores, join(stateDir, 'journal'), randomUUID);
    const service = new BackupService(stateDir, store, clock, logger);
    await service.start();
    await store.write((tables) => applyChange(tables, { put: 'open', key: 'a' }));
    expect(await gateway.answers()).toBe(true);
    const copy = join(stateDir, 'copy');
    await gateway.copyJournal(copy);
    await store.write((tables) => applyChange(tables, { put: 'open', key: 'b' }));
    await expect(gateway.copyJournal(copy)).rejects.toThrow(`there is a database in ${copy}`);
    await service.stop();
    await store.close();
    const copied = new JournalStore(lmdbStores, copy, randomUUID);
    expect([copied.id, copied.keysLeftOpen()]).toEqual([store.id, ['a']]);
    await copied.close();
    expect(commandsLeft()).toEqual([]);
  });

  it('reports that the journal cannot be copied', async () => {
    const journal = { copyTo: () => Promise.reject(new StoreWriteError('the trade journal cannot be written: full')) };
    const service = new BackupService(stateDir, journal, clock, logger);
    await service.start();
    await expect(gateway.copyJournal(join(stateDir, 'copy'))).rejects.toThrow(
      'the running gateway could not copy its trade journal: the trade journal cannot be written: full',
    );
    await service.stop();
  });

  it('does not answer when none runs, and finds no command of that time when it starts', async () => {
    expect(await gateway.answers()).toBe(false);
    expect(existsSync(join(stateDir, 'commands'))).toBe(false);
    const service = new BackupService(stateDir, { copyTo: () => Promise.resolve() }, clock, logger);
    await service.start();
    await service.stop();
    expect(await gateway.answers()).toBe(false);
    expect(commandsLeft()).toEqual([]);
  });
});

describe('the text of a backup command', () => {
  it.each([{ command: 'ping' }, { command: 'copy-journal', folder: '/backup/trade-journal' }])('is parsed: %j', (one) =>
    expect(backupCommandOf(JSON.stringify(one))).toEqual(one),
  );

  it.each(['{', 'null', '{"command":"copy-journal"}', '{"command":"copy-journal","folder":"here"}', '{"command":"x"}'])(
    'is not a command: %s',
    (text) => expect(backupCommandOf(text)).toBeNull(),
  );
});
