import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { generateSQLiteDrizzleJson } from 'drizzle-kit/api'
import manifest from '../../package.json'
import { commands } from '../../src/cli/run'
import { migrations } from '../../src/db/migrations'
import * as tables from '../../src/db/tables'
import { settings } from '../../src/runtime/config/config'
import { describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'
import { endpoints } from './endpoints'
import { serviceModules } from './serviceModules'

const root = join(import.meta.dir, '../..')

/** Imports that the table in ARCHITECTURE.md allows to each layer. */
const layers = new Map(
  [...read('ARCHITECTURE.md').matchAll(/^\| `([\w/]+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, layer = '', others = '', packages = '']) => [
      layer,
      { layers: quotedIn(others), packages: quotedIn(packages) },
    ],
  ),
)

const sources = new Bun.Glob('**/*.{ts,tsx}')
const files = [...sources.scanSync(join(root, 'src'))].filter((file) => !file.endsWith('.d.ts'))

describe('architecture', () => {
  test('every import is allowed by the table of layers', () => {
    const broken: string[] = []
    for (const file of files) {
      const layer = layerOf(file)
      const allowed = layers.get(layer)
      for (const { target, line } of importsOf(file)) {
        const isOutside = !target.startsWith('.')
        const other = isOutside ? target : layerOf(join(file, '..', target))
        const isFine = isOutside
          ? allowed?.packages.some((name) => new Bun.Glob(name).match(target))
          : other === layer || other === '..' || allowed?.layers.includes(other)
        if (!isFine)
          broken.push(
            `src/${file}:${line} imports ${target}: the table in ARCHITECTURE.md does not allow it to ${layer}`,
          )
      }
    }
    expect(files.length).toBeGreaterThan(30)
    expect(broken).toEqual([])
  })

  test('no files import each other in a cycle', () => {
    expect(findCycles(new Map(files.map((file) => [file, localImportsOf(file)])))).toEqual([])
  })

  test.each(['model', 'store', 'service', 'dashboard/features'])(
    'the folders of %s do not import each other in a cycle',
    (parent) => {
      const depth = parent.split('/').length + 1
      // Types are not imported at run time.
      const folderOf = (file: string) => file.split('/').slice(0, depth).join('/')
      const targets = new Map<string, string[]>()
      for (const file of files.filter((one) => one.startsWith(`${parent}/`))) {
        const imported = localImportsOf(file, withoutTypeImports(read(join('src', file))))
        const others = imported.map(folderOf).filter((folder) => folder !== folderOf(file))
        targets.set(folderOf(file), [...(targets.get(folderOf(file)) ?? []), ...others])
      }
      expect(targets.size).toBeGreaterThan(10)
      expect(findCycles(targets)).toEqual([])
    },
  )

  test('what all routes use imports none of the APIs', () => {
    const imports = filesOf('http')
      .filter((file) => file.startsWith('http/server/'))
      .flatMap((file) => localImportsOf(file).map((target) => `${file} imports ${target}`))
    expect(imports.filter((line) => / http\/(v1|v2|ext|bot|web)\//.test(line))).toEqual([])
  })

  /** Folders of the dashboard from top to bottom. */
  const dashboardFolders = [
    ['main.tsx', 'layout.tsx', 'sync.ts'],
    ['pages'],
    ['features'],
    ['ui', 'offline', 'worker'],
    ['actions'],
    ['core'],
    ['api'],
    ['lib'],
    ['texts'],
  ]

  test('a folder of the dashboard imports only those below it', () => {
    const levelOf = (file: string) =>
      dashboardFolders.findIndex((level) => level.includes(file.split('/')[1] ?? ''))
    const imports = filesOf('dashboard').flatMap((file) =>
      localImportsOf(file)
        .filter((target) => layerOf(target) === 'dashboard' && levelOf(target) < levelOf(file))
        .map((target) => `${file} imports ${target}`),
    )
    expect(imports).toEqual([])
  })

  test('only the API client of the dashboard has paths of the API', () => {
    const paths = filesOf('dashboard')
      .filter((file) => !file.startsWith('dashboard/api/'))
      .filter((file) => /['"`](ext\/v1|v2|web|pictures)\//.test(read(`src/${file}`)))
    expect(paths).toEqual([])
  })

  test('only the form kit of the dashboard has forms and invalid inputs', () => {
    const files = filesOf('dashboard').filter((file) => !/\/(ui|features)\/form\//.test(file))
    expect(files.filter((file) => /<form|aria-invalid=/.test(read(`src/${file}`)))).toEqual([])
  })

  test('functions on rows have no viewer', () => {
    const withViewer = filesOf('store').filter((file) =>
      /\bviewer: Viewer\b/.test(read(`src/${file}`)),
    )
    expect(withViewer).toEqual([])
  })

  test('no folder has more than 40 files', () => {
    const counts = new Map<string, number>()
    for (const tree of ['src', 'test'])
      for (const file of new Bun.Glob('**/*').scanSync(join(root, tree))) {
        const folder = join(tree, file, '..')
        counts.set(folder, (counts.get(folder) ?? 0) + 1)
      }
    const large = [...counts].filter(([, count]) => count > 40).map(([folder]) => folder)
    // Scenarios that are run by one pattern, and a program of its own.
    expect(large.toSorted()).toEqual(['test/browser', 'test/discord/standIn'])
  })

  test('the type check of service functions covers every module that other layers call', () => {
    const called = new Set(
      filesOf('http', 'cli', 'events', 'discord').flatMap(calledServiceModules),
    )
    expect([...called].toSorted()).toEqual(Object.keys(serviceModules).toSorted())
  })

  test('routes, commands and the Discord bot use the database only through the service', () => {
    const accesses = filesOf('http', 'cli', 'discord').flatMap((file) =>
      linesOf(file).filter((line) => /[\w)?]\.db\b|\{[^{}]*\bdb\b[^{}]*\}\s*[:=]/.test(line)),
    )
    expect(accesses).toEqual([])
  })

  test('only the layers with rows build statements', () => {
    const builders = files.filter((file) =>
      importsOf(file).some(({ target }) =>
        /^db\/(query|rows|tables)\b/.test(join(file, '..', target)),
      ),
    )
    expect(new Set(builders.map(layerOf))).toEqual(new Set(['db', 'doctor', 'events', 'store']))
  })

  test('the Discord bot imports only types of the packages that describe Discord', () => {
    const importers = filesOf('discord').filter((file) =>
      /^import (?!type\b)[^']*'discord-api-types/m.test(read(join('src', file))),
    )
    expect(importers).toEqual([])
    expect(manifest.dependencies).not.toHaveProperty('discord-api-types')
  })

  test('only the database layer, settings and commands depend on the database engine', () => {
    const dependent = files.filter(
      (file) =>
        !/^(db|doctor|runtime|cli)\b/.test(file) &&
        linesOf(file).some((line) => /postgres|sqlite/i.test(line) && !/^import\b/.test(line)),
    )
    expect(dependent).toEqual([])
  })

  test('only serializers create response JSON', () => {
    const creators = files.filter((file) =>
      /\bas (Serialized|SerializedObject|Json)\b|import \{[^}]*\bmarkSerialized\b[^}]*\} from/.test(
        read(join('src', file)),
      ),
    )
    // Webhooks are serialized where they are stored; cached JSON was rendered by a serializer.
    const others = creators.filter((file) => layerOf(file) !== 'serializers')
    expect(others.toSorted()).toEqual(['events/webhooks.ts', 'service/reads/renderGaps.ts'])
  })

  test('only main reads the environment and the arguments', () => {
    const readers = files.filter((file) =>
      /process\.(env\b(?!\.MULTITUDE_(COMMIT|DATE))|argv)/.test(read(join('src', file))),
    )
    expect(readers.toSorted()).toEqual(['cli/workers/selfProcess.ts', 'main.ts'])
  })

  test('every setting is used', () => {
    const others = files.filter((file) => !file.startsWith('runtime/config/'))
    const source = others.map((file) => read(join('src', file))).join('\n')
    const unused = Object.keys(settings).filter((name) => !new RegExp(`\\b${name}\\b`).test(source))
    expect(unused.map((name) => `${name} is not used outside runtime/config`)).toEqual([])
  })

  /** Module state is shared by all apps and requests of the process. */
  const statePatterns: [description: string, pattern: RegExp][] = [
    ['a module variable', /^(export )?(let|var) /],
    ['a mutable collection', /^(export )?const \w+(: (?!Readonly)[^=]+)? = new (Map|Set)\b/],
    ['an empty list or object', /^(export )?const \w+(: [^=]+)? = (\[\]|\{\})$/],
    ['a weak collection', /new Weak(Map|Set|Ref)\b/],
    ['a cached query', /\bcachePer(<.*>)?\(\(\)/],
  ]

  /** Files that may have state, with the reason. */
  const filesWithState: Record<string, string> = {
    'db/query.ts':
      'prepared statements are released with their database handle, and texts are the same for all',
    'dashboard/lib/time.ts':
      'date formats of a time zone are the same for all callers, and slow to create',
    'dashboard/lib/search.ts': 'folded names are released with the member they belong to',
  }

  test('no module has state: stateful objects are created in app.ts and passed on', () => {
    const found = files.flatMap((file) =>
      read(join('src', file))
        .split('\n')
        .flatMap((line, at) => {
          const [state] = statePatterns.find(([, pattern]) => pattern.test(line)) ?? []
          const problem = `src/${file}:${at + 1} has ${state}: ${line.trim()}`
          return state ? [{ file, problem }] : []
        }),
    )
    expect(found.flatMap(({ file, problem }) => (file in filesWithState ? [] : problem))).toEqual(
      [],
    )
    const without = Object.keys(filesWithState).filter(
      (name) => !found.some(({ file }) => file === name),
    )
    expect(without).toEqual([])
  })

  test('the table of layers lists every layer and no other', () => {
    const inTable = [...layers.keys()].toSorted()
    expect(inTable).toEqual([...new Set(files.map(layerOf))].toSorted())
  })

  const metadata = readdirSync(join(root, 'migrations/meta')).toSorted()
  const snapshots = metadata.filter((file) => file.endsWith('_snapshot.json'))

  test('the migrations match the tables', async () => {
    const snapshot = JSON.parse(read(join('migrations/meta', snapshots.at(-1) ?? '')))
    const current = JSON.parse(JSON.stringify(await generateSQLiteDrizzleJson(tables)))
    expect(
      { tables: current.tables, views: current.views },
      'the tables have changed: npm run migration -- --name WHAT_IT_IS',
    ).toEqual({ tables: snapshot.tables, views: snapshot.views })
  })

  test('the metadata of the migrations is the journal and the last snapshot', () => {
    const journal = JSON.parse(read('migrations/meta/_journal.json'))
    const last = `${journal.entries.at(-1).tag.slice(0, 4)}_snapshot.json`
    expect(metadata, 'delete the snapshot before last').toEqual([last, '_journal.json'])
  })

  test('the executable contains every migration, in order', () => {
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

  test('files with SQL text say why it is not built by Drizzle', () => {
    const statement = /sql(<[^`]*>)?`\s*(select|insert|update|delete|with)\b/
    const text = /(['"`])\s*(select .* from|insert into|update \w+ set|delete from|with \w+ as)\b/
    const unexplained = files.filter((file) => {
      const source = read(join('src', file))
      const isEngine = /^db\/(sqlite|postgres)\//.test(file)
      if (isEngine || source.includes('SQL text, because')) return false
      return statement.test(source) || text.test(source)
    })
    expect(unexplained).toEqual([])
  })

  /** Files that read hidden rows, with the reason. */
  const readersOfHiddenRows: Record<string, string> = {
    'doctor/consistencyChecks.ts': 'checks all rows',
    'doctor/friendCheck.ts': 'checks all rows',
    'store/reads/jsonSql.ts': 'estimates the size of a list',
    'db/locks.ts': 'locks rows',
    'db/postgres/storage.ts': 'checks whether the database answers',
    'db/postgres/transactions.ts': 'locks rows',
    'db/backup/sqliteBackup.ts': 'changes all systems of a backup',
    'db/sqlite/health.ts': 'checks whether the database answers',
    'db/visible.ts': 'selects the visible rows',
    'store/front/switchRows.ts': 'rejects UUIDs of hidden switches, and deletes hidden ones',
    'store/systems/deletion.ts': 'hides rows',
    'store/systems/hiddenRows.ts': 'deletes hidden rows',
    'store/systems/rowsOfSystem.ts': 'counts and deletes all rows of a system',
    'store/transfer/archiveDeletion.ts': 'deletes hidden rows',
    'store/front/deleteFrontNotes.ts': 'deletes hidden rows',
    'store/members/tagIndex.ts': 'indexes tags of unfinished imports',
    'store/transfer/archiveStaging.ts': 'counts rows of unfinished imports',
    'store/transfer/importSwitchRows.ts': 'counts, replaces and avoids hidden switches',
  }

  test('reads of tables with hidden rows select from db/visible.ts', () => {
    const guarded = ['systems', 'members', 'groups', 'switches', 'importArchive']
    const readers = files.filter((file) => {
      const source = read(join('src', file))
      const imported = source.match(/import \{([^}]*)\} from '[^']*\/tables'/)?.[1] ?? ''
      const names = guarded.filter((name) => new RegExp(`\\b${name}\\b`).test(imported)).join('|')
      if (names === '') return false
      const built = new RegExp(`\\.(from|\\w+Join)\\((${names})\\b`)
      const text = new RegExp(`\\b(from|join)\\s+\\$\\{(${names})\\}`, 'i')
      return built.test(source) || text.test(source)
    })
    expect(readers.toSorted()).toEqual(Object.keys(readersOfHiddenRows).toSorted())
  })

  test('only test/test.ts imports bun:test, whose timeout is too short for busy cores', () => {
    const tests = [...sources.scanSync(join(root, 'test'))].map((file) => `test/${file}`)
    const importers = tests.filter((file) => / from 'bun:test'$/m.test(read(file)))
    expect(importers).toEqual(['test/tools/test.ts'])
  })

  test('the stand-in for Discord imports nothing of the program that it tests', () => {
    const folder = 'test/discord/standIn'
    const standIn = [...sources.scanSync(join(root, folder))].map((file) => `${folder}/${file}`)
    const outside = standIn.flatMap((file) =>
      [...read(file).matchAll(/ from '(\.\.[^']*)'/g)].map(
        ([, target]) => `${file} imports ${target}`,
      ),
    )
    expect(standIn.length).toBeGreaterThan(20)
    expect(outside).toEqual([])
  })

  test('dependencies have exact versions, and the lock file names no host', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
    expect(read('bun.lock')).not.toContain('://')
    expect(manifest.scripts.preinstalled).toContain(`bun@${manifest.devDependencies.bun} `)
  })
})

describe('npm scripts', () => {
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
  ])('npm run %s installs the dependencies first', (name) => expect(installs(name)).toBe(true))

  test('every script but format and migration installs the dependencies first', () => {
    const without = Object.keys(scripts).filter(
      (name) => !name.startsWith('pre') && !installs(name),
    )
    expect(without).toEqual(['format', 'migration'])
  })
})

