import autocannon from 'autocannon';

/** One run of load, and its main figures. Answers other than 200 make a figure worthless, so they are an error. */
export async function load({ url, key, connections, seconds }) {
  const options = { url, connections, headers: { authorization: `Bearer ${key}` } };
  const warmUp = await autocannon({ ...options, duration: 1 });
  const result = await autocannon({ ...options, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers other than 200, ${result.errors} errors`);
  }
  const { requests, latency, throughput } = result;
  return {
    perSecond: requests.mean,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    mibPerSecond: throughput.mean / 2 ** 20,
    /** Answers, those of the warm-up included. */
    answers: warmUp.requests.total + requests.total,
  };
}
