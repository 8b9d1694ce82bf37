import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { type CommonFiles, pack, writeCommonFiles } from './.ci/release/archive'
import { readCommit } from './.ci/release/commit'
import { debianNames, packDeb } from './.ci/release/deb'
import { executableOptions, isNewerThanSources } from './.ci/release/executable'
import { fetchRuntime, type Target, targets } from './.ci/release/runtimes'
import manifest from './package.json' with { type: 'json' }
import { bundlePage } from './src/web/bundle'
import { compressFile } from './src/web/dashboardFiles'

/**
 * Builds the executable for this machine. With --all also builds a release: an archive for every
 * platform, with checksums. Names of platforms, such as linux-x64, limit the release to these, and
 * --release limits it to Linux on this processor. With --if-changed does nothing if the executable
 * is newer than its sources.
 */

const args = process.argv.slice(2)
const commit =
  (await $`git rev-parse --short HEAD`.nothrow().quiet().text()).trim() ||
  (await readCommit(import.meta.dir)) ||
  'unknown'
const builtAt = Number(
  (await $`git log -1 --format=%ct`.nothrow().quiet().text()).trim() ||
    Math.floor(Date.now() / 1000),
)

if (args.includes('--if-changed') && (await isUpToDate('dist/multitude'))) process.exit(0)

const page = await packPage()
await smokeTest(await compile('dist/multitude'))
if (args.includes('--release')) args.push(`linux-${process.arch}`)
const wanted = targets.filter((target) => args.includes('--all') || args.includes(target))
if (wanted.length > 0) await release(wanted)

/** True if an executable has this commit and is newer than every file that it is built from. */
async function isUpToDate(executable: string): Promise<boolean> {
  const version = await $`./${executable} --version`.nothrow().quiet().text()
  return version.includes(`(${commit})`) && isNewerThanSources(executable, import.meta.dir)
}

async function release(wanted: readonly Target[]): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'multitude-release-'))
  const missing: string[] = []
  const built: string[] = []
  /** Reports a failure at the end and continues with the other targets. */
  const attempt = async (name: string, build: () => Promise<string>) => {
    try {
      built.push(await build())
      console.log(`dist/${built.at(-1)}`)
    } catch (cause) {
      missing.push(`${name}: ${(cause as Error).message}`)
    }
  }
  try {
    for (const old of new Bun.Glob('dist/{multitude[-_]*,SHA256SUMS}').scanSync()) await rm(old)
    const common: CommonFiles = { folder: join(work, 'common'), version: manifest.version, builtAt }
    await writeCommonFiles('dist/multitude', common)
    for (const target of wanted) {
      const outfile = join(work, `${target}${target.startsWith('windows') ? '.exe' : ''}`)
      await attempt(target, async () => {
        const executable = await compile(outfile, target)
        return await pack(executable, target, common, work)
      })
      if (target in debianNames)
        await attempt(`${target} for Debian`, () => {
          if (!Bun.which('dpkg-deb')) throw new Error('dpkg-deb is not installed')
          return packDeb(outfile, debianNames[target as keyof typeof debianNames], common, work)
        })
    }
    await $`cp .ci/release/install.sh dist/install.sh`
    const sums = await $`sha256sum ${[...built, 'install.sh'].toSorted()}`.cwd('dist').text()
    await Bun.write('dist/SHA256SUMS', sums)
    console.log('dist/SHA256SUMS')
  } finally {
    await rm(work, { recursive: true })
  }
  for (const name of missing) console.error(`!!! NOT BUILT: ${name} !!!`)
}

async function compile(outfile: string, target?: Target): Promise<string> {
  const result = await Bun.build({
    ...executableOptions,
    files: page,
    define: {
      'process.env.MULTITUDE_COMMIT': JSON.stringify(commit),
      'process.env.MULTITUDE_DATE': JSON.stringify(
        new Date(builtAt * 1000).toISOString().slice(0, 10),
      ),
    },
    compile: {
      outfile,
      ...(target && { target: `bun-${target}`, executablePath: await fetchRuntime(target) }),
      // A bunfig.toml in the working directory could make the program run foreign code.
      autoloadBunfig: false,
      // The program reads `.env` itself, with the precedence that docs/operating.md describes.
      autoloadDotenv: false,
    },
  })
  const [executable] = result.outputs
  if (!executable) throw new Error(`no executable was built for ${target}`)
  console.log(`${outfile}  ${(Bun.file(outfile).size / 1024 / 1024).toFixed(0)} MiB`)
  return outfile
}

/** Returns the dashboard's files for the executable, and the module that lists them. */
async function packPage(): Promise<Record<string, string | Uint8Array>> {
  const folder = join(import.meta.dir, 'src/web')
  const files: Record<string, string | Uint8Array> = {}
  const imports: string[] = []
  const entries = (await bundlePage()).map((bundled) => {
    const { path, type, isImmutable, encodings } = compressFile(bundled, 'best')
    const names = Object.entries(encodings).map(([encoding, bytes]) => {
      const name = `asset${imports.length}`
      files[join(folder, `embedded/${name}.${encoding}`)] = bytes
      imports.push(`import ${name} from './embedded/${name}.${encoding}' with { type: 'file' }`)
      return `${encoding}: ${name}`
    })
    const metadata = JSON.stringify({ path, type, isImmutable }).slice(1, -1)
    return `{ ${metadata}, encodings: { ${names.join(', ')} } }`
  })
  files[join(folder, 'embeddedAssets.ts')] =
    `${imports.join('\n')}\nexport const embeddedAssets = [${entries.join(',\n')}]\n`
  return files
}

/** Starts the executable in an empty folder and sends a few requests to it. */
async function smokeTest(executable: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'multitude-'))
  const program = join(folder, 'multitude')
  await $`cp ${executable} ${program}`
  // Do not use the database of a service on this machine, whose settings in /etc would apply.
  const database = ['--database', `file:${join(folder, 'smoke.db')}`]
  const serve = ['--port', '0', '--host', '127.0.0.1', '--backup-dir', '', '--log-format', 'json']
  const server = Bun.spawn([program, ...serve, ...database], {
    cwd: folder,
    env: {},
    stderr: 'pipe',
  })
  try {
    const address = await readAddress(server.stderr)
    const { token } = await $`${program} system create --name Smoke --json ${database}`
      .cwd(folder)
      .env({})
      .json()
    await expectResponse(`${address}/health`, 'ok')
    await expectResponse(`${address}/`, '<script type="module"')
    await expectResponse(`${address}/docs`, 'swagger-ui')
    await expectResponse(`${address}/docs/swagger-ui-bundle.js`, 'SwaggerUIBundle')
    await expectResponse(`${address}/v2/systems/@me`, 'Smoke', token)
    server.kill('SIGTERM')
    if ((await server.exited) !== 0) throw new Error('the executable did not stop cleanly')
    console.log(
      'The executable starts, migrates its database, creates a system and answers requests.',
    )
  } finally {
    server.kill('SIGKILL')
    await server.exited
    await rm(folder, { recursive: true })
  }
}

async function readAddress(log: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of log) {
    text += Buffer.from(chunk).toString()
    const [, address] = /"address":"([^"]+)"/.exec(text) ?? []
    if (address) return address
  }
  throw new Error(`the executable did not start:\n${text}`)
}

async function expectResponse(url: string, expected: string, token = ''): Promise<void> {
  const response = await fetch(url, { headers: { authorization: token } })
  const text = await response.text()
  if (!response.ok || !text.includes(expected))
    throw new Error(`${url} answered ${response.status}`)
}
