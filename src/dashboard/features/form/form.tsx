import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Entity, JsonObject } from '../../../model/core/entity'
import { showToast } from '../../core/actions'
import { formDraft } from '../../core/drafts'
import {
  beginDraft,
  changedElsewhere,
  changedKeys,
  completeDraft,
  patchOf,
  problemsOf,
  resolveConflict,
  setValue,
} from '../../core/form'
import { blockNavigation } from '../../core/route'
import { sessionState } from '../../core/session'
import { editStrings, strings } from '../../texts/texts'
import { type FormState, useFormState } from '../../ui/form/formState'

interface OwnEntity {
  readonly uuid: string
  readonly privacy: Readonly<Record<string, string>> | null
}

/** Form of a page: also says what another client changed meanwhile. */
export interface Form extends FormState {
  readonly entity: Entity
  /** Names of fields that have others in this form. */
  readonly labels?: Readonly<Record<string, string>>
  /** Keys that another client changed meanwhile. */
  readonly conflicts: readonly string[]
  /** Value that another client stored. */
  theirs(key: string): unknown
  readonly describe?: Saving<unknown>['describe']
  resolve(key: string, choice: 'theirs' | 'mine'): void
  /** Takes over a value that the server has stored already; missing in forms without pictures. */
  takeStored?(key: string, value: unknown): void
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
export function useForm<T extends OwnEntity>(entity: Entity, row: T, saving: Saving<T>): Form {
  const stored = saving.toForm?.(row) ?? row
  const kept = formDraft.value?.uuid === row.uuid ? formDraft.value : null
  const draft = kept ? completeDraft(entity, kept, stored) : beginDraft(entity, stored)
  const latest = useRef(entity)
  latest.current = entity
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
  }, [row.uuid])

  const current = () => completeDraft(entity, formDraft.value ?? draft, stored)
  const state = useFormState({
    base: draft.base,
    values: draft.values,
    put(key, value) {
      formDraft.value = setValue(current(), key, value)
    },
    check: (values) => problemsOf(entity, { values }),
    summary: editStrings.someProblems,
    async save() {
      const body = patchOf(entity, draft)
      if (Object.keys(body).length === 0) return saving.onSaved(row)
      const saved = await saving.send(body)
      formDraft.value = null
      showToast({ text: strings.isSaved })
      saving.onSaved(saved ?? row)
    },
  })
  return {
    ...state,
    entity,
    conflicts: changedElsewhere(entity, draft, stored),
    theirs: (key) => ({ ...stored, ...stored.privacy })[key as keyof T],
    ...(saving.describe && { describe: saving.describe }),
    takeStored(key, value) {
      const now = current()
      formDraft.value = { ...setValue(now, key, value), base: { ...now.base, [key]: value } }
    },
    resolve(key, choice) {
      formDraft.value = resolveConflict(entity, formDraft.value ?? draft, stored, key, choice)
    },
  }
}
