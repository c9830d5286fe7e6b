// Bare reference for `bench accept`: one HTTP POST, one row, nothing else. Prints its port as soon as it listens.
import fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query(
  'CREATE TABLE IF NOT EXISTS public.bare_message (id bigserial PRIMARY KEY, recipient text, body text)',
);
const app = fastify();
app.post('/messages', async (request) => {
  const { to, text } = request.body;
  const { rows } = await pool.query(
    'INSERT INTO public.bare_message (recipient, body) VALUES ($1, $2) RETURNING id',
    [to, text],
  );
  return { status: 'QUEUED', id: rows[0].id };
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port });
process.on('disconnect', () => process.exit(0));
