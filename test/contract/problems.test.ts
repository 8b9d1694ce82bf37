import { problemMessage, problemMessages } from '../../src/model/core/problemMessages'
import { reasonMessages, reportReason } from '../../src/model/core/reasonMessages'
import { expect, test } from '../tools/test'
import { problemRows } from './problems'
import { reasonRows } from './reasons'

test('every problem is in the contract', () => {
  const codes = problemRows.map(([{ code }]) => String(code))
  expect(codes.sort()).toEqual(Object.keys(problemMessages).sort())
})

test('every problem has the message of the contract', () => {
  const rendered = problemRows.map(([problem]) => problemMessage(problem))
  expect(rendered).toEqual(problemRows.map(([, message]) => message))
})

test('every reason in the report of an import is in the contract', () => {
  const codes = reasonRows.map(([reason]) => String(reportReason(reason).code))
  expect(codes.sort()).toEqual(Object.keys(reasonMessages).sort())
})

test('every reason has the text of the contract', () => {
  const rendered = reasonRows.map(([reason]) => reportReason(reason).why)
  expect(rendered).toEqual(reasonRows.map(([, why]) => why))
})
