import { ApiError, errorMessage } from '../../src/web/app/api'
import { strings } from '../../src/web/app/strings'
import { expect, test } from '../test'

test.each([
  ['400: Bad Request (This is not an export.)', 'This is not an export.'],
  [
    '403: Missing permissions to access this resource',
    'Missing permissions to access this resource',
  ],
  [
    'Member list identical to current fronter list.',
    'Member list identical to current fronter list.',
  ],
])('errorMessage removes the status from: %s', (message, expected) => {
  expect(errorMessage(new ApiError(400, message, 0))).toBe(expected)
})

test('errorMessage says when the server does not answer', () => {
  expect(errorMessage(new TypeError('Failed to fetch'))).toBe(strings.away)
})
