/**
 * Server names whose addresses are public documentation. Short on purpose: brokers move their access points, and an
 * address that is out of date costs a login attempt. Others come from TERMINAL_SERVER_ADDR or a resolver.
 */
export const brokerTable: Readonly<Record<string, readonly string[]>> = {
  // MetaQuotes' own demo, as in its server documentation.
  'MetaQuotes-Demo': ['access.metatrader5.com:443'],
};
