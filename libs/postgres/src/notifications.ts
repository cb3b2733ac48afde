/** The channel on which a released lease is announced, an order of an operator, and a configuration. */
export const releaseChannel = 'lease_released';

/** Payload of the notification that a version of the configuration was applied. */
export const appliedPayload = 'configuration';
