import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../tools/test'
import { subjects } from './mutations'
import { applyMutation, type Mutation } from './mutations/mutation'

const root = join(import.meta.dir, '../..')
const all = Object.values(subjects).flat()

test('every mutation fits to its file and names tests that exist', () => {
  expect(all.flatMap(problemsOf)).toEqual([])
})

test('no mutation is listed twice', () => {
  const names = all.map(({ file, from, to }) => `${file} ${from} ${to}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

function problemsOf({ file, from, to, tests, why }: Mutation): string[] {
  const name = `src/${file}: ${why}`
  const path = join(root, 'src', file)
  if (!existsSync(path)) return [`${name} The file does not exist.`]
  const mutated = applyMutation(readFileSync(path, 'utf8'), { from, to })
  const problems = tests
    .filter((one) => !existsSync(join(root, 'test', one)))
    .map((one) => `test/${one} does not exist.`)
  if (tests.length === 0) problems.push('It names no test.')
  if (!/^[A-Z].+\.$/.test(why)) problems.push('It has no sentence that says why.')
  if ('problem' in mutated) problems.push(mutated.problem)
  else if (!canBeParsed(mutated.source)) problems.push('The changed file cannot be parsed.')
  return problems.map((problem) => `${name} ${problem}`)
}

function canBeParsed(source: string): boolean {
  try {
    new Bun.Transpiler({ loader: 'ts' }).transformSync(source)
    return true
  } catch {
    return false
  }
}
