import { makeEngine } from './engine'
import { keepStock } from './stock'

/** Runs the tests that any engine must pass on a real PostgreSQL. */
const everywhere = ['test/db/everywhere', 'test/service', 'test/http', 'test/events']

const engine = await makeEngine({
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
})
await engine.start()
const stock = await keepStock(engine)
const asked = process.argv.slice(2)
const tests = Bun.spawn(
  [process.execPath, 'test', ...(asked.length > 0 ? asked : [...everywhere, './test/postgres'])],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TEST_POSTGRES: stock.folder,
      TEST_POSTGRES_SERVER: engine.addressOf('').replace(/\/$/, ''),
    },
  },
)
const code = await tests.exited
await stock.stop()
await engine.stop('immediate')
engine.remove()
process.exit(code)
