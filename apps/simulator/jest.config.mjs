import preset from '../../jest.preset.mjs';

// The client under test leaves a 30 s timer behind each upload of keys; nothing of ours is left running.
export default preset('simulator', { forceExit: true });
