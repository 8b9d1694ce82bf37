import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Entity } from '../../../../model/entity'
import { showToast } from '../../actions'
import { ApiError, problemMessage, requestOwn } from '../../api'
import { formDraft } from '../../drafts'
import {
  beginDraft,
  changedElsewhere,
  changedKeys,
  type FormDraft,
  patchOf,
  problemsOf,
  resolveConflict,
  setValue,
} from '../../form'
import { blockNavigation } from '../../route'
import { sessionState } from '../../session'
import { editStrings, strings } from '../../strings'
import { useAction } from '../../useAction'

interface OwnEntity {
  readonly uuid: string
  readonly privacy: Readonly<Record<string, string>> | null
}

/** State and operations that the lines of a form share. */
export interface Form {
  readonly entity: Entity
  readonly values: FormDraft['values']
  /** Validation messages by key. */
  readonly problems: Readonly<Record<string, string>>
  /** True after a failed attempt to save. */
  readonly wasTried: boolean
  /** Error that belongs to no field; shown above the button. */
  readonly problem: string
  readonly isBusy: boolean
  /** Keys that another client changed meanwhile. */
  readonly conflicts: readonly string[]
  /** Value that another client stored. */
  theirs(key: string): unknown
  change(key: string, value: unknown): void
  resolve(key: string, choice: 'theirs' | 'mine'): void
  readonly onSubmit: (event: Event) => void
}

interface Saving<T> {
  readonly path: string
  readonly onSaved: (saved: T) => void
}

/** Edits an entity. Input is kept if the session ends; leaving with unsaved changes asks first. */
export function useForm<T extends OwnEntity>(entity: Entity, own: T, saving: Saving<T>): Form {
  const known = formDraft.value?.uuid === own.uuid ? formDraft.value : null
  const draft = known ?? beginDraft(entity, own)
  const [serverProblems, setServerProblems] = useState<Record<string, string>>({})
  const [wasTried, setTried] = useState(false)
  const { onSubmit, problem, setProblem, isBusy } = useAction()
  useLayoutEffect(() => {
    formDraft.value = draft
    const unblock = blockNavigation(() => {
      const now = formDraft.value
      return sessionState.value === 'in' && now !== null && changedKeys(entity, now).length > 0
    })
    return () => {
      unblock()
      // Keep the draft when the session ended, so that it is still there after the login.
      if (sessionState.value === 'in') formDraft.value = null
    }
  }, [own.uuid])

  const problems = { ...serverProblems, ...problemsOf(entity, draft) }
  useEffect(() => {
    if (wasTried) focusProblem()
  }, [wasTried])

  const save = async () => {
    if (Object.keys(problemsOf(entity, draft)).length > 0) {
      setProblem(editStrings.someProblems)
      if (wasTried) focusProblem()
      return setTried(true)
    }
    const body = patchOf(entity, draft)
    if (Object.keys(body).length === 0) return saving.onSaved(own)
    try {
      const saved = await requestOwn<T>(saving.path, { method: 'PATCH', body })
      formDraft.value = null
      showToast({ text: strings.isSaved })
      saving.onSaved(saved ?? own)
    } catch (cause) {
      const serverErrors = cause instanceof ApiError ? Object.entries(cause.problems) : []
      setServerProblems(
        Object.fromEntries(
          serverErrors.map(([key, [first]]) => [key, first ? problemMessage(first) : '']),
        ),
      )
      setTried(true)
      throw cause
    }
  }

  return {
    entity,
    values: draft.values,
    problems,
    wasTried,
    problem,
    isBusy,
    conflicts: changedElsewhere(entity, draft, own),
    theirs: (key) => ({ ...own, ...own.privacy })[key as keyof T],
    change(key, value) {
      const { [key]: _, ...others } = serverProblems
      setServerProblems(others)
      setProblem('')
      formDraft.value = setValue(formDraft.value ?? draft, key, value)
    },
    resolve(key, choice) {
      formDraft.value = resolveConflict(entity, formDraft.value ?? draft, own, key, choice)
    },
    onSubmit: onSubmit(save),
  }
}

/** Moves the focus to the first invalid field. */
function focusProblem(): void {
  document.querySelector<HTMLElement>('.page [aria-invalid="true"]')?.focus()
}
