import { runScenarios } from '../../tools/scenarios'
import { describe } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const invalid = { message: 'Error parsing JSON model', code: 40001 }
const tooLong = {
  message: 'Too long: at most 100 characters.',
  max_length: 100,
  actual_length: 101,
}
const notColor = { message: 'Must be six hexadecimal digits, without "#".' }
const body = { name: 'x'.repeat(101), color: 'red' }

describe('the problems of a body', () => {
  runScenarios(testApp, {
    'have codes and values under /ext/v1': {
      ask: 'POST /ext/v1/members',
      body: { member: body },
      status: 400,
      code: 40001,
      json: {
        ...invalid,
        errors: {
          'member.name': [{ ...tooLong, code: 'too_long', values: { max: 100, actual: 101 } }],
          'member.color': [{ ...notColor, code: 'not_color', values: {} }],
        },
      },
    },
    'name the allowed choices': {
      ask: 'POST /ext/v1/systems/@me/reminders',
      body: { name: 'Drink', kind: 'never' },
      status: 400,
      code: 40001,
      json: {
        ...invalid,
        errors: {
          kind: [
            {
              message: 'Must be one of: repeat, after_switch.',
              code: 'not_choice',
              values: { choices: ['repeat', 'after_switch'] },
            },
          ],
        },
      },
    },
    'have no codes under /v2, whose bytes do not change': {
      ask: 'POST /v2/members',
      body,
      status: 400,
      code: 40001,
      json: { ...invalid, errors: { name: [tooLong], color: [notColor] } },
    },
  })
})
