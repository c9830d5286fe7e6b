import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps what a send named beside the address of the account that it goes to. */
export class AddressesOfAccounts1764500000132 implements MigrationInterface {
  name = 'AddressesOfAccounts1764500000132';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbound_message ADD requested_to text');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
