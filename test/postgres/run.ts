import { workerCount } from '../tools/workerCount'
import { makeEngine } from './engine'
import { createTemplates } from './templateDatabases'

/**
 * Runs the tests whose result depends on the database, and those of PostgreSQL only, on a real
 * PostgreSQL.
 */
const tests = [
  '{db/bothEngines,discord,events,http,service}/**/*.test.ts',
  // Kills and takeovers depend on leases and commits, long histories on queries.
  '{db/bothEngines,discord,events,http/v2}/**/*.processes.ts',
  'postgres/*.server.ts',
]

/** Tests in these folders that would only repeat what they show on SQLite. */
const independent: [files: string, reason: string][] = [
  ['discord/{attachments,cache,messages}/*', 'parts without a database'],
  ['discord/{computePermissions,gateway,restClient}.*', 'parts without a database'],
  ['discord/standInTests/*', 'tests of the stand-in for Discord'],
  ['discord/commands/*', 'texts of commands, whose queries are those of the service'],
  ['discord/{checks,commandLine,registerCommands}.*', 'texts, settings and names of commands'],
  ['discord/substitution.*', 'expressions, which run in a process of their own'],
  ['discord/{failures,fatal,logChannel,pausesOfBot,webhookCache}.*', 'failures of Discord'],
  ['events/{httpPost,pushEncryption,webhookUrl}.*', 'outgoing requests'],
  ['http/docs/*', 'the API document'],
  ['http/v2/{listAccess,references}.*', 'permissions of lists, and forms of references'],
  ['http/{ext/simplyPluralFields,v2/pluralport}.*', 'formats of files'],
  ['http/server/longReads.*', 'limits of concurrent reads'],
  ['http/*/documentation.*', 'the API document'],
  ['http/server/{clientAddress,dottedPaths,elysiaInternals,routeTable}.*', 'routing'],
  [
    'http/server/{connectionLimits,jsonLimits,overload,ratelimit,slowUploads,unfinishedBodies}.*',
    'limits of requests',
  ],
  ['http/server/{disabled,handler,requestLog,response}.*', 'headers, errors and log of requests'],
  ['service/{largeDeletions,transfer/imports}.*', 'data that SQLite generates'],
  ['http/web/{cookie,manifest,staticFiles,worker}.*', 'files of the dashboard'],
]

const chosen = tests.map((files) => new Bun.Glob(`test/${files}`))
const excluded = independent.map(([files]) => new Bun.Glob(`test/${files}`))
const allFiles = [...new Bun.Glob('test/**/*.{test,processes,server}.ts').scanSync()].sort()
for (const [index, glob] of excluded.entries())
  if (!allFiles.some((file) => glob.match(file)))
    throw new Error(`no test matches ${independent[index]?.[0]}`)
const chosenFiles = allFiles
  .filter((file) => chosen.some((glob) => glob.match(file)))
  .filter((file) => !excluded.some((glob) => glob.match(file)))
  .map((file) => `./${file}`)

/** The server needs CPU time too. */
const workers = workerCount - 1

const engine = await makeEngine({
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // New databases write much WAL, and a checkpoint would write their files too.
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  // Many tests run at once, each with its own database.
  max_connections: '500',
})
await engine.start()
const templates = await createTemplates(engine)
const args = process.argv.slice(2)
const isChosen = args.some((arg) => arg.startsWith('./'))
const child = Bun.spawn(
  [
    process.execPath,
    ...['test', `--parallel=${workers}`, '--no-isolate', ...args],
    ...(isChosen ? [] : chosenFiles),
  ],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      // More random cases show differences between data, not between engines.
      TEST_ROUNDS: process.env.TEST_ROUNDS ?? '0.3',
      TEST_POSTGRES: templates.folder,
      TEST_POSTGRES_SERVER: engine.addressOf('').replace(/\/$/, ''),
    },
  },
)
// When interrupted, the tests end first and the server is stopped below.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await child.exited
await templates.stop()
await engine.stop('immediate')
engine.remove()
process.exit(code)
