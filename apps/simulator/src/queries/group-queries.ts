import { hiddenAddress, phoneAddress } from '@svc/contracts';
import type { Group } from '../people/groups.js';
import { seconds, type Stanza, stanza } from '../wire/nodes.js';
import type { QueryContext } from './query-context.js';

/** Answers with the members of a group, to its members only. */
export function describeGroup({ groups, person }: QueryContext, request: Stanza): Stanza[] {
  const group = groups.find(request.attrs.to);
  if (group?.members.includes(person)) return [groupNode(group)];
  return [stanza('error', { code: 403, text: 'forbidden' })];
}

/** Answers with all groups that the account belongs to. */
export function listGroups({ groups, person }: QueryContext): Stanza[] {
  const own = groups.all().filter(({ members }) => members.includes(person));
  return [stanza('groups', {}, own.map(groupNode))];
}

function groupNode({ jid, subject, members, createdAt }: Group): Stanza {
  const [creator] = members;
  const createdAtS = seconds(createdAt.getTime());
  const attributes = { id: jid, subject, creation: createdAtS, s_t: createdAtS, size: members.length };
  const creatorJid = creator && hiddenAddress(creator.lid);
  const participants = members.map((member) => {
    const type = member === creator ? 'superadmin' : undefined;
    return stanza('participant', {
      jid: hiddenAddress(member.lid),
      phone_number: phoneAddress(member.phone),
      type,
    });
  });
  return stanza('group', { ...attributes, creator: creatorJid, addressing_mode: 'lid' }, participants);
}
