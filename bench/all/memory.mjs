import { readFileSync } from 'node:fs';
import { close, open } from './trades.mjs';

const clients = 16;
/** A new gateway gives memory of its start back some seconds later. */
const settleMs = 15_000;

/**
 * Memory of a gateway with the simulator in its process: what is its own alone (RssAnon, proc(5)), after its start and after a number
 * of orders, every second of which closes the position of the one before it.
 */
export async function memoryOf(gateway, orders) {
  await pause(settleMs);
  const idleMib = privateMib(gateway.pid);
  let sent = 0;
  const client = async () => {
    for (; sent < orders; sent += 2) await close(gateway, await open(gateway));
  };
  await Promise.all(Array.from({ length: clients }, client));
  await pause(settleMs);
  return { orders, idleMib, afterMib: privateMib(gateway.pid) };
}

function privateMib(pid) {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
