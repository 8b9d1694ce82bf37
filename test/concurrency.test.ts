import { rulesOf } from './concurrencyRules'
import { describe } from './test'
import { createTestApp } from './testApp'

describe('concurrent requests', () => {
  rulesOf(createTestApp())
})
