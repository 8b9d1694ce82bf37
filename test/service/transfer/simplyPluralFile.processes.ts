import { shapes } from '../../tools/simplyplural/facts'
import { describe } from '../../tools/test'
import { testSimplyPluralFiles } from './simplyPluralFiles'

// Not in `npm test`, because files of these sizes take half a minute.
describe('a generated file of Simply Plural', () => {
  testSimplyPluralFiles([
    ...shapes.map((shape) => ({ seed: 7, size: 'typical', shape }) as const),
    { seed: 3, size: 'large', shape: 'export' },
  ])
})
