import { createLatestMessages, hashContent } from '../../../src/discord/cache/latestMessages'
import { expect, test } from '../../tools/test'

const message = (id: string) => ({ id, name: 'Ann', member: null, contentHash: hashContent(id) })

test('keeps the latest message of the channels that were used most recently', () => {
  const latest = createLatestMessages(2)
  latest.set('a', message('1'))
  latest.set('b', message('2'))
  latest.set('a', message('3'))
  latest.set('c', message('4'))
  expect(['a', 'b', 'c'].map((id) => latest.find(id)?.id)).toEqual(['3', undefined, '4'])
})

test('forgets a channel', () => {
  const latest = createLatestMessages()
  latest.set('a', message('1'))
  latest.delete('a')
  expect(latest.find('a')).toBeUndefined()
})
