import { createLog, type Log } from '../../../src/runtime/log'

export interface TestLog extends Log {
  /** Everything that was logged, at all levels. */
  text(): string
}

export function createTestLog(): TestLog {
  const written: string[] = []
  const log = createLog('debug', 'json', (text) => written.push(text))
  return {
    ...log,
    text() {
      log.flush()
      return written.join('')
    },
  }
}
