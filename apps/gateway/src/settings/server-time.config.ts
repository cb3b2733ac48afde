import { SettingRefused, integer, seconds, text } from '@libs/settings';
import { parseServerZone } from '../server-time/zone-setting';

/** How the broker's time zone, or its offset from UTC, is found. */
export const serverTimeSettings = {
  TERMINAL_SERVER_TIME_ZONE: text({
    meaning:
      'IANA time zone of the broker server, with daylight saving; may have an offset in hours, as in America/New_York+7. Precedes all other sources of the offset.',
    check: (zone) => {
      try {
        parseServerZone(zone);
      } catch (error) {
        throw new SettingRefused(error instanceof RangeError ? error.message : 'must be an IANA time zone');
      }
    },
  }),
  TERMINAL_SERVER_UTC_OFFSET_SECONDS: integer({
    meaning:
      'Fixed offset of the broker server from UTC in seconds, without daylight saving. Precedes the derived offset.',
    min: -43_200,
    max: 50_400,
  }),
  TERMINAL_TIME_REFERENCE_SYMBOL: text({
    meaning: 'Symbol that is tried first to derive the offset; by default the newest live quote of Market Watch.',
  }),
  TERMINAL_TIME_DERIVE_ATTEMPTS: integer({
    meaning: 'Reads of the quotes for one derivation.',
    default: 10,
    min: 2,
    max: 1_000,
  }),
  TERMINAL_TIME_DERIVE_DELAY: seconds({ meaning: 'Pause between those reads.', default: 0.5, min: 0, max: 60 }),
  TERMINAL_TIME_REFRESH_SECONDS: seconds({
    meaning: 'Interval of derivations while connected; 0: none.',
    default: 600,
    min: 0,
    max: 86_400,
  }),
  TERMINAL_TIME_OFFSET_CONFIRMATIONS: integer({
    meaning: 'Equal new offsets in a row that replace the present one.',
    default: 2,
    min: 1,
    max: 100,
  }),
  TERMINAL_TIME_MAX_OFFSET_AGE_SECONDS: seconds({
    meaning: 'Age up to which a GTD order may use a derived offset.',
    default: 21_600,
    min: 1,
    max: 604_800,
  }),
  TERMINAL_TIME_ORDER_DERIVE_ATTEMPTS: integer({
    meaning: 'Reads of the quote by an order without a usable offset.',
    default: 5,
    min: 1,
    max: 1_000,
  }),
  TERMINAL_TIME_ORDER_DERIVE_DELAY: seconds({
    meaning: 'Pause between those reads.',
    default: 0.2,
    min: 0,
    max: 60,
  }),
};
