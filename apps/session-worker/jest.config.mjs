import { withServers } from '../../jest.preset.mjs';

// The platform library leaves timers of up to half a minute behind a closed socket; nothing of ours waits for them.
export default withServers('session-worker', { forceExit: true });
