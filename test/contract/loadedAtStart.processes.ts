import { relative } from 'node:path'
import { executableOptions } from '../../.ci/release/executable'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'

/** Modules that only some servers, or only other commands, need. */
const LOADED_WHEN_NEEDED = [
  'node_modules/@elysiajs/swagger/',
  'node_modules/file-type/',
  'src/cli/completion/bash.ts',
  'src/cli/completion/fish.ts',
  'src/cli/completion/man.ts',
  'src/cli/completion/tree.ts',
  'src/cli/completion/zsh.ts',
  'src/db/backup/backup.ts',
  'src/db/backup/copyDatabase.ts',
  'src/doctor/inspect.ts',
  'src/discord/activeBot.ts',
  'src/discord/commands/',
  'src/discord/gateway/',
  'src/formats/read.ts',
  'src/formats/tupperbox.ts',
  'src/serializers/openapiComponents.ts',
]

test('a server does not load modules that it may never need when it starts', async () => {
  const { metafile } = await Bun.build({
    ...executableOptions,
    bytecode: false,
    metafile: true,
    target: 'bun',
    outdir: emptyFolder(),
  })
  const chunks = metafile?.outputs ?? {}
  const loaded = new Set<string>()
  const load = (path: string) => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { path: imported, kind } of chunks[path]?.imports ?? [])
      if (kind !== 'dynamic-import') load(imported)
  }
  for (const [path, { entryPoint }] of Object.entries(chunks))
    if (entryPoint?.endsWith('src/main.ts')) load(path)
  const modules = [...loaded].flatMap((path) =>
    Object.entries(chunks[path]?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([module]) => relative('.', module)),
  )
  expect(modules).toContain('src/cli/commands/serve.ts')
  expect(
    modules.filter((module) => LOADED_WHEN_NEEDED.some((start) => module.startsWith(start))),
  ).toEqual([])
})
