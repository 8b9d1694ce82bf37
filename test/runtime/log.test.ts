import { createLog } from '../../src/runtime/log'
import { describe, expect, test } from '../tools/test'

type Fields = Parameters<ReturnType<typeof createLog>['info']>[1]

describe('log entries', () => {
  const rows: { title: string; message: string; fields: Fields }[] = [
    { title: 'without fields', message: 'stopping', fields: {} },
    { title: 'with an undefined field', message: 'stopping', fields: { signal: undefined } },
    {
      title: 'with values of every type',
      message: 'm',
      fields: { a: 1.5, b: true, c: null, d: 'x' },
    },
    {
      title: 'with characters that must be escaped',
      message: '"\\\n',
      fields: { path: '/"\\\u2028\u0007é' },
    },
  ]

  test.each(rows)('a log entry $title is one line of JSON', ({ message, fields }) => {
    expect(linesOf('json', message, fields).map((line) => JSON.parse(line))).toEqual([
      { ...fields, time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/), level: 'info', message },
    ])
  })

  test.each(rows)('a log entry $title is one line of text', ({ message, fields }) => {
    const lines = linesOf('text', message, fields)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}/)
  })
})

function linesOf(format: 'json' | 'text', message: string, fields: Fields): string[] {
  let written = ''
  const log = createLog('info', format, (text) => {
    written += text
  })
  log.debug('not at this level')
  log.info(message, fields)
  log.flush()
  expect(written).toEndWith('\n')
  return written.slice(0, -1).split('\n')
}
