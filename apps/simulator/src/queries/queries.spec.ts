import { beforeEach, describe, expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import { aPopulation, linkDevice } from '../../test/support/people.js';
import { Groups } from '../people/groups.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { bytesOf, child, children, childrenNamed, type Stanza, stanza } from '../wire/nodes.js';
import { syncCollections } from './app-state.js';
import { keyBundles, keyCount } from './encrypt-queries.js';
import { describeGroup, listGroups } from './group-queries.js';
import type { QueryContext } from './query-context.js';
import { restrictionQuery } from './restriction-queries.js';
import { lookUpUsers } from './usync.js';

const ACCOUNT = '4915550009600';
const CONTACT = '4915550009601';
const STRANGER = '4915550009602';

describe('a client asks', () => {
  let population: Population;
  let person: Person;
  let contact: Person;
  let context: QueryContext;

  beforeEach(() => {
    population = aPopulation();
    person = population.ensure(ACCOUNT);
    contact = population.ensureContact(CONTACT);
    const { companion } = linkDevice(person);
    context = { population, person, companion, groups: new Groups() } as QueryContext;
  });

  describe('who is behind numbers', () => {
    const lookUp = (protocols: string[], users: Stanza[]): Stanza[] => {
      const query = stanza(
        'query',
        {},
        protocols.map((tag) => stanza(tag)),
      );
      const usync = stanza('usync', { sid: 's', mode: 'query' }, [query, stanza('list', {}, users)]);
      return childrenNamed(child(lookUpUsers(context, stanza('iq', {}, [usync]))[0], 'list'), 'user');
    };
    const byNumber = (number: string) => stanza('user', {}, [stanza('contact', {}, Buffer.from(number))]);
    const byJid = (jid: string) => stanza('user', { jid });

    test('a plausible number is somebody, and is answered under its address', () => {
      const [user] = lookUp(['contact', 'lid'], [byNumber(`+${STRANGER}`)]);
      expect(user?.attrs.jid).toBe(phoneAddress(STRANGER));
      expect(child(user, 'contact')?.attrs.type).toBe('in');
      expect(child(user, 'lid')?.attrs.val).toBe(hiddenAddress(population.ensure(STRANGER).lid));
    });

    test('another spelling of a number is answered with the own one, and is no address', () => {
      population.setAliases(contact, [STRANGER]);
      const [user] = lookUp(['contact', 'devices', 'lid'], [byNumber(`+${STRANGER}`)]);
      expect(user?.attrs.jid).toBe(phoneAddress(CONTACT));
      expect(child(user, 'contact')?.attrs.type).toBe('in');
      const [named] = lookUp(['devices', 'lid'], [byJid(phoneAddress(STRANGER))]);
      expect([named?.attrs.jid, child(named, 'lid')]).toEqual([phoneAddress(STRANGER), undefined]);
      expect(children(child(child(named, 'devices'), 'device-list'))).toEqual([]);
      population.setAliases(contact, []);
      expect(lookUp(['contact'], [byNumber(STRANGER)])[0]?.attrs.jid).toBe(phoneAddress(STRANGER));
    });

    test.each(['12', '+0155500', '49155500096011234567'])('%s is nobody', (number) => {
      const [user] = lookUp(['contact', 'devices', 'lid'], [byNumber(number)]);
      expect(child(user, 'contact')?.attrs.type).toBe('out');
      expect(children(child(child(user, 'devices'), 'device-list'))).toEqual([]);
      expect(child(user, 'lid')).toBeUndefined();
    });

    test('a number that is not on the platform has neither devices nor another address', () => {
      contact.registered = false;
      const [user] = lookUp(['contact', 'devices', 'lid'], [byNumber(CONTACT)]);
      expect(child(user, 'contact')?.attrs.type).toBe('out');
      expect(child(user, 'lid')).toBeUndefined();
    });

    test('linked devices come after the phone, each with the index of its key', () => {
      const [user] = lookUp(['devices'], [byJid(phoneAddress(ACCOUNT))]);
      const devices = children(child(child(user, 'devices'), 'device-list'));
      expect(devices.map(({ attrs }) => attrs)).toEqual([{ id: '0' }, { id: '1', 'key-index': '1' }]);
    });

    test('whoever asks by the other address is not told it again', () => {
      const jid = hiddenAddress(contact.lid);
      const [user] = lookUp(['contact', 'lid'], [byJid(jid)]);
      expect([user?.attrs.jid, child(user, 'lid')]).toEqual([jid, undefined]);
    });

    test('a user without number and address is left out', () => {
      expect(lookUp(['contact'], [stanza('user')])).toEqual([]);
    });
  });

  describe('for keys', () => {
    const bundles = (...jids: string[]) => {
      const key = stanza(
        'key',
        {},
        jids.map((jid) => stanza('user', { jid })),
      );
      return children(keyBundles(context, stanza('iq', {}, [key]))[0]);
    };
    const idOf = (user: Stanza | undefined) => bytesOf(child(child(user, 'key'), 'id'))?.toString('hex');

    test('every answer gives away another one-time key, under the address that was asked for', () => {
      const jid = phoneAddress(CONTACT);
      const [first, second] = [bundles(jid)[0], bundles(jid)[0]];
      expect([first?.attrs.jid, second?.attrs.jid]).toEqual([jid, jid]);
      expect(idOf(first)).not.toBe(idOf(second));
    });

    test('the keys of a linked device are used up, and the rest is counted', () => {
      const jid = phoneAddress(ACCOUNT, 1);
      expect(keyCount(context)[0]?.attrs.value).toBe('2');
      expect([idOf(bundles(jid)[0]), idOf(bundles(jid)[0]), idOf(bundles(jid)[0])]).toEqual([
        '000001',
        '000002',
        undefined,
      ]);
      expect(keyCount(context)[0]?.attrs.value).toBe('0');
    });

    test('nobody has keys who is not on the platform, nor has a device that is not linked', () => {
      contact.registered = false;
      expect(bundles(phoneAddress(CONTACT), phoneAddress(ACCOUNT, 9), 'nonsense')).toEqual([]);
    });
  });

  describe('for settings', () => {
    const patch = () => Buffer.from(proto.SyncdPatch.encode({ snapshotMac: Buffer.from('mac') }).finish());
    const sync = (version: number, bytes?: Buffer): Stanza => {
      const content = bytes && [stanza('patch', {}, bytes)];
      const collection = stanza('collection', { name: 'regular', version }, content);
      const request = stanza('iq', {}, [stanza('sync', {}, [collection])]);
      return child(syncCollections(context, request)[0], 'collection') as Stanza;
    };
    const versions = (answer: Stanza) =>
      children(child(answer, 'patches')).map((node) => {
        const { version } = proto.SyncdPatch.decode(bytesOf(node) ?? Buffer.alloc(0));
        return Number(version?.version);
      });

    test('a device gets the patches that it has not seen, each with its number', () => {
      sync(0, patch());
      sync(1, patch());
      expect([versions(sync(0)), versions(sync(1)), versions(sync(2))]).toEqual([[1, 2], [2], []]);
    });

    test('a patch on an old version is a conflict and changes nothing', () => {
      sync(0, patch());
      const answer = sync(0, patch());
      expect(answer.attrs).toMatchObject({ type: 'error', version: '1' });
      expect(child(answer, 'error')?.attrs.code).toBe('409');
      expect(versions(sync(0))).toEqual([1]);
    });
  });

  describe('about groups', () => {
    test('a member is told who is in it and who made it', () => {
      const { jid } = context.groups.create('Neighbours', [contact, person]);
      const [group] = describeGroup(context, stanza('iq', { to: jid }));
      expect(group?.attrs).toMatchObject({
        id: jid,
        subject: 'Neighbours',
        creator: hiddenAddress(contact.lid),
        size: '2',
      });
      expect(children(group).map(({ attrs }) => [attrs.phone_number, attrs.type])).toEqual([
        [phoneAddress(CONTACT), 'superadmin'],
        [phoneAddress(ACCOUNT), undefined],
      ]);
    });

    test('nobody else is told anything, neither by name nor in the list', () => {
      const { jid } = context.groups.create('Others', [contact]);
      expect(describeGroup(context, stanza('iq', { to: jid }))[0]?.attrs).toMatchObject({ code: '403' });
      expect(children(listGroups(context)[0])).toEqual([]);
    });
  });

  describe('how it is restricted', () => {
    const ask = (query_id: string) => {
      const answer = restrictionQuery(context, stanza('iq', {}, [stanza('query', { query_id })]));
      return answer && (JSON.parse(String(bytesOf(answer[0]))) as { data: Record<string, unknown> }).data;
    };
    const TIMELOCK = '23983697327930364';
    const CAP = '24503548349331633';

    test('without restrictions it is told so', () => {
      expect(Object.values(ask(TIMELOCK) ?? {})).toEqual([{ is_active: false }]);
      expect(Object.values(ask(CAP) ?? {})).toEqual([{ capping_status: 'NONE' }]);
    });

    test('a restriction is told with its reason, and its end where it has one', () => {
      person.restrictions.timelock = { type: 'BIZ_QUALITY', until: null };
      const withoutEnd = { is_active: true, enforcement_type: 'BIZ_QUALITY' };
      expect(Object.values(ask(TIMELOCK) ?? {})).toEqual([withoutEnd]);
      person.restrictions.timelock.until = '2100-01-01T00:00:00.000Z';
      expect(Object.values(ask(TIMELOCK) ?? {})).toEqual([
        { ...withoutEnd, time_enforcement_ends: '4102444800' },
      ]);
    });

    test('a cap is told with what is used of it', () => {
      person.restrictions.newChats = { quota: 3, used: 2, cycleEnd: null };
      const [cap] = Object.values(ask(CAP) ?? {});
      expect(cap).toMatchObject({ total_quota: 3, used_quota: 2, capping_status: 'NONE' });
    });

    test('any other question is answered with nothing', () => {
      expect(ask('1')).toBeUndefined();
    });
  });
});
