import { useState } from 'preact/hooks'
import { attempt } from './actions'
import { canLog, isOffline } from './store'

interface Options {
  /** Returns the text for an error. */
  explain?: (cause: unknown) => string
  /** Runs actions at the same time; otherwise one is ignored while another is running. */
  canOverlap?: boolean
  /** Logs switches, which some devices keep until the server answers again. */
  isSwitching?: boolean
  /** Works without the server. */
  isLocal?: boolean
}

/** Runs the actions of a form or a button, with the problem to show beside it. */
export function useAction({ explain, canOverlap = false, isSwitching, isLocal }: Options = {}) {
  const [problem, setProblem] = useState('')
  const [isRefused, setRefused] = useState(false)
  const [running, setRunning] = useState(0)
  const isBusy = running > 0
  const run = async (action: () => unknown): Promise<void> => {
    if (isBusy && !canOverlap) return
    setProblem('')
    setRunning((count) => count + 1)
    const canRun = isLocal || (isSwitching ? canLog.value : !isOffline.value)
    setRefused(!canRun)
    const failure = await attempt(action, explain, canRun)
    if (failure !== '') setProblem(failure)
    setRunning((count) => count - 1)
  }
  const onSubmit = (action: () => unknown) => (event: Event) => {
    event.preventDefault()
    run(action)
  }
  const isOver = isRefused && !isOffline.value
  return { run, onSubmit, problem: isOver ? '' : problem, setProblem, isBusy }
}
