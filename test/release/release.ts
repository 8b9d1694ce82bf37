import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { zip } from '../../.ci/release/zip'
import manifest from '../../package.json'
import { emptyFolder, startServer } from '../serverProcess'
import { programs, runDocumented } from './documented'
import { runOnMachine, withVersion } from './machine'

/** What a release is made of, as people get it. Run by `npm run test:release`. */

setDefaultTimeout(10 * 60_000)

const root = join(import.meta.dir, '../..')
const dist = join(root, 'dist')
const isRoot = process.getuid?.() === 0
const target = `linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`
const name = `multitude-${manifest.version}-${target}`
const deb = join(
  dist,
  `multitude_${manifest.version}_${process.arch === 'arm64' ? 'arm64' : 'amd64'}.deb`,
)
const lacking: string[] = []

/** Of what is not here, the last line tells. */
function needs(what: string, isThere: boolean): boolean {
  if (!isThere) lacking.push(what)
  return !isThere
}

afterAll(() => {
  for (const what of lacking) process.stderr.write(`!!! NOT TESTED, for want of ${what} !!!\n`)
})

beforeAll(() => {
  const built = Bun.spawnSync([process.execPath, 'build.ts', target], {
    cwd: root,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  expect(built.exitCode).toBe(0)
})

function ask(words: string[], { cwd = root, env = process.env as Record<string, string> } = {}) {
  const { stdout, stderr, exitCode } = Bun.spawnSync(words, { cwd, env })
  return { out: `${stdout}`, err: `${stderr}`, code: exitCode }
}

function isInstalled(program: string): boolean {
  return Bun.which(program, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) !== null
}

describe('an archive', () => {
  test('holds the program and all its papers, and belongs to nobody', () => {
    const { out } = ask(['tar', '--numeric-owner', '-tvzf', join(dist, `${name}.tar.gz`)])
    const files = out.split('\n').filter(Boolean)
    expect(files.filter((line) => !line.includes(' 0/0 '))).toEqual([])
    for (const file of [
      'LICENSE',
      'README.md',
      'completions/_multitude',
      'completions/multitude.bash',
      'completions/multitude.fish',
      'docs/operating.md',
      'multitude',
      'multitude.1',
      'multitude.service',
    ])
      expect(out).toContain(`${name}/${file}\n`)
    expect(out).toMatch(/^-rwxr-xr-x .*\/multitude$/m)
  })

  test('is as large as docs/operating.md says, and so are the executable and the package', () => {
    const text = readFileSync(join(root, 'docs/operating.md'), 'utf8')
    const figure = (pattern: RegExp) => Number(pattern.exec(text)?.[1])
    const arch = deb.endsWith('arm64.deb') ? 'arm64' : 'amd64'
    const files: [file: string, stated: number][] = [
      [join(dist, 'multitude'), figure(/Of the (\d+) MiB of the executable/)],
      [join(dist, `${name}.tar.gz`), figure(/Packed it is about (\d+) MiB/)],
      [deb, figure(new RegExp(`as a package .*?(\\d+) \\(${arch}\\)`))],
    ]
    for (const [file, stated] of files)
      expect(statSync(file).size / 2 ** 20 / stated).toBeWithin(0.95, 1.05)
  })

  test('has its checksum, with all else that is there', () => {
    expect(ask(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: dist }).code).toBe(0)
    const named = readFileSync(join(dist, 'SHA256SUMS'), 'utf8').matchAll(/ {2}(.+)$/gm)
    const present = readdirSync(dist).filter(
      (file) => file !== 'SHA256SUMS' && file !== 'multitude',
    )
    expect([...named].map(([, file]) => file ?? '').toSorted()).toEqual(present.toSorted())
  })

  test.skipIf(needs('python3', Bun.which('python3') !== null))(
    'for Windows is one that others can open',
    () => {
      const file = join(emptyFolder(), 'a.zip')
      const content = new TextEncoder().encode('plural '.repeat(10_000))
      writeFileSync(
        file,
        zip([
          { name: 'm/ä.txt', content },
          { name: 'm/b', content: new Uint8Array() },
        ]),
      )
      const program =
        'import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);print(z.testzip(),[(i.filename,i.file_size) for i in z.infolist()])'
      const { out, err } = ask(['python3', '-c', program, file], {
        env: { LC_ALL: 'C.UTF-8', PATH: process.env.PATH ?? '' },
      })
      expect([out, err]).toEqual(["None [('m/ä.txt', 70000), ('m/b', 0)]\n", ''])
    },
  )
})

describe('the executable', () => {
  test.each([
    ['./multitude', dist, ''],
    [join(dist, 'multitude'), emptyFolder(), ''],
    ['multitude', emptyFolder(), dist],
  ])('names itself as %s when it was started so', async (program, cwd, PATH) => {
    const database = `file:${join(emptyFolder(), 'a.db')}`
    const server = await startServer(
      ['/bin/sh', '-c', 'exec "$0" "$@"', program],
      ['--database', database, '--host', '127.0.0.1', '--backup-dir', ''],
      { cwd, env: { PATH } },
    )
    server.kill('SIGTERM')
    const { err } = await server.end()
    expect(err).toContain(
      `\n    ${program} system create --name 'My system' --database ${database}\n`,
    )
  })

  test.skipIf(needs('python3', Bun.which('python3') !== null))(
    'tells systemd that it is ready, lives and stops',
    async () => {
      const cwd = emptyFolder()
      const hearing = [
        'import socket,sys',
        's=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)',
        's.bind("notify")',
        'print("bound",flush=True)',
        'while True: print(s.recv(4096).decode(),flush=True)',
      ].join('\n')
      const ear = Bun.spawn(['python3', '-c', hearing], { cwd, stdout: 'pipe' })
      const own = ['--database', `file:${join(cwd, 'a.db')}`, '--port', '0', '--host', '127.0.0.1']
      let server: ReturnType<typeof Bun.spawn> | undefined
      let heard = ''
      for await (const chunk of ear.stdout) {
        heard += Buffer.from(chunk).toString()
        server ??= Bun.spawn([join(dist, 'multitude'), 'serve', '--backup-dir', '', ...own], {
          cwd,
          env: { NOTIFY_SOCKET: join(cwd, 'notify'), WATCHDOG_USEC: '200000' },
          stdio: ['ignore', 'ignore', 'ignore'],
        })
        if (heard.includes('WATCHDOG=1')) server.kill('SIGTERM')
        if (heard.includes('STOPPING=1')) break
      }
      ear.kill()
      expect(heard).toMatch(/^bound\nREADY=1\n[\s\S]*WATCHDOG=1\n[\s\S]*STOPPING=1\n/)
      expect(await server?.exited).toBe(0)
    },
  )
})

describe('the install script', () => {
  const serve = (folder: string) => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => new Response(Bun.file(join(folder, new URL(request.url).pathname))),
    })
    return server
  }
  const run = async (from: string, prefix: string) => {
    const child = Bun.spawn(['sh', join(dist, 'install.sh'), from, prefix], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { out, err, code: await child.exited }
  }

  test.each(['a folder', 'an address'])('installs from %s', async (from) => {
    const prefix = emptyFolder()
    const server = serve(dist)
    const { out, err, code } = await run(from === 'a folder' ? dist : server.url.href, prefix)
    await server.stop()
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith(`multitude ${manifest.version} (`)
    expect(readdirSync(prefix, { recursive: true })).toContain('share/man/man1/multitude.1')
  })

  test.each([
    ['an archive that was changed', /does not match its checksum: nothing was installed/],
    ['a release that has nothing for this machine', /the release has nothing for linux-/],
    ['an address without TLS', /only https, or a folder/],
  ])('refuses %s', async (what, complaint) => {
    const from = emptyFolder()
    const prefix = emptyFolder()
    const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8')
    writeFileSync(join(from, 'SHA256SUMS'), what.includes('nothing') ? '' : sums)
    writeFileSync(join(from, `${name}.tar.gz`), 'something else')
    const { err, code } = await run(
      what.includes('TLS') ? 'http://multitude.invalid' : from,
      prefix,
    )
    expect([code, err]).toEqual([1, expect.stringMatching(complaint)])
    expect(readdirSync(prefix)).toEqual([])
  })
})

