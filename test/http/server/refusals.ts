import { expect } from '../../tools/test'

interface Refusal {
  message: string
  code: number
  retry_after: number
}

/** Expects that the database refused a request, for this reason. */
export async function expectRefused(response: Response, reason: string): Promise<void> {
  const body = (await response.json()) as Refusal
  expect([response.status, body]).toEqual([
    503,
    {
      message: `503: Service Unavailable (${reason})`,
      code: 0,
      retry_after: expect.any(Number),
    },
  ])
  expect(Number(response.headers.get('retry-after'))).toBe(Math.ceil(body.retry_after / 1000))
  expect(response.headers.get('content-type')).toStartWith('application/json')
}

/** Returns the log lines of level warn and error. */
export function problemsIn(logged: string): [level: string, message: string, cause: string][] {
  return logged
    .split('\n')
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .map((line) => JSON.parse(line))
    .map(({ level, message, cause }) => [level, message, cause])
}
