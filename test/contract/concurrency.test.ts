import { describe } from '../tools/test'
import { createTestApp } from '../tools/testApp'
import { rulesOf } from './concurrencyRules'

describe('concurrent requests', () => {
  rulesOf(createTestApp())
})
