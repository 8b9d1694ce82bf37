import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Entity } from '../../../../model/entity'
import { requireServer, showToast } from '../../actions'
import { ApiError, errorMessage, requestOwn } from '../../api'
import { formDraft } from '../../drafts'
import {
  beginDraft,
  changedElsewhere,
  changedKeys,
  decide,
  type FormDraft,
  patchOf,
  problemsOf,
  setValue,
} from '../../form'
import { holdNavigation } from '../../route'
import { sessionState } from '../../session'
import { isOffline } from '../../store'
import { strings } from '../../strings'
import { editStrings } from '../../strings/edit'

interface Own {
  readonly uuid: string
  readonly privacy: Readonly<Record<string, string>> | null
}

/** What the lines of a form work with. */
export interface Form {
  readonly entity: Entity
  readonly values: FormDraft['values']
  /** What is wrong, by key. */
  readonly problems: Readonly<Record<string, string>>
  /** Whether it was tried to save it as it is. */
  readonly wasTried: boolean
  /** Above the button, where it concerns no field. */
  readonly problem: string
  readonly isBusy: boolean
  /** Keys that somebody else changed meanwhile. */
  readonly elsewhere: readonly string[]
  /** What somebody else made of them. */
  theirs(key: string): unknown
  change(key: string, value: unknown): void
  settle(key: string, whose: 'theirs' | 'mine'): void
  save(): Promise<void>
}

interface Saving<T> {
  readonly path: string
  readonly onSaved: (saved: T) => void
}

/** Edits one of ours. What is typed outlives a session that ends; leaving with changes asks. */
export function useForm<T extends Own>(entity: Entity, own: T, saving: Saving<T>): Form {
  const known = formDraft.value?.uuid === own.uuid ? formDraft.value : null
  const draft = known ?? beginDraft(entity, own)
  const [told, setTold] = useState<Record<string, string>>({})
  const [problem, setProblem] = useState('')
  const [wasTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  useLayoutEffect(() => {
    formDraft.value = draft
    const letGo = holdNavigation(() => {
      const now = formDraft.value
      return sessionState.value === 'in' && now !== null && changedKeys(entity, now).length > 0
    })
    return () => {
      letGo()
      // Who must come in again finds what they typed.
      if (sessionState.value === 'in') formDraft.value = null
    }
  }, [own.uuid])

  const problems = { ...told, ...problemsOf(entity, draft) }
  useEffect(() => {
    if (wasTried) focusProblem()
  }, [wasTried])

  const save = async () => {
    setProblem('')
    if (Object.keys(problemsOf(entity, draft)).length > 0) {
      setProblem(editStrings.someProblems)
      if (wasTried) focusProblem()
      return setTried(true)
    }
    if (isBusy) return
    const body = patchOf(entity, draft)
    if (Object.keys(body).length === 0) return saving.onSaved(own)
    setBusy(true)
    try {
      requireServer()
      const saved = await requestOwn<T>(saving.path, { method: 'PATCH', body })
      formDraft.value = null
      showToast({ text: strings.isSaved })
      saving.onSaved(saved ?? own)
    } catch (cause) {
      const refused = cause instanceof ApiError ? Object.entries(cause.problems) : []
      setTold(Object.fromEntries(refused.map(([key, [first]]) => [key, first?.message ?? ''])))
      setProblem(isOffline.value ? strings.notConnected : errorMessage(cause, strings.away))
      setTried(true)
    }
    setBusy(false)
  }

  return {
    entity,
    values: draft.values,
    problems,
    wasTried,
    problem,
    isBusy,
    elsewhere: changedElsewhere(entity, draft, own),
    theirs: (key) => ({ ...own, ...own.privacy })[key as keyof T],
    change(key, value) {
      const { [key]: _, ...others } = told
      setTold(others)
      setProblem('')
      formDraft.value = setValue(formDraft.value ?? draft, key, value)
    },
    settle(key, whose) {
      formDraft.value = decide(entity, formDraft.value ?? draft, own, key, whose)
    },
    save,
  }
}

/** Whoever saves too early is led to what is not right yet. */
function focusProblem(): void {
  document.querySelector<HTMLElement>('.page [aria-invalid="true"]')?.focus()
}
