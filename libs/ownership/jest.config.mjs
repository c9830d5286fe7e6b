import { withServers } from '../../jest.preset.mjs';

export default withServers('ownership', {
  testTimeout: 60_000,
});
