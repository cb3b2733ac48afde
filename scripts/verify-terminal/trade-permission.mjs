/** ACCOUNT_TRADE_MODE_DEMO. The simulated broker of this product is a demo account as well. */
const demo = 0;

/** Why no order may be sent on this account, or null. */
export function mayNotTrade({ account, health }, { login }) {
  if (account.login !== login) return `--login ${login} is not the account that is logged in`;
  if (account.trade_mode !== demo) return 'the account is not a demo account (trade_mode is not 0)';
  return health.kill_switch_active ? 'the kill switch is active' : null;
}
