/**
 * This module is loaded into every child before its own program. A service ends itself when the launcher is gone, but it can only
 * listen for that once its modules are loaded: a launcher killed in that second would leave it behind. And it ends in
 * order, although the servers it wants to tell went with the launcher: that must not take for ever.
 */
const ORDERLY_MS = 1_500;

process.on('disconnect', () => {
  const onlyWeListen = process.listenerCount('disconnect') === 1;
  if (onlyWeListen) process.exit(1);
  setTimeout(() => process.exit(1), ORDERLY_MS).unref();
});
process.channel?.unref(); // listening must not keep a program alive that has nothing left to do
if (!process.connected) process.exit(1);
