import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { EndpointDirectory, MAX_TENANTS } from '../../src/endpoints/endpoint-directory.js';
import { EndpointSecrets } from '../../src/endpoints/endpoint-secrets.js';
import { Endpoint } from '../../src/endpoints/endpoint.entity.js';
import { EndpointChanges } from '../../src/ownership/endpoint-changes.js';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

/** A directory beside that of the dispatcher; without a bound of its own it has the one of production. */
const aDirectory = (maxTenants?: number): EndpointDirectory =>
  new EndpointDirectory(
    stage.get(DataSource).getRepository(Endpoint),
    stage.get(EndpointSecrets),
    stage.get(EndpointChanges),
    new PeriodicTasks(),
    maxTenants,
  );

test('of more tenants than MAX_TENANTS the one that was read first is read again', async () => {
  const directory = aDirectory(3);
  const tenants = [1, 2, 3, 4].map(() => randomUUID());
  const inMemory = (): boolean[] => tenants.map((tenantId) => directory.cached(tenantId) !== undefined);
  for (const tenantId of tenants.slice(0, 3)) await directory.ofTenant(tenantId);
  expect(inMemory()).toEqual([true, true, true, false]);
  await directory.ofTenant(tenants[3] as string);
  expect(inMemory()).toEqual([false, true, true, true]);
  await directory.ofTenant(tenants[0] as string);
  expect(inMemory()).toEqual([true, false, true, true]);
});

test('the directory of the dispatcher holds MAX_TENANTS', () => {
  expect([aDirectory(), stage.get(EndpointDirectory)]).toMatchObject([
    { maxTenants: MAX_TENANTS },
    { maxTenants: MAX_TENANTS },
  ]);
});
