import { useEffect, useState } from 'preact/hooks'
import { system, type Visibility, visibilities } from '../../model/systems/system'
import { ApiError, errorMessage, isUnauthorized, requestOnce } from '../api/client'
import { registrationPath } from '../api/paths'
import { newSystemPath, setupPath } from '../api/resources'
import type { Registration } from '../api/types'
import { problemsOf } from '../core/form'
import { goTo, invitation } from '../core/route'
import { Remember } from '../features/access/finishLogin'
import { logIn, startSession } from '../features/access/startSession'
import { createStrings, strings } from '../texts/texts'
import { CenteredPage, Unreachable } from '../ui/centeredPage'
import { ChipGroup } from '../ui/chipGroup'
import { CopyField } from '../ui/copyField'
import { useLocalForm } from '../ui/form/formState'
import { Form, TextField } from '../ui/form/textField'
import { ProblemText } from '../ui/problemText'

type Access = { is: 'loading' | 'open' | 'over' } | { is: 'away'; problem: string }

/** Creates the first system of a server with the code of a set-up link. */
export function Setup({ code }: { code: string }) {
  const [access, setAccess] = useState<Access>({ is: 'loading' })
  const check = async () => {
    setAccess({ is: 'loading' })
    try {
      await requestOnce(setupPath, { method: 'POST', body: { code } })
      setAccess({ is: 'open' })
    } catch (cause) {
      setAccess(isUnauthorized(cause) ? { is: 'over' } : { is: 'away', problem: explain(cause) })
    }
  }
  useEffect(() => {
    // Removes the code from the address bar and the browser's history.
    history.replaceState(null, '', '#/setup')
    check()
  }, [code])
  if (access.is === 'loading') return <main class="door" aria-busy="true" />
  if (access.is === 'away') return <Unreachable onRetry={check} problem={access.problem} />
  if (access.is === 'over')
    return <Refused text={createStrings.setupIsOver} command="multitude login --setup" />
  return <CreateSystem code={code} onRefused={() => setAccess({ is: 'over' })} />
}

/** Creates a system where the server's setting allows it. */
export function Create() {
  const [registration, setRegistration] = useState<Registration | 'loading' | 'away'>('loading')
  const load = async () => {
    setRegistration('loading')
    setRegistration((await requestOnce(registrationPath).catch(() => null)) ?? 'away')
  }
  useEffect(() => {
    load()
  }, [])
  if (registration === 'loading') return <main class="door" aria-busy="true" />
  if (registration === 'away') return <Unreachable onRetry={load} />
  if (registration.registration === 'closed') return <Refused text={createStrings.closed} />
  return (
    <CreateSystem
      needsInvite={registration.registration === 'invite'}
      onRefused={() => setRegistration({ ...registration, registration: 'closed' })}
    />
  )
}

function Refused({ text, command }: { text: string; command?: string }) {
  return (
    <CenteredPage heading={createStrings.heading}>
      <p role="alert">
        {text} {command && <code>{command}</code>}
      </p>
      <button type="button" onClick={() => goTo(toLogin())}>
        {createStrings.otherLogin}
      </button>
    </CenteredPage>
  )
}

const starts = ['import', 'empty'] as const
type Start = (typeof starts)[number]

/** Most private first. */
const choices = visibilities.toReversed()

interface Props {
  /** Code of a set-up link. */
  code?: string
  needsInvite?: boolean
  /** The code or the setting does not allow it any more. */
  onRefused: () => void
}

interface Created {
  readonly token: string
}

const firstValues = {
  name: '',
  invite: '',
  start: 'import' as Start,
  /** Undefined until it is chosen; an import is private unless another choice is made. */
  chosen: undefined as Visibility | undefined,
  remember: true,
}

