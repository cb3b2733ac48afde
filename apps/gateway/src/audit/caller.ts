/** The keys of the gateway: API_KEY, API_KEY_NEXT and API_KEY_READONLY. */
export const keyRoles = ['primary', 'next', 'readonly'] as const;
export type KeyRole = (typeof keyRoles)[number];

/** Who caused an event of the audit log: the request, and the role of its key. The key itself is never written. */
export interface Caller {
  readonly request_id: string;
  /** The trace that the request belongs to: 32 hexadecimal digits. */
  readonly trace_id: string;
  readonly api_key: KeyRole | null;
}
