import { withServers } from '../../jest.preset.mjs';

export default withServers('assistant');
