import { readCommit } from '../../.ci/release/commit'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'

function git(cwd: string, ...words: string[]): string {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  const { stdout, exitCode } = Bun.spawnSync(['git', ...author, ...words], { cwd })
  expect([words, exitCode]).toEqual([words, 0])
  return `${stdout}`.trim()
}

test.each<[string, ...string[]]>([
  ['a branch', 'status'],
  ['a branch whose references are packed', 'pack-refs', '--all'],
  ['a commit without a branch', 'checkout', '--quiet', '--detach'],
])('reads the commit of a clone on %s', async (_, ...step) => {
  const folder = emptyFolder()
  git(folder, 'init', '--quiet', '--initial-branch', 'main')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'one')
  git(folder, 'branch', 'feature/main')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'two')
  git(folder, ...step)
  expect(await readCommit(folder)).toBe(git(folder, 'rev-parse', '--short=7', 'HEAD'))
})

test('reads no commit outside of a clone', async () => {
  expect(await readCommit(emptyFolder())).toBe('')
})
