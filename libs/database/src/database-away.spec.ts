import { describe, expect, test } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { isDatabaseAway } from './database-away.js';

const failure = (fields: object, words = 'x'): Error => Object.assign(new Error(words), fields);
const statementFailed = (fields: object, words?: string): Error =>
  new QueryFailedError('SELECT 1', [], failure(fields, words));

describe('the database is away', () => {
  test.each([
    ['08006', 'the connection failed'],
    ['57P01', 'an administrator shuts it down'],
    ['57P02', 'it crashed'],
    ['57P03', 'it is starting up'],
    ['53300', 'it has too many connections'],
    ['53100', 'its disk is full'],
    ['25006', 'it has become a standby'],
    ['ECONNREFUSED', 'nobody listens'],
    ['ECONNRESET', 'the connection was cut'],
    ['ENOTFOUND', 'its name means nothing'],
    ['EPIPE', 'it hung up'],
  ])('when an error has the code %s: %s', (code) => {
    expect(isDatabaseAway(failure({ code }))).toBe(true);
    expect(isDatabaseAway(statementFailed({ code }))).toBe(true);
  });

  test.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ])('when the driver says "%s"', (words) => {
    expect(isDatabaseAway(failure({}, words))).toBe(true);
    expect(isDatabaseAway(statementFailed({}, words))).toBe(true);
  });
});

describe('the database is there', () => {
  test.each([
    ['a statement is wrong', statementFailed({ code: '42601' }, 'syntax error at or near "connection"')],
    ['a rule is broken', statementFailed({ code: '23505' }, 'Connection terminated')],
    ['two transactions met', statementFailed({ code: '40P01' })],
    ['a statement took too long', statementFailed({ code: '57014' })],
    ['a file is missing', failure({ code: 'ENOENT' })],
    ['a lease fell', failure({}, 'The lease of partition 3 is lost, connection or not.')],
    ['the pool was closed by this process', failure({}, 'Cannot use a pool after calling end on the pool')],
    ['what was thrown is text', 'Connection terminated'],
    ['nothing was thrown', undefined],
  ])('when %s', (_what, error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });
});
