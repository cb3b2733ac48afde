// A gateway on a netting account, in a process of its own, whose journal and audit log take a given time for each flush. Its
// files are in memory if the machine has a folder for it, so that the disk of the machine adds nothing.
import 'reflect-metadata';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pino from 'pino';
import { answerUsage } from './main-thread.mjs';

const built = (file) => createRequire(import.meta.url)(`../../dist/${file}`);
const { createGateway } = built('apps/gateway/src/gateway.app.js');
const { readGatewaySettings } = built('apps/gateway/src/gateway.config.js');
const { machineFiles } = built('libs/files/src/index.js');
const { lmdbStores } = built('libs/store/src/index.js');

const flushMs = Number(process.argv[2]);
/** Flushes so far, each for everything that waited for it. */
let flushes = 0;
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const key = 'bench-key';
const settings = readGatewaySettings({
  API_KEY: key,
  ORDER_AUDIT_FILE: join(folder, 'order-audit.jsonl'),
  KILL_SWITCH_FILE: join(folder, 'kill-switch'),
  STATE_DIR: join(folder, 'state'),
  SHUTDOWN_DRAIN_SECONDS: '0',
  SIM_MARGIN_MODE: 'netting',
  SIM_BALANCE: '100000000',
});
const app = await createGateway(settings, pino({ level: 'silent' }), { stores: slowStores(), files: slowFiles() });
await app.listen(0, '127.0.0.1');
answerUsage(() => flushes);
process.send({ url: await app.getUrl(), key });

/** As of one disk: what comes during a flush shares the next one. @returns waits for a flush that starts now or later */
function sharedFlush() {
  let current = null;
  let next = null;
  const start = () => {
    flushes += 1;
    current = new Promise((resolve) => setTimeout(resolve, flushMs)).then(() => {
      current = null;
    });
    return current;
  };
  const follow = () =>
    current.then(() => {
      next = null;
      return start();
    });
  return () => (flushMs === 0 ? Promise.resolve() : current ? (next ??= follow()) : start());
}

/** As LMDB: the writes of one turn are one commit, with one flush, and those that come meanwhile are the next one. */
function sharedCommit(store) {
  let waiting = [];
  let isCommitting = false;
  const commit = async () => {
    await nextTurn();
    while (waiting.length > 0) {
      const writes = waiting;
      waiting = [];
      flushes += 1;
      const written = await Promise.allSettled(writes.map(({ change }) => store.write(change)));
      await new Promise((resolve) => setTimeout(resolve, flushMs));
      written.forEach(({ reason }, index) => writes[index].settle(reason));
      // Whoever goes on with the next write in the same turn is in the next commit.
      await nextTurn();
    }
    isCommitting = false;
  };
  return (change) =>
    new Promise((resolve, reject) => {
      waiting.push({ change, settle: (reason) => (reason === undefined ? resolve() : reject(reason)) });
      if (isCommitting) return;
      isCommitting = true;
      void commit();
    });
}

function slowStores() {
  const open = (options, define) => {
    const store = lmdbStores.open(options, define);
    const write = flushMs === 0 ? (change) => store.write(change) : sharedCommit(store);
    return new Proxy(store, {
      get(target, name) {
        if (name === 'write') return write;
        const member = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  return { open };
}

function slowFiles() {
  const flush = sharedFlush();
  const open = async (...place) => {
    const file = await machineFiles.open(...place);
    const datasync = file.datasync.bind(file);
    file.datasync = async () => {
      await datasync();
      await flush();
    };
    return file;
  };
  return new Proxy(machineFiles, {
    get: (target, name) => (name === 'open' ? open : Reflect.get(target, name, target)),
  });
}
