import { useState } from 'preact/hooks'
import { sharingStrings } from '../../texts/texts'
import { ProblemText } from '../../ui/problemText'
import { readCode } from './friends'

/** Opens an invitation by its code, for servers whose invitations have no link. */
export function EnterCode() {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState('')
  const open = (event: Event) => {
    event.preventDefault()
    const code = readCode(typed)
    if (code === '') return setProblem(sharingStrings.noCode)
    location.hash = `#/friend/${encodeURIComponent(code)}`
  }
  return (
    <form class="card" onSubmit={open} noValidate>
      <h2>{sharingStrings.enterCode}</h2>
      <div class="field">
        <label for="invite-code">{sharingStrings.code}</label>
        <input
          id="invite-code"
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={typed}
          aria-invalid={problem !== ''}
          aria-describedby="invite-code-more invite-code-problem"
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setProblem('')
          }}
        />
        <p id="invite-code-more" class="quiet small">
          {sharingStrings.enterCodeMore}
        </p>
        <ProblemText id="invite-code-problem" text={problem} />
      </div>
      <div>
        <button type="submit">{sharingStrings.continue}</button>
      </div>
    </form>
  )
}
