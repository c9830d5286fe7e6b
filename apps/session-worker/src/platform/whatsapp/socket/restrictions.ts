import {
  NewChatMessageCappingStatusType,
  type NewChatMessageCapInfo,
  type ReachoutTimelockState,
} from '@whiskeysockets/baileys';
import type { PlatformListener, PlatformRestriction } from '../../port.js';
import type { LibrarySocket } from '../messages/outgoing.js';

/** Passes on the restrictions that the platform reports unasked. */
export function watchRestrictions(sock: LibrarySocket, listener: PlatformListener): void {
  sock.ev.on('connection.update', ({ reachoutTimeLock }) => {
    if (reachoutTimeLock) listener.onRestriction(accountRestriction(reachoutTimeLock));
  });
  sock.ev.on('message-capping.update', (cap) => listener.onRestriction(newChatQuota(cap)));
}

/** Asks for both restrictions (docs/platform-protocol.md, 17); what is not answered, or not as expected, is left out. */
export async function askRestrictions(sock: LibrarySocket): Promise<PlatformRestriction[]> {
  const answers = await Promise.allSettled([
    sock.fetchAccountReachoutTimelock().then(accountRestriction),
    sock.fetchNewChatMessageCap().then(newChatQuota),
  ]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

/** Reads a restriction of the account. */
export function accountRestriction({
  isActive = false,
  timeEnforcementEnds: until,
}: ReachoutTimelockState): PlatformRestriction {
  return { reason: 'ACCOUNT_RESTRICTED', isActive, until: isTime(until) ? until : undefined };
}

/** Reads the cap on new chats. Where the platform does not say whether it is reached, the numbers do. */
export function newChatQuota(cap: NewChatMessageCapInfo): PlatformRestriction {
  const { total_quota: total = 0, used_quota: used = 0, capping_status: status } = cap;
  const isActive = status ? status === NewChatMessageCappingStatusType.CAPPED : total > 0 && used >= total;
  const until = new Date(Number(cap.cycle_end_timestamp || NaN) * 1000);
  return { reason: 'NEW_CHAT_QUOTA', isActive, until: isTime(until) ? until : undefined };
}

function isTime(time: Date | undefined): time is Date {
  return time !== undefined && !Number.isNaN(time.getTime()) && time.getTime() > 0;
}
