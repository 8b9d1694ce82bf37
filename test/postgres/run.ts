import { readdirSync } from 'node:fs'
import { makeEngine } from './engine'
import { createTemplates } from './templateDatabases'

/** Runs the tests that any engine must pass on a real PostgreSQL. */
const everywhere = [
  ...['./test/db/bothEngines', './test/service', './test/http', './test/events'],
  // Which only a server can pass.
  ...readdirSync(import.meta.dir)
    .filter((name) => name.endsWith('.server.ts'))
    .map((name) => `./test/postgres/${name}`),
]

const engine = await makeEngine({
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Many tests at once, each with a database of its own.
  max_connections: '500',
})
await engine.start()
const stock = await createTemplates(engine)
const asked = process.argv.slice(2)
const tests = Bun.spawn(
  [
    process.execPath,
    ...['test', '--parallel', '--no-isolate'],
    ...(asked.length > 0 ? asked : everywhere),
  ],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TEST_POSTGRES: stock.folder,
      TEST_POSTGRES_SERVER: engine.addressOf('').replace(/\/$/, ''),
    },
  },
)
// Who is stopped leaves no server behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const code = await tests.exited
await stock.stop()
await engine.stop('immediate')
engine.remove()
process.exit(code)
