import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { workerCount } from '../workerCount'
import { makeEngine } from './engine'
import { createTemplates } from './templateDatabases'

/** Runs the tests of both engines, and those of PostgreSQL only, on a real PostgreSQL. */
const allTests = [
  ...['./test/db/bothEngines', './test/service', './test/http', './test/events', './test/discord'],
  // The Discord bot is killed and loses its database.
  ...filesOf('./test/discord', '.discord.ts'),
  // Tests of PostgreSQL only.
  ...filesOf('./test/postgres', '.server.ts'),
]

function filesOf(folder: string, ending: string): string[] {
  const names = readdirSync(join(import.meta.dir, '../..', folder))
  return names.filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name}`)
}

/** The server needs CPU time too. */
const workers = workerCount - 1

const engine = await makeEngine({
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Many tests run at once, each with its own database.
  max_connections: '500',
})
await engine.start()
const templates = await createTemplates(engine)
const args = process.argv.slice(2)
const tests = Bun.spawn(
  [
    process.execPath,
    ...['test', `--parallel=${workers}`, '--no-isolate'],
    ...(args.length > 0 ? args : allTests),
  ],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TEST_POSTGRES: templates.folder,
      TEST_POSTGRES_SERVER: engine.addressOf('').replace(/\/$/, ''),
    },
  },
)
// When interrupted, the tests end first and the server is stopped below.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const code = await tests.exited
await templates.stop()
await engine.stop('immediate')
engine.remove()
process.exit(code)
