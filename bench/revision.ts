import { copyFileSync, existsSync, mkdtempSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { folder, type Size } from './data'

/** Executable of another revision, and a data set in the format of its database. */
export interface Revision {
  readonly name: string
  readonly program: string
  readonly file: string
}

/**
 * Builds a revision of this repository and creates its data set, unless an earlier run has done so.
 * Only the number of systems and of messages may differ from the full data set.
 */
export async function buildRevision(
  name: string,
  { systems, messages }: Pick<Size, 'systems' | 'messages'>,
): Promise<Revision> {
  const commit = (await $`git rev-parse --verify ${`${name}^{commit}`}`.text()).trim()
  const program = join(folder, `multitude-${commit}`)
  const file = join(folder, `${systems}-${messages}-${commit}.db`)
  if (existsSync(program) && existsSync(file)) return { name, program, file }
  console.log(`building ${name} and its data set …`)
  const worktree = mkdtempSync(join(tmpdir(), 'multitude-revision-'))
  try {
    await $`git worktree add --quiet --detach ${worktree} ${commit}`
    await $`npm run --silent preinstalled && npm run --silent build`.cwd(worktree).quiet()
    copyFileSync(join(worktree, 'dist/multitude'), `${program}.unfinished`)
    renameSync(`${program}.unfinished`, program)
    await $`node_modules/.bin/bun bench/data.ts --systems ${systems} --messages ${messages} --out ${file}`.cwd(
      worktree,
    )
  } finally {
    await $`git worktree remove --force ${worktree}`.quiet()
  }
  return { name, program, file }
}
