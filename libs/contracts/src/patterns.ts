/** Text without control characters, in the spelling that JSON Schema and JavaScript share. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