/** Whether a copy of this machine can be made that is gone afterwards. */
function canTryOut(): boolean {
  const folder = emptyFolder()
  const steps = [
    `mount -t tmpfs tmpfs ${folder}`,
    `mkdir ${folder}/upper ${folder}/own ${folder}/root`,
    `mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/upper,workdir=${folder}/own ${folder}/root`,
  ]
  return (
    isRoot &&
    ask(['unshare', '--mount', '--net', '--pid', '--fork', 'sh', '-c', steps.join(' && ')]).code ===
      0
  )
}

runDocumented(
  {
    deb,
    laterDeb: () => withVersion(deb, '0.2.0', 'later.deb'),
    executable: join(dist, 'multitude'),
  },
  needs(`root, overlays, ${programs.join(', ')}`, canTryOut() && programs.every(isInstalled)),
)

/** Links to what only the source has. */
const isOfSource = /^(\.\.\/|ARCHITECTURE\.md|CONTRIBUTING\.md|LICENSE)/

describe('the package for Debian', () => {
  test.skipIf(needs('dpkg-deb', Bun.which('dpkg-deb') !== null))(
    'holds the documents, whose links lead to one another',
    () => {
      const folder = emptyFolder()
      ask(['dpkg-deb', '-x', deb, folder])
      const place = join(folder, 'usr/share/doc/multitude')
      const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
      const found = readdirSync(place, { recursive: true })
      expect(found).toEqual(
        expect.arrayContaining(['README.md', 'CHANGELOG.md', 'monitoring/alerts.yaml', ...pages]),
      )
      for (const page of ['README.md', ...pages]) {
        const text = readFileSync(join(place, page), 'utf8')
        const links = [...text.matchAll(/(?:\]\(|src=")(?!https?:)([^)#"]+)/g)]
        const broken = links
          .map(([, link = '']) => link)
          .filter((link) => !existsSync(join(place, link)) && !isOfSource.test(link))
        expect([page, broken]).toEqual([page, []])
      }
    },
  )

  test.skipIf(needs('lintian', Bun.which('lintian') !== null))('has no errors', () => {
    const { out } = ask(['lintian', '--allow-root', deb], {
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
    })
    expect(out.split('\n').filter((line) => line.startsWith('E:'))).toEqual([])
  })

  test.skipIf(needs('root, dpkg-deb and overlays', Bun.which('dpkg-deb') !== null && canTryOut()))(
    'is installed, upgraded, removed and purged, and the data stays',
    () => {
      const { out, err, code } = runOnMachine(join(import.meta.dir, 'debian.sh'), [
        withVersion(deb, '0.0.1', 'old.deb'),
        withVersion(deb, manifest.version, 'new.deb'),
      ])
      expect([code, code === 0 ? '' : `${out}${err}`]).toEqual([0, ''])
      expect(out.split('\n')).toEqual([
        '--- install',
        '0.0.1 install ok installed',
        'multitude:/var/lib/multitude:/usr/sbin/nologin',
        '640 root multitude /etc/multitude.env',
        '700 multitude multitude /var/lib/multitude',
        "sudo -u multitude multitude system create --name 'My system'",
        '--- upgrade',
        `${manifest.version} install ok installed`,
        '600 multitude /etc/multitude.env',
        '1',
        '"name":"Lantern"',
        'The database is whole.',
        '--- remove',
        '/var/lib/multitude/multitude.db',
        '--- again',
        '"name":"Lantern"',
        '--- purge',
        'The data in /var/lib/multitude is kept. Remove it by hand if nobody needs it.',
        '/var/lib/multitude/multitude.db',
        '',
      ])
    },
  )
})

