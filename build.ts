import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { type Papers, pack, writePapers } from './.ci/release/archive'
import { readCommit } from './.ci/release/commit'
import { debianNames, packDeb } from './.ci/release/deb'
import { fetchRuntime, type Target, targets } from './.ci/release/runtimes'
import manifest from './package.json' with { type: 'json' }
import { bundlePage } from './src/web/bundle'
import { packFile } from './src/web/pages'

/**
 * Makes the executable for this machine. With --all a release too: every platform, packed, with
 * checksums; or of those platforms alone that are named, such as linux-x64.
 */

const page = await packPage()

const commit =
  (await $`git rev-parse --short HEAD`.nothrow().quiet().text()).trim() ||
  (await readCommit(import.meta.dir)) ||
  'unknown'
const builtAt = Number(
  (await $`git log -1 --format=%ct`.nothrow().quiet().text()).trim() ||
    Math.floor(Date.now() / 1000),
)

await smoke(await compile('dist/multitude'))
const asked = process.argv.slice(2)
const wanted = targets.filter((target) => asked.includes('--all') || asked.includes(target))
if (wanted.length > 0) await release(wanted)

async function release(wanted: readonly Target[]): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'multitude-release-'))
  const missing: string[] = []
  const made: string[] = []
  /** Whatever cannot be had here is told at the end, and keeps nobody from the rest. */
  const attempt = async (what: string, make: () => Promise<string>) => {
    try {
      made.push(await make())
      console.log(`dist/${made.at(-1)}`)
    } catch (cause) {
      missing.push(`${what}: ${(cause as Error).message}`)
    }
  }
  try {
    for (const old of new Bun.Glob('dist/{multitude[-_]*,SHA256SUMS}').scanSync()) await rm(old)
    const papers: Papers = { folder: join(work, 'papers'), version: manifest.version, builtAt }
    await writePapers('dist/multitude', papers)
    for (const target of wanted) {
      const outfile = join(work, `${target}${target.startsWith('windows') ? '.exe' : ''}`)
      await attempt(target, async () => {
        const executable = await compile(outfile, target)
        return await pack(executable, target, papers, work)
      })
      if (target in debianNames)
        await attempt(`${target} for Debian`, () => {
          if (!Bun.which('dpkg-deb')) throw new Error('there is no dpkg-deb here')
          return packDeb(outfile, debianNames[target as keyof typeof debianNames], papers, work)
        })
    }
    await $`cp .ci/release/install.sh dist/install.sh`
    const sums = await $`sha256sum ${[...made, 'install.sh'].toSorted()}`.cwd('dist').text()
    await Bun.write('dist/SHA256SUMS', sums)
    console.log('dist/SHA256SUMS')
  } finally {
    await rm(work, { recursive: true })
  }
  for (const what of missing) console.error(`!!! NOT BUILT: ${what} !!!`)
}

async function compile(outfile: string, target?: Target): Promise<string> {
  const result = await Bun.build({
    entrypoints: ['src/main.ts'],
    minify: true,
    bytecode: true,
    files: page,
    // What is imported only when it is needed lies apart, and is not read until then.
    format: 'esm',
    splitting: true,
    define: {
      'process.env.MULTITUDE_COMMIT': JSON.stringify(commit),
      'process.env.MULTITUDE_DATE': JSON.stringify(
        new Date(builtAt * 1000).toISOString().slice(0, 10),
      ),
    },
    compile: {
      outfile,
      ...(target && { target: `bun-${target}`, executablePath: await fetchRuntime(target) }),
      // A bunfig.toml in the folder it is started from could make it run foreign code.
      autoloadBunfig: false,
      // It reads `.env` itself, as weighty as the README says.
      autoloadDotenv: false,
    },
  })
  const [executable] = result.outputs
  if (!executable) throw new Error(`nothing was built for ${target}`)
  console.log(`${outfile}  ${(Bun.file(outfile).size / 1024 / 1024).toFixed(0)} MiB`)
  return outfile
}

/** Returns the dashboard's files for the executable, and the module that lists them. */
async function packPage(): Promise<Record<string, string | Uint8Array>> {
  const folder = join(import.meta.dir, 'src/web')
  const files: Record<string, string | Uint8Array> = {}
  const imports: string[] = []
  const entries = (await bundlePage()).map((bundled) => {
    const { path, type, isLasting, ways } = packFile(bundled, 'well')
    const names = Object.entries(ways).map(([encoding, bytes]) => {
      const name = `way${imports.length}`
      files[join(folder, `embedded/${name}.${encoding}`)] = bytes
      imports.push(`import ${name} from './embedded/${name}.${encoding}' with { type: 'file' }`)
      return `${encoding}: ${name}`
    })
    const said = JSON.stringify({ path, type, isLasting }).slice(1, -1)
    return `{ ${said}, ways: { ${names.join(', ')} } }`
  })
  files[join(folder, 'embeddedAssets.ts')] =
    `${imports.join('\n')}\nexport const embeddedAssets = [${entries.join(',\n')}]\n`
  return files
}

/** Starts what was built in an empty folder and asks it what a newcomer would. */
async function smoke(executable: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'multitude-'))
  const program = join(folder, 'multitude')
  await $`cp ${executable} ${program}`
  // Of a service on this machine, whose settings it would take from /etc, nothing is touched.
  const own = ['--database', `file:${join(folder, 'smoke.db')}`]
  const serve = ['--port', '0', '--host', '127.0.0.1', '--backup-dir', '', '--log-format', 'json']
  const server = Bun.spawn([program, ...serve, ...own], {
    cwd: folder,
    env: {},
    stderr: 'pipe',
  })
  try {
    const address = await addressOf(server.stderr)
    const { token } = await $`${program} system create --name Smoke --json ${own}`
      .cwd(folder)
      .env({})
      .json()
    await expectAnswer(`${address}/health`, 'ok')
    await expectAnswer(`${address}/`, '<script type="module"')
    await expectAnswer(`${address}/docs`, 'swagger-ui')
    await expectAnswer(`${address}/docs/swagger-ui-bundle.js`, 'SwaggerUIBundle')
    await expectAnswer(`${address}/v2/systems/@me`, 'Smoke', token)
    server.kill('SIGTERM')
    if ((await server.exited) !== 0) throw new Error('the executable did not stop cleanly')
    console.log('It serves, migrates, makes a system and answers.')
  } finally {
    server.kill('SIGKILL')
    await server.exited
    await rm(folder, { recursive: true })
  }
}

async function addressOf(log: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of log) {
    text += Buffer.from(chunk).toString()
    const [, address] = /"address":"([^"]+)"/.exec(text) ?? []
    if (address) return address
  }
  throw new Error(`the executable did not start:\n${text}`)
}

async function expectAnswer(url: string, words: string, token = ''): Promise<void> {
  const response = await fetch(url, { headers: { authorization: token } })
  const text = await response.text()
  if (!response.ok || !text.includes(words)) throw new Error(`${url} answered ${response.status}`)
}
