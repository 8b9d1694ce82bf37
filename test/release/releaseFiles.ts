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
import { emptyFolder, startServer } from '../tools/serverProcess'
import { describe, expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { programs, runDocumented } from './documented'
import { runOnMachine, withVersion } from './machineCopy'

/** Tests the files of a release. Run by `npm run test:release`. */

const { afterAll, test } = withTimeout(10 * 60_000)

const root = join(import.meta.dir, '../..')
const dist = join(root, 'dist')
const isRoot = process.getuid?.() === 0
const target = `linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`
const name = `multitude-${manifest.version}-${target}`
const deb = join(
  dist,
  `multitude_${manifest.version}_${process.arch === 'arm64' ? 'arm64' : 'amd64'}.deb`,
)
const missing: string[] = []

/** Returns whether to skip a test; the requirement is printed at the end of the run. */
function isMissing(requirement: string, isAvailable: boolean): boolean {
  if (!isAvailable) missing.push(requirement)
  return !isAvailable
}

afterAll(() => {
  for (const one of missing) process.stderr.write(`!!! NOT TESTED, not available: ${one} !!!\n`)
})

function run(words: string[], { cwd = root, env = process.env as Record<string, string> } = {}) {
  const { stdout, stderr, exitCode } = Bun.spawnSync(words, { cwd, env })
  return { out: `${stdout}`, err: `${stderr}`, code: exitCode }
}

function isInstalled(program: string): boolean {
  return Bun.which(program, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) !== null
}

describe('the archive', () => {
  test('the archive has the program and its documents, owned by root', () => {
    const { out } = run(['tar', '--numeric-owner', '-tvzf', join(dist, `${name}.tar.gz`)])
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

  test('archive, executable and package have the sizes in docs/operating.md', () => {
    const text = readFileSync(join(root, 'docs/operating.md'), 'utf8')
    const figure = (pattern: RegExp) => Number(pattern.exec(text)?.[1])
    const arch = deb.endsWith('arm64.deb') ? 'arm64' : 'amd64'
    const files: [file: string, stated: number][] = [
      [join(dist, 'multitude'), figure(/The executable for Linux has (\d+) MiB/)],
      [join(dist, `${name}.tar.gz`), figure(/The archive has about (\d+) MiB/)],
      [deb, figure(new RegExp(`the package .*?(\\d+) \\(${arch}\\)`))],
    ]
    for (const [file, stated] of files)
      expect(statSync(file).size / 2 ** 20 / stated).toBeWithin(0.95, 1.05)
  })

  test('SHA256SUMS has the checksum of every file of the release', () => {
    expect(run(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: dist }).code).toBe(0)
    const named = readFileSync(join(dist, 'SHA256SUMS'), 'utf8').matchAll(/ {2}(.+)$/gm)
    const present = readdirSync(dist).filter(
      (file) => file !== 'SHA256SUMS' && file !== 'multitude',
    )
    expect([...named].map(([, file]) => file ?? '').toSorted()).toEqual(present.toSorted())
  })

  test.skipIf(isMissing('python3', Bun.which('python3') !== null))(
    'the ZIP archive for Windows can be read by Python',
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
      const { out, err } = run(['python3', '-c', program, file], {
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
  ])(
    'the executable prints commands with the name %s that it was started with',
    async (program, cwd, PATH) => {
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
    },
  )

  test.skipIf(isMissing('python3', Bun.which('python3') !== null))(
    'the executable notifies systemd of readiness, liveness and stopping',
    async () => {
      const cwd = emptyFolder()
      const listenerCode = [
        'import socket,sys',
        's=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)',
        's.bind("notify")',
        'print("bound",flush=True)',
        'while True: print(s.recv(4096).decode(),flush=True)',
      ].join('\n')
      const listener = Bun.spawn(['python3', '-c', listenerCode], { cwd, stdout: 'pipe' })
      const flags = [
        '--database',
        `file:${join(cwd, 'a.db')}`,
        '--port',
        '0',
        '--host',
        '127.0.0.1',
      ]
      let server: ReturnType<typeof Bun.spawn> | undefined
      let received = ''
      for await (const chunk of listener.stdout) {
        received += Buffer.from(chunk).toString()
        server ??= Bun.spawn([join(dist, 'multitude'), 'serve', '--backup-dir', '', ...flags], {
          cwd,
          // Twice a second, as in test/cli/commands/systemd.processes.ts.
          env: { NOTIFY_SOCKET: join(cwd, 'notify'), WATCHDOG_USEC: '1000000' },
          stdio: ['ignore', 'ignore', 'ignore'],
        })
        if (received.includes('WATCHDOG=1')) server.kill('SIGTERM')
        if (received.includes('STOPPING=1')) break
      }
      listener.kill()
      expect(received).toMatch(/^bound\nREADY=1\n[\s\S]*WATCHDOG=1\n[\s\S]*STOPPING=1\n/)
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
  const install = async (from: string, prefix: string) => {
    const child = Bun.spawn(['sh', join(dist, 'install.sh'), from, prefix], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { out, err, code: await child.exited }
  }

  test.each(['a folder', 'an address'])('install.sh installs from %s', async (from) => {
    const prefix = emptyFolder()
    const server = serve(dist)
    const { out, err, code } = await install(from === 'a folder' ? dist : server.url.href, prefix)
    await server.stop()
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith(`multitude ${manifest.version} (`)
    expect(readdirSync(prefix, { recursive: true })).toContain('share/man/man1/multitude.1')
  })

  test.each([
    ['an archive that was changed', /does not match its checksum: nothing was installed/],
    ['a release that has no archive for this machine', /the release has no archive for linux-/],
    ['an address without TLS', /must be an https address or a folder/],
  ])('install.sh rejects %s', async (problem, complaint) => {
    const from = emptyFolder()
    const prefix = emptyFolder()
    const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8')
    writeFileSync(join(from, 'SHA256SUMS'), problem.includes('no archive') ? '' : sums)
    writeFileSync(join(from, `${name}.tar.gz`), 'something else')
    const { err, code } = await install(
      problem.includes('TLS') ? 'http://multitude.invalid' : from,
      prefix,
    )
    expect([code, err]).toEqual([1, expect.stringMatching(complaint)])
    expect(readdirSync(prefix)).toEqual([])
  })
})

/** Returns true if a temporary copy of this machine can be created. */
function canCopyMachine(): boolean {
  const folder = emptyFolder()
  const steps = [
    `mount -t tmpfs tmpfs ${folder}`,
    `mkdir ${folder}/upper ${folder}/own ${folder}/root`,
    `mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/upper,workdir=${folder}/own ${folder}/root`,
  ]
  return (
    isRoot &&
    run(['unshare', '--mount', '--net', '--pid', '--fork', 'sh', '-c', steps.join(' && ')]).code ===
      0
  )
}

runDocumented(
  {
    deb,
    laterDeb: () => withVersion(deb, '0.2.0', 'later.deb'),
    executable: join(dist, 'multitude'),
  },
  isMissing(
    `root, overlays, ${programs.join(', ')}`,
    canCopyMachine() && programs.every(isInstalled),
  ),
)

/** Links to files that only the repository has. */
const isInSource = /^(\.\.\/|ARCHITECTURE\.md|CONTRIBUTING\.md|LICENSE)/

describe('the package for Debian', () => {
  test.skipIf(isMissing('dpkg-deb', Bun.which('dpkg-deb') !== null))(
    'the Debian package has the documents, and their links work',
    () => {
      const folder = emptyFolder()
      run(['dpkg-deb', '-x', deb, folder])
      const docs = join(folder, 'usr/share/doc/multitude')
      const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
      const found = readdirSync(docs, { recursive: true })
      expect(found).toEqual(
        expect.arrayContaining(['README.md', 'CHANGELOG.md', 'monitoring/alerts.yaml', ...pages]),
      )
      for (const page of ['README.md', ...pages]) {
        const text = readFileSync(join(docs, page), 'utf8')
        const links = [...text.matchAll(/(?:\]\(|src=")(?!https?:)([^)#"]+)/g)]
        const broken = links
          .map(([, link = '']) => link)
          .filter((link) => !existsSync(join(docs, link)) && !isInSource.test(link))
        expect([page, broken]).toEqual([page, []])
      }
    },
  )

  test.skipIf(isMissing('lintian', Bun.which('lintian') !== null))(
    'the Debian package has no lintian errors',
    () => {
      const { out } = run(['lintian', '--allow-root', deb], {
        env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
      })
      expect(out.split('\n').filter((line) => line.startsWith('E:'))).toEqual([])
    },
  )

  test.skipIf(
    isMissing('root, dpkg-deb and overlays', Bun.which('dpkg-deb') !== null && canCopyMachine()),
  )('the Debian package can be installed, upgraded, removed and purged, and keeps the data', () => {
    const { out, err, code } = runOnMachine(join(import.meta.dir, './debian.sh'), [
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
      'sudo -u multitude multitude login --setup',
      '--- upgrade',
      `${manifest.version} install ok installed`,
      '600 multitude /etc/multitude.env',
      '1',
      '"name":"Lantern"',
      'No problems found.',
      '--- remove',
      '/var/lib/multitude/multitude.db',
      '--- again',
      '"name":"Lantern"',
      '--- purge',
      'The data in /var/lib/multitude was kept. Delete it by hand if you no longer need it.',
      '/var/lib/multitude/multitude.db',
      '',
    ])
  })
})

describe('the container', () => {
  const file = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const lineOf = (word: string) => new RegExp(`^${word} (.+)$`, 'm').exec(file)?.[1] ?? ''
  const listOf = (word: string): string[] => JSON.parse(/\[.+\]/.exec(lineOf(word))?.[0] ?? '[]')

  test.skipIf(isMissing('root and namespaces', canCopyMachine()))(
    'the container serves as its user and passes its health check',
    async () => {
      const folder = join(emptyFolder(), 'root')
      const [, script = ''] = /^RUN (\S+\.sh) dist\/multitude/m.exec(file) ?? []
      expect(run([join(root, script), join(dist, 'multitude'), folder])).toEqual({
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
      // Container engines mount /proc, without which Bun does not start.
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
        const last = await until(
          () => run(inside(check), { env: { ...env, ...port } }),
          ({ code }) => code === 0 || server.exitCode !== null,
        )
        expect(last).toEqual({ out: 'http://127.0.0.1:18766 is healthy.\n', err: '', code: 0 })
        const { uid, mode } = statSync(join(folder, 'var/lib/multitude/multitude.db'))
        expect([uid, mode & 0o777]).toEqual([10001, 0o600])
        expect(
          run(inside([...listOf('ENTRYPOINT'), 'system', 'create', '--name', 'X', '--json']), {
            env,
          }),
        ).toMatchObject({ code: 0 })
      } finally {
        server.kill('SIGTERM')
      }
      expect(await server.exited).toBe(0)
    },
  )

  test('the container reports its commit, although its build stage has no git', () => {
    const source = join(emptyFolder(), 'source')
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
    expect(ignored).not.toContain('.git')
    expect(run(['git', 'clone', '--quiet', root, source]).code).toBe(0)
    symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
    const programs = emptyFolder()
    symlinkSync(Bun.which('cp') ?? '', join(programs, 'cp'))
    const env = { PATH: programs }
    expect(run([process.execPath, 'build.ts'], { cwd: source, env })).toMatchObject({ code: 0 })
    const commit = run(['git', 'rev-parse', '--short=7', 'HEAD'], { cwd: source }).out.trim()
    const { out } = run([join(source, 'dist/multitude'), 'version'], { cwd: source })
    expect(out).toBe(`multitude ${manifest.version} (${commit})\n`)
  })

  test('compose.yaml runs the container behind Caddy, with a volume and without capabilities', () => {
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
