import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceFileOf } from '../../src/cli/envFiles'
import { run } from '../tools/runInProcess'
import { emptyFolder, runCommand } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const USAGE_ERROR = 2
const FAILED = 1

/** Command that runs the program like the executable, with another path for /etc/multitude.env. */
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

  test('config shows which file, variable or flag takes precedence', async () => {
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

  test('config names the file of an invalid value', async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, '.env'), 'HOST=a b\nPORT=x\n')
    const { code, out, err } = await run(['config'], { cwd: folder, env: { PORT: '1' } })
    expect([code, out]).toEqual([USAGE_ERROR, ''])
    expect(err).toBe('multitude: HOST in .env: must be a host name or an IP address, not "a b"\n')
  })

  test('only the executable reads /etc/multitude.env, and not on Windows', () => {
    expect(serviceFileOf(true, 'linux')).toBe('/etc/multitude.env')
    expect(serviceFileOf(true, 'win32')).toBeNull()
    expect(serviceFileOf(false, 'linux')).toBeNull()
  })

  const unreadable: [named: string[], complaint: string][] = [
    [['--env-file', 'missing.env'], '--env-file: there is no file "missing.env"'],
    [['--env-file', ''], '--env-file: there is no file ""'],
    [['--env-file='], '--env-file: there is no file ""'],
    [['--env-file', 'folder'], '--env-file: folder is a directory'],
    [['--env-file', '.env/x'], '--env-file: .env/x cannot be read'],
  ]

  test('the file of --env-file must be readable', async () => {
    mkdirSync(join(cwd, 'folder'))
    const ended = unreadable.map(([named]) => run(['config', ...named], { cwd }))
    expect(await Promise.all(ended)).toEqual(
      unreadable.map(([, complaint]) => ({
        code: USAGE_ERROR,
        out: '',
        err: `multitude: ${complaint}\n`,
      })),
    )
  })
})

describe('a command on the machine of a service', () => {
  test('a command finds the database of the service', async () => {
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

  // root can read every file.
  test.skipIf(process.getuid?.() === 0)(
    'a command names the settings file that it cannot read',
    async () => {
      const cwd = emptyFolder()
      const machine = join(cwd, 'machine.env')
      writeFileSync(machine, `DATABASE_URL=file:${cwd}/service.db\n`)
      chmodSync(machine, 0)
      const { code, err } = await runCommand([...asService(machine), 'system', 'list'], { cwd })
      expect([code, err]).toEqual([
        FAILED,
        `multitude: There is no database ${cwd}/data/multitude.db (and this user cannot read ${machine}). Use --database for another one, or create it with "multitude migrate".\n`,
      ])
    },
  )
})
