import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import manifest from '../package.json'
import { commands } from '../src/cli/run'
import { settings } from '../src/config'
import { migrations } from '../src/db/migrations'
import { document } from './openapiDocument'
import { createTestApp } from './testApp'

const root = join(import.meta.dir, '..')

/** Who may import whom, as ARCHITECTURE.md says. A room that is not named imports nothing. */
const rooms = new Map(
  [...read('ARCHITECTURE.md').matchAll(/^\| `([\w/]+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, room = '', others = '', packages = '']) => [
      room,
      { rooms: quotedIn(others), packages: quotedIn(packages) },
    ],
  ),
)

const sources = new Bun.Glob('**/*.{ts,tsx}')
const files = [...sources.scanSync(join(root, 'src'))].filter((file) => !file.endsWith('.d.ts'))

describe('the house', () => {
  test('every import keeps to the table of rooms', () => {
    const broken: string[] = []
    for (const file of files) {
      const room = roomOf(file)
      const allowed = rooms.get(room)
      for (const { target, line } of importsOf(file)) {
        const isOutside = !target.startsWith('.')
        const other = isOutside ? target : roomOf(join(file, '..', target))
        const isFine = isOutside
          ? allowed?.packages.some((name) => new Bun.Glob(name).match(target))
          : other === room || other === '..' || allowed?.rooms.includes(other)
        if (!isFine)
          broken.push(
            `src/${file}:${line} imports ${target}: the table in ARCHITECTURE.md does not let ${room} do that`,
          )
      }
    }
    expect(files.length).toBeGreaterThan(30)
    expect(broken).toEqual([])
  })

  test('no files import each other in a circle', () => {
    const targets = new Map(files.map((file) => [file, localImportsOf(file)]))
    const circles: string[] = []
    const done = new Set<string>()
    const walk = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
      if (way.includes(file) || done.has(file)) return
      for (const target of targets.get(file) ?? []) walk(target, [...way, file])
      done.add(file)
    }
    for (const file of files) walk(file, [])
    expect(circles).toEqual([])
  })

  /** Who asks is found out here, so nobody asks yet. */
  const recognizing = [
    'findBot',
    'findSession',
    'authenticateCalendar',
    'findToken',
    'getCachedToken',
  ]

  test('every verb that is called from outside knows who asks, and checks by itself', () => {
    const calls = filesOf('http', 'cli', 'events').flatMap(callsToService)
    const verbs = calls.filter(({ name }) => !recognizing.includes(name))
    const unchecked = verbs.filter(({ file, name }) => !knowsViewer(read(join('src', file)), name))
    expect(verbs.length).toBeGreaterThan(30)
    expect(
      unchecked.map(
        ({ file, name }) =>
          `${name} of src/${file} is called from outside, so it must begin with (deps: Deps, viewer: Viewer`,
      ),
    ).toEqual([])
  })

  test('only the service touches what is kept', () => {
    const touching = filesOf('http', 'cli').flatMap((file) =>
      linesOf(file).filter((line) => /[\w)?]\.db\b|\{[^{}]*\bdb\b[^{}]*\}\s*[:=]/.test(line)),
    )
    expect(touching).toEqual([])
  })

  test('only the database, its settings and its commands know which engine it is', () => {
    const knowing = files.filter(
      (file) =>
        !/^(db|config|cli)\b/.test(file) &&
        linesOf(file).some((line) => /postgres|sqlite/i.test(line) && !/^import\b/.test(line)),
    )
    expect(knowing).toEqual([])
  })

  test('only what a wire has made is shown', () => {
    const makers = files.filter((file) =>
      /\bas (Serialized|SerializedObject|Json)\b|import \{[^}]*\bmarkSerialized\b[^}]*\} from/.test(
        read(join('src', file)),
      ),
    )
    // A webhook is spelled where it is kept; faces were made by a wire when their rows were written.
    const others = makers.filter((file) => roomOf(file) !== 'serializers')
    expect(others.toSorted()).toEqual(['events/webhooks.ts', 'service/read/v2.ts'])
  })

  test('only main reads the environment and the arguments', () => {
    const readers = files.filter((file) =>
      /process\.(env\b(?!\.MULTITUDE_(COMMIT|DATE))|argv)/.test(read(join('src', file))),
    )
    expect(readers.toSorted()).toEqual(['cli/selfProcess.ts', 'main.ts'])
  })

  test('every setting counts somewhere', () => {
    const others = files.filter((file) => roomOf(file) !== 'config')
    const source = others.map((file) => read(join('src', file))).join('\n')
    const idle = Object.keys(settings).filter((name) => !new RegExp(`\\b${name}\\b`).test(source))
    expect(idle.map((name) => `nothing takes ${name} from config`)).toEqual([])
  })

  /** A module lives as long as the program: what changes there is shared by all who are served. */
  const memories: [what: string, looksLike: RegExp][] = [
    ['a variable of the module', /^(export )?(let|var) /],
    [
      'a collection that can change',
      /^(export )?const \w+(: (?!Readonly)[^=]+)? = new (Map|Set)\b/,
    ],
    ['a list or an object to be filled', /^(export )?const \w+(: [^=]+)? = (\[\]|\{\})$/],
    ['a memory beside its owner', /new Weak(Map|Set|Ref)\b/],
    ['a memory in the guise of a query', /\bprepared(<.*>)?\(\(\)/],
  ]

  /** With the reason why it may. */
  const mayRemember: Record<string, string> = {
    'db/prepared.ts': 'statements are part of the handle they were prepared on, and go with it',
    'web/app/time.ts': 'how a browser spells a zone is the same for all, and slow to learn',
    'web/app/search.ts': 'what was folded goes with whom it was folded from',
  }

  test('no module keeps a memory: what has a life is made in app.ts and passed on', () => {
    const found = files.flatMap((file) =>
      read(join('src', file))
        .split('\n')
        .flatMap((line, at) => {
          const [what] = memories.find(([, looksLike]) => looksLike.test(line)) ?? []
          return what ? [{ file, told: `src/${file}:${at + 1} has ${what}: ${line.trim()}` }] : []
        }),
    )
    expect(found.flatMap(({ file, told }) => (file in mayRemember ? [] : told))).toEqual([])
    const without = Object.keys(mayRemember).filter(
      (name) => !found.some(({ file }) => file === name),
    )
    expect(without).toEqual([])
  })

  test('every room has its line in the table, and every line its room', () => {
    const inTable = [...rooms.keys()].toSorted()
    expect(inTable).toEqual([...new Set(files.map(roomOf))].toSorted())
  })

  test('the migrations match the tables', () => {
    const out = mkdtempSync(join(tmpdir(), 'multitude-migrations-'))
    cpSync(join(root, 'migrations'), out, { recursive: true })
    const { stdout, exitCode } = Bun.spawnSync(
      ['node_modules/.bin/drizzle-kit', 'generate', '--dialect', 'sqlite', '--schema'].concat(
        'src/db/tables/index.ts',
        '--out',
        relative(root, out),
      ),
      { cwd: root },
    )
    rmSync(out, { recursive: true })
    expect(exitCode).toBe(0)
    expect(
      stdout.toString(),
      'the tables have changed: npm run migration -- --name WHAT_IT_IS',
    ).toContain('No schema changes')
  })

  test('the executable carries every migration, in order', () => {
    const inFolder = readdirSync(join(root, 'migrations'))
      .filter((file) => file.endsWith('.sql'))
      .map((file) => file.replace('.sql', ''))
      .toSorted()
    const missing = inFolder.filter((name) => !migrations.some((known) => known.name === name))
    expect(
      missing.map(
        (name) => `migrations/${name}.sql has no import and entry in src/db/migrations.ts`,
      ),
    ).toEqual([])
    expect(migrations.map(({ name }) => name)).toEqual(inFolder)
  })

  test('dependencies are exact, and the lock file names no host', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
    expect(read('bun.lock')).not.toContain('://')
    expect(manifest.scripts.preinstalled).toContain(`bun@${manifest.devDependencies.bun} `)
  })
})

describe('in a fresh clone', () => {
  const scripts: Record<string, string> = manifest.scripts
  const installs = (name: string): boolean => {
    const { [`pre${name}`]: before = '', [name]: script = '' } = scripts
    if (`${before} ${script}`.includes('npm run --silent preinstalled')) return true
    const [, other] = /^npm run --silent (\S+)/.exec(script) ?? []
    return other !== undefined && installs(other)
  }

  test.each([
    'start',
    'dev',
    'test',
    'test:irc',
    'test:release',
    'check',
    'build',
    'bench',
    'bench:soak',
    'bench:start',
  ])('npm run %s installs first', (name) => expect(installs(name)).toBe(true))

  test('no script that runs something of ours is forgotten', () => {
    const bare = Object.keys(scripts).filter((name) => !name.startsWith('pre') && !installs(name))
    expect(bare).toEqual(['format', 'migration'])
  })
})

describe('what people read', () => {
  test('names every setting with its meaning', () => {
    const text = read('docs/operating.md')
    const missing = Object.entries(settings)
      .filter(([name, { doc }]) => !text.includes(`\`${name}\``) || !text.includes(doc))
      .map(
        ([name, { doc }]) => `docs/operating.md has no row for ${name}, or not its words: ${doc}`,
      )
    expect(missing).toEqual([])
  })

  test('begins with a few screens', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(200)
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(120)
  })

  const docs = readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((page) => `docs/${page}`)

  test('has a way to every page', () => {
    const text = read('README.md')
    const hidden = docs.filter((page) => !text.includes(`](${page})`))
    expect(hidden.map((page) => `README.md does not lead to ${page}`)).toEqual([])
  })

  test('names every command', () => {
    const text = read('docs/operating.md')
    const missing = commands.filter(({ name }) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(text))
    expect(missing.map(({ name }) => `docs/operating.md has no row for ${name}`)).toEqual([])
  })

  test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...docs])(
    '%s leads nowhere that is not there',
    (page) => {
      const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
        ([, link = '']) => link,
      )
      const broken = links.filter((link) => !existsSync(join(root, page, '..', link)))
      expect(broken).toEqual([])
    },
  )
})

