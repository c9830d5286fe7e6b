import { expect, test } from '@jest/globals';
import { aPopulation } from '../../test/support/people.js';
import { MediaAccess } from './media-access.js';

const ANN = '4915550009500';

test('an account is let in by its own token only', () => {
  const population = aPopulation();
  const access = new MediaAccess(population);
  const token = access.tokenOf(population.ensure(ANN));
  const other = access.tokenOf(population.ensure('4915550009501'));
  expect(access.admits(token)).toBe(true);
  for (const wrong of [other.replace(/^\d+/, ANN), `${token}0`, ANN, '', null]) {
    expect([wrong, access.admits(wrong)]).toEqual([wrong, false]);
  }
});

test('a limited fault refuses so many requests', () => {
  const access = Object.assign(new MediaAccess(aPopulation()), { mediaStatus: 507, mediaCount: 2 });
  expect([access.refusal(), access.refusal(), access.refusal()]).toEqual([507, 507, undefined]);
  expect(access).toMatchObject({ mediaStatus: null, mediaCount: null });
});
