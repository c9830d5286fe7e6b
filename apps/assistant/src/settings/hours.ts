import { type BusinessHours, WEEKDAYS } from '@svc/contracts';

const DAY_MIN = 24 * 60;
const WEEK_MIN = 7 * DAY_MIN;

/** Says whether a business is open at a time, by its own clock. Without hours it always is. */
export function isOpen(hours: BusinessHours | null, at: Date): boolean {
  if (hours === null) return true;
  const now = minuteOfWeek(hours.timezone, at);
  return hours.open.some(({ day, from, to }) => {
    const start = WEEKDAYS.indexOf(day) * DAY_MIN + minutesOf(from);
    const length = minutesOf(to) - minutesOf(from);
    // Times of Sunday may go on into Monday, where the week begins anew.
    return (now - start + WEEK_MIN) % WEEK_MIN < (length > 0 ? length : length + DAY_MIN);
  });
}

function minuteOfWeek(timeZone: string, at: Date): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  } as Intl.DateTimeFormatOptions);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = WEEKDAYS.findIndex((name) => name === parts['weekday']?.toUpperCase());
  return day * DAY_MIN + Number(parts['hour']) * 60 + Number(parts['minute']);
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
