/**
 * The latest date that a history request can have, in server seconds: the package accepts signed 32-bit integers. A
 * window that ends there includes everything so far, regardless of this machine's clock.
 */
export const latestDateS = 2 ** 31 - 1;
