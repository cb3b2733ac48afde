import { subscribe } from 'node:diagnostics_channel';
import { lmdbStores, StoreEngine, type Store, type StoreOptions, type TableSource } from '@libs/store';

/** Requests without an answer, and writes that are not on disk. */
const open = new Set<object>();
/** Answers that a test holds back. */
const held = new Set<object>();

subscribe('undici:request:create', (message) => void open.add(requestOf(message)));
subscribe('undici:request:headers', (message) => void open.delete(requestOf(message)));
subscribe('undici:request:error', (message) => void open.delete(requestOf(message)));

/**
 * Whether this process waits for a socket or a disk. A virtual clock stands still meanwhile: on a busy machine, seconds of its
 * time would pass during a request of a millisecond.
 */
export function isWorking(): boolean {
  return open.size > held.size;
}

/** Notes that an answer is held back until something is done. */
export async function heldBack(until: Promise<void>): Promise<void> {
  await noted(held, until);
}

/** The stores of the machine; {@link isWorking} covers their writes. */
export class NotedStores extends StoreEngine {
  open<T>(options: StoreOptions, define: (source: TableSource) => T): Store<T> {
    const store = lmdbStores.open(options, define);
    const write = store.write.bind(store);
    store.write = (change) => noted(open, write(change));
    return store;
  }
}

async function noted<T>(set: Set<object>, work: Promise<T>): Promise<T> {
  const mark = {};
  set.add(mark);
  try {
    return await work;
  } finally {
    set.delete(mark);
  }
}

function requestOf(message: unknown): object {
  return (message as { readonly request: object }).request;
}
