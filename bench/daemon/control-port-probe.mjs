import { percentile } from './percentiles.mjs';
import { pause } from './started-daemon.mjs';

/** Between two questions, so that asking is not the load. */
const everyMs = 25;

/** Asks one route after the other, one question at a time, for as long as `goesOn`; returns milliseconds per route. */
export async function probe(daemon, routes, goesOn) {
  const took = Object.fromEntries(routes.map((route) => [route, []]));
  for (let turn = 0; goesOn(); turn += 1) {
    const route = routes[turn % routes.length];
    const startMs = performance.now();
    await daemon.text(route);
    took[route].push(performance.now() - startMs);
    await pause(everyMs);
  }
  const figures = (values) => ({
    count: values.length,
    p50Ms: percentile(values, 50),
    p99Ms: percentile(values, 99),
    maxMs: percentile(values, 100),
  });
  return {
    all: figures(Object.values(took).flat()),
    routes: Object.fromEntries(routes.map((route) => [route, figures(took[route])])),
  };
}
