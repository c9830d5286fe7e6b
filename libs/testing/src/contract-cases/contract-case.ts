import assert from 'node:assert/strict';
import type { ErrorCode, RequestContract } from '@svc/contracts';
import { AppError } from '@svc/contracts';
import type { RpcClient } from '@svc/messaging';

/**
 * A contract case says how a service answers requests, whoever plays it: it runs against the service and against the fake that stands for it
 * in the tests of those who ask. What it needs of the world besides NATS is in `W`.
 */
export interface ContractCase<W extends ContractWorld = ContractWorld> {
  /** A sentence about the service, for the name of the test. */
  name: string;
  run(world: W): Promise<void>;
}

/** The world that a case runs in: the service or fake that answers on this NATS. */
export interface ContractWorld {
  rpc: RpcClient;
}

/** Checks that a value has these fields, whatever else it has; compared as JSON, as it crossed the process. */
export function assertFields(actual: object, expected: object): void {
  const fields = Object.keys(expected).map((key) => [key, (actual as Record<string, unknown>)[key] ?? null]);
  assert.deepEqual(plain(Object.fromEntries(fields)), plain(expected));
}

/** Checks that a request is refused with this code and these fields of `meta`. */
export async function assertRefused<Q extends object>(
  { rpc }: ContractWorld,
  contract: RequestContract<Q, object>,
  request: NoInfer<Q>,
  code: ErrorCode,
  meta: object = {},
): Promise<void> {
  const error: unknown = await rpc.request(contract, request).then(
    () => assert.fail(`${contract.subject} is answered, not refused with ${code}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  assert.equal(error.code, code, `${contract.subject}: ${error.message}`);
  assertFields(error.meta, meta);
}

/** Checks that a request is refused because of one field. */
export async function assertFieldRefused<Q extends object>(
  world: ContractWorld,
  contract: RequestContract<Q, object>,
  request: NoInfer<Q>,
  field: string,
): Promise<void> {
  const asked = world.rpc.request(contract, request);
  await assert.rejects(asked, (error: AppError) => {
    const { fields = [] } = error.meta as { fields?: { field: string }[] };
    assert.equal(error.code, 'VALIDATION_FAILED', error.message);
    assert.deepEqual([...new Set(fields.map((one) => one.field))], [field]);
    return true;
  });
}

/** Copies a value as JSON carries it: without classes, and without what is undefined. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