/** Asks for name, start and visibility, creates the system and logs in. */
function CreateSystem({ code, needsInvite = false, onRefused }: Props) {
  const [created, setCreated] = useState<Created | null>(null)
  const form = useLocalForm({
    values: firstValues,
    explain,
    check({ name, invite, start, chosen }) {
      const hasVisibility = chosen !== undefined || start === 'import'
      return {
        ...problemsOf(system, { values: { name: name.trim() } }),
        ...(needsInvite && invite.trim() === '' && { invite: createStrings.wrongInvite }),
        ...(!hasVisibility && { chosen: createStrings.chooseVisibility }),
      }
    },
    async save({ name, invite }) {
      const access = code !== undefined ? { code } : needsInvite ? { invite: invite.trim() } : {}
      const body = { name: name.trim(), visibility, remember, ...access }
      try {
        setCreated(await logIn<Created>(newSystemPath, body))
      } catch (cause) {
        const isRefused =
          cause instanceof ApiError &&
          (cause.status === 403 || (cause.status === 401 && !needsInvite))
        if (!isRefused) throw cause
        onRefused()
      }
    },
    locate: (cause) =>
      needsInvite && isUnauthorized(cause) ? { invite: createStrings.wrongInvite } : {},
  })
  const { start, chosen, remember } = form.values
  const visibility = chosen ?? (start === 'import' ? 'private' : undefined)

  if (created) return <Ready token={created.token} start={start} isRemembered={remember} />
  const heading = code === undefined ? createStrings.heading : createStrings.setupHeading
  return (
    <CenteredPage heading={heading}>
      {code !== undefined && <p>{createStrings.setupMore}</p>}
      <Form onSubmit={form.onSubmit}>
        <TextField
          {...form.field('name')}
          label={createStrings.name}
          hint={createStrings.nameMore}
        />
        {needsInvite && <TextField {...form.field('invite')} label={createStrings.invite} />}
        <ChipGroup
          legend={createStrings.start}
          options={starts.map((start) => [start, createStrings.starts[start]] as const)}
          value={start}
          onChange={(value) => form.change('start', value)}
        >
          <p class="quiet small">{createStrings.startsMore[start]}</p>
        </ChipGroup>
        <ChipGroup<Visibility | undefined>
          legend={createStrings.visibility}
          options={choices.map((choice) => [choice, createStrings.visibilities[choice]] as const)}
          value={visibility}
          onChange={(value) => form.change('chosen', value)}
        >
          <p class="quiet small" role="status">
            {visibility && createStrings.visibilitiesMore[visibility]}{' '}
            {createStrings.visibilityLater}
          </p>
          <ProblemText text={visibility ? '' : (form.problems.chosen ?? '')} />
        </ChipGroup>
        <Remember value={remember} onChange={(value) => form.change('remember', value)} />
        <ProblemText text={form.problem} />
        <button class="main" type="submit" aria-busy={form.isBusy}>
          {createStrings.create}
        </button>
      </Form>
      {code === undefined && (
        <a class="beside" href={toLogin()}>
          {createStrings.toLogin}
        </a>
      )}
    </CenteredPage>
  )
}

interface ReadyProps {
  token: string
  start: Start
  isRemembered: boolean
}

/** Returns where to log in: at the invitation that was opened first, if there is one. */
function toLogin(): string {
  return invitation.value || '#/now'
}

/** Shows the token, which the server does not show again, before the dashboard opens. */
function Ready({ token, start, isRemembered }: ReadyProps) {
  const open = () => {
    goTo(start === 'import' ? '#/import' : toLogin())
    startSession('token', isRemembered)
  }
  return (
    <CenteredPage heading={createStrings.isCreated}>
      <CopyField label={createStrings.token} value={token} hint={createStrings.tokenMore} />
      <button type="button" onClick={open}>
        {start === 'import' ? createStrings.toImport : createStrings.toNow}
      </button>
    </CenteredPage>
  )
}

function explain(cause: unknown): string {
  const isTooMany = cause instanceof ApiError && cause.status === 429
  return isTooMany ? strings.tooMany : errorMessage(cause)
}
