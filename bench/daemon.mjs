// 300 strategies on 20 symbols in one daemon, trading through one gateway on the simulated broker: from tick to
// submission, memory per strategy, and the control port while one strategy loops forever. Nothing here passes or fails
// by time; it fails when the money does not add up. BENCH_GROUP=10 has that many strategies share a thread, and BENCH_CALL_MS=300
// puts the broker behind the link, with that time for each of its calls.
import { daemonPlan, measureDaemon } from './daemon/measurement.mjs';
import { report } from './daemon/report.mjs';
import { keep } from './started-gateway.mjs';

const { BENCH_SECONDS } = process.env;
const figures = await measureDaemon(daemonPlan(BENCH_SECONDS ? { tradeSeconds: Number(BENCH_SECONDS) } : {}));
console.log(report(figures));
keep('daemon', figures);
if (!figures.books.agree) process.exitCode = 1;
