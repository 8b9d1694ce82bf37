import { useEffect, useState } from 'preact/hooks'
import { errorMessage, request } from '../../api/client'
import { memberPath } from '../../api/paths'
import { api } from '../../api/resources'
import type { Member, SerializedMember } from '../../api/types'
import { isOffline } from '../../core/store'
import { useQuery } from '../../core/useQuery'

/** Loads the custom fields of the system, in their order. */
export function useFields() {
  return useQuery(api.fields.list, 'fields')
}

/**
 * Returns the description of a member; other clients get only the beginning of a long one. Until
 * `useWholeMember` has loaded a long one, it is cut.
 */
export function descriptionOf({ description, ext }: Member): string | null {
  if (ext?.about_excerpt) return `${ext.about_excerpt}…`
  return ext?.about ?? description
}

export function requestMember(uuid: string, signal: AbortSignal) {
  return request(memberPath(uuid), { signal })
}

interface Whole {
  /** Null until the description has arrived. */
  readonly member: Member | null
  /** Problem of the last request; '' without one. */
  readonly problem: string
  readonly reload: () => void
}

/**
 * Loads the long description of a member, of which lists have only the beginning, and again when
 * `version` changes. Until then, the description that was loaded before stays.
 */
export function useWholeMember(
  shown: Member,
  load: (uuid: string, signal: AbortSignal) => Promise<SerializedMember | null>,
  version: unknown,
): Whole {
  const { uuid, ext } = shown
  const isCut = Boolean(ext?.about_excerpt)
  const [attempts, setAttempts] = useState(0)
  const [loaded, setLoaded] = useState<{ uuid: string; about: string | null } | null>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (!isCut || isOffline.value) return
    const stop = new AbortController()
    load(uuid, stop.signal).then(
      (member) => {
        if (stop.signal.aborted) return
        setLoaded({ uuid, about: member?.about ?? null })
        setProblem('')
      },
      (cause) => {
        if (!stop.signal.aborted) setProblem(errorMessage(cause))
      },
    )
    return () => stop.abort()
  }, [uuid, isCut, version, attempts, isOffline.value])
  const reload = () => setAttempts((count) => count + 1)
  if (!isCut || !ext) return { member: shown, problem: '', reload }
  const whole = loaded?.uuid === uuid && { ...ext, about: loaded.about, about_excerpt: null }
  return { member: whole ? { ...shown, ext: whole } : null, problem, reload }
}
