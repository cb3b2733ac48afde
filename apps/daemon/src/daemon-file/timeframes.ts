/** The timeframes of bars, as the gateways name them. */
export const timeframes: readonly string[] =
  'M1 M2 M3 M4 M5 M6 M10 M12 M15 M20 M30 H1 H2 H3 H4 H6 H8 H12 D1 W1 MN1'.split(' ');
