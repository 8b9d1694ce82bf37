import { problemMessage } from '../../src/dashboard/api/client'
import { reasonText } from '../../src/dashboard/features/transfer/reasonText'
import { type LanguageCode, languageCodes } from '../../src/dashboard/texts/languages'
import { loadRestOfStrings, loadStrings } from '../../src/dashboard/texts/texts'
import { parseCoded } from '../../src/model/core/coded'
import { reportReason } from '../../src/model/core/reasonMessages'
import { webhookMessages } from '../../src/model/core/webhookMessages'
import { problemRows } from '../contract/problems'
import { reasonRows } from '../contract/reasons'
import { afterAll, expect, test } from '../tools/test'

afterAll(() => loadStrings('en'))

test.each<[LanguageCode]>(languageCodes.map((code) => [code]))(
  'every problem and every reason has a text with its values in %s',
  async (language) => {
    await loadStrings(language)
    await loadRestOfStrings()
    for (const [problem, message] of problemRows) {
      const text = problemMessage({ code: problem.code, values: problem.values, message: '' })
      expect(`${message}: ${text}`).toMatch(/: \S/)
      expect(text).not.toMatch(/undefined|NaN|\[object/)
    }
    for (const [reason, why] of reasonRows) {
      const text = reasonText({ ...reportReason(reason), why: '' })
      expect(`${why}: ${text}`).toMatch(/: \S/)
      expect(text).not.toMatch(/undefined|NaN|\[object/)
    }
  },
)

test.each<[message: string, expected: ReturnType<typeof parseCoded>]>([
  [webhookMessages.address_is_ip, { code: 'address_is_ip', values: {} }],
  ['The receiver answered 410.', { code: 'receiver_answered', values: { status: '410' } }],
  [
    'Deliveries failed for too long; last error: status 500 (a.b)',
    { code: 'deliveries_failed', values: { error: 'status 500 (a.b)' } },
  ],
  ['connect ECONNREFUSED', null],
])('parseCoded finds the code of %p', (message, expected) => {
  expect(parseCoded(webhookMessages, message)).toEqual(expected)
})
