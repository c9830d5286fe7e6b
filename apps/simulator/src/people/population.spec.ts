import { expect, test } from '@jest/globals';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import { aPopulation } from '../../test/support/people.js';
import { MAGIC_NUMBERS } from './magic-numbers.js';

const PHONE = '4915550009900';

test('any plausible number is somebody, by both addresses and with the device', () => {
  const population = aPopulation();
  const found = population.find(phoneAddress(PHONE, 2));
  expect(found).toMatchObject({ device: 2, person: { phone: PHONE, isContact: false } });
  expect(population.find(hiddenAddress(found?.person.lid ?? '', 3))).toEqual({ ...found, device: 3 });
});

test.each([undefined, 'nonsense', phoneAddress('12'), '100000000000001@lid', `${PHONE}@g.us`])(
  'nobody has the address %s, and nobody is made by asking',
  (jid) => {
    const population = aPopulation();
    expect(population.find(jid)).toBeUndefined();
    expect([...population.all()]).toEqual([]);
  },
);

test('the other address follows from the number, also after a restart', () => {
  expect(aPopulation().ensure(PHONE).lid).toBe(aPopulation().ensure(PHONE).lid);
  expect(aPopulation().ensure(PHONE).lid).not.toBe(aPopulation().ensure('4915550009901').lid);
});

test('who has changed is named once, and the listener hears of every change', () => {
  const population = aPopulation();
  let changes = 0;
  population.events.on('changed', () => changes++);
  const person = population.ensure(PHONE);
  population.touch(person);
  expect([changes, population.takeDirty(), population.takeDirty()]).toEqual([2, [person], []]);
});

test('everybody with a magic number behaves as it says', () => {
  const population = aPopulation();
  for (const { phone, registered = true, behaviour = {} } of MAGIC_NUMBERS) {
    const person = population.ensure(phone);
    expect([phone, person.registered]).toEqual([phone, registered]);
    expect(person.behaviour).toMatchObject(behaviour);
  }
});
