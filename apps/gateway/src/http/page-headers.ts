/** Headers of every page for a person: it is in no frame, and it tells no other site where it is. */
export const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** What every page has in its policy: nothing but what it names, no form, no other base, no frame around it. */
export const strictPolicy = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
] as const;
