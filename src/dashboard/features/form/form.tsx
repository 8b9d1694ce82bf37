import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Entity, JsonObject } from '../../../model/core/entity'
import { ApiError, problemMessage } from '../../api/client'
import { showToast } from '../../core/actions'
import { formDraft } from '../../core/drafts'
import {
  beginDraft,
  changedElsewhere,
  changedKeys,
  completeDraft,
  type FormDraft,
  patchOf,
  problemsOf,
  resolveConflict,
  setValue,
} from '../../core/form'
import { blockNavigation } from '../../core/route'
import { sessionState } from '../../core/session'
import { useAction } from '../../core/useAction'
import { editStrings, strings } from '../../texts/texts'

interface OwnEntity {
  readonly uuid: string
  readonly privacy: Readonly<Record<string, string>> | null
}

/** State and operations that the lines of a form share. */
export interface Form {
  readonly entity: Entity
  /** Names of fields that have others in this form. */
  readonly labels?: Readonly<Record<string, string>>
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
  readonly describe?: Saving<unknown>['describe']
  change(key: string, value: unknown): void
  resolve(key: string, choice: 'theirs' | 'mine'): void
  /** Takes over a value that the server has stored already; missing in forms without pictures. */
  takeStored?(key: string, value: unknown): void
  readonly onSubmit: (event: Event) => void
}

export interface Saving<T> {
  /** Adds the values of the form that are not keys of the entity. */
  readonly toForm?: (own: T) => T
  /** Describes such a value. */
  readonly describe?: (key: string, value: unknown) => string | undefined
  /** Sends the changed values and returns the entity as it is then. */
  readonly send: (patch: JsonObject) => Promise<T | null>
  readonly onSaved: (saved: T) => void
}

/** Edits an entity. Input is kept if the session ends; leaving with unsaved changes asks first. */
export function useForm<T extends OwnEntity>(entity: Entity, own: T, saving: Saving<T>): Form {
  const stored = saving.toForm?.(own) ?? own
  const known = formDraft.value?.uuid === own.uuid ? formDraft.value : null
  const draft = known ? completeDraft(entity, known, stored) : beginDraft(entity, stored)
  const latest = useRef(entity)
  latest.current = entity
  const [serverProblems, setServerProblems] = useState<Record<string, string>>({})
  const [wasTried, setTried] = useState(false)
  const { onSubmit, problem, setProblem, isBusy } = useAction()
  useLayoutEffect(() => {
    formDraft.value = draft
    const unblock = blockNavigation(() => {
      const now = formDraft.value
      const isChanged = now !== null && changedKeys(latest.current, now).length > 0
      return sessionState.value === 'in' && isChanged
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
      const saved = await saving.send(body)
      formDraft.value = null
      showToast({ text: strings.isSaved })
      saving.onSaved(saved ?? own)
    } catch (cause) {
      const serverErrors = cause instanceof ApiError ? Object.entries(cause.problems) : []
      setServerProblems(
        Object.fromEntries(
          serverErrors.map(([key, [first]]) => [
            // The extension API names the fields of v2 by their path.
            key.replace(/^member\./, ''),
            first ? problemMessage(first) : '',
          ]),
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
    conflicts: changedElsewhere(entity, draft, stored),
    theirs: (key) => ({ ...stored, ...stored.privacy })[key as keyof T],
    ...(saving.describe && { describe: saving.describe }),
    change(key, value) {
      const { [key]: _, ...others } = serverProblems
      setServerProblems(others)
      setProblem('')
      const now = completeDraft(entity, formDraft.value ?? draft, stored)
      formDraft.value = setValue(now, key, value)
    },
    takeStored(key, value) {
      const now = completeDraft(entity, formDraft.value ?? draft, stored)
      formDraft.value = { ...setValue(now, key, value), base: { ...now.base, [key]: value } }
    },
    resolve(key, choice) {
      formDraft.value = resolveConflict(entity, formDraft.value ?? draft, stored, key, choice)
    },
    onSubmit: onSubmit(save),
  }
}

/** Moves the focus to the first invalid field. */
function focusProblem(): void {
  document.querySelector<HTMLElement>('.page [aria-invalid="true"]')?.focus()
}
