/** Restriction of an account, as the platform reports it (`NotificationUserReachoutTimelockUpdate`). */
export interface Timelock {
  /** Reason of the restriction, in the platform's words. */
  type: string;
  /** Time at which it ends by itself (ISO 8601); null: the platform gives no end. */
  until: string | null;
}

/** Cap of new chats that an account may begin in a cycle. */
export interface NewChatCap {
  quota: number;
  used: number;
  /** Time at which `used` begins anew (ISO 8601); null: the platform does not give one. */
  cycleEnd: string | null;
}

/** Restrictions of an account that keep it from writing to people that it has no chat with. */
export interface Restrictions {
  timelock: Timelock | null;
  newChats: NewChatCap | null;
}

export const noRestrictions = (): Restrictions => ({ timelock: null, newChats: null });

/** Reads the restriction of this moment: it ends by itself. */
export function timelockOf({ timelock }: Restrictions, now = Date.now()): Timelock | undefined {
  return timelock && isAhead(timelock.until, now) ? timelock : undefined;
}

/** Reads the cap of this moment: after the end of its cycle nothing of it is used. */
export function newChatsOf({ newChats }: Restrictions, now = Date.now()): NewChatCap | undefined {
  if (!newChats) return undefined;
  return isAhead(newChats.cycleEnd, now) ? newChats : { ...newChats, used: 0, cycleEnd: null };
}

export const isUsedUp = ({ quota, used }: NewChatCap): boolean => used >= quota;

/** Says whether a new chat would be refused. */
export function refusesNewChats(restrictions: Restrictions): boolean {
  const cap = newChatsOf(restrictions);
  return timelockOf(restrictions) !== undefined || (cap !== undefined && isUsedUp(cap));
}

const isAhead = (end: string | null, now: number): boolean => end === null || Date.parse(end) > now;