describe('documentation', () => {
  test('docs/operating.md describes every setting with the text of the program', () => {
    const text = read('docs/operating.md')
    const missing = Object.entries(settings)
      .filter(([name, { doc }]) => !text.includes(`\`${name}\``) || !text.includes(doc))
      .map(
        ([name, { doc }]) =>
          `docs/operating.md has no row for ${name}, or another description than: ${doc}`,
      )
    expect(missing).toEqual([])
  })

  const docs = readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((page) => `docs/${page}`)

  test('README.md links to every page of docs', () => {
    const text = read('README.md')
    const unlinked = docs.filter((page) => !text.includes(`](${page})`))
    expect(unlinked.map((page) => `README.md does not link to ${page}`)).toEqual([])
  })

  test('docs/operating.md lists every command', () => {
    const text = read('docs/operating.md')
    const missing = commands.filter(({ name }) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(text))
    expect(missing.map(({ name }) => `docs/operating.md has no row for ${name}`)).toEqual([])
  })

  test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...docs])(
    'every link of %s leads to a file that exists',
    (page) => {
      const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
        ([, link = '']) => link,
      )
      const broken = links.filter((link) => !existsSync(join(root, page, '..', link)))
      expect(broken).toEqual([])
    },
  )
})

describe('requests without a token', () => {
  const { ask } = createTestApp()

  const writes = Object.entries(endpoints)
    .filter(([line, { requires }]) => !line.startsWith('GET ') && requires !== 'no token')
    .map(([line]) => line.replaceAll(/\{[^}]+\}/g, 'abcde'))

  test('the list of write requests without a token is not empty', () =>
    expect(writes).toContain('PATCH /v2/systems/abcde'))

  test.each(writes)('%s without a token is rejected before its body is parsed', async (line) => {
    for (const body of [undefined, 'not JSON', {}]) {
      const { status } = await ask(line, { body })
      expect(status).toBe(401)
    }
  })
})

