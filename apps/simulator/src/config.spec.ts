import { expect, test } from '@jest/globals';
import { loadConfig } from '@svc/service';
import { SimulatorConfig } from './config.js';

test('needs nothing: binds to loopback, keeps everything in memory', () => {
  expect(loadConfig(SimulatorConfig, {})).toMatchObject({ host: '127.0.0.1', port: 7070, controlPort: 7071 });
  expect(loadConfig(SimulatorConfig, {}).stateFile).toBeUndefined();
});

test('names every variable that is wrong', () => {
  const env = { SIMULATOR_PORT: '-1', SIMULATOR_CONTROL_PORT: 'x', LOG_LEVEL: 'loud' };
  const wrong = (): unknown => loadConfig(SimulatorConfig, env);
  for (const name of Object.keys(env)) expect(wrong).toThrow(name);
});
