import { useEffect, useRef, useState } from 'preact/hooks'
import type { JsonObject } from '../../../model/core/entity'
import { ApiError } from '../../api/client'
import { describeProblems } from '../../core/form'
import { useAction } from '../../core/useAction'
import type { FieldState } from './textField'

export type FieldTexts = Readonly<Record<string, string>>

interface Options {
  /** Beginning of the names of its fields, unless it is the only form of the page. */
  readonly id?: string
  readonly base: JsonObject
  readonly values: JsonObject
  readonly put: (key: string, value: unknown) => void
  /** Returns all problems that the page can find. */
  readonly check: (values: JsonObject) => FieldTexts
  readonly save: () => Promise<void>
  readonly explain?: ((cause: unknown) => string) | undefined
  /** Returns the problems of fields in an error that the server gives no fields for. */
  readonly locate?: ((cause: unknown) => FieldTexts) | undefined
  /** Text above the button while fields have problems, for forms that are longer than a screen. */
  readonly summary?: string
  /** Logs switches, which some devices keep until the server answers again. */
  readonly isSwitching?: boolean
}

/** State that all forms share, wherever they keep what is typed. */
export interface FormState {
  readonly values: JsonObject
  /** Those to show. */
  readonly problems: FieldTexts
  /** True after a failed attempt to save. */
  readonly wasTried: boolean
  /** Error above the button. */
  readonly problem: string
  readonly isBusy: boolean
  change(key: string, value: unknown): void
  /** Returns the state of the field of a key, if its value is text. */
  field(key: string): FieldState
  readonly run: (action: () => unknown) => Promise<void>
  readonly onSubmit: (event: Event) => void
}

/**
 * Checks and saves what is typed. A problem is shown once its value was changed or saving was tried;
 * one that the server finds is shown until its value is changed.
 */
export function useFormState(options: Options): FormState {
  const { id, base, values, put, check, save, explain, locate } = options
  const { summary = '', isSwitching = false } = options
  const [serverProblems, setServerProblems] = useState<FieldTexts>({})
  const [failures, setFailures] = useState(0)
  const { run, onSubmit, problem, setProblem, isBusy } = useAction({
    isSwitching,
    ...(explain && { explain }),
  })
  const form = useRef<EventTarget | null>(null)
  useEffect(() => {
    if (failures > 0 && form.current instanceof HTMLElement)
      form.current.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failures])
  // A part of a value, such as an option, is not judged before saving.
  const isShown = ([key]: [string, string]) => failures > 0 || values[key] !== base[key]
  const shownProblems = Object.fromEntries(Object.entries(check(values)).filter(isShown))
  const problems: FieldTexts = { ...serverProblems, ...shownProblems }
  const submit = onSubmit(async () => {
    if (Object.keys(check(values)).length > 0) {
      setProblem(summary)
      return setFailures(failures + 1)
    }
    try {
      await save()
      setFailures(0)
    } catch (cause) {
      const located = locate?.(cause) ?? {}
      const sent = cause instanceof ApiError ? describeProblems(cause.problems) : {}
      setServerProblems({ ...sent, ...located })
      setFailures(failures + 1)
      if (Object.keys(located).length === 0) throw cause
    }
  })
  const change = (key: string, value: unknown) => {
    const isOther = ([name]: [string, string]) => name !== key && !name.startsWith(`${key}.`)
    setServerProblems(Object.fromEntries(Object.entries(serverProblems).filter(isOther)))
    setProblem('')
    put(key, value)
  }
  return {
    values,
    problems,
    wasTried: failures > 0,
    problem,
    isBusy,
    change,
    field: (key) => ({
      name: id === undefined ? key : `${id}-${key}`,
      value: String(values[key] ?? ''),
      problem: problems[key] ?? '',
      onChange: (value) => change(key, value),
    }),
    run,
    onSubmit(event) {
      form.current = event.currentTarget
      submit(event)
    },
  }
}

interface LocalOptions<V> extends Pick<Options, 'id' | 'explain' | 'locate'> {
  /** Values that the fields begin with. */
  readonly values: V
  readonly check?: (values: V) => FieldTexts
  readonly save: (values: V) => Promise<void>
}

/** Form whose values are kept as long as it is shown. */
export function useLocalForm<V extends JsonObject>({
  values: initial,
  check,
  save,
  ...options
}: LocalOptions<V>) {
  const [base] = useState(initial)
  const [values, setValues] = useState(base)
  const state = useFormState({
    ...options,
    base,
    values,
    put: (key, value) => setValues((before) => ({ ...before, [key]: value })),
    check: () => check?.(values) ?? {},
    save: () => save(values),
  })
  const isChanged = JSON.stringify(values) !== JSON.stringify(base)
  return { ...state, values, isChanged }
}
