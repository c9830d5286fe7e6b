/** The Node.js that runs the package and its command: this one, or an older one than the test runner is for (`SDK_NODE`). */
export const NODE = process.env['SDK_NODE'] ?? process.execPath;