describe('the container', () => {
  const file = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const lineOf = (word: string) => new RegExp(`^${word} (.+)$`, 'm').exec(file)?.[1] ?? ''
  const listOf = (word: string): string[] => JSON.parse(/\[.+\]/.exec(lineOf(word))?.[0] ?? '[]')

  test.skipIf(needs('root and namespaces', canTryOut()))(
    'serves from its root folder as its user, and is found well',
    async () => {
      const folder = join(emptyFolder(), 'root')
      const [, script = ''] = /^RUN (\S+\.sh) dist\/multitude/m.exec(file) ?? []
      expect(ask([join(root, script), join(dist, 'multitude'), folder])).toEqual({
        out: '',
        err: '',
        code: 0,
      })
      const env = Object.fromEntries(
        lineOf('ENV')
          .split(' ')
          .map((pair) => pair.split('=', 2)),
      )
      const port = { MULTITUDE_PORT: '18766' }
      // Engines bring the folder of processes, without which the runtime does not start.
      const enter =
        'root=$1 user=$2; shift 2; mount -t proc proc "$root/proc"; exec chroot --userspec="$user" "$root" "$@"'
      const inside = (command: string[]) => [
        ...[Bun.which('unshare') ?? '', '--mount', 'sh', '-c', enter],
        ...['sh', folder, lineOf('USER'), ...command],
      ]
      const server = Bun.spawn(inside([...listOf('ENTRYPOINT'), ...listOf('CMD')]), {
        env: { ...env, ...port },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      try {
        const check = listOf('HEALTHCHECK')
        let last = ask(inside(check), { env: { ...env, ...port } })
        for (let tries = 0; last.code !== 0 && tries < 100 && server.exitCode === null; tries++) {
          await Bun.sleep(200)
          last = ask(inside(check), { env: { ...env, ...port } })
        }
        expect(last).toEqual({ out: 'http://127.0.0.1:18766 is well.\n', err: '', code: 0 })
        const { uid, mode } = statSync(join(folder, 'var/lib/multitude/multitude.db'))
        expect([uid, mode & 0o777]).toEqual([10001, 0o600])
        expect(
          ask(inside([...listOf('ENTRYPOINT'), 'system', 'create', '--name', 'X', '--json']), {
            env,
          }),
        ).toMatchObject({ code: 0 })
      } finally {
        server.kill('SIGTERM')
      }
      expect(await server.exited).toBe(0)
    },
  )

  test('reports the commit that it was built from, although its build stage has no git', () => {
    const source = join(emptyFolder(), 'source')
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
    expect(ignored).not.toContain('.git')
    expect(ask(['git', 'clone', '--quiet', root, source]).code).toBe(0)
    symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
    const programs = emptyFolder()
    symlinkSync(Bun.which('cp') ?? '', join(programs, 'cp'))
    const env = { PATH: programs }
    expect(ask([process.execPath, 'build.ts'], { cwd: source, env })).toMatchObject({ code: 0 })
    const commit = ask(['git', 'rev-parse', '--short=7', 'HEAD'], { cwd: source }).out.trim()
    const { out } = ask([join(source, 'dist/multitude'), 'version'], { cwd: source })
    expect(out).toBe(`multitude ${manifest.version} (${commit})\n`)
  })

  test('is composed with a proxy, on a volume, without rights', () => {
    const { services, volumes } = Bun.YAML.parse(
      readFileSync(join(root, 'compose.yaml'), 'utf8'),
    ) as { services: Record<string, Record<string, unknown>>; volumes: object }
    expect(Object.keys(services)).toEqual(['multitude', 'caddy'])
    expect(services.multitude).toMatchObject({
      volumes: [`data:${lineOf('VOLUME')}`],
      read_only: true,
      cap_drop: ['ALL'],
    })
    expect(services.caddy?.command).toContain(`--to multitude:${lineOf('EXPOSE')}`)
    expect(Object.keys(volumes)).toContain('data')
  })
})