describe('without a token', () => {
  const { ask } = createTestApp()

  /** Who logs in is nobody yet. */
  const forNobody = ['post /web/session', 'post /web/login']

  const writes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get' && !forNobody.includes(`${method} ${path}`))
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, 'abcde')}`),
  )

  test('there are writes to try', () => expect(writes).toContain('PATCH /v2/systems/abcde'))

  test.each(writes)('%s is refused before its body is looked at', async (line) => {
    for (const body of [undefined, 'not JSON', {}]) {
      const { status } = await ask(line, { body })
      expect(status).toBe(401)
    }
  })
})

describe('file names in comments and documents', () => {
  const folders = new Bun.Glob('{src,test,bench,examples,docs,.ci}/**/*')
  const known = [...readdirSync(root), ...folders.scanSync({ cwd: root, dot: true })]
  const isKnown = (name: string, file: string) =>
    ['', 'src/', 'test/', 'src/web/app/', `${join(file, '..')}/`].some((start) =>
      known.includes(start + name),
    ) ||
    (!name.includes('/') && known.some((path) => path.endsWith(`/${name}`)))

  test('exist', () => {
    const readable = known.filter(
      (file) =>
        /\.(tsx?|md)$/.test(file) && file !== 'CHANGELOG.md' && existsSync(join(root, file)),
    )
    const missing = readable.flatMap((file) =>
      read(file)
        .split('\n')
        .filter((line) => file.endsWith('.md') || /^\s*(\/\/|\/?\*)/.test(line))
        .flatMap((line) => [...line.matchAll(/`([\w.@/-]+\.(?:ts|tsx|css|md))`/g)])
        .filter(([, name = '']) => !isKnown(name, file))
        .map(([, name]) => `${file} names ${name}, which does not exist`),
    )
    expect(readable.length).toBeGreaterThan(300)
    expect(missing).toEqual([])
  })
})

/** What runs in browsers is a room within a room. */
function roomOf(file: string): string {
  if (file.startsWith('web/app/')) return 'web/app'
  return file.split('/')[0]?.replace('.ts', '') ?? ''
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function filesOf(...names: string[]): string[] {
  return files.filter((file) => names.includes(roomOf(file)))
}

function linesOf(file: string): string[] {
  return read(join('src', file)).split('\n')
}

/** What a file imports from the service, but for its types. */
function callsToService(file: string): { file: string; name: string }[] {
  const imports = read(join('src', file)).matchAll(/^import \{([^}]+)\} from '([^']+)'/gm)
  return [...imports].flatMap(([, names = '', target = '']) => {
    const source = `${join(file, '..', target)}.ts`
    if (roomOf(source) !== 'service') return []
    const taken = names.split(',').map((name) => name.trim())
    return taken
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => ({ file: source, name }))
  })
}

/** A list of words needs nobody. */
function knowsViewer(source: string, name: string): boolean {
  const verb = `export (async )?function\\*? ${name}(<[^(]*>)?\\(\\s*(\\w+|\\{[^}]*\\}): Deps,\\s*\\w+: Viewer\\b`
  return new RegExp(`${verb}|export const ${name} = \\[`).test(source)
}

/** The files of the house that a file imports. */
function localImportsOf(file: string): string[] {
  const near = importsOf(file).filter(({ target }) => target.startsWith('.'))
  return near.flatMap(({ target }) => {
    const path = join(file, '..', target)
    return [`${path}.ts`, `${path}/index.ts`].filter((known) => files.includes(known)).slice(0, 1)
  })
}

function importsOf(file: string): { target: string; line: number }[] {
  return read(join('src', file))
    .split('\n')
    .flatMap((text, at) => {
      const [, target] = /(?:from|import) '([^']+)'/.exec(text) ?? []
      return target ? [{ target, line: at + 1 }] : []
    })
}
