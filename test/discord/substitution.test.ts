import { applySubstitution, parseSubstitution } from '../../src/model/proxy/substitution'
import { describe, expect, test } from '../tools/test'

describe('substitutions', () => {
  const cases: [substitution: string, text: string, expected: string][] = [
    ['s|a|b|', 'banana', 'bbnana'],
    ['s|a|b', 'banana', 'bbnana'],
    ['s|a|b|g', 'banana', 'bbnbnb'],
    ['s/A/b/gi', 'banana', 'bbnbnb'],
    ['s|a\\|n|x\\|y|g', 'a|n', 'x|y'],
    ['s|^b|x|gm', 'b\nb', 'x\nx'],
    ['s|(a)(n)|$2$1|', 'an', 'na'],
    ['s|(a)(n)|$2$1|n', 'an', '$2$1'],
    ['s|(?<one>a)|<$\u007bone}>|', 'an', '<a>n'],
    ['s| a n # comment |x|x', 'an', 'x'],
    ['s|[ a]|x|gx', 'a b', 'xxb'],
    ['s|.|$0$0|gs', 'a\n', 'aa\n\n'],
  ]
  for (const [given, text, expected] of cases)
    test(`${JSON.stringify(given)} changes ${JSON.stringify(text)}`, () => {
      const substitution = parseSubstitution(given)
      if (!substitution) throw new Error('not a substitution')
      expect(applySubstitution(substitution, text)).toEqual({ text: expected })
    })

  const wrong = [
    '',
    's',
    's|',
    's|a',
    's||b|',
    's|a|b|q',
    's|a|b|gg',
    's|a|b|g|',
    'y|a|b|',
    'sxaxbx',
    's a b ',
  ]
  for (const given of wrong)
    test(`${JSON.stringify(given)} is refused`, () => {
      expect(parseSubstitution(given)).toBeNull()
    })
})
