import { problemMessage, problemMessages } from '../../src/model/core/problemMessages'
import { expect, test } from '../tools/test'
import { problemRows } from './problems'

test('every problem is in the contract', () => {
  const codes = problemRows.map(([{ code }]) => String(code))
  expect(codes.sort()).toEqual(Object.keys(problemMessages).sort())
})

test('every problem has the message of the contract', () => {
  const rendered = problemRows.map(([problem]) => problemMessage(problem))
  expect(rendered).toEqual(problemRows.map(([, message]) => message))
})
