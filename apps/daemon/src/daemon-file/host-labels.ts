/** A label of a host, as DAEMON_LABELS and `runsOn` have it. */
export const hostLabel = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const hostLabelShape = '1 to 63 letters, digits, dots, dashes or underscores';
