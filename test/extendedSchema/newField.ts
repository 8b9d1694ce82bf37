import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'

const root = join(import.meta.dir, '../..')

/** All stored field tables by file. */
const tables = {
  'systems/system': ['system'],
  'members/member': ['member'],
  'groups/group': ['group'],
  'systems/settings': ['settings'],
  'proxy/guild': ['systemGuild', 'memberGuild', 'guild'],
  'proxy/autoproxy': ['autoproxy'],
}

test('supports new fields of every kind and a new level that only the field table names', async () => {
  const copy = copyRepository()
  for (const [file, names] of Object.entries(tables))
    edit(join(copy, 'src/model', `${file}.ts`), (source) => {
      const extended = names.reduce(
        (text, name) => replace(text, `const ${name} = entity(`, `const ${name} = grown(`),
        source.replace(/^import \{(.*)\bentity, /m, 'import {$1'),
      )
      return `import { grown } from '../../../test/extendedSchema/tables'\n${extended}`
    })
  await addMigration(copy)
  const { output, exitCode } = await run(copy, [
    process.execPath,
    'test',
    './test/extendedSchema/scenario.ts',
  ])
  if (exitCode !== 0) throw new Error(output)
  expect(output).toContain(' 0 fail')
})

/** Copies the sources and what the tests need. */
function copyRepository(): string {
  const copy = emptyFolder('grown-')
  for (const part of ['src', 'test', 'migrations', 'package.json', 'tsconfig.json', 'bunfig.toml'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Creates the migration and adds it to the executable, as CONTRIBUTING.md describes. */
async function addMigration(copy: string): Promise<void> {
  const argv = [process.execPath, 'run', 'migration', '--name', 'grown']
  const { output, exitCode } = await run(copy, argv)
  if (exitCode !== 0) throw new Error(output)
  const file =
    readdirSync(join(copy, 'migrations')).find((name) => name.endsWith('_grown.sql')) ?? ''
  edit(join(copy, 'src/db/migrations.ts'), (source) => {
    const line = `import grown from '../../migrations/${file}' with { type: 'text' }\n`
    // The first list is that of SQLite.
    const entry = `\n  { name: '${file.replace('.sql', '')}', sql: grown },\n]\n`
    return line + replace(source, /\n\]\n/, entry)
  })
}

function edit(file: string, change: (source: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

function replace(text: string, from: string | RegExp, to: string): string {
  const replaced = text.replace(from, to)
  if (replaced === text) throw new Error(`${from} not found`)
  return replaced
}

async function run(cwd: string, argv: string[]): Promise<{ output: string; exitCode: number }> {
  const child = Bun.spawn(argv, { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { output: out + err, exitCode: await child.exited }
}
