import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceFileOf } from '../../src/cli/envFiles'
import { commandLine, emptyFolder, runCommand } from '../serverProcess'

// Processes take their time on a busy machine.
setDefaultTimeout(30_000)

const MISUSED = 2
const FAILED = 1
const { run } = await commandLine()

/** The program as the executable runs it, but with the machine's file elsewhere. */
const asService = (serviceFile: string) => [
  process.execPath,
  '--no-env-file',
  '-e',
  `import { run } from ${JSON.stringify(join(import.meta.dir, '../../src/cli/run'))}
   process.exit(await run(process.argv.slice(1), process.env, ${JSON.stringify(serviceFile)}))`,
]

interface Row {
  name: string
  value: string
  from: string
}

describe('the files of settings', () => {
  const cwd = emptyFolder()
  const machine = join(cwd, 'machine.env')
  writeFileSync(machine, 'PORT=6\nHOST=0.0.0.6\nBACKUP_KEEP=6\nLOG_LEVEL=error\nTRUST_PROXY=6\n')
  writeFileSync(
    join(cwd, '.env'),
    '\uFEFF# mine\r\nexport MULTITUDE_PORT="5"\r\nHOST=0.0.0.5\r\nBACKUP_KEEP=5\r\nLOG_LEVEL=warn # w\r\n',
  )
  writeFileSync(join(cwd, 'named.env'), 'PORT=4\nBACKUP_KEEP=4\nMULTITUDE_BACKUP_KEEP=44\n')
  const env = { HOST: 'laptop', PORT: '3', MULTITUDE_DURABILITY: 'normal', BODY_LIMIT: '3' }
  const flags = ['--env-file', 'named.env', '--public-url', 'http://x.example', '--json']

  test('are weighed in their order, and config tells which of them it was', async () => {
    const { code, out, err } = await runCommand([...asService(machine), 'config', ...flags], {
      cwd,
      env,
    })
    expect([code, err]).toEqual([0, ''])
    const rows: Row[] = JSON.parse(out)
    const found = Object.fromEntries(rows.map(({ name, value, from }) => [name, [value, from]]))
    expect(found).toMatchObject({
      PUBLIC_URL: ['http://x.example', 'flag'],
      DURABILITY: ['normal', 'MULTITUDE_DURABILITY'],
      PORT: ['3', 'PORT'],
      BODY_LIMIT: ['3', 'BODY_LIMIT'],
      BACKUP_KEEP: ['44', 'named.env'],
      HOST: ['0.0.0.5', '.env'],
      LOG_LEVEL: ['warn', '.env'],
      TRUST_PROXY: ['6', machine],
      LOG_FORMAT: ['auto', 'default'],
    })
  })

  test('are told where a value of theirs is bad', async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, '.env'), 'HOST=a b\nPORT=x\n')
    const { code, out, err } = await run(['config'], { cwd: folder, env: { PORT: '1' } })
    expect([code, out]).toEqual([MISUSED, ''])
    expect(err).toBe('multitude: HOST in .env: must be a host name or an IP address, not "a b"\n')
  })

  test('belong to the machine only for the executable', () => {
    expect(serviceFileOf(true, 'linux')).toBe('/etc/multitude.env')
    expect(serviceFileOf(true, 'win32')).toBeNull()
    expect(serviceFileOf(false, 'linux')).toBeNull()
  })

  const unreadable: [named: string[], complaint: string][] = [
    [['--env-file', 'missing.env'], '--env-file: there is no file "missing.env"'],
    [['--env-file', ''], '--env-file: there is no file ""'],
    [['--env-file='], '--env-file: there is no file ""'],
    [['--env-file', 'folder'], '--env-file: folder is a folder'],
    [['--env-file', '.env/x'], '--env-file: .env/x cannot be read'],
  ]

  test('that were named must be there', async () => {
    mkdirSync(join(cwd, 'folder'))
    const ended = unreadable.map(([named]) => run(['config', ...named], { cwd }))
    expect(await Promise.all(ended)).toEqual(
      unreadable.map(([, complaint]) => ({
        code: MISUSED,
        out: '',
        err: `multitude: ${complaint}\n`,
      })),
    )
  })
})

describe('a command on the machine of a service', () => {
  test('finds the service’s database', async () => {
    const cwd = emptyFolder()
    const machine = join(cwd, 'machine.env')
    writeFileSync(machine, `DATABASE_URL=file:${cwd}/service.db\n`)
    expect((await run(['migrate', '--database', `file:${cwd}/service.db`], { cwd })).code).toBe(0)
    const elsewhere = emptyFolder()
    const words = [...asService(machine), 'system', 'list']
    expect(await runCommand(words, { cwd: elsewhere })).toMatchObject({
      code: 0,
      out: 'There are no systems yet.\n',
    })
  })

  // Root reads everything.
  test.skipIf(process.getuid?.() === 0)('is told why it does not find it', async () => {
    const cwd = emptyFolder()
    const machine = join(cwd, 'machine.env')
    writeFileSync(machine, `DATABASE_URL=file:${cwd}/service.db\n`)
    chmodSync(machine, 0)
    const { code, err } = await runCommand([...asService(machine), 'system', 'list'], { cwd })
    expect([code, err]).toEqual([
      FAILED,
      `multitude: There is no database ${cwd}/data/multitude.db (and ${machine} cannot be read by this user): --database names another, "multitude migrate" makes one.\n`,
    ])
  })
})
