import {
  birthdayIn,
  colorIn,
  positionIn,
  visibilityOut,
} from '../../../src/formats/pluralport/values'
import { expect, test } from '../../tools/test'

test.each([
  ['#AABBCC', 'aabbcc'],
  ['#a1f', 'aa11ff'],
  ['reddish', 'reddish'],
  [7, undefined],
])('reads the colour %j', (given, expected) => {
  expect(colorIn(given)).toBe(expected)
})

test.each([
  [{ name_privacy: 'public', birthday_privacy: 'public' }, 'public'],
  [{ name_privacy: 'public', birthday_privacy: 'private' }, 'private'],
  [{ name_privacy: 'private' }, 'private'],
  ['public', 'public'],
  ['private', 'private'],
  [undefined, 'private'],
])('writes the privacy levels %j', (levels, visibility) => {
  expect(visibilityOut(levels)).toEqual({ visibility })
})

test.each([
  ['1990-02-03', '1990-02-03'],
  ['--02-03', '0004-02-03'],
  [{ value: '1990-02-03', precision: 'day', year_visible: true }, '1990-02-03'],
  [{ value: '1990-02-03', year_visible: false }, '0004-02-03'],
  [{ value: '1990-02-03', precision: 'month_day' }, '0004-02-03'],
  [{ value: '1990-02' }, undefined],
])('reads the birthday %j', (given, expected) => {
  expect(birthdayIn(given)).toBe(expected)
})

test.each([
  [0, 0],
  [3, 3],
  [-1, undefined],
  [1.5, undefined],
  ['3', undefined],
])('reads the position %j', (given, expected) => {
  expect(positionIn(given)).toBe(expected)
})
