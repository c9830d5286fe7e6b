import type { SealedTable } from '@svc/service';
import { credentialRow, proxyRow, type SecretRow, signalKeyRow, type Vault } from './vault.js';

/** Lists the tables with what the vault has sealed. */
export function sealedTables(vault: Vault): SealedTable[] {
  const isForeign = (column: string): string =>
    `substring(${column} FROM 1 FOR ${vault.header.length}) <> '\\x${vault.header.toString('hex')}'::bytea`;
  const tableOf = (
    ...[table, key, column, rowOf]: [string, string[], string, (...values: string[]) => SecretRow]
  ): SealedTable => ({
    ...{ table, key, sealed: { [column]: 'bytea' }, where: isForeign(column) },
    sealAnew: (row) => {
      const values = key.map((name) => row[name] as string);
      const sealed = vault.reseal(rowOf(...values), row[column] as Buffer);
      return sealed && { [column]: sealed };
    },
  });
  return [
    tableOf('credential', ['session_id'], 'sealed', credentialRow),
    tableOf('signal_key', ['session_id', 'type', 'key_id'], 'sealed', signalKeyRow),
    tableOf('session', ['id'], 'proxy', proxyRow),
  ];
}
