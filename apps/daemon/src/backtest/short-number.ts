/** Two decimals, or so many as are asked for; – for null and for what is not a finite number. */
export function shortNumber(value: number | null, digits = 2): string {
  return value === null || !Number.isFinite(value) ? '–' : value.toFixed(digits).replace(/^-(0(\.0*)?)$/, '$1');
}

/** A length of time in the two largest units that it has: `360 d`, `3 d 4 h`, `10 h 25 min`, `9.8 min`. */
export function spanText(minutes: number): string {
  if (minutes < 60) return `${Number(minutes.toFixed(1))} min`;
  const whole = Math.round(minutes);
  const [days, hours] = [Math.floor(whole / 1_440), Math.floor(whole / 60) % 24];
  if (days >= 10) return `${Math.round(whole / 1_440)} d`;
  return days > 0 ? `${days} d ${hours} h` : `${hours} h ${whole % 60} min`;
}