describe('comments and documents', () => {
  const folders = new Bun.Glob('{src,test,bench,examples,docs,.ci}/**/*')
  const known = [...readdirSync(root), ...folders.scanSync({ cwd: root, dot: true })]
  const isKnown = (name: string, file: string) =>
    ['', 'src/', 'test/', 'src/dashboard/', `${join(file, '..')}/`].some((start) =>
      known.includes(start + name),
    ) ||
    (!name.includes('/') && known.some((path) => path.endsWith(`/${name}`)))

  test('every file named in a comment or document exists', () => {
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

/** Cycles in a graph of files or folders, each with the nodes that it imports. */
function findCycles(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const walk = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) cycles.push([...path.slice(path.indexOf(node)), node].join(' → '))
    if (path.includes(node) || done.has(node)) return
    for (const target of targets.get(node) ?? []) walk(target, [...path, node])
    done.add(node)
  }
  for (const node of targets.keys()) walk(node, [])
  return cycles
}

/** Top folder of a file; timers are a layer of their own. */
function layerOf(file: string): string {
  if (file.startsWith('runtime/timers/')) return 'runtime/timers'
  return file.split('/')[0]?.replace('.ts', '') ?? ''
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function filesOf(...names: string[]): string[] {
  return files.filter((file) => names.includes(layerOf(file)))
}

function linesOf(file: string): string[] {
  return read(join('src', file)).split('\n')
}

/** Service modules that a file imports functions or constants from. */
function calledServiceModules(file: string): string[] {
  const imports = read(join('src', file)).matchAll(/^import \{([^}]+)\} from '([^']+)'/gm)
  return [...imports].flatMap(([, names = '', target = '']) => {
    const source = `${join(file, '..', target)}.ts`
    const values = names.split(',').filter((name) => /^\s*(?!type )\w/.test(name))
    return layerOf(source) === 'service' && values.length > 0 ? [relative('service', source)] : []
  })
}

/** Source files that a file imports. */
function localImportsOf(file: string, source?: string): string[] {
  const near = importsOf(file, source).filter(({ target }) => target.startsWith('.'))
  return near.flatMap(({ target }) => {
    const path = join(file, '..', target)
    const found = [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`]
    return found.filter((known) => files.includes(known)).slice(0, 1)
  })
}

function withoutTypeImports(source: string): string {
  return source.replaceAll(/^(?:import|export) type [^']*'[^']+'/gm, '')
}

function importsOf(
  file: string,
  source = read(join('src', file)),
): { target: string; line: number }[] {
  return source.split('\n').flatMap((text, at) => {
    const [, target] = /(?:from |import |import\()'([^']+)'/.exec(text) ?? []
    return target ? [{ target, line: at + 1 }] : []
  })
}
