import { expect, test } from '../tools/test'
import { listBlocks, runners } from './documented'

test('every block of commands in the documents has a runner, or a reason for none', () => {
  const shown = listBlocks().map(({ page, text }, at) => {
    const start = runners[at]?.[1] ?? ''
    return [page, text.startsWith(start) ? start : (text.split('\n')[0] ?? '')]
  })
  expect(shown).toEqual(runners.map(([page, start]) => [page, start]))
  for (const [, start, runner, why] of runners)
    expect([start, why !== undefined]).toEqual([start, runner === 'none'])
})
