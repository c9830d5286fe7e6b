import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Module } from '@nestjs/common';
import { configReader, connectionProviders, databaseModule, ServiceConfig } from '@svc/service';
import { DataSource } from 'typeorm';
import { startTestService, type TestService } from '../src/index.js';

class ShopConfig extends ServiceConfig {}
const config = configReader(ShopConfig);

@Module({
  imports: [databaseModule('shop', config, [])],
  providers: connectionProviders('shop', ShopConfig, config),
})
class ShopModule {}

let shop: TestService;

beforeAll(async () => {
  const schema = { schema: 'shop', migrations: [] };
  shop = await startTestService({ name: 'shop', module: ShopModule, config }, schema, {
    SVC_MODE: 'development',
  });
});
afterAll(() => shop.stop());

test('a service under test logs in to the database as itself, and the test as the owner', async () => {
  const sql = 'SELECT session_user AS login, current_user AS role';
  const [service, owner] = [await shop.get(DataSource).query(sql), await shop.database.query(sql)];
  expect({ service, owner }).toEqual({
    service: [{ login: 'svc_shop_login', role: 'svc_shop' }],
    owner: [{ login: 'postgres', role: 'postgres' }],
  });
});
