import { channel } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { atStep, STEPS_CHANNEL } from './steps.js';

const SRC = import.meta.dirname;
const DOC = join(import.meta.dirname, '../../../docs/architecture.md');

const steps = channel(STEPS_CHANNEL);
const received: unknown[] = [];
const listen = (step: unknown): void => void received.push(step);
afterEach(() => void steps.unsubscribe(listen));

/** Reads every source file with its text. */
const sources = (): [string, string][] =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => [file, readFileSync(join(SRC, file), 'utf8')]);

/** Finds the names of the steps in a text. */
const named = (text: string): string[] => [...new Set(text.match(/\b(?:out|in|link)-\d+\b/g))].sort();

test('whoever listens from outside hears a step while it is being made', () => {
  steps.subscribe(listen);
  atStep('out-3');
  expect(received).toEqual(['out-3']);
});

test('nothing in the app listens, whatever it is started with: only this module knows of the channel', () => {
  const others = sources().filter(([file]) => file !== 'steps.ts');
  expect(others.filter(([, text]) => /diagnostics_channel|STEPS_CHANNEL/.test(text))).toEqual([]);
  expect(steps.hasSubscribers).toBe(false);
});

test('every step that is described is made, and every step that is made is described', () => {
  const calls = sources().flatMap(([, text]) => text.match(/atStep\('.*|atStep\(.*\?.*/g) ?? []);
  const made = named(calls.join('\n'));
  expect(made).toHaveLength(32);
  expect(named(readFileSync(DOC, 'utf8'))).toEqual(made);
});
