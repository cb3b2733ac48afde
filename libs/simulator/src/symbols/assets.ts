/** What the generated value of one asset is made of; values are in US dollars. */
export interface AssetSpec {
  /** Long-term value of one unit, in dollars. */
  readonly value: number;
  /** Standard deviation of a day's logarithmic change. */
  readonly dailyVolatility: number;
  /** Moves at weekends as on weekdays. */
  readonly continuous?: boolean;
}

export type Assets = Readonly<Record<string, AssetSpec>>;

/** The assets of the shipped catalogue. USD is the measure, so it does not move. */
export const assets: Assets = {
  USD: { value: 1, dailyVolatility: 0 },
  EUR: { value: 1.0912, dailyVolatility: 0.0046 },
  GBP: { value: 1.2718, dailyVolatility: 0.0055 },
  JPY: { value: 1 / 147.3, dailyVolatility: 0.0056 },
  CHF: { value: 1 / 0.8831, dailyVolatility: 0.0048 },
  AUD: { value: 0.6583, dailyVolatility: 0.0064 },
  NZD: { value: 0.6071, dailyVolatility: 0.0066 },
  CAD: { value: 1 / 1.3569, dailyVolatility: 0.0042 },
  XAU: { value: 2_312.4, dailyVolatility: 0.0088 },
  US500: { value: 5_204.3, dailyVolatility: 0.0094 },
  BTC: { value: 64_310, dailyVolatility: 0.027, continuous: true },
};
