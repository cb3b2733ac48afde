import { readFileSync } from 'node:fs';
import { close, open } from './trades.mjs';

const clients = 16;
/** A new gateway gives memory of its start back some seconds later. */
const settleMs = 15_000;

/** Shares of the orders after which memory is read. */
const shares = [0.05, 0.2, 1];

/**
 * Memory of a gateway: what is its own alone (RssAnon, proc(5)), after its start and after numbers of orders, every second of which
 * closes the position of the one before it; right after the last order, and when it has settled.
 * @returns for each number of orders also the processor time of the gateway per order since the one before
 */
export async function memoryOf(gateway, orders) {
  await pause(settleMs);
  const idleMib = privateMib(gateway.pid);
  const rows = [];
  let sent = 0;
  for (const count of shares.map((share) => Math.round(orders * share))) {
    const before = { sent, cpuSeconds: (await gateway.usage()).cpuSeconds };
    const client = async () => {
      while (sent < count) {
        sent += 2;
        await close(gateway, await open(gateway));
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    const mib = privateMib(gateway.pid);
    const cpuSeconds = (await gateway.usage()).cpuSeconds - before.cpuSeconds;
    await pause(settleMs);
    const cpuMs = (1_000 * cpuSeconds) / (sent - before.sent);
    rows.push({ orders: count, mib, settledMib: privateMib(gateway.pid), cpuMs });
  }
  return { idleMib, rows };
}

function privateMib(pid) {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
